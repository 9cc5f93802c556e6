//! From a right password to a session.

use accounts::flow::sign_in::{SignIn, complete_sign_in, sign_in};
use accounts::{
    CredentialQueries as _, CredentialRepository as _, SessionQueries as _, SessionStage, UserState,
};
use api_conventions::ids::{SessionId, UserId};
use api_conventions::secret::SecretDigest;

use crate::support::{Accounts, LIFETIME, browser, now};

fn enter(accounts: &Accounts, user: UserId, cookie: &str, replaced: Option<SessionId>) -> SignIn {
    let browser = browser(cookie);
    accounts.write(move |tx| {
        let credentials = tx.find_credentials_of(user)?.unwrap();
        sign_in(tx, &credentials, &browser, replaced, LIFETIME, now())
    })
}

fn stage(accounts: &Accounts, cookie: &str) -> Option<SessionStage> {
    let digest = SecretDigest::of(cookie);
    accounts
        .write(move |tx| tx.find_session(&digest))
        .map(|session| session.stage)
}

#[test]
fn without_a_second_factor_one_is_signed_in() {
    let accounts = Accounts::default();
    let (ann, _) = accounts.person("ann");
    assert!(matches!(
        enter(&accounts, ann, "cookie", None),
        SignIn::SignedIn(_)
    ));
    assert_eq!(stage(&accounts, "cookie"), Some(SessionStage::SignedIn));
}

#[test]
fn the_session_of_before_ends_and_no_cache_believes_it() {
    let accounts = Accounts::default();
    let (ann, _) = accounts.person("ann");
    let old = accounts.session(ann, "old", now());
    let before = accounts.epoch();
    enter(&accounts, ann, "new", Some(old));
    assert_eq!(
        (stage(&accounts, "old"), accounts.epoch()),
        (None, before + 1)
    );
    enter(&accounts, ann, "newer", None);
    assert_eq!(accounts.epoch(), before + 1);
}

#[test]
fn with_a_second_factor_it_is_missing_until_it_is_given() {
    let accounts = Accounts::default();
    let (ann, _) = accounts.person("ann");
    assert!(accounts.write(move |tx| tx.put_second_factor(ann, b"sealed", 0, &[], now())));
    assert!(matches!(
        enter(&accounts, ann, "half", None),
        SignIn::SecondFactorMissing(_)
    ));
    assert_eq!(
        stage(&accounts, "half"),
        Some(SessionStage::SecondFactorMissing)
    );
    let digest = SecretDigest::of("half");
    let before = accounts.epoch();
    accounts.write(move |tx| {
        let half = tx.find_session(&digest)?.unwrap();
        complete_sign_in(tx, &half, &browser("whole"), LIFETIME, now())
    });
    assert_eq!(stage(&accounts, "half"), None);
    assert_eq!(stage(&accounts, "whole"), Some(SessionStage::SignedIn));
    assert_eq!(accounts.epoch(), before + 1);
}

#[test]
fn a_blocked_account_gets_no_session_and_keeps_that_of_nobody() {
    let accounts = Accounts::default();
    let ((ann, _), (bob, _)) = (accounts.person("ann"), accounts.person("bob"));
    let of_bob = accounts.session(bob, "bob's", now());
    let blocked = UserState::Blocked { at: now() };
    assert!(accounts.write(move |tx| tx.set_user_state(ann, blocked)));
    assert_eq!(
        enter(&accounts, ann, "cookie", Some(of_bob)),
        SignIn::Blocked
    );
    assert_eq!(stage(&accounts, "cookie"), None);
    assert!(accounts.is_live("bob's", now()));
}
