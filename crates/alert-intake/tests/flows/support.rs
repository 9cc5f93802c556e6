//! A project that receives alerts, with helpers to build and send them.

use std::sync::mpsc::channel;

use alert_intake::flow::receive::{AlertChange, DeliveryOutcome, KeyReused, receive};
use alert_intake::flow::set_status::{RequestedStatus, SetStatusError, set_status};
use alert_intake::model::{
    Alert, AlertFilter, AlertIdentity, AlertStatus, ContentDigest, Delivery, DeliveryKey,
    IncomingAlert, Receipt, ReceiptCounts, ReportDigest, SenderContext, Severity, Source,
};
use alert_intake::store::AlertQueries;
use api_conventions::ids::{AlertIid, IntegrationId, ProjectId};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use api_conventions::time::Timestamp;
use storage::{Store as _, StoreError, StoreErrorKind};
use storage_diesel::{SqliteStore, SqliteWriteTx};

/// Project that most tests use.
pub(crate) const HERE: ProjectId = ProjectId::new(1);
/// Another project.
pub(crate) const THERE: ProjectId = ProjectId::new(2);

/// Returns the time this many seconds after the start of 1970.
pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_micros(second * 1_000_000).unwrap()
}

/// Creates an item about the alert `name`, firing since `start`.
pub(crate) fn fires(name: char, start: i64) -> IncomingAlert {
    item(name, Some(start), None)
}

/// Creates an item about the alert `name`, which fired from `start` to `end`.
pub(crate) fn ends(name: char, start: i64, end: i64) -> IncomingAlert {
    item(name, Some(start), Some(end))
}

/// Creates a webhook item about the alert `name`. Its title and its identity are derived from the name.
pub(crate) fn item(name: char, start: Option<i64>, end: Option<i64>) -> IncomingAlert {
    let mut identity = [0; 32];
    identity[0] = u8::try_from(name).unwrap();
    IncomingAlert {
        identity: AlertIdentity::from_bytes(identity),
        source: Source::Metrics,
        title: name.to_string(),
        description: format!("since {start:?} until {end:?}"),
        severity: Severity::High,
        service: String::new(),
        monitoring_tool: String::new(),
        hosts: Vec::new(),
        environment_name: None,
        started_at: start.map(at),
        resolved_at: end.map(at),
        stores_end: true,
        payload: format!("{{\"start\":{start:?}}}"),
        report: ReportDigest::default(),
    }
}

/// Creates a generic payload about the alert `name`.
pub(crate) fn generic(name: char, start: Option<i64>, end: Option<i64>) -> IncomingAlert {
    IncomingAlert {
        source: Source::Generic,
        ..item(name, start, end)
    }
}

/// Creates a POST to `project` that arrives at the second `received`.
pub(crate) fn post_to(project: ProjectId, received: i64, alerts: Vec<IncomingAlert>) -> Delivery {
    Delivery {
        project_id: project,
        integration_id: IntegrationId::new(project.get() * 10),
        received_at: at(received),
        body_bytes: alerts.len() * 100,
        alerts,
        acknowledged: None,
        lowers_severity: false,
        stale_after: None,
        expiries: Vec::new(),
        context: SenderContext::default(),
        key: None,
    }
}

/// Gives a POST an idempotency key and a body.
pub(crate) fn keyed(delivery: Delivery, key: &str, body: &str) -> Delivery {
    Delivery {
        key: Some(DeliveryKey {
            key: ContentDigest::of(key.as_bytes()),
            body: ContentDigest::of(body.as_bytes()),
        }),
        ..delivery
    }
}

/// Creates a POST to [`HERE`].
pub(crate) fn post(received: i64, alerts: Vec<IncomingAlert>) -> Delivery {
    post_to(HERE, received, alerts)
}

/// Creates counts of a POST's alerts by outcome.
pub(crate) fn counts(created: i64, counted: i64, resolved: i64, repeated: i64) -> ReceiptCounts {
    ReceiptCounts {
        created,
        counted,
        resolved,
        repeated,
    }
}

/// All rows of one project.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProjectRows {
    /// Alerts, oldest first, with their payloads.
    pub(crate) alerts: Vec<Alert>,
    /// Receipts, oldest first.
    pub(crate) receipts: Vec<Receipt>,
}

impl ProjectRows {
    /// Returns the name, end, occurrences and deliveries of each alert.
    pub(crate) fn outline(&self) -> Vec<(&str, Option<Timestamp>, i64, i64)> {
        let outline = |alert: &'_ Alert| {
            let summary = &alert.summary;
            (
                summary.status.ended_at(),
                summary.occurrences,
                summary.deliveries,
            )
        };
        let named = self.alerts.iter().map(|alert| {
            let (end, occurrences, deliveries) = outline(alert);
            (alert.summary.title.as_str(), end, occurrences, deliveries)
        });
        named.collect()
    }
}

/// Outcomes of a group of POSTs that were all accepted.
pub(crate) struct AcceptedPosts {
    /// Outcome of each POST.
    pub(crate) outcomes: Vec<DeliveryOutcome>,
    /// Feed changes of all POSTs.
    pub(crate) changes: Vec<AlertChange>,
}

impl AcceptedPosts {
    fn of(verdicts: Vec<Result<DeliveryOutcome, KeyReused>>) -> Self {
        let outcomes: Result<Vec<_>, _> = verdicts.into_iter().collect();
        let outcomes = outcomes.unwrap();
        let changes = outcomes.iter().flat_map(|outcome| outcome.changes.clone());
        Self {
            changes: changes.collect(),
            outcomes,
        }
    }
}

/// Stores POSTs as one group, or refuses some of them.
pub(crate) fn decide(
    tx: &mut SqliteWriteTx<'_>,
    group: &[Delivery],
) -> Vec<Result<DeliveryOutcome, KeyReused>> {
    receive(tx, &group.iter().collect::<Vec<_>>()).unwrap()
}

/// Stores POSTs as one group, all of which must be accepted.
pub(crate) fn accept(tx: &mut SqliteWriteTx<'_>, group: &[Delivery]) -> AcceptedPosts {
    AcceptedPosts::of(decide(tx, group))
}

/// Returns all rows of a project.
pub(crate) fn rows(tx: &mut impl AlertQueries, project: ProjectId) -> ProjectRows {
    let mut filter = AlertFilter::new(project);
    filter.sort = SortOrder::Ascending;
    let summaries = every(|page| tx.list_alerts(&filter, page)).unwrap();
    let alerts = summaries
        .iter()
        .map(|row| tx.find_alert(project, row.iid).unwrap().unwrap())
        .collect();
    let mut receipts = every(|page| tx.list_receipts(project, page)).unwrap();
    receipts.reverse();
    ProjectRows { alerts, receipts }
}

/// A store with helpers for tests.
pub(crate) struct Intake(pub(crate) SqliteStore);

impl Default for Intake {
    fn default() -> Self {
        Self(SqliteStore::in_memory().unwrap())
    }
}

impl Intake {
    /// Stores POSTs as one group, or refuses some of them.
    pub(crate) fn decide(&self, group: &[Delivery]) -> Vec<Result<DeliveryOutcome, KeyReused>> {
        let group = group.to_vec();
        let work = self
            .0
            .write(move |tx| Ok::<_, StoreError>(decide(tx, &group)));
        work.wait().unwrap()
    }

    /// Runs `work` in a transaction that is undone. So all cases of a property use one empty store, which takes longer to
    /// open than a case.
    pub(crate) fn undone<T: Send + 'static>(
        &self,
        work: impl Fn(&mut SqliteWriteTx<'_>) -> T + Send + 'static,
    ) -> T {
        let (sender, result) = channel();
        let undone = self.0.write(move |tx| {
            sender.send(work(tx)).unwrap();
            Err::<(), _>(StoreError::new(StoreErrorKind::Internal, "undo a case"))
        });
        assert!(undone.wait().is_err());
        result.recv().unwrap()
    }

    /// Stores POSTs as one group.
    pub(crate) fn receive(&self, group: &[Delivery]) -> AcceptedPosts {
        AcceptedPosts::of(self.decide(group))
    }

    /// Stores one POST and returns the counts of its alerts.
    pub(crate) fn counts_of(&self, delivery: Delivery) -> ReceiptCounts {
        self.receive(&[delivery]).outcomes[0].counts
    }

    /// Sets a status manually.
    pub(crate) fn set(
        &self,
        iid: i64,
        wanted: RequestedStatus,
        now: i64,
    ) -> Result<(Alert, Alert), SetStatusError> {
        let iid = AlertIid::new(iid);
        self.0
            .write(move |tx| set_status(tx, HERE, iid, wanted, at(now)))
            .wait()
    }

    /// Returns the status of an alert of [`HERE`].
    pub(crate) fn status(&self, iid: i64) -> AlertStatus {
        let found = self
            .0
            .read(move |tx| tx.find_alert(HERE, AlertIid::new(iid)));
        found.wait().unwrap().unwrap().summary.status
    }

    /// Returns all rows of a project.
    pub(crate) fn rows(&self, project: ProjectId) -> ProjectRows {
        let rows = self
            .0
            .read(move |tx| Ok::<_, StoreError>(rows(tx, project)));
        rows.wait().unwrap()
    }
}

/// Returns the rows of all pages.
fn every<T>(
    mut list: impl FnMut(OffsetPage) -> Result<Page<T>, StoreError>,
) -> Result<Vec<T>, StoreError> {
    let mut rows = Vec::new();
    for number in 1.. {
        let page = list(OffsetPage::new(number, 100))?;
        rows.extend(page.items);
        if !page.has_next {
            break;
        }
    }
    Ok(rows)
}
