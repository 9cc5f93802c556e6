//! Outcomes of a single closure.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use storage::{StoreError, StoreErrorKind};

use crate::Harness;
use crate::probe_rows::ProbeStore;

/// An error of the caller, which must be returned unchanged.
#[derive(Debug, PartialEq)]
enum CallerError {
    Because(&'static str),
    Store(StoreErrorKind),
}

impl From<StoreError> for CallerError {
    fn from(error: StoreError) -> Self {
        Self::Store(error.kind())
    }
}

pub(super) fn s01_ok_commits<H: Harness>(harness: &mut H)
where
    H::Store: ProbeStore<H::ProbeRows>,
{
    let store = harness.store();
    assert_eq!(store.numbers(), [0; 0]);
    let outcome: Result<&str, StoreError> = store
        .write_rows(|rows| {
            rows.insert(1)?;
            rows.insert(2)?;
            Ok("output of the closure")
        })
        .wait();
    assert_eq!(outcome.unwrap(), "output of the closure");
    assert_eq!(store.numbers(), [1, 2]);
}

pub(super) fn s02_an_error_undoes_the_whole_closure_and_comes_back_as_it_was<H: Harness>(
    harness: &mut H,
) where
    H::Store: ProbeStore<H::ProbeRows>,
{
    let store = harness.store();
    store.write_row(1).wait().unwrap();
    let outcome: Result<(), CallerError> = store
        .write_rows(|rows| {
            rows.insert(2)?;
            rows.insert(3)?;
            Err(CallerError::Because("refused by the closure"))
        })
        .wait();
    assert_eq!(outcome, Err(CallerError::Because("refused by the closure")));
    assert_eq!(store.numbers(), [1]);
    store.write_row(2).wait().unwrap();
    assert_eq!(store.numbers(), [1, 2]);
}

pub(super) fn s03_a_panic_undoes_the_whole_closure_and_the_store_lives_on<H: Harness>(
    harness: &mut H,
) where
    H::Store: ProbeStore<H::ProbeRows>,
{
    let store = harness.store();
    let outcome: Result<(), CallerError> = store
        .write_rows(|rows| {
            rows.insert(1)?;
            panic!("expected panic of a closure");
        })
        .wait();
    assert_eq!(outcome, Err(CallerError::Store(StoreErrorKind::Internal)));
    let outcome: Result<(), CallerError> = store
        .read_rows(|_| panic!("expected panic of a closure"))
        .wait();
    assert_eq!(outcome, Err(CallerError::Store(StoreErrorKind::Internal)));
    store.write_row(2).wait().unwrap();
    assert_eq!(store.numbers(), [2]);
}

pub(super) fn s04_a_write_transaction_sees_its_own_writes<H: Harness>(harness: &mut H)
where
    H::Store: ProbeStore<H::ProbeRows>,
{
    let store = harness.store();
    store.write_row(1).wait().unwrap();
    let seen: Result<Vec<i64>, StoreError> = store
        .write_rows(|rows| {
            rows.insert(2)?;
            rows.list()
        })
        .wait();
    assert_eq!(seen.unwrap(), [1, 2]);
}

pub(super) fn s05_a_read_that_fails_gives_its_own_error<H: Harness>(harness: &mut H)
where
    H::Store: ProbeStore<H::ProbeRows>,
{
    let store = harness.store();
    let outcome: Result<(), CallerError> = store
        .read_rows(|list| {
            list()?;
            Err(CallerError::Because("refused by the closure"))
        })
        .wait();
    assert_eq!(outcome, Err(CallerError::Because("refused by the closure")));
    assert_eq!(store.numbers(), [0; 0]);
}

pub(super) fn s06_a_dropped_pending_does_not_cancel_the_work<H: Harness>(harness: &mut H)
where
    H::Store: ProbeStore<H::ProbeRows>,
{
    let store = harness.store();
    for number in 1..=20 {
        drop(store.write_row(number));
    }
    // Another writer may still be busy, so the rows may appear after later ones, but they must appear.
    for later in 21..1_000 {
        store.write_row(later).wait().unwrap();
        let dropped = store.numbers().into_iter().filter(|number| *number <= 20);
        if dropped.count() == 20 {
            return;
        }
    }
    panic!("only {:?} were written", store.numbers());
}

/// Wakes the waiting thread.
struct UnparkWaker(Thread);

impl Wake for UnparkWaker {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

pub(super) fn s07_a_pending_is_a_future_that_wakes_its_task<H: Harness>(harness: &mut H)
where
    H::Store: ProbeStore<H::ProbeRows>,
{
    let store = harness.store();
    let mut pending = pin!(store.write_row(1));
    let waker = Waker::from(Arc::new(UnparkWaker(thread::current())));
    let mut context = Context::from_waker(&waker);
    let outcome = loop {
        match pending.as_mut().poll(&mut context) {
            Poll::Ready(outcome) => break outcome,
            Poll::Pending => thread::park(),
        }
    };
    outcome.unwrap();
    assert_eq!(store.numbers(), [1]);
}
