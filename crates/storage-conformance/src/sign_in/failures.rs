//! Failed sign-in attempts.

use accounts::Failures;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreExt as _;

use super::{insert_user, read, write};
use crate::areas::{Accounts, AreaHarness};
use crate::probe_rows::refusal;
use crate::samples::{race, timestamp};

/// Window in which failures are counted together, in seconds.
const WINDOW: i64 = 60;

fn key(text: &str) -> SecretDigest {
    SecretDigest::of(text)
}

fn count(store: &Accounts, text: &str, now: Timestamp) -> Failures {
    let key = key(text);
    write(store, move |tx| tx.count_failure(&key, WINDOW, now))
}

fn found(store: &Accounts, text: &str) -> Option<Failures> {
    let key = key(text);
    read(store, move |tx| tx.find_failures(&key))
}

/// A number of failures since a time.
fn failures(count: i64, since: Timestamp) -> Failures {
    Failures { count, since }
}

pub(super) fn c20_failures_are_counted_under_their_key(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let counts = [
        ("a", 1, 1),
        ("a", 5, 2),
        ("b", 6, 1),
        ("a", 5, 3),
        ("b", 9, 2),
    ];
    for (key, seconds, expected) in counts {
        let first = if key == "a" { 1 } else { 6 };
        let expected = failures(expected, timestamp(first));
        assert_eq!(count(store, key, timestamp(seconds)), expected);
        assert_eq!(found(store, key), Some(expected));
    }
    assert_eq!(found(store, "a"), Some(failures(3, timestamp(1))));
    assert_eq!(found(store, "c"), None);
    let first = failures(1, Timestamp::MAX);
    assert_eq!(count(store, "end", Timestamp::MAX), first);
    assert_eq!(found(store, "end"), Some(first));
}

pub(super) fn c21_a_count_begins_anew_when_its_window_is_over(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    count(store, "a", timestamp(0));
    let micro = |seconds: i64| Timestamp::from_micros(timestamp(seconds).as_micros() - 1).unwrap();
    assert_eq!(count(store, "a", micro(WINDOW)), failures(2, timestamp(0)));
    // The window starts at the first failure, however late the last one was.
    let anew = failures(1, timestamp(WINDOW));
    assert_eq!(count(store, "a", timestamp(WINDOW)), anew);
    assert_eq!(found(store, "a"), Some(anew));
    let second = count(store, "a", micro(2 * WINDOW));
    assert_eq!(second, failures(2, timestamp(WINDOW)));
    let later = timestamp(1_000);
    assert_eq!(count(store, "a", later), failures(1, later));
    let long_after = read(store, |tx| tx.find_failures(&key("a")));
    assert_eq!(long_after, Some(failures(1, later)), "found at any time");
}

pub(super) fn c22_racing_failures_are_all_counted(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let mut counted: Vec<i64> = race(16, |_| {
        let counts: Vec<i64> = (0..3)
            .map(|_| count(store, "a", timestamp(0)).count)
            .collect();
        counts
    })
    .concat();
    counted.sort_unstable();
    assert_eq!(counted, (1..=48).collect::<Vec<i64>>());
    assert_eq!(found(store, "a"), Some(failures(48, timestamp(0))));
    // When the window is over, exactly one of the racers starts a new count.
    let mut counted: Vec<i64> = race(16, |_| count(store, "a", timestamp(WINDOW)).count);
    counted.sort_unstable();
    assert_eq!(counted, (1..=16).collect::<Vec<i64>>());
}

pub(super) fn c23_failures_are_forgotten_under_one_key(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    for key in ["a", "a", "b"] {
        count(store, key, timestamp(0));
    }
    write(store, |tx| tx.forget_failures(&key("a")));
    assert_eq!(found(store, "a"), None);
    assert_eq!(found(store, "b"), Some(failures(1, timestamp(0))));
    assert_eq!(count(store, "a", timestamp(9)), failures(1, timestamp(9)));
}

pub(super) fn c24_old_failures_are_deleted(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    for (key, seconds) in [("a", 0), ("b", 1), ("c", 2), ("d", 3), ("b", 50)] {
        count(store, key, timestamp(seconds));
    }
    // Deletion depends on the start of a count, not on its last failure.
    let deleted = write(store, |tx| tx.delete_old_failures(timestamp(2)));
    assert_eq!(deleted, 2);
    for (key, there) in [("a", false), ("b", false), ("c", true), ("d", true)] {
        assert_eq!(found(store, key).is_some(), there, "{key}");
    }
    let again = write(store, |tx| tx.delete_old_failures(timestamp(2)));
    assert_eq!(again, 0);
}

pub(super) fn c25_a_refused_write_counts_and_spends_nothing(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let ann = insert_user(store, "ann");
    let code = SecretDigest::of("code");
    write(store, move |tx| {
        tx.put_second_factor(ann, b"sealed", 1, &[code], timestamp(0))
    });
    let refused = store.change(move |tx| {
        tx.count_failure(&key("a"), WINDOW, timestamp(0))?;
        assert!(tx.take_time_step(ann, 2)?);
        assert!(tx.take_recovery_code(ann, &code)?);
        Err::<(), _>(refusal())
    });
    assert!(refused.wait().is_err());
    assert_eq!(found(store, "a"), None);
    assert!(write(store, move |tx| tx.take_time_step(ann, 2)));
    assert!(write(store, move |tx| tx.take_recovery_code(ann, &code)));
}
