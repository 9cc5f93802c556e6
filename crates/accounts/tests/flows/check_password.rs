//! Password guessing and lockouts.

use accounts::CredentialQueries as _;
use accounts::flow::check_password::{LookUp, PasswordOutcome, look_up, verify_password_attempt};
use accounts::password::PasswordHash;
use api_conventions::time::Timestamp;

use crate::support::{Accounts, POLICY, attempt, now, right};

/// Returns the outcome of an attempt as a word.
fn word(outcome: &PasswordOutcome) -> &'static str {
    match outcome {
        PasswordOutcome::Right(_) => "right",
        PasswordOutcome::Wrong => "wrong",
        PasswordOutcome::LockedOut { .. } => "locked out",
    }
}

fn guess(accounts: &Accounts, login: &str, address: &str, at: Timestamp) -> &'static str {
    let attempt = attempt(login, address, at);
    word(&accounts.write(move |tx| verify_password_attempt(tx, &attempt, None, &POLICY)))
}

fn enter(accounts: &Accounts, login: &str, hash: &PasswordHash, at: Timestamp) -> &'static str {
    let (attempt, hash) = (attempt(login, "192.0.2.9", at), hash.clone());
    let outcome = accounts.write(move |tx| {
        let found = tx.find_credentials(&attempt.login)?;
        let right = found.map(|found| right(found.user.id, &hash));
        verify_password_attempt(tx, &attempt, right, &POLICY)
    });
    word(&outcome)
}

fn look(accounts: &Accounts, login: &str, address: &str, at: Timestamp) -> LookUp {
    let attempt = attempt(login, address, at);
    accounts.write(move |tx| look_up(tx, &attempt, &POLICY))
}

#[test]
fn the_right_password_is_right_under_the_name_and_the_address() {
    let accounts = Accounts::default();
    let (_, hash) = accounts.person("ann");
    for login in ["ann", "ANN", "ann@example.com"] {
        assert_eq!(enter(&accounts, login, &hash, now()), "right", "{login}");
    }
}

#[test]
fn a_password_that_was_changed_while_it_was_hashed_is_wrong() {
    let accounts = Accounts::default();
    accounts.person("ann");
    let old = PasswordHash::from_stored("the hash of before".to_owned());
    assert_eq!(enter(&accounts, "ann", &old, now()), "wrong");
}

#[test]
fn an_older_hash_is_replaced_by_a_newer_one() {
    let accounts = Accounts::default();
    let (user, hash) = accounts.person("ann");
    let newer = PasswordHash::from_stored("a newer hash".to_owned());
    let (wanted, given) = (newer.clone(), attempt("ann", "192.0.2.1", now()));
    accounts.write(move |tx| {
        let mut right = right(user, &hash);
        right.renewed = Some(newer.clone());
        verify_password_attempt(tx, &given, Some(right), &POLICY)
    });
    let kept = accounts
        .write(move |tx| tx.find_credentials_of(user))
        .unwrap();
    assert_eq!(kept.password, Some(wanted));
}

#[test]
fn a_lockout_rejects_the_correct_password_too() {
    let accounts = Accounts::default();
    let (_, hash) = accounts.person("ann");
    for _ in 0..3 {
        assert_eq!(guess(&accounts, "Ann", "192.0.2.1", now()), "wrong");
    }
    assert_eq!(enter(&accounts, "ann", &hash, now()), "locked out");
    assert!(matches!(
        look(&accounts, "ann", "192.0.2.9", now()),
        LookUp::LockedOut { seconds: 101 }
    ));
    let last = now().plus_seconds(99);
    assert_eq!(enter(&accounts, "ann", &hash, last), "locked out");
    assert_eq!(
        enter(&accounts, "ann", &hash, now().plus_seconds(100)),
        "right"
    );
}

#[test]
fn attempts_during_a_lockout_are_not_counted() {
    let accounts = Accounts::default();
    for second in 0..20 {
        let at = now().plus_seconds(second * 10);
        let expected = if second % 10 < 3 {
            "wrong"
        } else {
            "locked out"
        };
        assert_eq!(
            guess(&accounts, "ann", "192.0.2.1", at),
            expected,
            "after {second}0 seconds"
        );
    }
}

#[test]
fn both_logins_of_an_account_are_counted_together() {
    let accounts = Accounts::default();
    let (_, hash) = accounts.person("ann");
    for login in ["ann", "ann@example.com", " ANN@Example.com "] {
        assert_eq!(guess(&accounts, login, "192.0.2.1", now()), "wrong");
    }
    for login in ["ann", "ann@example.com"] {
        assert_eq!(
            enter(&accounts, login, &hash, now()),
            "locked out",
            "{login}"
        );
    }
    // A login that belongs to no account is counted separately.
    assert_eq!(guess(&accounts, "bob", "192.0.2.2", now()), "wrong");
    assert_eq!(
        guess(&accounts, "bob@example.com", "192.0.2.2", now()),
        "wrong"
    );
}

#[test]
fn an_ip_address_is_locked_out_across_logins() {
    let accounts = Accounts::default();
    for login in ["a", "b", "c", "d", "e"] {
        assert_eq!(guess(&accounts, login, "192.0.2.1", now()), "wrong");
    }
    assert_eq!(guess(&accounts, "f", "192.0.2.1", now()), "locked out");
    assert_eq!(guess(&accounts, "f", "192.0.2.2", now()), "wrong");
}

#[test]
fn the_right_password_forgets_the_failures_of_the_login_and_not_of_the_address() {
    let accounts = Accounts::default();
    let (_, hash) = accounts.person("ann");
    for login in ["ann", "ann", "x", "y"] {
        assert_eq!(guess(&accounts, login, "192.0.2.9", now()), "wrong");
    }
    assert_eq!(enter(&accounts, "ann", &hash, now()), "right");
    assert_eq!(guess(&accounts, "ann", "192.0.2.9", now()), "wrong");
    assert_eq!(guess(&accounts, "ann", "192.0.2.9", now()), "locked out");
    assert_eq!(guess(&accounts, "ann", "192.0.2.1", now()), "wrong");
}

#[test]
fn an_unknown_login_is_looked_up_like_a_known_login() {
    let accounts = Accounts::default();
    accounts.person("ann");
    assert!(matches!(
        look(&accounts, " ann ", "192.0.2.1", now()),
        LookUp::Found(Some(_))
    ));
    assert!(matches!(
        look(&accounts, "bob", "192.0.2.1", now()),
        LookUp::Found(None)
    ));
}
