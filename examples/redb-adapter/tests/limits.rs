//! Deadlines and a full queue, which no clause of the suite waits for.

#![expect(
    clippy::unwrap_used,
    reason = "a test that panics is a test that fails"
)]

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use api_conventions::ids::{ProjectId, UserId};
use api_conventions::page::OffsetPage;
use api_conventions::time::Timestamp;
use events::{
    Action, Audience, EventFilter, EventQueries as _, EventRepository as _, FeedRights, NewEvent,
};
use redb_adapter::{RedbLimits, RedbStore};
use storage::{Pending, StoreError, StoreErrorKind, StoreExt as _};
use tempfile::TempDir;

const PROJECT: ProjectId = ProjectId::new(1);

fn open(limits: RedbLimits) -> (RedbStore, TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let store = RedbStore::open(directory.path().join("rows.redb"), limits).unwrap();
    (store, directory)
}

fn insert(store: &RedbStore, author: i64) -> Pending<(), StoreError> {
    let entry = NewEvent {
        project_id: PROJECT,
        author_id: UserId::new(author),
        action: Action::Created,
        target: None,
        audience: Audience::Everyone,
        push: None,
        created_at: Timestamp::MIN,
    };
    store.change(move |tx| tx.insert_events(std::slice::from_ref(&entry)))
}

fn authors(store: &RedbStore) -> Vec<i64> {
    let filter = EventFilter::new(PROJECT, FeedRights::LEAST);
    let listed = store.query(move |tx| tx.list_project_events(&filter, OffsetPage::new(1, 100)));
    let listed = listed.wait().unwrap().items;
    listed.iter().map(|event| event.author_id.get()).collect()
}

fn kind<T>(pending: Pending<T, StoreError>) -> Option<StoreErrorKind> {
    pending.wait().err().map(|error| error.kind())
}

/// Occupies the writer until the sender is dropped.
fn occupy_writer(store: &RedbStore) -> (Sender<()>, Pending<(), StoreError>) {
    let (enter, entered) = channel();
    let (release, wait) = channel::<()>();
    let wait: std::sync::Mutex<Receiver<()>> = wait.into();
    let occupied = store.change(move |_| {
        enter.send(()).ok();
        wait.lock().unwrap().recv().ok();
        Ok(())
    });
    entered.recv().unwrap();
    (release, occupied)
}

fn short() -> RedbLimits {
    RedbLimits {
        time: Duration::from_millis(200),
        ..RedbLimits::default()
    }
}

#[test]
fn a_read_that_hangs_is_answered_and_one_that_goes_on_is_stopped() {
    let (store, _directory) = open(short());
    insert(&store, 1).wait().unwrap();
    let (release, wait) = channel::<()>();
    let hanging = store.query(move |_| {
        wait.recv().ok();
        Ok(())
    });
    assert_eq!(kind(hanging), Some(StoreErrorKind::Overloaded));
    let (ended, end) = channel();
    let endless = store.query(move |tx| {
        let filter = EventFilter::new(PROJECT, FeedRights::LEAST);
        let outcome = loop {
            if let Err(error) = tx.list_project_events(&filter, OffsetPage::new(1, 1)) {
                break error;
            }
        };
        ended.send(outcome.kind()).unwrap();
        Err::<(), _>(outcome)
    });
    assert_eq!(kind(endless), Some(StoreErrorKind::Overloaded));
    assert_eq!(end.recv(), Ok(StoreErrorKind::Overloaded));
    drop(release);
    assert_eq!(authors(&store), [1]);
}

#[test]
fn a_write_that_waits_too_long_is_refused_unwritten_and_one_that_runs_is_not() {
    let (store, _directory) = open(short());
    let (release, occupied) = occupy_writer(&store);
    assert_eq!(kind(insert(&store, 1)), Some(StoreErrorKind::Overloaded));
    drop(release);
    occupied.wait().unwrap();
    insert(&store, 2).wait().unwrap();
    assert_eq!(authors(&store), [2]);
}

#[test]
fn a_full_queue_refuses_at_once() {
    let (store, _directory) = open(RedbLimits {
        waiting: 2,
        ..RedbLimits::default()
    });
    let (release, occupied) = occupy_writer(&store);
    let waiting = [1, 2].map(|author| insert(&store, author));
    assert_eq!(kind(insert(&store, 3)), Some(StoreErrorKind::Overloaded));
    drop(release);
    occupied.wait().unwrap();
    for written in waiting {
        written.wait().unwrap();
    }
    assert_eq!(authors(&store), [2, 1]);
}
