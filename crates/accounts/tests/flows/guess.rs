//! Guessing of application secrets.

use accounts::flow::guess::{SecretGuess, SecretOutcome, verify_secret};
use api_conventions::time::Timestamp;

use crate::support::{Accounts, POLICY, now};

const WRONG: SecretOutcome = SecretOutcome::Wrong {
    is_address_locked_out: false,
};

fn verified(
    accounts: &Accounts,
    client_id: &str,
    address: &str,
    is_right: bool,
    at: Timestamp,
) -> SecretOutcome {
    let guess = SecretGuess::new(client_id, address, is_right, at);
    accounts.write(move |tx| verify_secret(tx, &guess, &POLICY))
}

fn is_locked_out(outcome: SecretOutcome) -> bool {
    matches!(outcome, SecretOutcome::LockedOut { .. })
}

#[test]
fn at_the_limit_the_right_secret_is_refused_at_that_address_only() {
    let accounts = Accounts::default();
    for _ in 0..3 {
        assert_eq!(verified(&accounts, "app", "192.0.2.1", false, now()), WRONG);
    }
    assert!(is_locked_out(verified(
        &accounts,
        "app",
        "192.0.2.1",
        true,
        now()
    )));
    assert!(is_locked_out(verified(
        &accounts,
        "app",
        "192.0.2.1",
        false,
        now()
    )));
    let elsewhere = verified(&accounts, "app", "192.0.2.2", true, now());
    assert_eq!(elsewhere, SecretOutcome::Right);
    let other = verified(&accounts, "other", "192.0.2.1", true, now());
    assert_eq!(other, SecretOutcome::Right);
    let later = now().plus_seconds(100);
    let opened = verified(&accounts, "app", "192.0.2.1", true, later);
    assert_eq!(opened, SecretOutcome::Right);
}

#[test]
fn the_right_secret_forgets_the_wrong_ones_before_it() {
    let accounts = Accounts::default();
    for _ in 0..2 {
        for _ in 0..2 {
            assert_eq!(verified(&accounts, "app", "192.0.2.1", false, now()), WRONG);
        }
        let right = verified(&accounts, "app", "192.0.2.1", true, now());
        assert_eq!(right, SecretOutcome::Right);
    }
}

#[test]
fn an_ip_address_is_locked_out_across_application_ids() {
    let accounts = Accounts::default();
    for name in ["a", "b", "c", "d"] {
        assert_eq!(verified(&accounts, name, "192.0.2.1", false, now()), WRONG);
    }
    let last = verified(&accounts, "e", "192.0.2.1", false, now());
    let expected = SecretOutcome::Wrong {
        is_address_locked_out: true,
    };
    assert_eq!(last, expected);
    assert!(is_locked_out(verified(
        &accounts,
        "f",
        "192.0.2.1",
        true,
        now()
    )));
    let elsewhere = verified(&accounts, "f", "192.0.2.2", true, now());
    assert_eq!(elsewhere, SecretOutcome::Right);
}
