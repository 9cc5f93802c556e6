//! The provider: a store, an application, and a user who consents to everything.

use std::sync::Arc;

use api_conventions::ids::{ApplicationId, SessionId, UserId};
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::secret::PlainSecret;
use api_conventions::system::{OsRandomness, SystemClock};
use api_conventions::time::{Clock as _, Timestamp};
use oauth_provider::flow::authenticate::{TokenOutcome, authenticate};
use oauth_provider::flow::authorize::{
    AuthorizeParameters, CheckedRequest, Refusal, SignedIn, approve_without_consent, check,
};
use oauth_provider::flow::introspect::introspect;
use oauth_provider::model::{CODE_PREFIX, SECRET_PREFIX};
use oauth_provider::rules::redirect_uri::RedirectUri;
use oauth_provider::token::{TokenCall, TokenContext, TokenError, respond_blocking};
use oauth_provider::wire::{Introspection, Issuer};
use oauth_provider::work::EveryUser;
use oauth_provider::{
    ApplicationOptions, ApplicationUid, ClientType, NewApplication, OauthStore, Policy, ScopeEntry,
    ScopeRegistry,
};
use storage::{Store as _, StoreError, StoreExt as _};
use storage_diesel::SqliteStore;

use crate::client::Tokens;

/// Redirect URI of the application.
pub(crate) const ADDRESS: &str = "https://app.example/callback";

/// Issuer URL of this server.
const ISSUER: &str = "https://invoices.example";

const INVOICES_READ: Scope = Scope::from_static("invoices:read");
const INVOICES_WRITE: Scope = Scope::from_static("invoices:write");

/// Reason for a request without tokens.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServerError {
    /// The provider refused the request with this error code of the protocol.
    Refused(&'static str),
    /// The store failed.
    Store(StoreError),
    /// A thread ended without a result.
    Lost,
}

impl From<StoreError> for ServerError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl std::fmt::Display for ServerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Refused(code) => write!(f, "refused: {code}"),
            Self::Store(error) => write!(f, "the store failed: {error}"),
            Self::Lost => f.write_str("a thread ended without an answer"),
        }
    }
}

impl std::error::Error for ServerError {}

/// A provider with one application.
#[derive(Debug)]
pub struct Server {
    /// The host's store. Only [`Server::new`] names the adapter.
    store: Arc<dyn OauthStore>,
    policy: Policy,
    /// The client id of the application.
    pub(crate) client_id: ApplicationUid,
    /// The client secret of the application.
    pub(crate) client_secret: PlainSecret,
    /// The application's id in the store.
    pub application: ApplicationId,
}

impl Server {
    /// Creates a provider with one application.
    ///
    /// # Errors
    /// Failures of the store.
    pub fn new() -> Result<Self, ServerError> {
        let store: Arc<dyn OauthStore> =
            Arc::new(SqliteStore::in_memory().map_err(StoreError::from)?);
        let secret = PlainSecret::generate(SECRET_PREFIX, &OsRandomness);
        let uid = ApplicationUid::generate(&OsRandomness);
        let refused = |_| ServerError::Refused("invalid_redirect_uri");
        let registered = NewApplication {
            uid: uid.clone(),
            secret: secret.digest(),
            name: "Invoices".to_owned(),
            redirect_uris: vec![RedirectUri::register(ADDRESS, false).map_err(refused)?],
            post_logout_redirect_uris: Vec::new(),
            scopes: every_scope(),
            client_type: ClientType::Confidential,
            trusted: false,
            options: ApplicationOptions::of(ClientType::Confidential),
            owner_id: None,
            created_at: SystemClock.now(),
        };
        let application = store.change(move |tx| tx.insert_application(&registered));
        Ok(Self {
            store,
            policy: Policy::new(registry()),
            client_id: uid,
            client_secret: secret,
            application: application.wait()?,
        })
    }

    /// Handles an authorization request for these scopes, separated by spaces, with the user's consent, and returns the
    /// code.
    ///
    /// # Errors
    /// The refusal of the request; failures of the store.
    pub fn authorize(&self, scope: &str) -> Result<PlainSecret, ServerError> {
        self.authorize_for(Some(scope.to_owned()))
    }

    /// Handles an authorization request without a scope (RFC 6749, section 3.3), with the user's consent.
    ///
    /// # Errors
    /// The refusal of the request; failures of the store.
    pub fn authorize_by_default(&self) -> Result<PlainSecret, ServerError> {
        self.authorize_for(None)
    }

    fn authorize_for(&self, scope: Option<String>) -> Result<PlainSecret, ServerError> {
        let mut parameters = AuthorizeParameters::default();
        parameters.client_id = Some(self.client_id.to_string());
        parameters.redirect_uri = Some(ADDRESS.to_owned());
        parameters.response_type = Some("code".to_owned());
        parameters.scope = scope;
        let (policy, now) = (self.policy.clone(), SystemClock.now());
        let code = PlainSecret::generate_dated(CODE_PREFIX, &OsRandomness, now);
        let digest = code.digest();
        let user = SignedIn::new(UserId::new(1), SessionId::new(1), now);
        let approved = self.store.write(move |tx| {
            let request: Result<CheckedRequest, Refusal> = check(tx, &parameters, &policy)?;
            let request = request.map_err(|refusal| ServerError::Refused(refusal.error()))?;
            approve_without_consent(tx, &request, &user, digest, now, &policy)?;
            Ok::<_, ServerError>(())
        });
        approved.wait()?;
        Ok(code)
    }

    /// Answers a token request at `now`, as an HTTP server does with the body of the request.
    ///
    /// # Errors
    /// The refusal; failures of the store.
    pub fn token(&self, body: &str, now: Timestamp) -> Result<Tokens, ServerError> {
        let call = TokenCall::new(None, body.as_bytes());
        let context = TokenContext::new(&self.policy, &OsRandomness, EveryUser);
        match respond_blocking(&*self.store, call, context, now) {
            Ok(answer) => Ok(Tokens::of(&answer)),
            Err(TokenError::Store(error)) => Err(error.into()),
            Err(refusal) => Err(ServerError::Refused(refusal.response().code().as_str())),
        }
    }

    /// Returns the state of an access token in words.
    ///
    /// # Errors
    /// Failures of the store.
    pub fn state_of(&self, access: &str) -> Result<&'static str, ServerError> {
        let (digest, now) = (PlainSecret::new(access).digest(), SystemClock.now());
        let found = self.store.query(move |tx| authenticate(tx, &digest, now));
        Ok(match found.wait()? {
            TokenOutcome::Usable(_) => "usable",
            TokenOutcome::Expired => "expired",
            TokenOutcome::Revoked => "revoked",
            _ => "unknown",
        })
    }

    /// Introspects an access token (RFC 7662), as a resource server does: its scopes, if it is active.
    ///
    /// # Errors
    /// Failures of the store.
    pub fn introspect(&self, access: &str) -> Result<Introspection, ServerError> {
        let (digest, now) = (PlainSecret::new(access).digest(), SystemClock.now());
        let application = self.application;
        let found = self
            .store
            .query(move |tx| introspect(tx, &digest, application, now));
        let issuer = Issuer {
            url: ISSUER,
            scopes: &self.policy.scopes,
        };
        Ok(found.wait()?.map_or_else(Introspection::inactive, |token| {
            Introspection::active(&token, &self.client_id, Some("ann"), issuer)
        }))
    }
}

/// The host's own scopes.
#[expect(
    clippy::expect_used,
    reason = "the entries are written here, and the tests build them"
)]
fn registry() -> ScopeRegistry {
    ScopeRegistry::new([
        ScopeEntry::new(INVOICES_READ, "Read invoices", "See all of your invoices.").by_default(),
        ScopeEntry::new(
            INVOICES_WRITE,
            "Write invoices",
            "Make, change and send invoices in your name.",
        ),
    ])
    .expect("two different scopes make a registry")
}

fn every_scope() -> ScopeSet {
    [INVOICES_READ, INVOICES_WRITE].into_iter().collect()
}
