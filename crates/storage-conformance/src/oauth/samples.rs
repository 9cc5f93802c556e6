//! Users and applications of a case, and plain rows about them.

use api_conventions::ids::{ApplicationId, GrantId, SessionId, UserId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use oauth_provider::rules::redirect_uri::RedirectUri;
use oauth_provider::{
    ApplicationOptions, ApplicationUid, AuthorizationRequest, ClientType, Grant, NewApplication,
    NewGrant, NewTokenPair, ResponseMode, RotationSeed, TokenPair, TokenPairState, TokenSubject,
};
use storage::{StoreError, StoreExt as _};

use crate::areas::{AreaHarness, Oauth};
use crate::samples::timestamp;
use oauth_provider::{OauthReadTx, OauthWriteTx};

/// Users, sessions and applications of a case.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fixture {
    pub(super) ann: UserId,
    pub(super) ben: UserId,
    /// Session of Ann's browser.
    pub(super) session: SessionId,
    /// Session of Ben's browser.
    pub(super) other_session: SessionId,
    pub(super) app: ApplicationId,
    pub(super) other_app: ApplicationId,
}

impl Fixture {
    /// Creates the fixture, on a store without its users.
    pub(super) fn of(harness: &AreaHarness<Oauth>) -> Self {
        let people = harness.people();
        let [session, other_session, _] = harness.sessions(people);
        let [ann, ben, _] = people;
        let [app, other_app] = write(harness.store(), |tx| {
            let [app, other_app] = ["app", "other-app"].map(|uid| application(uid, None));
            Ok([
                tx.insert_application(&app)?,
                tx.insert_application(&other_app)?,
            ])
        });
        Self {
            ann,
            ben,
            session,
            other_session,
            app,
            other_app,
        }
    }

    /// An authorization request of the application to Ann.
    pub(super) fn request(self) -> AuthorizationRequest {
        request(self.app, self.ann, self.session)
    }

    /// Ann's grant to the application, with this text as its code.
    pub(super) fn grant(self, code: &str) -> NewGrant {
        NewGrant {
            session_id: Some(self.session),
            ..grant(self.app, self.ann, code)
        }
    }

    /// Stores a grant of Ann to the application and redeems its code, which issues the pair of tokens `text`.
    pub(super) fn redeemed(self, store: &Oauth, text: &str) -> GrantId {
        let id = insert_grant(store, self.grant(text));
        let new = self.pair(id, text);
        let code = digest(text);
        write(store, move |tx| tx.redeem_code(&code, &new, timestamp(1)));
        id
    }

    /// The pair `text` of Ann and the application.
    pub(super) fn pair(self, grant_id: GrantId, text: &str) -> NewTokenPair {
        pair(grant_id, TokenSubject::user(self.ann, self.app), text)
    }
}

/// Subject of a user without an application, as after a password grant.
pub(super) fn of_user(user_id: UserId) -> TokenSubject {
    TokenSubject::User {
        user_id,
        application_id: None,
    }
}

/// The scopes with these words.
pub(super) fn scopes(words: &str) -> ScopeSet {
    ScopeSet::parse(words).unwrap()
}

/// The digest of a code, of a handle, or of a secret.
pub(super) fn digest(text: &str) -> SecretDigest {
    SecretDigest::of(text)
}

/// The digest of the access token of the pair `text`.
pub(super) fn access(text: &str) -> SecretDigest {
    SecretDigest::of(&format!("access token {text}"))
}

/// The digest of the refresh token of the pair `text`.
pub(super) fn refresh(text: &str) -> SecretDigest {
    SecretDigest::of(&format!("refresh token {text}"))
}

/// The seed with this number.
pub(super) fn seed(number: usize) -> RotationSeed {
    RotationSeed::from_bytes([u8::try_from(number).unwrap(); 32])
}

/// A confidential application.
pub(crate) fn application(uid: &str, owner_id: Option<UserId>) -> NewApplication {
    NewApplication {
        uid: ApplicationUid::parse(uid).unwrap(),
        secret: digest(&format!("secret of {uid}")),
        name: format!("The application {uid}"),
        post_logout_redirect_uris: Vec::new(),
        redirect_uris: vec![RedirectUri::from_stored(
            "https://app.example/callback".to_owned(),
        )],
        scopes: scopes("api read_user openid"),
        client_type: ClientType::Confidential,
        trusted: false,
        options: ApplicationOptions::of(ClientType::Confidential),
        owner_id,
        created_at: timestamp(0),
    }
}

/// An authorization request of an application to a user, in a session. It expires after a hundred seconds.
pub(crate) fn request(
    app: ApplicationId,
    user: UserId,
    session: SessionId,
) -> AuthorizationRequest {
    AuthorizationRequest {
        application_id: app,
        user_id: user,
        session_id: session,
        redirect_uri: "https://app.example/callback".to_owned(),
        scopes: scopes("read_user"),
        state: None,
        nonce: None,
        challenge: None,
        response_mode: ResponseMode::Query,
        auth_time: timestamp(0),
        created_at: timestamp(0),
        expires_at: timestamp(100),
    }
}

/// A grant of a user to an application for a thousand seconds, with this text as its code.
pub(crate) fn grant(app: ApplicationId, user: UserId, code: &str) -> NewGrant {
    NewGrant {
        code: Some((digest(code), timestamp(60))),
        subject: TokenSubject::user(user, app),
        session_id: None,
        scopes: scopes("read_user"),
        redirect_uri: Some("https://app.example/callback".to_owned()),
        challenge: None,
        nonce: None,
        auth_time: timestamp(0),
        created_at: timestamp(0),
        expires_at: timestamp(1_000),
    }
}

/// A pair of tokens.
pub(crate) fn pair(grant_id: GrantId, subject: TokenSubject, text: &str) -> NewTokenPair {
    NewTokenPair {
        access: access(text),
        refresh: Some((refresh(text), timestamp(500))),
        grant_id,
        subject,
        scopes: scopes("read_user"),
        created_at: timestamp(1),
        expires_at: timestamp(200),
    }
}

/// Runs a write closure, and returns its result.
pub(super) fn write<T: Send + 'static>(
    store: &Oauth,
    work: impl Fn(&mut dyn OauthWriteTx) -> Result<T, StoreError> + Send + 'static,
) -> T {
    store.change(move |tx| work(tx)).wait().unwrap()
}

/// Runs a read closure on committed data.
pub(super) fn read<T: Send + 'static>(
    store: &Oauth,
    work: impl FnOnce(&mut dyn OauthReadTx) -> Result<T, StoreError> + Send + 'static,
) -> T {
    store.query(|tx| work(tx)).wait().unwrap()
}

/// Stores a grant.
pub(super) fn insert_grant(store: &Oauth, new: NewGrant) -> GrantId {
    write(store, move |tx| tx.insert_grant(&new))
}

/// Returns the grant with this id, which must exist.
pub(super) fn find_grant(store: &Oauth, id: GrantId) -> Grant {
    read(store, move |tx| tx.find_grant(id)).expect("the grant exists")
}

/// Returns the pair `text`, which must be found by both of its tokens or by neither.
pub(super) fn find_pair(store: &Oauth, text: &str) -> Option<TokenPair> {
    let (access, refresh) = (access(text), refresh(text));
    let (by_access, by_refresh) = read(store, move |tx| {
        Ok((
            tx.find_pair_by_access(&access)?,
            tx.find_pair_by_refresh(&refresh)?,
        ))
    });
    assert_eq!(by_access, by_refresh, "the pair {text}");
    by_access
}

/// State of the pair `text`, which must exist.
pub(super) fn state_of(store: &Oauth, text: &str) -> TokenPairState {
    find_pair(store, text).expect("the pair exists").state
}
