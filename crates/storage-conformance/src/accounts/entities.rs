//! The user and the token as entities.

use accounts::{
    AccessToken, InsertUser, NewToken, NewUser, TokenKind, TokenState, User, UserState,
};
use api_conventions::ids::{TokenId, UserId};
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreExt as _;

use super::tokens::token;
use super::{insert, user};
use crate::areas::Accounts;
use crate::entity::Entity as _;
use crate::entity::declare::entity;
use crate::samples::HOSTILE;

/// Users at the limits of the columns.
fn user_edges() -> Vec<NewUser> {
    let edges = [
        ("Plain.Name-1", "Ann", Timestamp::MIN, false),
        (&"a".repeat(255), HOSTILE, Timestamp::MAX, true),
        ("third", "", Timestamp::from_micros(1).unwrap(), false),
    ];
    let edges = edges.map(|(username, name, created_at, is_admin)| NewUser {
        name: name.to_owned(),
        is_admin,
        created_at,
        ..user(username)
    });
    edges.to_vec()
}

entity! {
    /// A user. Users have no owner.
    StoredUser in Accounts, of (): NewUser => User;
    owners: |_harness| [(); 2];
    key: |user| -> UserId { user.id }, unknown: UserId::new(i64::MAX);
    sample: |(), number| user(&format!("sample{number}"));
    edges: |()| user_edges();
    insert: |tx, new| insert(tx, new);
    find: |tx, (), id| tx.find_user(*id), by owner: false;
    expected: |new, found| User {
        id: found.id,
        username: new.username.clone(),
        name: new.name.clone(),
        email: new.email.clone(),
        kind: new.kind,
        is_admin: new.is_admin,
        state: UserState::Active,
        two_factor_enabled: false,
        private_profile: false,
        created_at: new.created_at,
    };
    try_insert: |tx, new| Ok(match tx.insert_user(new)? {
        InsertUser::Inserted(id) => Some(id),
        _ => None,
    }), per owner: false;
    clashing: |(), number| NewUser {
        email: String::new(),
        ..user(&format!("SAMPLE{number}"))
    };
}

/// Tokens at the limits of the columns.
fn token_edges(user: UserId) -> Vec<NewToken> {
    let all: Vec<&str> = Scope::PLATFORM.iter().map(Scope::as_str).collect();
    let every_scope = NewToken {
        kind: TokenKind::Impersonation,
        scopes: ScopeSet::parse(&all.join(" ")).unwrap(),
        creator_id: Some(user),
        created_at: Timestamp::MAX,
        ..token(user, HOSTILE)
    };
    let one_scope = NewToken {
        family_id: Some(TokenId::new(i64::MAX)),
        scopes: ScopeSet::parse("read_api").unwrap(),
        created_at: Timestamp::MIN,
        ..token(user, "")
    };
    vec![every_scope, one_scope]
}

entity! {
    /// A token. It is looked up by its digest, here the digest of its name, and was never used.
    StoredToken in Accounts, of UserId: NewToken => AccessToken;
    owners: |harness| {
        let created = harness
            .store()
            .change(|tx| Ok([insert(tx, &user("owner"))?, insert(tx, &user("other"))?]));
        created.wait().unwrap()
    };
    key: |token| -> (TokenId, String) { (token.id, token.name.clone()) },
        unknown: (TokenId::new(i64::MAX), "unknown".to_owned());
    sample: |user, number| token(user, &format!("token {number}"));
    edges: |user| token_edges(user);
    insert: |tx, new| Ok((tx.insert_token(new)?, new.name.clone()));
    find: |tx, _, (_, name)| tx.find_token_by_digest(&SecretDigest::of(name)), by owner: false;
    expected: |new, found| AccessToken {
        id: found.id,
        user_id: new.user_id,
        name: new.name.clone(),
        kind: new.kind,
        family_id: new.family_id,
        scopes: new.scopes.clone(),
        expires_on: new.expires_on,
        state: TokenState::Active,
        creator_id: new.creator_id,
        created_at: new.created_at,
        last_used_at: None,
    };
    try_insert: |tx, new| Self::insert(tx, new).map(Some), per owner: false;
    clashing: |user, number| NewToken {
        name: "another".to_owned(),
        ..Self::sample(user, number)
    };
}
