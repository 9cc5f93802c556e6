//! Password changes and the sessions they end.

use accounts::CredentialQueries as _;
use accounts::flow::change_password::{ChangePassword, change_password};
use accounts::flow::check_password::{PasswordOutcome, VerifiedPassword};
use accounts::password::PasswordHash;
use api_conventions::ids::SessionId;
use api_conventions::secret::SecretDigest;

use crate::support::{Accounts, POLICY, attempt, now, right};

fn request(old: Option<VerifiedPassword>, session: SessionId) -> ChangePassword {
    ChangePassword::new(
        attempt("ann", "192.0.2.1", now()),
        old,
        PasswordHash::from_stored("the new hash".to_owned()),
        session,
        SecretDigest::of("renewed"),
    )
}

fn change(
    accounts: &Accounts,
    old: Option<VerifiedPassword>,
    session: SessionId,
) -> PasswordOutcome {
    let request = request(old, session);
    accounts.write(move |tx| change_password(tx, request.clone(), &POLICY))
}

#[test]
fn with_the_old_one_all_other_sessions_end_and_this_one_gets_another_cookie() {
    let accounts = Accounts::default();
    let ((ann, hash), (bob, _)) = (accounts.person("ann"), accounts.person("bob"));
    let here = accounts.session(ann, "here", now());
    accounts.session(ann, "there", now());
    accounts.session(bob, "bob's", now());
    let outcome = change(&accounts, Some(right(ann, &hash)), here);
    assert!(matches!(outcome, PasswordOutcome::Right(_)));
    let live = ["renewed", "here", "there", "bob's"].map(|cookie| accounts.is_live(cookie, now()));
    assert_eq!(live, [true, false, false, true]);
    let kept = accounts
        .write(move |tx| tx.find_credentials_of(ann))
        .unwrap();
    assert_eq!(
        kept.password,
        Some(PasswordHash::from_stored("the new hash".to_owned()))
    );
}

#[test]
fn without_it_nothing_changes_and_the_failure_counts() {
    let accounts = Accounts::default();
    let (ann, hash) = accounts.person("ann");
    let here = accounts.session(ann, "here", now());
    accounts.session(ann, "there", now());
    for _ in 0..3 {
        assert!(matches!(
            change(&accounts, None, here),
            PasswordOutcome::Wrong
        ));
    }
    let lockout = change(&accounts, Some(right(ann, &hash)), here);
    assert!(matches!(lockout, PasswordOutcome::LockedOut { .. }));
    assert!(accounts.is_live("here", now()) && accounts.is_live("there", now()));
    let kept = accounts
        .write(move |tx| tx.find_credentials_of(ann))
        .unwrap();
    assert_eq!(kept.password, Some(hash));
}

#[test]
fn a_session_that_ended_meanwhile_stays_ended() {
    let accounts = Accounts::default();
    let (ann, hash) = accounts.person("ann");
    let gone = SessionId::new(999);
    assert!(matches!(
        change(&accounts, Some(right(ann, &hash)), gone),
        PasswordOutcome::Right(_)
    ));
    assert!(!accounts.is_live("renewed", now()));
}
