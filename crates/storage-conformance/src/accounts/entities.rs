//! The user and the token as entities.

use accounts::{
    AccessToken, AccountQueries, AccountRepository, InsertUser, NewToken, NewUser, TokenKind,
    TokenState, User, UserState,
};
use api_conventions::ids::{TokenId, UserId};
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::tokens::token;
use super::{insert, user};
use crate::Harness;
use crate::entity::{Entity, Serves, Unique};
use crate::samples::HOSTILE;
use crate::store_traits::AccountArea;

/// A user. It belongs to nobody.
#[derive(Debug)]
pub struct StoredUser;

impl Entity for StoredUser {
    type Area = AccountArea;
    type Owner = ();
    type New = NewUser;
    type Row = User;
    type Key = UserId;

    const IS_FOUND_BY_OWNER: bool = false;

    fn owners<H: Harness>(_: &H) -> [(); 2]
    where
        H::Store: Serves<AccountArea>,
    {
        [(); 2]
    }

    fn sample((): (), number: u32) -> NewUser {
        user(&format!("sample{number}"))
    }

    fn edges((): ()) -> Vec<NewUser> {
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

    fn insert(tx: &mut (dyn AccountRepository + '_), new: &NewUser) -> Result<UserId, StoreError> {
        insert(tx, new)
    }

    fn find(
        tx: &mut (dyn AccountQueries + '_),
        (): (),
        id: &UserId,
    ) -> Result<Option<User>, StoreError> {
        tx.find_user(*id)
    }

    fn expected(new: &NewUser, found: &User) -> User {
        User {
            id: found.id,
            username: new.username.clone(),
            name: new.name.clone(),
            email: new.email.clone(),
            kind: new.kind,
            is_admin: new.is_admin,
            state: UserState::Active,
            two_factor_enabled: false,
            created_at: new.created_at,
        }
    }

    fn key(user: &User) -> UserId {
        user.id
    }

    fn unknown() -> UserId {
        UserId::new(i64::MAX)
    }
}

impl Unique for StoredUser {
    const IS_PER_OWNER: bool = false;

    fn clashing((): (), number: u32) -> NewUser {
        NewUser {
            email: String::new(),
            ..user(&format!("SAMPLE{number}"))
        }
    }

    fn try_insert(
        tx: &mut (dyn AccountRepository + '_),
        new: &NewUser,
    ) -> Result<Option<UserId>, StoreError> {
        Ok(match tx.insert_user(new)? {
            InsertUser::Inserted(id) => Some(id),
            _ => None,
        })
    }
}

/// A token. It is found by its digest, which is that of its name here.
#[derive(Debug)]
pub struct StoredToken;

impl Entity for StoredToken {
    type Area = AccountArea;
    type Owner = UserId;
    type New = NewToken;
    type Row = AccessToken;
    type Key = (TokenId, String);

    const IS_FOUND_BY_OWNER: bool = false;

    fn owners<H: Harness>(harness: &H) -> [UserId; 2]
    where
        H::Store: Serves<AccountArea>,
    {
        let made = harness
            .store()
            .change(|tx| Ok([insert(tx, &user("owner"))?, insert(tx, &user("other"))?]));
        made.wait().unwrap()
    }

    fn sample(user: UserId, number: u32) -> NewToken {
        token(user, &format!("token {number}"))
    }

    fn edges(user: UserId) -> Vec<NewToken> {
        let all: Vec<&str> = Scope::ALL.iter().map(|scope| scope.as_str()).collect();
        let every_scope = NewToken {
            kind: TokenKind::Impersonation,
            scopes: ScopeSet::parse(&all.join(" ")).unwrap(),
            created_at: Timestamp::MAX,
            ..token(user, HOSTILE)
        };
        let one_scope = NewToken {
            scopes: ScopeSet::parse("read_api").unwrap(),
            created_at: Timestamp::MIN,
            ..token(user, "")
        };
        vec![every_scope, one_scope]
    }

    fn insert(
        tx: &mut (dyn AccountRepository + '_),
        new: &NewToken,
    ) -> Result<Self::Key, StoreError> {
        Ok((tx.insert_token(new)?, new.name.clone()))
    }

    fn find(
        tx: &mut (dyn AccountQueries + '_),
        _: UserId,
        (_, name): &Self::Key,
    ) -> Result<Option<AccessToken>, StoreError> {
        tx.find_token_by_digest(&SecretDigest::of(name))
    }

    /// It is active and was never used.
    fn expected(new: &NewToken, found: &AccessToken) -> AccessToken {
        AccessToken {
            id: found.id,
            user_id: new.user_id,
            name: new.name.clone(),
            kind: new.kind,
            scopes: new.scopes,
            expires_on: new.expires_on,
            state: TokenState::Active,
            created_at: new.created_at,
            last_used_at: None,
        }
    }

    fn key(token: &AccessToken) -> Self::Key {
        (token.id, token.name.clone())
    }

    fn unknown() -> Self::Key {
        (TokenId::new(i64::MAX), "unknown".to_owned())
    }
}

impl Unique for StoredToken {
    const IS_PER_OWNER: bool = false;

    fn clashing(user: UserId, number: u32) -> NewToken {
        NewToken {
            name: "another".to_owned(),
            ..Self::sample(user, number)
        }
    }

    fn try_insert(
        tx: &mut (dyn AccountRepository + '_),
        new: &NewToken,
    ) -> Result<Option<Self::Key>, StoreError> {
        Self::insert(tx, new).map(Some)
    }
}
