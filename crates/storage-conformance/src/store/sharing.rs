//! Isolation between concurrent closures.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use storage::{Lane, StoreError, StoreErrorKind};

use crate::Harness;
use crate::probe_rows::{ProbeStore, refusal};
use crate::samples::{SetOnDrop, race};

const THREADS: usize = 8;
const EACH: i64 = 12;

/// The numbers that a thread writes; they differ between threads.
fn numbers_of(thread: usize) -> impl Iterator<Item = i64> {
    let first = i64::try_from(thread).unwrap() * EACH + 1;
    first..first + EACH
}

pub(super) fn s08_an_acknowledged_write_is_immediately_visible_to_all_readers<H: Harness>(
    harness: &mut H,
) where
    H::Store: ProbeStore<H::ProbeRows>,
{
    let store = harness.store();
    race(THREADS, |thread| {
        for number in numbers_of(thread) {
            store.write_row(number).wait().unwrap();
            assert!(
                store.numbers().contains(&number),
                "{number} was acknowledged, but is missing"
            );
        }
    });
    assert_eq!(store.numbers().len(), 96);
}

pub(super) fn s09_all_queries_of_a_read_see_the_same_state<H: Harness>(harness: &mut H)
where
    H::Store: ProbeStore<H::ProbeRows>,
{
    let store = harness.store();
    store.write_row(1).wait().unwrap();
    let (has_read, first_read) = channel();
    let (has_written, written) = channel();
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let read = store.read_rows(move |list| {
                let before = list()?;
                has_read.send(()).unwrap();
                written.recv().unwrap();
                Ok::<_, StoreError>((before, list()?))
            });
            read.wait().unwrap()
        });
        first_read.recv().unwrap();
        store.write_row(2).wait().unwrap();
        has_written.send(()).unwrap();
        assert_eq!(reader.join().unwrap(), (vec![1], vec![1]));
    });
    assert_eq!(store.numbers(), [1, 2]);
}

pub(super) fn s10_no_reader_sees_half_a_write<H: Harness>(harness: &mut H)
where
    H::Store: ProbeStore<H::ProbeRows>,
{
    let store = harness.store();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        // The flag is also raised when a write fails; otherwise the reader would never end.
        let raised = SetOnDrop(&done);
        let reader = scope.spawn(|| {
            while !done.load(Ordering::Acquire) {
                let seen = store.numbers().len();
                assert!(seen.is_multiple_of(2), "{seen} rows of pairs");
            }
        });
        for pair in 0..40 {
            let written = store.write_rows(move |rows| {
                rows.insert(2 * pair + 1)?;
                rows.insert(2 * pair + 2)
            });
            written.wait().unwrap();
        }
        drop(raised);
        reader.join().unwrap();
    });
    assert_eq!(store.numbers().len(), 80);
}

pub(super) fn s11_a_failing_closure_does_not_affect_other_closures<H: Harness>(harness: &mut H)
where
    H::Store: ProbeStore<H::ProbeRows>,
{
    let store = harness.store();
    let acknowledged = race(THREADS, |thread| {
        let pending: Vec<_> = numbers_of(thread)
            .map(|number| {
                let written = store.write_rows(move |rows| {
                    rows.insert(number)?;
                    if number % 5 == 0 {
                        Err(refusal())
                    } else {
                        Ok(())
                    }
                });
                (number, written)
            })
            .collect();
        let good = pending.into_iter().filter_map(|(number, written)| {
            let outcome = written.wait();
            assert_eq!(outcome.is_err(), number % 5 == 0, "{outcome:?}");
            outcome.ok().map(|()| number)
        });
        good.collect::<Vec<i64>>()
    });
    assert_eq!(store.numbers(), acknowledged.concat());
}

pub(super) fn s12_grouped_work_gets_its_own_output<H: Harness>(harness: &mut H)
where
    H::Store: ProbeStore<H::ProbeRows>,
{
    let store = harness.store();
    race(THREADS, |thread| {
        let pending: Vec<_> = numbers_of(thread)
            .map(|number| (number, store.write_row_grouped(number, false)))
            .collect();
        for (number, written) in pending {
            assert_eq!(written.wait().unwrap(), number);
        }
    });
    assert_eq!(store.numbers(), (1..=96).collect::<Vec<i64>>());
}

pub(super) fn s13_grouped_work_that_refuses_is_refused_alone<H: Harness>(harness: &mut H)
where
    H::Store: ProbeStore<H::ProbeRows>,
{
    let store = harness.store();
    let pending: Vec<_> = (1..=40)
        .map(|number| (number, store.write_row_grouped(number, number % 10 == 0)))
        .collect();
    for (number, written) in pending {
        match written.wait() {
            Ok(output) => assert_eq!((output, number % 10 == 0), (number, false)),
            Err(error) => {
                assert_eq!(number % 10, 0, "{error}");
                assert_eq!(error.kind(), StoreErrorKind::Inconsistent, "{error}");
            }
        }
    }
    let good: Vec<i64> = (1..=40).filter(|number| number % 10 != 0).collect();
    assert_eq!(store.numbers(), good);
}

pub(super) fn s14_a_write_sees_everything_acknowledged_before_it_starts<H: Harness>(harness: &mut H)
where
    H::Store: ProbeStore<H::ProbeRows>,
{
    let store = harness.store();
    race(THREADS, |thread| {
        for number in numbers_of(thread) {
            store.write_row(number).wait().unwrap();
            let seen: Result<Vec<i64>, StoreError> = store.write_rows(|rows| rows.list()).wait();
            assert!(
                seen.unwrap().contains(&number),
                "{number} was acknowledged, but is missing"
            );
        }
    });
}

/// More reads than any adapter runs at once.
const MANY: usize = 64;

/// Upper bound for a read that has nothing to wait for. A correct store answers at once.
const FAR_TOO_LONG: Duration = Duration::from_secs(10);

/// Fills a lane with reads that do not end, and checks that a read in another lane is answered meanwhile.
fn is_answered_beside<H: Harness>(harness: &mut H, filled: Lane, requested: Lane)
where
    H::Store: ProbeStore<H::ProbeRows>,
{
    let store = harness.store();
    let (enter, entered) = channel();
    let outcome = thread::scope(|scope| {
        let mut releases = Vec::new();
        let mut reads = Vec::new();
        for _ in 0..MANY {
            let (release, wait) = channel::<()>();
            let enter = enter.clone();
            // The closure may run on the calling thread, so each read has a thread of its own.
            reads.push(scope.spawn(move || {
                let read = store.read_rows_in(filled, move |_| {
                    enter.send(()).ok();
                    wait.recv().ok();
                    Ok::<_, StoreError>(())
                });
                read.wait()
            }));
            releases.push(release);
        }
        entered.recv().unwrap();
        let (answer, answered) = channel();
        scope.spawn(move || {
            let read = store.read_rows_in(requested, |list| list());
            answer.send(read.wait()).ok();
        });
        let outcome = answered.recv_timeout(FAR_TOO_LONG);
        drop(releases);
        for read in reads {
            // Some reads may have been refused because too many waited, which is an answer too.
            drop(read.join().unwrap());
        }
        outcome
    });
    assert!(
        !matches!(outcome, Err(RecvTimeoutError::Timeout)),
        "a read in {requested:?} waits for reads in {filled:?}"
    );
    outcome.unwrap().unwrap();
}

pub(super) fn s15_a_check_is_answered_while_other_reads_hold_every_reader<H: Harness>(
    harness: &mut H,
) where
    H::Store: ProbeStore<H::ProbeRows>,
{
    is_answered_beside(harness, Lane::Shared, Lane::Check);
}

pub(super) fn s16_waiting_reads_of_one_caller_do_not_block_other_callers<H: Harness>(
    harness: &mut H,
) where
    H::Store: ProbeStore<H::ProbeRows>,
{
    is_answered_beside(harness, Lane::Caller(1), Lane::Caller(2));
    is_answered_beside(harness, Lane::Caller(1), Lane::Shared);
}
