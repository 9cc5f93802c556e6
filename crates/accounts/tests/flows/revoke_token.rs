//! Token revocation.

use accounts::{AccountQueries as _, AccountRepository as _, TokenState};
use api_conventions::ids::TokenId;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::{Store as _, StoreError};

use crate::support::{Accounts, at, now, request};

fn state(accounts: &Accounts, secret: &str) -> TokenState {
    let digest = SecretDigest::of(secret);
    let token = accounts.0.read(move |tx| tx.find_token_by_digest(&digest));
    let token: Result<_, StoreError> = token.wait();
    token.unwrap().unwrap().state
}

/// AUTH-09.
#[test]
fn a_revoked_token_is_refused_at_once_and_others_live_on() {
    let accounts = Accounts::default();
    let ann = accounts.user("ann");
    let id = accounts.issue(request(ann, "first")).unwrap();
    accounts.issue(request(ann, "second")).unwrap();
    assert!(accounts.revoke(id, now()));
    assert!(accounts.refuses("first", now()));
    assert!(
        accounts.refuses("first", Timestamp::MIN),
        "whatever the clock says"
    );
    assert_eq!(accounts.authenticated("second", now()).user.id, ann);
}

#[test]
fn revoking_again_or_nothing_changes_nothing() {
    let accounts = Accounts::default();
    let ann = accounts.user("ann");
    let id = accounts.issue(request(ann, "secret")).unwrap();
    accounts.revoke(id, now());
    assert!(!accounts.revoke(id, at("2024-03-02T00:00:00Z")));
    assert!(!accounts.revoke(TokenId::new(99), now()));
    assert_eq!(
        state(&accounts, "secret"),
        TokenState::Revoked { at: now() }
    );
}

#[test]
fn a_revocation_that_is_rolled_back_leaves_the_token() {
    let accounts = Accounts::default();
    let ann = accounts.user("ann");
    let id = accounts.issue(request(ann, "secret")).unwrap();
    let undone = accounts.0.write(move |tx| {
        let revoked = accounts::flow::revoke_token::revoke_token(tx, id, None, now())?;
        assert!(revoked);
        Err::<(), _>(StoreError::new(
            storage::StoreErrorKind::Unavailable,
            "write on",
        ))
    });
    assert!(undone.wait().is_err());
    assert_eq!(state(&accounts, "secret"), TokenState::Active);
}

#[test]
fn the_last_use_never_goes_back() {
    let accounts = Accounts::default();
    let ann = accounts.user("ann");
    let id = accounts.issue(request(ann, "secret")).unwrap();
    let (early, late) = (at("2024-03-01T13:00:00Z"), at("2024-03-01T14:00:00Z"));
    for used in [late, early] {
        let touched = accounts
            .0
            .write(move |tx| tx.touch_tokens(&[(id, used), (TokenId::new(99), used)]));
        touched
            .wait()
            .unwrap_or_else(|error: StoreError| panic!("{error}"));
    }
    let digest = SecretDigest::of("secret");
    let token = accounts.0.read(move |tx| tx.find_token_by_digest(&digest));
    let token: Result<_, StoreError> = token.wait();
    assert_eq!(token.unwrap().unwrap().last_used_at, Some(late));
}
