//! Arbitrary POSTs: anything that senders may send, in any order.

use std::sync::Arc;

use alert_intake::model::{
    AlertIdentity, ContentDigest, Delivery, DeliveryKey, IncomingAlert, ReportDigest,
    SenderContext, Severity, Source,
};
use api_conventions::ids::{IntegrationId, ProjectId, UserId};
use proptest::prelude::*;

use super::{PROJECTS, at};
use crate::flows::receive_alerts::{FeedEntries, ReceiveAlertsWithFeed};

/// The parts of one POST.
#[derive(Debug, Clone)]
pub(super) struct Post {
    pub(super) project: ProjectId,
    pub(super) author: i64,
    pub(super) second: i64,
    pub(super) key: Option<(&'static str, &'static str)>,
    pub(super) alerts: Vec<IncomingAlert>,
    /// Alert that the POST acknowledges.
    pub(super) acknowledged: Option<u8>,
}

impl Post {
    pub(super) fn work(&self) -> ReceiveAlertsWithFeed {
        ReceiveAlertsWithFeed {
            delivery: Delivery {
                project_id: self.project,
                integration_id: IntegrationId::new(self.project.get()),
                received_at: at(self.second),
                body_bytes: self.alerts.len(),
                alerts: self.alerts.clone(),
                acknowledged: self
                    .acknowledged
                    .map(|name| AlertIdentity::from_bytes([name; 32])),
                lowers_severity: self.second % 2 == 0,
                stale_after: (self.second % 3 == 0).then_some(5),
                expiries: Vec::new(),
                context: SenderContext::default(),
                key: self.key.map(|(key, body)| DeliveryKey {
                    key: ContentDigest::of(key.as_bytes()),
                    body: ContentDigest::of(body.as_bytes()),
                }),
            },
            after: FeedEntries {
                author_id: UserId::new(self.author),
                names: Arc::default(),
                expiries: Vec::new(),
            },
        }
    }
}

pub(super) fn alert(
    name: u8,
    source: Source,
    start: Option<i64>,
    end: Option<i64>,
) -> IncomingAlert {
    IncomingAlert {
        identity: AlertIdentity::from_bytes([name; 32]),
        source,
        title: format!("Alert {name}"),
        description: String::new(),
        severity: Severity::Critical,
        service: String::new(),
        monitoring_tool: String::new(),
        hosts: Vec::new(),
        environment_name: None,
        started_at: start.map(at),
        resolved_at: end.map(at),
        stores_end: true,
        payload: "{}".to_owned(),
        report: ReportDigest::default(),
    }
}

/// Generates arbitrary POSTs: to both projects, by two authors, with times that go backwards and lie hours apart.
pub(super) fn posts() -> impl Strategy<Value = Vec<Post>> {
    let source = proptest::sample::select(vec![Source::Generic, Source::Metrics]);
    let timestamp = || proptest::option::of(0_i64..9000);
    let severity = proptest::sample::select(vec![Severity::Low, Severity::High]);
    let content = (0_u8..2, severity).prop_map(|(number, severity)| (number, severity));
    let alert = (0_u8..3, source, timestamp(), timestamp(), content).prop_map(
        |(name, source, start, end, (number, severity))| {
            let alert = alert(name, source, start, end);
            let revised = IncomingAlert {
                title: format!("{} {number}", alert.title),
                severity,
                payload: format!("{{\"number\":{number}}}"),
                ..alert
            };
            revised.digested()
        },
    );
    let key = proptest::option::of((
        proptest::sample::select(vec!["k", "l"]),
        proptest::sample::select(vec!["b", "b", "c"]),
    ));
    let post = (
        proptest::sample::select(PROJECTS.to_vec()),
        1_i64..3,
        0_i64..20_000,
        key,
        proptest::collection::vec(alert, 0..4),
        proptest::option::weighted(0.2, 0_u8..3),
    );
    let post = post.prop_map(
        |(project, author, second, key, alerts, acknowledged)| Post {
            project,
            author,
            second,
            key,
            alerts,
            acknowledged,
        },
    );
    proptest::collection::vec(post, 1..9)
}
