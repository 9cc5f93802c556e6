//! Storage of reported errors, with the entries in the feed and the alerts that they open.

use std::sync::Arc;

use alert_intake::flow::receive::receive;
use alert_intake::model::{
    AlertIdentity, ContentDigest, Delivery as AlertDelivery, IncomingAlert, Integration,
    ReportDigest, SenderContext, Severity, Source,
};
use alert_intake::work::AfterReceive as _;
use api_conventions::ids::{ErrorId, ProjectId, UserId};
use error_tracking::flow::collect::{CollectOutcome, ErrorChange, ErrorChangeKind};
use error_tracking::flow::monitors::MonitorChange;
use error_tracking::model::{EventDelivery, Level};
use error_tracking::work::{self, AfterCollect};
use events::{Action, Audience, EventTarget, NewEvent, TargetType};
use storage::StoreError;

use super::incidents::IncidentNames;
use super::notifications::announce_errors;
use super::receive_alerts::FeedEntries;
use crate::database::{AsWriteTransaction, WriteTransaction};

/// A request to be stored with its feed entries and alerts, atomically. Concurrent requests are written together.
pub type CollectErrors = work::Collect<Consequences>;

/// Side effects of a request besides errors and events.
#[derive(Debug, Clone)]
pub struct Consequences {
    /// Author of the feed entries, and of the incidents of alerts.
    pub author_id: UserId,
    /// Names for the descriptions of incidents.
    pub names: Arc<IncidentNames>,
    /// True if a new error or a regression opens an alert.
    pub opens_alerts: bool,
}

impl<Tx: AsWriteTransaction + ?Sized> AfterCollect<Tx> for Consequences {
    fn write(
        tx: &mut Tx,
        stored: &[(&Self, &EventDelivery, &CollectOutcome)],
    ) -> Result<(), StoreError> {
        let changes: Vec<(&Self, &ErrorChange)> = stored
            .iter()
            .flat_map(|(after, _, outcome)| outcome.changes.iter().map(|change| (*after, change)))
            .collect();
        let monitors: Vec<(&Self, &MonitorChange)> = stored
            .iter()
            .flat_map(|(after, _, outcome)| outcome.monitors.iter().map(|one| (*after, one)))
            .collect();
        if changes.is_empty() && monitors.is_empty() {
            return Ok(());
        }
        let mut wanted: Vec<(&Self, AlertDelivery)> = Vec::new();
        for (after, change) in monitors {
            let delivery = super::monitors::alert_of(tx, change)?;
            wanted.extend(delivery.map(|delivery| (after, delivery)));
        }
        for (after, change) in &changes {
            if after.opens_alerts && change.kind != ErrorChangeKind::Unignored {
                let delivery = alert_of(tx, change)?;
                wanted.extend(delivery.map(|delivery| (*after, delivery)));
            }
        }
        let entries: Vec<NewEvent> = changes
            .iter()
            .map(|(after, change)| entry(after.author_id, change))
            .collect();
        if !entries.is_empty() {
            tx.insert_events(&entries)?;
        }
        let touched: Vec<_> = changes
            .iter()
            .map(|(_, change)| (change.project_id, change.at))
            .collect();
        if !touched.is_empty() {
            tx.touch_projects(&touched)?;
        }
        let unalerted = changes.iter().filter(|(after, _)| !after.opens_alerts);
        let unalerted: Vec<&ErrorChange> = unalerted.map(|(_, change)| *change).collect();
        if wanted.is_empty() {
            return announce_errors(tx.as_write_transaction(), unalerted.into_iter());
        }
        let deliveries: Vec<&AlertDelivery> = wanted.iter().map(|(_, delivery)| delivery).collect();
        let outcomes = receive(tx, &deliveries)?;
        let authors: Vec<FeedEntries> = wanted
            .iter()
            .map(|(after, _)| FeedEntries {
                author_id: after.author_id,
                names: Arc::clone(&after.names),
                expiries: Vec::new(),
            })
            .collect();
        let alerts: Vec<_> = authors
            .iter()
            .zip(&outcomes)
            .filter_map(|(feed, outcome)| Some((feed, outcome.as_ref().ok()?)))
            .collect();
        FeedEntries::write(tx, &alerts)?;
        announce_errors(tx.as_write_transaction(), unalerted.into_iter())
    }
}

fn entry(author_id: UserId, change: &ErrorChange) -> NewEvent {
    NewEvent {
        project_id: change.project_id,
        author_id,
        action: match change.kind {
            ErrorChangeKind::Appeared => Action::Created,
            ErrorChangeKind::Regressed | ErrorChangeKind::Unignored => Action::Reopened,
        },
        target: Some(EventTarget {
            kind: TargetType::Error,
            id: change.error_id.get(),
            iid: change.iid.get(),
            title: Some(change.title.clone()),
        }),
        audience: Audience::Reporters,
        push: None,
        created_at: change.at,
    }
}

/// Returns the alert of an error; `None` if the project has no endpoint to attach it to.
/// The alert has the identity of the error, so an open alert counts further occurrences, and resolving the error
/// resolves the alert.
fn alert_of<Tx: WriteTransaction + ?Sized>(
    tx: &mut Tx,
    change: &ErrorChange,
) -> Result<Option<AlertDelivery>, StoreError> {
    let generic = Integration::GENERIC_IDENTIFIER;
    let Some(endpoint) = tx.find_integration(change.project_id, generic)? else {
        return Ok(None);
    };
    let (what, again) = match change.kind {
        ErrorChangeKind::Appeared | ErrorChangeKind::Unignored => ("New error", false),
        ErrorChangeKind::Regressed => ("Regression", true),
    };
    let title: String = format!("{what}: {}", change.title)
        .chars()
        .take(200)
        .collect();
    let payload = serde_json::json!({
        "error_iid": change.iid.get(),
        "title": change.title,
        "culprit": change.culprit,
        "level": change.level.as_str(),
        "environment": change.environment,
        "regression": again,
    });
    let alert = IncomingAlert {
        identity: identity(change.project_id, change.error_id),
        source: Source::Generic,
        title,
        description: change.culprit.chars().take(1000).collect(),
        severity: severity_of(change.level),
        service: String::new(),
        monitoring_tool: "Error tracking".to_owned(),
        hosts: Vec::new(),
        environment_name: change.environment.clone(),
        started_at: Some(change.at),
        resolved_at: None,
        stores_end: true,
        payload: payload.to_string(),
        report: ReportDigest::default(),
    };
    let alert = alert.digested();
    Ok(Some(AlertDelivery {
        project_id: change.project_id,
        integration_id: endpoint.id,
        received_at: change.at,
        body_bytes: alert.payload.len(),
        alerts: vec![alert],
        context: SenderContext::default(),
        key: None,
        acknowledged: None,
        lowers_severity: false,
        stale_after: None,
        expiries: Vec::new(),
    }))
}

/// Returns the severity of an alert about an error of this level.
pub(super) const fn severity_of(level: Level) -> Severity {
    match level {
        Level::Fatal => Severity::Critical,
        Level::Error => Severity::High,
        Level::Warning => Severity::Medium,
        Level::Info | Level::Debug => Severity::Info,
    }
}

/// Returns the identity of the alerts of an error.
pub(super) fn identity(project: ProjectId, error: ErrorId) -> AlertIdentity {
    let text = format!("error of a program: {project} {error}");
    AlertIdentity::from_bytes(*ContentDigest::of(text.as_bytes()).as_bytes())
}
