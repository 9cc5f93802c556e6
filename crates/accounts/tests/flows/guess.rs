//! Guessing the secrets of applications.

use accounts::flow::guess::{SecretGuess, SecretOutcome, judge_secret};
use api_conventions::time::Timestamp;

use crate::support::{Accounts, POLICY, now};

const WRONG: SecretOutcome = SecretOutcome::Wrong {
    is_address_shut: false,
};

fn judged(
    accounts: &Accounts,
    client_id: &str,
    address: &str,
    is_right: bool,
    at: Timestamp,
) -> SecretOutcome {
    let guess = SecretGuess {
        client_id: client_id.to_owned(),
        address: address.to_owned(),
        is_right,
        now: at,
    };
    accounts.write(move |tx| judge_secret(tx, &guess, &POLICY))
}

fn is_shut(outcome: SecretOutcome) -> bool {
    matches!(outcome, SecretOutcome::Shut { .. })
}

#[test]
fn at_the_limit_the_right_secret_is_refused_at_that_address_only() {
    let accounts = Accounts::default();
    for _ in 0..3 {
        assert_eq!(judged(&accounts, "app", "192.0.2.1", false, now()), WRONG);
    }
    assert!(is_shut(judged(&accounts, "app", "192.0.2.1", true, now())));
    assert!(is_shut(judged(&accounts, "app", "192.0.2.1", false, now())));
    let elsewhere = judged(&accounts, "app", "192.0.2.2", true, now());
    assert_eq!(elsewhere, SecretOutcome::Right);
    let other = judged(&accounts, "other", "192.0.2.1", true, now());
    assert_eq!(other, SecretOutcome::Right);
    let later = now().plus_seconds(100);
    let opened = judged(&accounts, "app", "192.0.2.1", true, later);
    assert_eq!(opened, SecretOutcome::Right);
}

#[test]
fn the_right_secret_forgets_the_wrong_ones_before_it() {
    let accounts = Accounts::default();
    for _ in 0..2 {
        for _ in 0..2 {
            assert_eq!(judged(&accounts, "app", "192.0.2.1", false, now()), WRONG);
        }
        let right = judged(&accounts, "app", "192.0.2.1", true, now());
        assert_eq!(right, SecretOutcome::Right);
    }
}

#[test]
fn an_address_is_shut_out_whichever_application_it_claims_to_be() {
    let accounts = Accounts::default();
    for name in ["a", "b", "c", "d"] {
        assert_eq!(judged(&accounts, name, "192.0.2.1", false, now()), WRONG);
    }
    let last = judged(&accounts, "e", "192.0.2.1", false, now());
    let expected = SecretOutcome::Wrong {
        is_address_shut: true,
    };
    assert_eq!(last, expected);
    assert!(is_shut(judged(&accounts, "f", "192.0.2.1", true, now())));
    let elsewhere = judged(&accounts, "f", "192.0.2.2", true, now());
    assert_eq!(elsewhere, SecretOutcome::Right);
}
