//! A store of accounts, and words for what is done to it.

use accounts::flow::authenticate::{Authentication, AuthenticationOutcome, authenticate};
use accounts::flow::issue_token::{IssueToken, IssueTokenError, issue_token};
use accounts::flow::revoke_token::revoke_token;
use accounts::{
    AccountQueries as _, AccountRepository as _, InsertUser, NewUser, UserKind, Username,
};
use api_conventions::ids::{TokenId, UserId};
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::secret::SecretDigest;
use api_conventions::time::{CalendarDate, Timestamp};
use storage::{Store as _, StoreError};
use storage_memory::MemoryStore;

/// The moment with this text.
pub(crate) fn at(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

/// The day with this text.
pub(crate) fn day(text: &str) -> CalendarDate {
    CalendarDate::parse(text).unwrap()
}

/// When everything happens unless a test says otherwise.
pub(crate) fn now() -> Timestamp {
    at("2024-03-01T12:00:00Z")
}

/// A person to be made.
pub(crate) fn person(username: &str, email: &str) -> NewUser {
    NewUser {
        username: Username::parse(username).unwrap(),
        name: username.to_owned(),
        email: email.to_owned(),
        kind: UserKind::Human,
        is_admin: false,
        password: None,
        created_at: now(),
    }
}

/// A token that is wanted for `user`, with the scope `api` and no day of expiry.
pub(crate) fn wish(user: UserId, secret: &str) -> IssueToken {
    IssueToken {
        user_id: user,
        name: "ci".to_owned(),
        scopes: ScopeSet::from_iter([Scope::Api]),
        expires_on: None,
        digest: SecretDigest::of(secret),
        now: now(),
    }
}

/// A store and what tests do to it.
#[derive(Default)]
pub(crate) struct Accounts(pub(crate) MemoryStore);

impl Accounts {
    /// Inserts a user.
    pub(crate) fn insert(&self, user: NewUser) -> InsertUser {
        let work = self.0.write(move |tx| tx.insert_user(&user));
        work.wait()
            .unwrap_or_else(|error: StoreError| panic!("{error}"))
    }

    /// Inserts a user whose names are free.
    pub(crate) fn user(&self, username: &str) -> UserId {
        match self.insert(person(username, "")) {
            InsertUser::Inserted(id) => id,
            taken => panic!("{taken:?}"),
        }
    }

    /// Inserts an administrator.
    pub(crate) fn admin(&self, username: &str) -> UserId {
        let admin = NewUser {
            is_admin: true,
            ..person(username, "")
        };
        match self.insert(admin) {
            InsertUser::Inserted(id) => id,
            taken => panic!("{taken:?}"),
        }
    }

    /// Issues a token.
    pub(crate) fn issue(&self, wish: IssueToken) -> Result<TokenId, IssueTokenError> {
        self.0.write(move |tx| issue_token(tx, wish)).wait()
    }

    /// Revokes a token now.
    pub(crate) fn revoke(&self, id: TokenId, at: Timestamp) -> bool {
        let work = self.0.write(move |tx| revoke_token(tx, id, at));
        work.wait().unwrap()
    }

    /// The authentication epoch.
    pub(crate) fn epoch(&self) -> i64 {
        let epoch = self.0.read(|tx| tx.auth_epoch());
        epoch.wait().unwrap()
    }

    /// What becomes of a token that is sent at this moment.
    pub(crate) fn outcome(&self, secret: &str, now: Timestamp) -> AuthenticationOutcome {
        let digest = SecretDigest::of(secret);
        let outcome = self.0.read(move |tx| authenticate(tx, &digest, now));
        outcome.wait().unwrap()
    }

    /// Who a good token acts for.
    pub(crate) fn authenticated(&self, secret: &str, now: Timestamp) -> Authentication {
        match self.outcome(secret, now) {
            AuthenticationOutcome::Authenticated(found) => *found,
            other => panic!("{other:?}"),
        }
    }

    /// Whether a token is refused at this moment.
    pub(crate) fn refuses(&self, secret: &str, now: Timestamp) -> bool {
        self.outcome(secret, now) == AuthenticationOutcome::Refused
    }
}
