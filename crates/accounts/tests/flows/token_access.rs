//! Tokens by id, on behalf of their user and of administrators.

use accounts::flow::token_access::{TokenAccess, find_token_for, revoke_token_for};
use accounts::{AccountQueries as _, AccountRepository as _, NewToken, TokenKind, TokenState};
use api_conventions::ids::{TokenId, UserId};
use api_conventions::secret::SecretDigest;

use crate::support::{Accounts, at, day, now, request};

/// A user's impersonation token, which only administrators can create.
fn impersonation_token(accounts: &Accounts, user_id: UserId) -> TokenId {
    let issued = request(user_id, "lent");
    accounts.write(move |tx| {
        tx.insert_token(&NewToken {
            user_id,
            name: issued.name.clone(),
            kind: TokenKind::Impersonation,
            family_id: None,
            scopes: issued.scopes.clone(),
            digest: SecretDigest::of("lent"),
            expires_on: day("2025-01-01"),
            creator_id: None,
            created_at: now(),
        })
    })
}

fn access(accounts: &Accounts, id: TokenId, by: UserId) -> TokenAccess {
    accounts.write(move |tx| find_token_for(tx, id, by))
}

#[test]
fn a_token_is_seen_by_its_user_and_administrators() {
    let accounts = Accounts::default();
    let (ann, ben, root) = (
        accounts.user("ann"),
        accounts.user("ben"),
        accounts.admin("root"),
    );
    let personal = accounts.issue(request(ann, "secret")).unwrap();
    let lent = impersonation_token(&accounts, ann);
    let is_permitted = |id, by| match access(&accounts, id, by) {
        TokenAccess::Permitted(token) => token.id == id,
        TokenAccess::Refused => false,
        TokenAccess::Unknown => panic!("the token exists"),
    };
    for (by, sees_personal, sees_lent) in [
        (ann, true, false),
        (ben, false, false),
        (root, true, true),
        (UserId::new(999), false, false),
    ] {
        assert_eq!(is_permitted(personal, by), sees_personal, "{by}");
        assert_eq!(is_permitted(lent, by), sees_lent, "{by}");
    }
    for by in [ann, root] {
        assert_eq!(
            access(&accounts, TokenId::new(999), by),
            TokenAccess::Unknown
        );
    }
}

#[test]
fn a_token_is_revoked_only_by_callers_with_access() {
    let accounts = Accounts::default();
    let (ann, ben) = (accounts.user("ann"), accounts.user("ben"));
    let id = accounts.issue(request(ann, "secret")).unwrap();
    let revoke = |by, time| accounts.write(move |tx| revoke_token_for(tx, id, by, time));
    assert_eq!(revoke(ben, now()), TokenAccess::Refused);
    accounts.authenticated("secret", now());
    assert!(matches!(revoke(ann, now()), TokenAccess::Permitted(_)));
    assert!(accounts.refuses("secret", now()));
    // The first time of revocation stays.
    assert!(matches!(
        revoke(ann, at("2024-03-02T00:00:00Z")),
        TokenAccess::Permitted(_)
    ));
    let found = accounts.write(move |tx| tx.find_token(id)).unwrap();
    assert_eq!(found.state, TokenState::Revoked { at: now() });
}
