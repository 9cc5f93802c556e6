//! Storage of received alerts, with their incidents and their entries in the feed.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use alert_intake::flow::receive::{AlertChange, AlertChangeKind, DeliveryOutcome, receive};
use alert_intake::model::{AlertExpiry, AlertIdentity, AlertStatus, Delivery};
use alert_intake::work::{self, AfterReceive};
use api_conventions::ids::{AlertId, AlertIid, ProjectId, UserId};
use api_conventions::time::Timestamp;
use events::{Action, Audience, EventTarget, NewEvent, TargetType};
use projects::{NewNote, Noteable, NoteableKind};
use storage::StoreError;

use super::change_alert::status_note;
use super::incidents::IncidentNames;
use super::incidents::automatic::AutomaticIncidents;
use super::notifications::announce_deliveries;
use crate::database::{AsWriteTransaction, WriteTransaction};

/// A POST to be stored with its feed entries and incidents, atomically. Concurrent requests are written together.
pub type ReceiveAlertsWithFeed = work::ReceiveAlerts<FeedEntries>;

/// Feed entries, incidents and project activity caused by a POST.
#[derive(Debug, Clone)]
pub struct FeedEntries {
    /// Author of the feed entries and of the incidents.
    pub author_id: UserId,
    /// Names for the descriptions of incidents.
    pub names: Arc<IncidentNames>,
    /// Ends of the alerts of the POST that fire until then unless they are reported again.
    pub expiries: Vec<AlertExpiry>,
}

impl<Tx: AsWriteTransaction + ?Sized> AfterReceive<Tx> for FeedEntries {
    /// Each POST keeps its own author and times, whatever else is written in the same group.
    fn write(tx: &mut Tx, stored: &[(&Self, &DeliveryOutcome)]) -> Result<(), StoreError> {
        let tx = tx.as_write_transaction();
        put_expiries(tx, stored.iter().map(|(feed, _)| *feed))?;
        let changes: Vec<(UserId, &AlertChange)> = stored
            .iter()
            .flat_map(|(feed, outcome)| of_post(feed, outcome))
            .collect();
        if changes.is_empty() {
            return Ok(());
        }
        match AutomaticIncidents::prepare(tx, stored)? {
            None => record(tx, &changes)?,
            // The entries about incidents follow those of their POST, whatever the group.
            Some(mut incidents) => {
                for (place, (feed, outcome)) in stored.iter().enumerate() {
                    let changes: Vec<_> = of_post(feed, outcome).collect();
                    if !changes.is_empty() {
                        record(tx, &changes)?;
                        incidents.follow(tx, place, feed, outcome)?;
                    }
                }
            }
        }
        announce_deliveries(tx, changes.iter().map(|(_, change)| *change))
    }
}

/// Stores reports of the server itself, which have no idempotency key and so cannot be refused.
///
/// # Errors
/// Failures of the store.
pub(super) fn store_reports(
    tx: &mut dyn WriteTransaction,
    reports: &[Delivery],
    feed: &FeedEntries,
) -> Result<Vec<DeliveryOutcome>, StoreError> {
    let outcomes = receive(tx, &reports.iter().collect::<Vec<_>>())?;
    let outcomes: Vec<DeliveryOutcome> = outcomes.into_iter().flatten().collect();
    let stored: Vec<_> = outcomes.iter().map(|outcome| (feed, outcome)).collect();
    FeedEntries::write(tx, &stored)?;
    Ok(outcomes)
}

/// Stores the ends of alerts; of several of one alert the latest.
fn put_expiries<'a>(
    tx: &mut dyn WriteTransaction,
    posts: impl Iterator<Item = &'a FeedEntries>,
) -> Result<(), StoreError> {
    let mut latest: BTreeMap<(ProjectId, AlertIdentity), AlertExpiry> = BTreeMap::new();
    for expiry in posts.flat_map(|feed| &feed.expiries) {
        let key = (expiry.project_id, expiry.identity);
        let known = latest.entry(key).or_insert(*expiry);
        if expiry.expires_at >= known.expires_at {
            *known = *expiry;
        }
    }
    if latest.is_empty() {
        return Ok(());
    }
    let latest: Vec<AlertExpiry> = latest.into_values().collect();
    tx.put_expiries(&latest)
}

fn of_post<'a>(
    feed: &'a FeedEntries,
    outcome: &'a DeliveryOutcome,
) -> impl Iterator<Item = (UserId, &'a AlertChange)> {
    let changes = outcome.changes.iter();
    changes.map(|change| (feed.author_id, change))
}

/// Writes the entries in the feed, the system notes and the activity of projects.
fn record(
    tx: &mut dyn WriteTransaction,
    changes: &[(UserId, &AlertChange)],
) -> Result<(), StoreError> {
    let entries = changes
        .iter()
        .filter_map(|(author_id, change)| entry(*author_id, change));
    let entries: Vec<NewEvent> = entries.collect();
    if !entries.is_empty() {
        tx.insert_events(&entries)?;
    }
    let notes = changes.iter().flat_map(|(author_id, change)| {
        let notes = [
            still_fires(*author_id, change),
            acknowledgement(*author_id, change),
            severity_change(*author_id, change),
        ];
        notes.into_iter().flatten()
    });
    let notes: Vec<NewNote> = notes.collect();
    if !notes.is_empty() {
        tx.insert_notes(&notes)?;
    }
    tx.touch_projects(&activity(changes))
}

/// Activity of the projects, in order.
/// A time that is not later than an earlier one of the same project would not change its last activity, so it is left
/// out.
fn activity(changes: &[(UserId, &AlertChange)]) -> Vec<(ProjectId, Timestamp)> {
    let mut latest: HashMap<ProjectId, Timestamp> = HashMap::new();
    let mut timestamps = Vec::new();
    for (_, change) in changes {
        let is_later = latest
            .get(&change.project_id)
            .is_none_or(|known| change.at > *known);
        if is_later {
            latest.insert(change.project_id, change.at);
            timestamps.push((change.project_id, change.at));
        }
    }
    timestamps
}

/// Returns the system note about an alert that its sender acknowledged.
fn acknowledgement(author_id: UserId, change: &AlertChange) -> Option<NewNote> {
    (change.kind == AlertChangeKind::Acknowledged).then(|| NewNote {
        on: on(change, change.alert_id, change.iid),
        author_id,
        body: status_note(AlertStatus::Acknowledged).to_owned(),
        system: true,
        internal: false,
        created_at: change.at,
    })
}

/// Returns the system note about a report that changed the severity of an alert.
fn severity_change(author_id: UserId, change: &AlertChange) -> Option<NewNote> {
    let AlertChangeKind::SeverityChanged { from } = change.kind else {
        return None;
    };
    let to = change.severity?;
    Some(NewNote {
        on: on(change, change.alert_id, change.iid),
        author_id,
        body: format!(
            "changed the severity from **{}** to **{}**, because the sender did",
            from.as_str(),
            to.as_str()
        ),
        system: true,
        internal: false,
        created_at: change.at,
    })
}

/// Returns the system note on an alert that a user resolved and that still fires: another alert was opened for it.
fn still_fires(author_id: UserId, change: &AlertChange) -> Option<NewNote> {
    let (id, iid) = change.instead_of?;
    Some(NewNote {
        on: on(change, id, iid),
        author_id,
        body: format!(
            "opened ^alert#{}, because the sender still reports this alert as firing",
            change.iid
        ),
        system: true,
        internal: false,
        created_at: change.at,
    })
}

fn on(change: &AlertChange, id: AlertId, iid: AlertIid) -> Noteable {
    Noteable {
        project_id: change.project_id,
        kind: NoteableKind::Alert,
        id: id.get(),
        iid: iid.get(),
    }
}

/// Returns the entry in the feed; `None` for a change that the feed does not report.
fn entry(author_id: UserId, change: &AlertChange) -> Option<NewEvent> {
    let action = match change.kind {
        AlertChangeKind::Opened => Action::Created,
        AlertChangeKind::Resolved => Action::Closed,
        AlertChangeKind::Acknowledged | AlertChangeKind::SeverityChanged { .. } => return None,
    };
    Some(NewEvent {
        project_id: change.project_id,
        author_id,
        action,
        target: Some(EventTarget {
            kind: TargetType::Alert,
            id: change.alert_id.get(),
            iid: change.iid.get(),
            title: Some(change.title.clone()),
        }),
        audience: Audience::Developers,
        push: None,
        created_at: change.at,
    })
}

#[cfg(test)]
mod tests;
