//! Sign-in after a right password.

use accounts::flow::sessions::Browser;
use accounts::flow::sign_in::{SignIn, SignInRequest, complete_sign_in, sign_in};
use accounts::password::PasswordHash;
use accounts::{
    CredentialQueries as _, CredentialRepository as _, Credentials, SessionQueries as _,
    SessionRepository as _, SessionStage, UserState,
};
use api_conventions::ids::{SessionId, UserId};
use api_conventions::secret::SecretDigest;

use crate::support::{Accounts, LIFETIME, browser, changed, now};

fn request(
    credentials: Credentials,
    browser: Browser,
    replaced: Option<SessionId>,
) -> SignInRequest {
    changed(SignInRequest::new(credentials, browser, now()), |it| {
        it.replaced = replaced;
    })
}

fn enter(accounts: &Accounts, user: UserId, cookie: &str, replaced: Option<SessionId>) -> SignIn {
    let browser = browser(cookie);
    accounts.write(move |tx| {
        let credentials = tx.find_credentials_of(user)?.unwrap();
        let request = request(credentials, browser.clone(), replaced);
        sign_in(tx, &request, LIFETIME)
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
fn the_session_of_before_ends_and_no_other() {
    let accounts = Accounts::default();
    let (ann, _) = accounts.person("ann");
    let old = accounts.session(ann, "old", now());
    enter(&accounts, ann, "new", Some(old));
    assert_eq!(stage(&accounts, "old"), None);
    enter(&accounts, ann, "newer", None);
    assert_eq!(stage(&accounts, "new"), Some(SessionStage::SignedIn));
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
    accounts.write(move |tx| {
        let half = tx.find_session(&digest)?.unwrap();
        complete_sign_in(tx, &half, &browser("whole"), LIFETIME, now())
    });
    assert_eq!(stage(&accounts, "half"), None);
    assert_eq!(stage(&accounts, "whole"), Some(SessionStage::SignedIn));
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

/// Another transaction may commit between verification and sign-in.
#[test]
fn a_password_that_was_changed_since_it_was_verified_begins_no_session() {
    let accounts = Accounts::default();
    let (ann, _) = accounts.person("ann");
    let here = accounts.session(ann, "here", now());
    let outcome = accounts.write(move |tx| {
        let credentials = tx.find_credentials_of(ann)?.unwrap();
        tx.set_password(ann, &PasswordHash::from_stored("another".to_owned()), None)?;
        let request = request(credentials, browser("new"), Some(here));
        sign_in(tx, &request, LIFETIME)
    });
    assert_eq!(outcome, SignIn::Outdated);
    assert_eq!(stage(&accounts, "new"), None);
    assert!(accounts.is_live("here", now()));
}

#[test]
fn an_account_that_was_blocked_since_the_password_was_verified_gets_no_session() {
    let accounts = Accounts::default();
    let (ann, _) = accounts.person("ann");
    let outcome = accounts.write(move |tx| {
        let credentials = tx.find_credentials_of(ann)?.unwrap();
        tx.set_user_state(ann, UserState::Blocked { at: now() })?;
        let request = request(credentials, browser("new"), None);
        sign_in(tx, &request, LIFETIME)
    });
    assert_eq!(outcome, SignIn::Blocked);
    assert_eq!(stage(&accounts, "new"), None);
}

#[test]
fn a_session_that_ended_while_the_second_factor_was_given_is_followed_by_none() {
    let accounts = Accounts::default();
    let (ann, _) = accounts.person("ann");
    let id = accounts.session(ann, "half", now());
    let completed = accounts.write(move |tx| {
        let half = tx.find_session(&SecretDigest::of("half"))?.unwrap();
        tx.delete_session(id)?;
        complete_sign_in(tx, &half, &browser("whole"), LIFETIME, now())
    });
    assert_eq!(completed, None);
    assert_eq!(stage(&accounts, "whole"), None);
}
