//! Facts about any store with accounts.

use std::collections::HashSet;
use std::future::Future as _;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::task::{Context, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use accounts::{AccountQueries as _, AccountRepository as _};
use storage::{Pending, Store, StoreError, StoreErrorKind};

use crate::support::{BlockedWriters, UserWork, WorkBehaviour, insert, refusal};

/// Maximum wait of work in the store of the fact about waiting.
pub(crate) const SHORT_DEADLINE: Duration = Duration::from_secs(1);

/// Store whose transactions support accounts.
pub(crate) trait AccountTestStore: Store {
    fn insert(&self, name: String, outcome: Result<(), StoreError>) -> Pending<(), StoreError>;
    fn group(&self, work: UserWork) -> Pending<usize, StoreError>;
    fn names(&self, candidates: Vec<String>) -> HashSet<String>;
    fn epoch_twice(
        &self,
        between: impl FnOnce() + Send + 'static,
    ) -> Pending<(i64, i64), StoreError>;
    fn raise_epoch(&self) -> Pending<i64, StoreError>;
    fn shut(&self);
    fn refused(&self) -> u64;
}

macro_rules! account_store {
    ($store:ty) => {
        impl AccountTestStore for $store {
            fn insert(
                &self,
                name: String,
                outcome: Result<(), StoreError>,
            ) -> Pending<(), StoreError> {
                // A closure that may run again creates its outcome anew each time.
                self.write(move |tx| match &outcome {
                    Ok(()) => insert(tx, &name).map(drop),
                    Err(_) => insert(tx, &name).and(Err(refusal())),
                })
            }

            fn group(&self, work: UserWork) -> Pending<usize, StoreError> {
                self.write_grouped(work)
            }

            fn names(&self, candidates: Vec<String>) -> HashSet<String> {
                let found = self.read(move |tx| {
                    let mut found = HashSet::new();
                    for name in candidates {
                        if tx.find_user_by_username(&name)?.is_some() {
                            found.insert(name);
                        }
                    }
                    Ok::<_, StoreError>(found)
                });
                found.wait().unwrap()
            }

            fn epoch_twice(
                &self,
                between: impl FnOnce() + Send + 'static,
            ) -> Pending<(i64, i64), StoreError> {
                self.read(move |tx| {
                    let first = tx.auth_epoch()?;
                    between();
                    Ok((first, tx.auth_epoch()?))
                })
            }

            fn raise_epoch(&self) -> Pending<i64, StoreError> {
                self.write(|tx| tx.raise_auth_epoch(&[]))
            }

            fn shut(&self) {
                self.close();
            }

            fn refused(&self) -> u64 {
                self.writer_stats().refused
            }
        }
    };
}

account_store!(storage_diesel::SqliteStore);
account_store!(storage_diesel::PostgresStore);

fn kind<T: std::fmt::Debug>(outcome: Result<T, StoreError>) -> StoreErrorKind {
    outcome.unwrap_err().kind()
}

pub(crate) fn one_failing_closure_among_64_leaves_63<S: AccountTestStore>(store: &Arc<S>) {
    let names: Vec<String> = (0..64).map(|number| format!("u{number}")).collect();
    let blocked = BlockedWriters::of(&**store);
    let write = |name: &String| {
        store.insert(
            name.clone(),
            if name == "u17" {
                Err(refusal())
            } else {
                Ok(())
            },
        )
    };
    let pending: Vec<_> = names.iter().map(write).collect();
    blocked.release();
    for (name, pending) in names.iter().zip(pending) {
        let outcome = pending.wait();
        assert_eq!(outcome.is_err(), name == "u17", "{name}: {outcome:?}");
    }
    let expected: HashSet<String> = names
        .iter()
        .filter(|name| *name != "u17")
        .cloned()
        .collect();
    assert_eq!(store.names(names), expected);
}

pub(crate) fn one_bad_piece_of_a_group_is_refused_alone<S: AccountTestStore>(store: &Arc<S>) {
    let cases = [
        (WorkBehaviour::Fails, StoreErrorKind::Inconsistent),
        (WorkBehaviour::Panics, StoreErrorKind::Internal),
        (WorkBehaviour::Miscounts, StoreErrorKind::Internal),
    ];
    for (bad, expected) in cases {
        let names: Vec<String> = (0..5).map(|number| format!("{bad:?}-{number}")).collect();
        let blocked = BlockedWriters::of(&**store);
        let behaviour = |at: usize| if at == 2 { bad } else { WorkBehaviour::Good };
        let work = |(at, name): (usize, &String)| store.group(UserWork::new(name, behaviour(at)));
        let pending: Vec<_> = names.iter().enumerate().map(work).collect();
        blocked.release();
        for (at, pending) in pending.into_iter().enumerate() {
            match pending.wait() {
                Ok(size) => assert!(at != 2 && size == 1, "{bad:?} {at} in a group of {size}"),
                Err(error) => assert!(at == 2 && error.kind() == expected, "{bad:?} {at}: {error}"),
            }
        }
        let mut stored: Vec<String> = store.names(names).into_iter().collect();
        stored.sort();
        assert_eq!(
            stored,
            [0, 1, 3, 4].map(|number| format!("{bad:?}-{number}"))
        );
    }
}

pub(crate) fn pieces_that_wait_together_are_written_together<S: AccountTestStore>(store: &Arc<S>) {
    let blocked = BlockedWriters::of(&**store);
    let mut pieces = Vec::new();
    let mut closures = Vec::new();
    for number in 0..10 {
        pieces.push(store.group(UserWork::new(
            format!("piece-{number}"),
            WorkBehaviour::Good,
        )));
        // Other work in between does not split the group.
        closures.push(store.insert(format!("closure-{number}"), Ok(())));
    }
    blocked.release();
    assert!(closures.into_iter().all(|pending| pending.wait().is_ok()));
    for piece in pieces {
        assert_eq!(piece.wait().unwrap(), 10);
    }
}

pub(crate) fn a_panic_is_an_internal_error_and_the_writer_lives_on<S: AccountTestStore>(
    store: &Arc<S>,
) {
    let panics = store.write(|_| -> Result<(), StoreError> { panic!("expected") });
    assert_eq!(kind(panics.wait()), StoreErrorKind::Internal);
    let blocked = BlockedWriters::of(&**store);
    let before = store.insert("before".to_owned(), Ok(()));
    let panics = store.write(|_| -> Result<(), StoreError> { panic!("expected") });
    let after = store.insert("after".to_owned(), Ok(()));
    blocked.release();
    assert_eq!(kind(panics.wait()), StoreErrorKind::Internal);
    before.wait().unwrap();
    after.wait().unwrap();
    assert_eq!(
        store
            .names(vec!["before".to_owned(), "after".to_owned()])
            .len(),
        2
    );
}

pub(crate) fn a_full_queue_refuses_at_once<S: AccountTestStore>(store: &Arc<S>) {
    let blocked = BlockedWriters::of(&**store);
    let taken: Vec<_> = (0..2)
        .map(|number| store.insert(format!("u{number}"), Ok(())))
        .collect();
    // The writer is still blocked, so an answer now is an answer without a wait.
    let refused = store.insert("u2".to_owned(), Ok(()));
    assert_eq!(kind(refused.wait()), StoreErrorKind::Overloaded);
    blocked.release();
    assert!(taken.into_iter().all(|pending| pending.wait().is_ok()));
    assert_eq!(store.refused(), 1);
    assert!(store.names(vec!["u2".to_owned()]).is_empty());
}

pub(crate) fn a_piece_larger_than_the_bound_is_taken_when_it_is_alone<S: AccountTestStore>(
    store: &Arc<S>,
) {
    let sized = |name: &str, weight| UserWork {
        weight,
        ..UserWork::new(name, WorkBehaviour::Good)
    };
    let blocked = BlockedWriters::of(&**store);
    let large = store.group(sized("large", 1_000_000));
    let second = store.group(sized("second", 1));
    assert_eq!(kind(second.wait()), StoreErrorKind::Overloaded);
    blocked.release();
    large.wait().unwrap();
}

pub(crate) fn work_that_waited_too_long_is_refused_unrun<S: AccountTestStore>(store: &Arc<S>) {
    let ran = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&ran);
    let blocked = BlockedWriters::of(&**store);
    let queued = Instant::now();
    let late = store.write(move |_| -> Result<(), StoreError> {
        flag.store(true, Ordering::SeqCst);
        Ok(())
    });
    while queued.elapsed() <= SHORT_DEADLINE {
        thread::park_timeout(SHORT_DEADLINE);
    }
    blocked.release();
    assert_eq!(kind(late.wait()), StoreErrorKind::Overloaded);
    assert!(!ran.load(Ordering::SeqCst));
    assert_eq!(store.refused(), 1);
}

pub(crate) fn acknowledged_rows_are_the_stored_rows<S: AccountTestStore>(store: &Arc<S>) {
    let client = |client: usize| {
        let store = Arc::clone(store);
        thread::spawn(move || {
            let mut acknowledged = Vec::new();
            for round in 0..40 {
                // Several at once, so that the small queue overflows occasionally.
                let pending: Vec<_> = (0..6)
                    .map(|number| {
                        let name = format!("c{client}-{round}-{number}");
                        let bad = number == 3 && round % 5 == client % 5;
                        let outcome = if bad { Err(refusal()) } else { Ok(()) };
                        (name.clone(), store.insert(name, outcome))
                    })
                    .collect();
                let done = pending
                    .into_iter()
                    .filter_map(|(name, pending)| pending.wait().ok().map(|()| name));
                acknowledged.extend(done);
            }
            acknowledged
        })
    };
    let clients: Vec<_> = (0..6).map(client).collect();
    let acknowledged: HashSet<String> = clients
        .into_iter()
        .flat_map(|client| client.join().unwrap())
        .collect();
    assert!(
        acknowledged.len() > 100,
        "the store rejected nearly all writes"
    );
    let all = (0..6).flat_map(|client| {
        (0..40)
            .flat_map(move |round| (0..6).map(move |number| format!("c{client}-{round}-{number}")))
    });
    assert_eq!(store.names(all.collect()), acknowledged);
}

pub(crate) fn closing_finishes_what_was_queued_and_refuses_the_rest<S: AccountTestStore>(
    store: &Arc<S>,
) {
    let blocked = BlockedWriters::of(&**store);
    let queued: Vec<_> = (0..50)
        .map(|number| store.insert(format!("u{number}"), Ok(())))
        .collect();
    let closer = thread::spawn({
        let store = Arc::clone(store);
        move || store.shut()
    });
    blocked.release();
    closer.join().unwrap();
    let late = store.insert("late".to_owned(), Ok(()));
    assert_eq!(kind(late.wait()), StoreErrorKind::Unavailable);
    assert!(queued.into_iter().all(|pending| pending.wait().is_ok()));
    store.shut();
}

pub(crate) fn all_queries_of_a_read_see_the_same_moment<S: AccountTestStore>(store: &Arc<S>) {
    let (reading, is_reading) = channel();
    let (go, wait) = channel::<()>();
    let read = store.epoch_twice(move || {
        reading.send(()).unwrap();
        wait.recv().unwrap();
    });
    is_reading.recv().unwrap();
    let raised = store.raise_epoch().wait().unwrap();
    go.send(()).unwrap();
    let (first, second) = read.wait().unwrap();
    assert_eq!((first, second), (raised - 1, raised - 1));
}

pub(crate) fn a_panic_in_a_read_leaves_the_readers_alive<S: AccountTestStore>(store: &Arc<S>) {
    for _ in 0..20 {
        let panics = store.read(|_| -> Result<(), StoreError> { panic!("expected") });
        assert_eq!(kind(panics.wait()), StoreErrorKind::Internal);
    }
    assert!(store.epoch_twice(|| ()).wait().is_ok());
}

pub(crate) fn a_read_that_takes_too_long_is_answered_all_the_same<S: AccountTestStore>(
    store: &Arc<S>,
) {
    let (go, wait) = channel::<()>();
    let stuck = store.epoch_twice(move || {
        // Until the test ends.
        wait.recv().ok();
    });
    let kind = kind(stuck.wait());
    assert!(
        matches!(
            kind,
            StoreErrorKind::Unavailable | StoreErrorKind::Overloaded
        ),
        "{kind:?}"
    );
    drop(go);
}

/// Panics the thread that wakes it.
struct Trap;

impl Wake for Trap {
    fn wake(self: Arc<Self>) {
        panic!("expected");
    }
}

pub(crate) fn a_panic_outside_of_the_work_leaves_the_writers_alive<S: AccountTestStore>(
    store: &Arc<S>,
) {
    let blocked = BlockedWriters::of(&**store);
    let mut trap = store.insert("trap".to_owned(), Ok(()));
    let waker = Waker::from(Arc::new(Trap));
    assert!(
        Pin::new(&mut trap)
            .poll(&mut Context::from_waker(&waker))
            .is_pending()
    );
    let neighbour = store.insert("neighbour".to_owned(), Ok(()));
    blocked.release();
    // It was committed beside the trap or after it, or is known to be lost; in any case there is an answer.
    let answered = neighbour.wait();
    for number in 0..8 {
        store
            .insert(format!("after-{number}"), Ok(()))
            .wait()
            .unwrap();
    }
    let found = store.names(vec!["trap".to_owned(), "neighbour".to_owned()]);
    assert!(
        found.contains("trap"),
        "the outcome was available before the panic"
    );
    assert!(answered.is_err() || found.contains("neighbour"));
}
