//! Second factors: verification, reuse and guessing.

use accounts::flow::second_factor::{
    NewSecondFactor, Proof, ProofOutcome, disable_second_factor, enable_second_factor,
    verify_second_factor,
};
use accounts::{AccountQueries as _, CredentialQueries as _};
use api_conventions::ids::UserId;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;

use crate::support::{Accounts, POLICY, now};

const SEALED: &[u8] = b"sealed secret";

/// Creates a user with a second factor, step 100 used up and two recovery codes.
fn with_factor(accounts: &Accounts) -> UserId {
    let (user_id, _) = accounts.person("ann");
    let request = NewSecondFactor::new(
        user_id,
        SEALED.to_vec(),
        100,
        vec![SecretDigest::of("one"), SecretDigest::of("two")],
        now(),
    );
    assert!(accounts.write(move |tx| enable_second_factor(tx, &request)));
    user_id
}

fn give(accounts: &Accounts, user: UserId, proof: Proof, at: Timestamp) -> ProofOutcome {
    accounts.write(move |tx| verify_second_factor(tx, user, &proof, POLICY.per_login, at))
}

fn step(step: i64) -> Proof {
    Proof::TimeStep {
        step,
        sealed: SEALED.to_vec(),
    }
}

fn code(text: &str) -> Proof {
    Proof::RecoveryCode(SecretDigest::of(text))
}

#[test]
fn a_step_is_spent_once_and_with_it_all_before() {
    let accounts = Accounts::default();
    let ann = with_factor(&accounts);
    assert_eq!(give(&accounts, ann, step(100), now()), ProofOutcome::Wrong);
    assert_eq!(give(&accounts, ann, step(102), now()), ProofOutcome::Right);
    assert_eq!(give(&accounts, ann, step(102), now()), ProofOutcome::Wrong);
    assert_eq!(give(&accounts, ann, step(101), now()), ProofOutcome::Wrong);
    assert_eq!(give(&accounts, ann, step(103), now()), ProofOutcome::Right);
}

#[test]
fn a_password_by_a_secret_that_was_replaced_is_wrong() {
    let accounts = Accounts::default();
    let ann = with_factor(&accounts);
    let other = Proof::TimeStep {
        step: 200,
        sealed: b"the secret of before".to_vec(),
    };
    assert_eq!(give(&accounts, ann, other, now()), ProofOutcome::Wrong);
    assert_eq!(give(&accounts, ann, step(200), now()), ProofOutcome::Right);
}

#[test]
fn a_recovery_code_is_spent_once() {
    let accounts = Accounts::default();
    let ann = with_factor(&accounts);
    assert_eq!(
        give(&accounts, ann, code("one"), now()),
        ProofOutcome::Right
    );
    assert_eq!(
        give(&accounts, ann, code("one"), now()),
        ProofOutcome::Wrong
    );
    assert_eq!(
        give(&accounts, ann, code("three"), now()),
        ProofOutcome::Wrong
    );
    let left = accounts
        .write(move |tx| tx.find_credentials_of(ann))
        .unwrap();
    assert_eq!(left.second_factor.unwrap().recovery_codes_left, 1);
}

#[test]
fn a_lockout_rejects_valid_codes_without_consuming_them() {
    let accounts = Accounts::default();
    let ann = with_factor(&accounts);
    for _ in 0..3 {
        assert_eq!(
            give(&accounts, ann, Proof::Nothing, now()),
            ProofOutcome::Wrong
        );
    }
    let lockout = ProofOutcome::LockedOut { seconds: 101 };
    assert_eq!(give(&accounts, ann, code("one"), now()), lockout);
    assert_eq!(give(&accounts, ann, step(300), now()), lockout);
    let later = now().plus_seconds(100);
    assert_eq!(
        give(&accounts, ann, code("one"), later),
        ProofOutcome::Right
    );
    assert_eq!(give(&accounts, ann, step(300), later), ProofOutcome::Right);
}

#[test]
fn a_right_one_forgets_the_failures_before_it() {
    let accounts = Accounts::default();
    let ann = with_factor(&accounts);
    for round in 0..3 {
        for _ in 0..2 {
            assert_eq!(
                give(&accounts, ann, Proof::Nothing, now()),
                ProofOutcome::Wrong
            );
        }
        assert_eq!(
            give(&accounts, ann, step(400 + round), now()),
            ProofOutcome::Right
        );
    }
}

#[test]
fn a_disabled_second_factor_is_not_required() {
    let accounts = Accounts::default();
    let ann = with_factor(&accounts);
    assert!(accounts.write(move |tx| disable_second_factor(tx, ann)));
    assert!(!accounts.write(move |tx| disable_second_factor(tx, ann)));
    assert_eq!(give(&accounts, ann, code("one"), now()), ProofOutcome::Off);
    let user = accounts.write(move |tx| tx.find_user(ann)).unwrap();
    assert!(!user.two_factor_enabled);
}
