//! Storing of requests: the heart of the collector.

mod counts;
mod plan;

use std::collections::{BTreeMap, BTreeSet};

use api_conventions::ids::{ErrorId, ErrorIid, ProjectId};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::grouping::GroupKey;
use crate::model::{EventDelivery, EventId, Level, Outcome};
use crate::protocol::item::Category;
use crate::store::CollectRepository;

use super::monitors::{self, MonitorChange};

use counts::Counts;
use plan::CollectPlan;

/// Outcome of one request.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct CollectOutcome {
    /// Events that were stored.
    pub stored: usize,
    /// Events that were already stored.
    /// The sender need not know: its event is stored.
    pub duplicates: usize,
    /// Events beyond the quota of the project.
    pub over_quota: usize,
    /// Changes of errors that users want to know about.
    pub changes: Vec<ErrorChange>,
    /// Ids of the runs of the check-ins that were recorded, in their order.
    pub runs: Vec<EventId>,
    /// Changes of monitors that open or resolve alerts.
    pub monitors: Vec<MonitorChange>,
}

/// Change of an error that users want to know about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorChangeKind {
    /// The error is new.
    Appeared,
    /// The error was resolved and has regressed.
    Regressed,
    /// The error has been ignored for as long as requested.
    Unignored,
}

/// A change of an error.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ErrorChange {
    /// The project.
    pub project_id: ProjectId,
    /// The error.
    pub error_id: ErrorId,
    /// Number in the project.
    pub iid: ErrorIid,
    /// Kind of change.
    pub kind: ErrorChangeKind,
    /// Title of the event that caused it.
    pub title: String,
    /// Culprit of that event.
    pub culprit: String,
    /// Severity of that event.
    pub level: Level,
    /// The environment of that event.
    pub environment: Option<String>,
    /// Time at which that event was received.
    pub at: Timestamp,
}

/// Stores the content of requests, and returns their outcomes in the same order.
///
/// The number of calls to the repository does not depend on the number of requests or events, so this serves one
/// request as well as hundreds that share a commit; only pruning works key by key, and check-ins one by one. The result is that of storing the
/// requests one after the other.
///
/// An event, identified by its id and its project, is stored once, however often it is sent; the items sent with it do
/// not count again either. An event beyond a quota is not stored, so it may be sent again.
///
/// # Errors
/// Failures of the store. The caller rolls back then: a request is stored whole or not at all.
pub fn store_deliveries<R: CollectRepository + ?Sized>(
    repos: &mut R,
    deliveries: &[&EventDelivery],
) -> Result<Vec<CollectOutcome>, StoreError> {
    let projects: BTreeSet<ProjectId> = deliveries.iter().map(|one| one.project_id).collect();
    let projects: Vec<ProjectId> = projects.into_iter().collect();
    repos.lock_errors(&projects)?;
    let mut counts = Counts::default();
    let mut outcomes = vec![CollectOutcome::default(); deliveries.len()];
    let mut fresh = accept_events(repos, deliveries, &mut outcomes, &mut counts)?;
    keep_older_keys(repos, &mut fresh)?;
    if !fresh.is_empty() {
        CollectPlan::prepare(repos, &fresh)?.write(repos, &mut counts, &mut outcomes)?;
    }
    let new: Vec<&EventDelivery> = deliveries
        .iter()
        .zip(&outcomes)
        .filter(|(_, outcome)| !outcome.is_retry())
        .map(|(delivery, _)| *delivery)
        .collect();
    let stored: BTreeSet<(usize, EventId)> =
        fresh.iter().map(|one| (one.index, one.event.id)).collect();
    for (index, (delivery, outcome)) in deliveries.iter().zip(&outcomes).enumerate() {
        if !outcome.is_retry() {
            counts.add_delivery(delivery);
            let left_out = if outcome.over_quota > 0 {
                Outcome::Quota
            } else {
                Outcome::Duplicate
            };
            let is_stored = |event| stored.contains(&(index, event));
            counts.add_files(delivery, left_out, is_stored);
        }
    }
    record_check_ins(repos, deliveries, &mut outcomes, &mut counts)?;
    counts.write(repos)?;
    insert_attachments_and_comments(repos, &new, &fresh)?;
    Ok(outcomes)
}

impl CollectOutcome {
    /// True if everything in the request was stored before: an SDK sends a request again when it gets no response, with
    /// the sessions and comments that belong to the event.
    const fn is_retry(&self) -> bool {
        self.duplicates > 0 && self.stored == 0 && self.over_quota == 0
    }
}

/// Records the check-ins of jobs. Those of too many monitors count as over a quota.
fn record_check_ins<R: CollectRepository + ?Sized>(
    repos: &mut R,
    deliveries: &[&EventDelivery],
    outcomes: &mut [CollectOutcome],
    counts: &mut Counts,
) -> Result<(), StoreError> {
    for (delivery, outcome) in deliveries.iter().zip(outcomes) {
        for arrived in &delivery.check_ins {
            let now = delivery.received_at;
            let recorded = monitors::record(repos, delivery.project_id, arrived, now)?;
            let fate = match recorded {
                Some(recorded) => {
                    outcome.runs.push(recorded.id);
                    outcome.monitors.extend(recorded.change);
                    Outcome::Stored
                }
                None => Outcome::Quota,
            };
            counts.add_counter(delivery, Category::Monitor, fate, 1);
        }
    }
    Ok(())
}

/// Event to be stored, with its request.
#[derive(Clone, Copy)]
struct AcceptedEvent<'d> {
    /// Position of the request.
    index: usize,
    delivery: &'d EventDelivery,
    event: &'d crate::model::ArrivingEvent,
    /// Grouping key: the event's own, or an older one by which its error is known.
    key: GroupKey,
}

/// Returns the events that are new and within the quotas.
fn accept_events<'d, R: CollectRepository + ?Sized>(
    repos: &mut R,
    deliveries: &[&'d EventDelivery],
    outcomes: &mut [CollectOutcome],
    counts: &mut Counts,
) -> Result<Vec<AcceptedEvent<'d>>, StoreError> {
    let ids: BTreeSet<(ProjectId, EventId)> = deliveries
        .iter()
        .flat_map(|one| one.events.iter().map(|event| (one.project_id, event.id)))
        .collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<(ProjectId, EventId)> = ids.into_iter().collect();
    let mut seen: BTreeSet<(ProjectId, EventId)> =
        repos.list_stored_events(&ids)?.into_iter().collect();
    let mut room = QuotaUsage::of(repos, deliveries)?;
    let mut fresh = Vec::with_capacity(ids.len());
    for ((index, delivery), outcome) in deliveries.iter().enumerate().zip(outcomes) {
        for event in &delivery.events {
            let id = (delivery.project_id, event.id);
            let fate = if seen.contains(&id) {
                outcome.duplicates += 1;
                Outcome::Duplicate
            } else if !room.take(delivery) {
                outcome.over_quota += 1;
                Outcome::Quota
            } else {
                seen.insert(id);
                outcome.stored += 1;
                fresh.push(AcceptedEvent {
                    index,
                    delivery,
                    event,
                    key: event.grouping.key,
                });
                Outcome::Stored
            };
            counts.add_counter(delivery, Category::Error, fate, 1);
        }
    }
    Ok(fresh)
}

/// Keeps events with the errors to which earlier versions of the rules assigned them.
/// Without an earlier version, nothing is queried.
fn keep_older_keys<R: CollectRepository + ?Sized>(
    repos: &mut R,
    fresh: &mut [AcceptedEvent<'_>],
) -> Result<(), StoreError> {
    let older: BTreeSet<(ProjectId, GroupKey)> = fresh
        .iter()
        .flat_map(|one| {
            let keys = one.event.grouping.older.iter();
            keys.map(|key| (one.delivery.project_id, *key))
        })
        .collect();
    if older.is_empty() {
        return Ok(());
    }
    let older: Vec<(ProjectId, GroupKey)> = older.into_iter().collect();
    let known = repos.list_known_errors(&older)?.into_iter();
    let known: BTreeSet<_> = known.map(|one| (one.project_id, one.key)).collect();
    for one in fresh {
        let mut keys = one.event.grouping.older.iter();
        let is_known = |key: &&GroupKey| known.contains(&(one.delivery.project_id, **key));
        one.key = keys.find(is_known).copied().unwrap_or(one.key);
    }
    Ok(())
}

/// Events stored so far on the days for which a quota applies.
struct QuotaUsage(BTreeMap<(ProjectId, i32), i64>);

impl QuotaUsage {
    fn of<R: CollectRepository + ?Sized>(
        repos: &mut R,
        deliveries: &[&EventDelivery],
    ) -> Result<Self, StoreError> {
        let days: BTreeSet<_> = deliveries
            .iter()
            .filter(|one| one.limits.events_per_day.is_some() && !one.events.is_empty())
            .map(|one| (one.project_id, one.received_at.date()))
            .collect();
        if days.is_empty() {
            return Ok(Self(BTreeMap::new()));
        }
        let days: Vec<_> = days.into_iter().collect();
        let stored = repos.count_stored_events(&days)?;
        let days = days.iter().map(|(project, day)| (*project, day.as_days()));
        Ok(Self(days.zip(stored).collect()))
    }

    /// Takes room for one event of a request, if there is any.
    /// A request without a quota takes room from one with a quota.
    fn take(&mut self, delivery: &EventDelivery) -> bool {
        let day = (delivery.project_id, delivery.received_at.date().as_days());
        let Some(stored) = self.0.get_mut(&day) else {
            // No request of the day has a quota.
            return true;
        };
        let is_room = |most: u64| u64::try_from(*stored).is_ok_and(|stored| stored < most);
        let is_taken = delivery.limits.events_per_day.is_none_or(is_room);
        *stored += i64::from(is_taken);
        is_taken
    }
}

/// Writes the items beside events: comments, and the attachments of new events.
fn insert_attachments_and_comments<R: CollectRepository + ?Sized>(
    repos: &mut R,
    deliveries: &[&EventDelivery],
    fresh: &[AcceptedEvent<'_>],
) -> Result<(), StoreError> {
    use crate::store::{NewAttachment, NewComment};

    let comments: Vec<NewComment<'_>> = deliveries
        .iter()
        .flat_map(|one| {
            one.comments.iter().map(|comment| NewComment {
                project_id: one.project_id,
                received_at: one.received_at,
                comment,
            })
        })
        .collect();
    if !comments.is_empty() {
        repos.insert_error_comments(&comments)?;
    }
    let files: Vec<NewAttachment<'_>> = fresh
        .iter()
        .flat_map(|one| {
            let own = one.delivery.attachments.iter();
            let own = own.filter(|file| file.event_id == Some(one.event.id));
            own.map(|attachment| NewAttachment {
                project_id: one.delivery.project_id,
                event_id: one.event.id,
                received_at: one.delivery.received_at,
                attachment,
            })
        })
        .collect();
    if files.is_empty() {
        return Ok(());
    }
    repos.insert_attachments(&files)
}
