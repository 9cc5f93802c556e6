//! Use cases, tested on an in-memory database.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that panics is a test that fails"
)]

mod announce;
mod channels;
mod deliver;
mod hooks;
mod limits;
mod mailboxes;
mod muted;
mod on_call;
mod quiet;
mod turned_off;
mod waits;

use std::collections::BTreeSet;

use api_conventions::ids::{ChannelId, ProjectId};
use api_conventions::time::Timestamp;
use notifications::flow::{Announcement, MessageDelivery, SubjectChange, announce, claim, finish};
use notifications::model::{
    AttemptOutcome, AttemptReport, Channel, ChannelKind, ChannelSettings, DeliveryAttempt,
    MessageContent, MessageEvent, MessageFilter, MessageScope, MessageSeverity, MessageSubject,
    MessageSubjectKind, NewChannel, OutboxMessage,
};
use notifications::store::{NotificationWriteTx, SaveChannel};
use storage::{Store as _, StoreError};
use storage_diesel::SqliteStore;

/// Project that all tests use.
const HERE: ProjectId = ProjectId::new(1);

/// Returns the time this many seconds after the start of 1970.
fn at(second: i64) -> Timestamp {
    Timestamp::from_micros(second * 1_000_000).unwrap()
}

fn store() -> SqliteStore {
    SqliteStore::in_memory().unwrap()
}

/// Runs a write transaction.
fn write<T: Send + 'static, E: From<StoreError> + Send + 'static>(
    store: &SqliteStore,
    work: impl Fn(&mut dyn NotificationWriteTx) -> Result<T, E> + Send + 'static,
) -> Result<T, E> {
    store.write(move |tx| work(tx)).wait()
}

/// Runs a write transaction, whose store does not fail.
fn run<T: Send + 'static>(
    store: &SqliteStore,
    work: impl Fn(&mut dyn NotificationWriteTx) -> Result<T, StoreError> + Send + 'static,
) -> T {
    write(store, work).unwrap()
}

/// A webhook with this name.
fn new_channel(name: &str) -> NewChannel {
    NewChannel {
        owner: HERE.into(),
        kind: ChannelKind::Webhook,
        settings: ChannelSettings {
            url: "https://example.com/hook".to_owned(),
            ..ChannelSettings::new(name)
        },
        secret: None,
        created_at: at(0),
    }
}

fn insert(store: &SqliteStore, new: NewChannel) -> Channel {
    match run(store, move |tx| tx.insert_channel(&new)) {
        SaveChannel::Saved(channel) => *channel,
        other => panic!("{other:?}"),
    }
}

/// Inserts a webhook with this name, and returns its id.
fn channel(store: &SqliteStore, name: &str) -> ChannelId {
    insert(store, new_channel(name)).id
}

/// Returns a channel as stored.
fn stored(store: &SqliteStore, id: ChannelId) -> Channel {
    run(store, move |tx| tx.find_channel(HERE.into(), id)).unwrap()
}

const fn alert(id: i64) -> MessageSubject {
    MessageSubject {
        kind: MessageSubjectKind::Alert,
        id,
    }
}

/// A change of an alert of this severity.
fn change(id: i64, change: SubjectChange, severity: MessageSeverity, second: i64) -> Announcement {
    Announcement {
        project_id: HERE,
        subject: alert(id),
        change,
        content: MessageContent {
            title: format!("Alert {id}"),
            severity: Some(severity),
            ..MessageContent::default()
        },
        at: at(second),
    }
}

fn opened(id: i64, second: i64) -> Announcement {
    change(id, SubjectChange::Opened, MessageSeverity::High, second)
}

fn closed(id: i64, second: i64) -> Announcement {
    change(id, SubjectChange::Closed, MessageSeverity::High, second)
}

fn announce_all(store: &SqliteStore, changes: Vec<Announcement>) {
    announce_audible(store, changes, &[]);
}

/// Announces changes while nobody is to hear of these alerts.
fn announce_audible(store: &SqliteStore, changes: Vec<Announcement>, muted: &[i64]) {
    let muted: BTreeSet<MessageSubject> = muted.iter().map(|id| alert(*id)).collect();
    run(store, move |tx| {
        announce(tx, &changes, |_| Ok(muted.clone()))
    });
}

/// Returns the messages of the project, the oldest first.
fn messages(store: &SqliteStore) -> Vec<OutboxMessage> {
    let filter = MessageFilter {
        scope: MessageScope::Project(HERE),
        before: None,
    };
    let mut listed = run(store, move |tx| tx.list_messages(&filter, 1000));
    listed.reverse();
    listed
}

/// Returns event and state of each message, by their names, the oldest first.
fn outbox(store: &SqliteStore) -> Vec<(&'static str, &'static str)> {
    let listed = messages(store).into_iter();
    let listed = listed.map(|message| (message.event.as_str(), message.state.as_str()));
    listed.collect()
}

/// Returns the attempts of all messages.
fn attempts(store: &SqliteStore) -> Vec<DeliveryAttempt> {
    let ids: Vec<_> = messages(store).iter().map(|message| message.id).collect();
    run(store, move |tx| tx.list_attempts(&ids))
}

/// Claims the channel that is due at a second.
fn claim_due(store: &SqliteStore, second: i64) -> Option<MessageDelivery> {
    run(store, move |tx| {
        let due = tx.list_due_channels(at(second), 1)?;
        let due = due.first().copied();
        due.map_or(Ok(None), |due| claim(tx, due, at(second)))
    })
}

fn report(outcome: AttemptOutcome) -> AttemptReport {
    AttemptReport {
        outcome,
        status: Some(200),
        detail: "answer".to_owned(),
        retry_after: None,
        millis: 5,
    }
}

fn end(
    store: &SqliteStore,
    delivery: &MessageDelivery,
    outcome: AttemptOutcome,
    second: i64,
) -> Option<MessageDelivery> {
    let delivery = delivery.clone();
    run(store, move |tx| {
        finish(tx, &delivery, report(outcome), |_| Ok(true), at(second))
    })
}

/// Sends all messages of the channel that is due at a second, with this outcome, and returns their events.
fn deliver_all(store: &SqliteStore, outcome: AttemptOutcome, second: i64) -> Vec<MessageEvent> {
    let mut next = claim_due(store, second);
    let mut events = Vec::new();
    while let Some(delivery) = next {
        events.push(delivery.message.event);
        next = end(store, &delivery, outcome, second);
    }
    events
}
