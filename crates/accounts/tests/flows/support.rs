//! A store of accounts with helpers for its use cases.

use accounts::flow::authenticate::{Authentication, AuthenticationOutcome, authenticate};
use accounts::flow::check_password::{Attempt, PasswordPolicy, VerifiedPassword};
use accounts::flow::issue_token::{IssueToken, IssueTokenError, issue_token};
use accounts::flow::revoke_token::revoke_token;
use accounts::flow::sessions::{Browser, find_live_session, start_session};
use accounts::password::PasswordHash;
use accounts::{
    AccountRepository as _, FailurePolicy, InsertUser, NewUser, SessionLifetime, SessionStage,
    UserKind, Username,
};
use api_conventions::ids::{SessionId, TokenId, UserId};
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::secret::SecretDigest;
use api_conventions::time::{CalendarDate, Timestamp};
use storage::{Store, StoreError};
use storage_diesel::SqliteStore;

/// Parses a time.
pub(crate) fn at(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

/// Parses a day.
pub(crate) fn day(text: &str) -> CalendarDate {
    CalendarDate::parse(text).unwrap()
}

/// Default time of the tests.
pub(crate) fn now() -> Timestamp {
    at("2024-03-01T12:00:00Z")
}

/// Returns a person to insert.
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

/// Returns a request for a token of `user`, with the scope `api` and no day of expiry.
pub(crate) fn request(user: UserId, secret: &str) -> IssueToken {
    IssueToken::new(
        user,
        Some(user),
        "ci",
        ScopeSet::from_iter([Scope::API]),
        SecretDigest::of(secret),
        now(),
    )
}

/// A store with helpers for tests.
pub(crate) struct Accounts(pub(crate) SqliteStore);

impl Default for Accounts {
    fn default() -> Self {
        Self(SqliteStore::in_memory().unwrap())
    }
}

impl Accounts {
    /// Inserts a user.
    pub(crate) fn insert(&self, user: NewUser) -> InsertUser {
        let work = self.0.write(move |tx| tx.insert_user(&user));
        work.wait()
            .unwrap_or_else(|error: StoreError| panic!("{error}"))
    }

    /// Inserts a user whose username and email address are free.
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
    pub(crate) fn issue(&self, request: IssueToken) -> Result<TokenId, IssueTokenError> {
        let issued = self
            .0
            .write(move |tx| issue_token(tx, request.clone()).map(|token| token.id));
        issued.wait()
    }

    /// Revokes a token at `at`.
    pub(crate) fn revoke(&self, id: TokenId, at: Timestamp) -> bool {
        let work = self.0.write(move |tx| revoke_token(tx, id, None, at));
        work.wait().unwrap()
    }

    /// Authenticates with a token at this time.
    pub(crate) fn outcome(&self, secret: &str, now: Timestamp) -> AuthenticationOutcome {
        let digest = SecretDigest::of(secret);
        let outcome = self.0.read(move |tx| authenticate(tx, &digest, now));
        outcome.wait().unwrap()
    }

    /// Returns the authentication of a valid token.
    pub(crate) fn authenticated(&self, secret: &str, now: Timestamp) -> Authentication {
        match self.outcome(secret, now) {
            AuthenticationOutcome::Authenticated(found) => *found,
            other => panic!("{other:?}"),
        }
    }

    /// True if the token is refused at this time.
    pub(crate) fn refuses(&self, secret: &str, now: Timestamp) -> bool {
        self.outcome(secret, now) == AuthenticationOutcome::Refused
    }

    /// Runs a write use case.
    pub(crate) fn write<T: Send + 'static>(
        &self,
        work: impl for<'t> Fn(&mut <SqliteStore as Store>::WriteTx<'t>) -> Result<T, StoreError>
        + Send
        + 'static,
    ) -> T {
        let outcome: Result<T, StoreError> = self.0.write(work).wait();
        outcome.unwrap()
    }

    /// Creates a person who signs in with a password, and returns its hash. The hash is arbitrary text: use cases
    /// compare hashes but compute none.
    pub(crate) fn person(&self, username: &str) -> (UserId, PasswordHash) {
        let hash = PasswordHash::from_stored(format!("hash of {username}"));
        let user = NewUser {
            password: Some(hash.clone()),
            ..person(username, &format!("{username}@example.com"))
        };
        match self.insert(user) {
            InsertUser::Inserted(id) => (id, hash),
            taken => panic!("{taken:?}"),
        }
    }

    /// Starts a session of a user and returns its id.
    pub(crate) fn session(&self, user: UserId, cookie: &str, now: Timestamp) -> SessionId {
        let browser = browser(cookie);
        self.write(move |tx| {
            start_session(tx, user, SessionStage::SignedIn, &browser, LIFETIME, now)
        })
    }

    /// True if the cookie belongs to a live session at this time.
    pub(crate) fn is_live(&self, cookie: &str, now: Timestamp) -> bool {
        let digest = SecretDigest::of(cookie);
        self.write(move |tx| find_live_session(tx, &digest, LIFETIME, now))
            .is_some()
    }
}

/// Session lifetime in tests.
pub(crate) const LIFETIME: SessionLifetime = SessionLifetime::new(100, 1000, 60);

/// Policy of three failures within a hundred seconds per login, and five per address.
pub(crate) const POLICY: PasswordPolicy =
    PasswordPolicy::new(FailurePolicy::new(3, 100), FailurePolicy::new(5, 100));

/// Returns a browser with this cookie.
pub(crate) fn browser(cookie: &str) -> Browser {
    Browser::new(SecretDigest::of(cookie), "a browser", "192.0.2.1")
}

/// Returns an attempt with this login from this address.
pub(crate) fn attempt(login: &str, address: &str, now: Timestamp) -> Attempt {
    Attempt::new(login, address, now)
}

/// Returns a verified password.
pub(crate) fn right(user_id: UserId, checked: &PasswordHash) -> VerifiedPassword {
    VerifiedPassword::new(user_id, checked.clone())
}

/// Applies a change to a value and returns it.
pub(crate) fn changed<T>(mut value: T, change: impl FnOnce(&mut T)) -> T {
    change(&mut value);
    value
}
