//! Round trips of grouped work to a server.
//! Each message is a round trip, during which the locks of the transaction are held.

use alert_intake::flow::receive::receive;
use alert_intake::model::{
    AlertIdentity, Delivery, IncomingAlert, ReportDigest, SenderContext, Severity, Source,
};
use alert_intake::store::AlertRepository;
use api_conventions::ids::{IntegrationId, ProjectId, UserId};
use api_conventions::time::Timestamp;
use events::{Action, Audience, EventRepository, NewEvent};
use projects::ProjectRepository;
use storage::{GroupWork, Store as _, StoreError, Work};

use crate::lists::populate;
use crate::recorder::{Turn, texts_of};
use crate::stores::{PROJECT, postgres};

fn at(second: i64) -> Timestamp {
    Timestamp::from_micros(second * 1_000_000).unwrap()
}

/// A POST, stored with its entry in the feed and the activity of its project.
struct DeliveryWithFeed(Delivery);

impl Work for DeliveryWithFeed {
    type Output = usize;
    type Error = StoreError;

    fn is_exclusive(&self) -> bool {
        true
    }

    fn weight(&self) -> usize {
        0
    }
}

impl<Tx: AlertRepository + EventRepository + ProjectRepository + ?Sized> GroupWork<Tx>
    for DeliveryWithFeed
{
    fn run(tx: &mut Tx, group: &[&Self]) -> Result<Vec<usize>, StoreError> {
        let deliveries: Vec<&Delivery> = group.iter().map(|post| &post.0).collect();
        let outcomes = receive(tx, &deliveries)?;
        let entry = NewEvent {
            project_id: PROJECT,
            author_id: UserId::new(1),
            action: Action::Created,
            target: None,
            audience: Audience::Developers,
            push: None,
            created_at: at(10_000),
        };
        tx.insert_events(&[entry])?;
        tx.touch_projects(&[(PROJECT, at(10_000))])?;
        let alerts = |outcome: &Result<_, _>| {
            let outcome: &alert_intake::flow::receive::DeliveryOutcome =
                outcome.as_ref().map_err(|_| "no key was sent").unwrap();
            outcome.alerts.len()
        };
        Ok(outcomes.iter().map(alerts).collect())
    }
}

fn alert(name: u8, end: Option<i64>) -> IncomingAlert {
    IncomingAlert {
        identity: AlertIdentity::from_bytes([name; 32]),
        source: Source::Metrics,
        title: format!("Alert {name}"),
        description: String::new(),
        severity: Severity::Critical,
        service: String::new(),
        monitoring_tool: String::new(),
        hosts: Vec::new(),
        environment_name: None,
        started_at: Some(at(1)),
        resolved_at: end.map(at),
        stores_end: true,
        payload: "{}".to_owned(),
        report: ReportDigest::default(),
    }
}

fn post(project_id: ProjectId, alerts: Vec<IncomingAlert>) -> DeliveryWithFeed {
    DeliveryWithFeed(Delivery {
        project_id,
        integration_id: IntegrationId::new(1),
        received_at: at(10_000),
        body_bytes: 10,
        alerts,
        acknowledged: None,
        lowers_severity: false,
        stale_after: None,
        expiries: Vec::new(),
        context: SenderContext::default(),
        key: None,
    })
}

#[test]
fn a_batch_of_intake_takes_four_messages() {
    let turn = Turn::take();
    let Some((store, _database)) = postgres() else {
        return;
    };
    populate(&store);
    let posted = |alerts| {
        let post = post(PROJECT, alerts);
        let (stored, mut messages) = texts_of(&turn, || store.write_grouped(post).wait().unwrap());
        // A writer that connects sends the settings of its connection first.
        messages.retain(|message| !message.starts_with("SET "));
        (stored, messages)
    };

    let (stored, messages) = posted((101..104).map(|name| alert(name, None)).collect());
    assert_eq!(stored, 3);
    assert_eq!(messages.len(), 4, "{messages:#?}");
    let begins = ["BEGIN ", "WITH requested", "WITH w_", "SELECT 1; COMMIT"];
    for (message, begin) in messages.iter().zip(begins) {
        assert!(message.starts_with(begin), "{message} should be {begin}");
    }

    let (_, repeated) = posted(vec![alert(101, None)]);
    assert_eq!(repeated.len(), 4, "{repeated:#?}");
    // An ending alert frees a place in an index for a beginning one, so these are two statements.
    let (_, mixed) = posted(vec![alert(101, Some(5)), alert(104, None)]);
    assert_eq!(mixed.len(), 5, "{mixed:#?}");
}
