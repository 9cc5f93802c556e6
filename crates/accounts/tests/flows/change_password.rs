//! Another password, and who is out by it.

use accounts::flow::change_password::{ChangePassword, change_password};
use accounts::flow::check_password::{PasswordOutcome, RightPassword};
use accounts::password::PasswordHash;
use accounts::{AccountQueries as _, CredentialQueries as _, SessionQueries as _};
use api_conventions::ids::SessionId;
use api_conventions::secret::SecretDigest;

use crate::support::{Accounts, POLICY, attempt, now, right};

fn wish(old: Option<RightPassword>, session: SessionId) -> ChangePassword {
    ChangePassword {
        attempt: attempt("ann", "192.0.2.1", now()),
        old,
        new: PasswordHash::from_stored("the new hash".to_owned()),
        session,
        cookie: SecretDigest::of("renewed"),
    }
}

fn change(accounts: &Accounts, old: Option<RightPassword>, session: SessionId) -> PasswordOutcome {
    let wish = wish(old, session);
    accounts.write(move |tx| change_password(tx, wish, &POLICY, |_, _| Ok(())))
}

#[test]
fn what_follows_from_the_old_one_is_ended_before_the_epoch_rises() {
    let accounts = Accounts::default();
    let (ann, hash) = accounts.person("ann");
    let here = accounts.session(ann, "here", now());
    accounts.session(ann, "there", now());
    let before = accounts.epoch();
    for (old, expected) in [(Some(right(ann, &hash)), Some((1, before))), (None, None)] {
        let wish = wish(old, here);
        let seen = accounts.write(move |tx| {
            let mut seen = None;
            change_password(tx, wish, &POLICY, |tx, user_id| {
                seen = Some((tx.list_sessions(user_id)?.len(), tx.auth_epoch()?));
                Ok(())
            })?;
            Ok(seen)
        });
        assert_eq!(seen, expected);
    }
    assert_eq!(accounts.epoch(), before + 1);
}

#[test]
fn with_the_old_one_all_other_sessions_end_and_this_one_gets_another_cookie() {
    let accounts = Accounts::default();
    let ((ann, hash), (bob, _)) = (accounts.person("ann"), accounts.person("bob"));
    let here = accounts.session(ann, "here", now());
    accounts.session(ann, "there", now());
    accounts.session(bob, "bob's", now());
    let before = accounts.epoch();
    let outcome = change(&accounts, Some(right(ann, &hash)), here);
    assert!(matches!(outcome, PasswordOutcome::Right(_)));
    let live = ["renewed", "here", "there", "bob's"].map(|cookie| accounts.is_live(cookie, now()));
    assert_eq!(live, [true, false, false, true]);
    assert_eq!(accounts.epoch(), before + 1);
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
    let before = accounts.epoch();
    for _ in 0..3 {
        assert!(matches!(
            change(&accounts, None, here),
            PasswordOutcome::Wrong
        ));
    }
    let shut = change(&accounts, Some(right(ann, &hash)), here);
    assert!(matches!(shut, PasswordOutcome::Shut { .. }));
    assert!(accounts.is_live("here", now()) && accounts.is_live("there", now()));
    assert_eq!(accounts.epoch(), before);
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
