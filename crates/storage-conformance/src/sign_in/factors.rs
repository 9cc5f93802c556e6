//! Second factors.

use accounts::SecondFactor;
use api_conventions::ids::UserId;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;

use super::{insert_user, read, write};
use crate::areas::{Accounts, AreaHarness};
use crate::samples::{race, timestamp};

/// The digests of some recovery codes.
fn codes<const N: usize>(texts: [&str; N]) -> [SecretDigest; N] {
    texts.map(SecretDigest::of)
}

/// Inserts a user with two-factor authentication on, at step 100 and with the codes `a`, `b` and `c`.
fn protected(store: &Accounts, name: &'static str) -> UserId {
    let id = insert_user(store, name);
    let put = move |tx: &mut dyn accounts::AccountWriteTx| {
        tx.put_second_factor(id, b"sealed", 100, &codes(["a", "b", "c"]), timestamp(1))
    };
    assert!(write(store, put));
    id
}

fn factor(store: &Accounts, id: UserId) -> Option<SecondFactor> {
    let found = read(store, move |tx| tx.find_credentials_of(id));
    found.expect("the user has credentials").second_factor
}

fn take_code(store: &Accounts, id: UserId, code: &str) -> bool {
    let code = SecretDigest::of(code);
    write(store, move |tx| tx.take_recovery_code(id, &code))
}

fn take_step(store: &Accounts, id: UserId, step: i64) -> bool {
    write(store, move |tx| tx.take_time_step(id, step))
}

/// True if the user needs a second factor, on which all queries must agree.
fn is_protected(store: &Accounts, id: UserId) -> bool {
    let found = read(store, move |tx| {
        let user = tx.find_user(id)?.expect("the user exists");
        let name = user.username.as_str();
        let by_name = tx.find_user_by_username(name)?;
        let listed = tx.list_users_by_id(&[id])?.pop();
        let by_login = tx.find_credentials(name)?.map(|found| found.user);
        let by_id = tx.find_credentials_of(id)?.map(|found| found.user);
        Ok([Some(user), by_name, listed, by_login, by_id])
    });
    let found = found.map(|user| user.expect("the user exists").two_factor_enabled);
    assert!(found.iter().all(|one| *one == found[0]), "{found:?}");
    found[0]
}

pub(super) fn c10_a_second_factor_comes_back_as_it_was_written(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    let other = insert_user(store, "other");
    let every_byte: Vec<u8> = (0..=u8::MAX).collect();
    let edges = [
        ("ann", every_byte, 0, Timestamp::MIN, 10),
        ("ben", vec![0], i64::MAX, Timestamp::MAX, 0),
        ("cora", vec![7; 4_000], 56_666_666, timestamp(3), 1),
    ];
    for (name, sealed, last_step, now, number) in edges {
        let id = insert_user(store, name);
        assert!(!is_protected(store, id));
        let given = sealed.clone();
        let put = write(store, move |tx| {
            let codes: Vec<SecretDigest> = (0..number)
                .map(|code| SecretDigest::of(&format!("{name} {code}")))
                .collect();
            tx.put_second_factor(id, &given, last_step, &codes, now)
        });
        assert!(put && is_protected(store, id));
        let expected = SecondFactor {
            sealed,
            last_step,
            enabled_at: now,
            recovery_codes_left: number,
        };
        assert_eq!(factor(store, id), Some(expected));
    }
    assert_eq!(factor(store, other), None);
    assert!(!is_protected(store, other));
}

pub(super) fn c11_a_second_factor_is_replaced_with_its_codes(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let ann = protected(store, "ann");
    let put = write(store, move |tx| {
        tx.put_second_factor(ann, b"another", 50, &codes(["x", "y"]), timestamp(9))
    });
    assert!(put && is_protected(store, ann));
    let now = factor(store, ann).expect("the second factor is on");
    assert_eq!((&*now.sealed, now.last_step), (&b"another"[..], 50));
    assert_eq!((now.enabled_at, now.recovery_codes_left), (timestamp(9), 2));
    assert!(!take_step(store, ann, 50), "its last step was used");
    assert!(
        take_step(store, ann, 51),
        "steps of the old factor do not count"
    );
    assert!(!take_code(store, ann, "a"), "the old codes were deleted");
    assert!(take_code(store, ann, "x"));
}

pub(super) fn c12_a_second_factor_that_is_off_leaves_nothing(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let [ann, ben] = ["ann", "ben"].map(|name| protected(store, name));
    assert!(write(store, move |tx| tx.delete_second_factor(ann)));
    assert!(!write(store, move |tx| tx.delete_second_factor(ann)));
    assert!(!is_protected(store, ann));
    assert_eq!(factor(store, ann), None);
    assert!(!take_step(store, ann, 101));
    assert!(!take_code(store, ann, "a"));
    let replaced = write(store, move |tx| {
        tx.replace_recovery_codes(ann, &codes(["d"]))
    });
    assert!(!replaced);
    write(store, move |tx| {
        tx.put_second_factor(ann, b"again", 1, &codes(["e"]), timestamp(9))
    });
    for gone in ["a", "d"] {
        assert!(!take_code(store, ann, gone), "{gone} is not restored");
    }
    assert!(take_code(store, ann, "e"));
    assert!(is_protected(store, ben), "another user's stays on");
    assert!(take_code(store, ben, "a"));
}

pub(super) fn c13_a_time_step_is_spent_once_and_none_before_it(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    let [ann, ben] = ["ann", "ben"].map(|name| protected(store, name));
    let tries = [
        (100, false),
        (99, false),
        (102, true),
        (102, false),
        (101, false),
        (103, true),
    ];
    let mut last = 100;
    for (step, good) in tries {
        assert_eq!(take_step(store, ann, step), good, "step {step}");
        if good {
            last = step;
        }
        let now = factor(store, ann).expect("the second factor is on");
        assert_eq!((now.last_step, now.recovery_codes_left), (last, 3));
        assert_eq!(now.enabled_at, timestamp(1));
    }
    assert!(take_step(store, ben, 101), "each user has separate steps");
}

pub(super) fn c14_racing_requests_spend_a_time_step_once(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let ann = protected(store, "ann");
    for step in 101..104 {
        let taken = race(16, |_| take_step(store, ann, step));
        let winners = taken.iter().filter(|taken| **taken).count();
        assert_eq!(winners, 1, "step {step}");
    }
}

pub(super) fn c15_a_recovery_code_is_spent_once(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let [ann, ben] = ["ann", "ben"].map(|name| protected(store, name));
    let put = write(store, move |tx| {
        tx.replace_recovery_codes(ben, &codes(["mine"]))
    });
    assert!(put);
    assert!(!take_code(store, ann, "unknown"));
    assert!(
        !take_code(store, ann, "mine"),
        "the code belongs to another user"
    );
    for (code, remaining) in [("b", 2), ("a", 1), ("c", 0)] {
        assert!(take_code(store, ann, code));
        assert!(!take_code(store, ann, code), "{code} was used");
        let now = factor(store, ann).expect("the second factor is on, even without codes");
        assert_eq!((now.recovery_codes_left, now.last_step), (remaining, 100));
    }
    assert!(take_code(store, ben, "mine"));
}

pub(super) fn c16_racing_requests_spend_a_recovery_code_once(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let ann = protected(store, "ann");
    for code in ["a", "b", "c"] {
        let taken = race(16, |_| take_code(store, ann, code));
        let winners = taken.iter().filter(|taken| **taken).count();
        assert_eq!(winners, 1, "code {code}");
    }
    assert_eq!(
        factor(store, ann).map(|now| now.recovery_codes_left),
        Some(0)
    );
}

pub(super) fn c17_recovery_codes_are_replaced_all_together(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let [ann, ben] = ["ann", "ben"].map(|name| protected(store, name));
    assert!(take_code(store, ann, "a"));
    // Codes may repeat, including used ones.
    let replaced = write(store, move |tx| {
        tx.replace_recovery_codes(ann, &codes(["x", "b", "a", "y"]))
    });
    assert!(replaced);
    let now = factor(store, ann).expect("the second factor is on");
    assert_eq!((now.recovery_codes_left, now.last_step), (4, 100));
    assert_eq!(
        (&*now.sealed, now.enabled_at),
        (&b"sealed"[..], timestamp(1))
    );
    assert!(!take_code(store, ann, "c"), "the old codes were deleted");
    for code in ["a", "b", "x", "y"] {
        assert!(take_code(store, ann, code), "{code}");
    }
    assert!(take_code(store, ben, "c"), "another user's codes are kept");
    assert!(write(store, move |tx| tx.replace_recovery_codes(ben, &[])));
    assert_eq!(
        factor(store, ben).map(|now| now.recovery_codes_left),
        Some(0)
    );
}
