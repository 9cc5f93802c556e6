//! The provider: a store, an application and a user who agrees to everything.

use std::sync::Arc;

use api_conventions::ids::{ApplicationId, SessionId, UserId};
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::secret::PlainSecret;
use api_conventions::system::{OsRandomness, SystemClock};
use api_conventions::time::{Clock as _, Timestamp};
use oauth_provider::flow::authenticate::{TokenOutcome, authenticate};
use oauth_provider::flow::authorize::{
    AuthorizeParameters, CheckedRequest, Refusal, SignedIn, approve_at_once, check,
};
use oauth_provider::flow::introspect::introspect;
use oauth_provider::model::{CODE_PREFIX, SECRET_PREFIX};
use oauth_provider::rules::redirect_uri::RedirectUri;
use oauth_provider::token::{Provider, TokenCall, TokenError, respond_blocking};
use oauth_provider::wire::{Introspection, Issuer};
use oauth_provider::work::EveryUser;
use oauth_provider::{
    ApplicationOptions, ApplicationUid, ClientType, NewApplication, OauthStore, Policy, ScopeEntry,
    ScopeRegistry,
};
use storage::{Store as _, StoreError, StoreExt as _};
use storage_diesel::SqliteStore;

use crate::client::Tokens;

/// Where codes would be sent.
pub(crate) const ADDRESS: &str = "https://app.example/callback";

/// Where this server would be.
const ISSUER: &str = "https://invoices.example";

const INVOICES_READ: Scope = Scope::from_static("invoices:read");
const INVOICES_WRITE: Scope = Scope::from_static("invoices:write");

/// Why there was no answer, or which one.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServerError {
    /// The provider refused, with this code of the protocol.
    Refused(&'static str),
    /// The store failed.
    Store(StoreError),
    /// A thread ended without an answer.
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
    /// Whichever store the host was given: nothing but [`Server::new`] names the adapter.
    store: Arc<dyn OauthStore>,
    policy: Policy,
    /// The name of the application.
    pub(crate) client_id: ApplicationUid,
    /// Its secret.
    pub(crate) client_secret: PlainSecret,
    /// Its id.
    pub application: ApplicationId,
}

impl Server {
    /// A provider with one application.
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

    /// What happens when a browser comes with a request for these scopes, separated by spaces, and its user agrees: the
    /// code.
    ///
    /// # Errors
    /// The refusal of the request; failures of the store.
    pub fn authorize(&self, scope: &str) -> Result<PlainSecret, ServerError> {
        self.authorize_for(Some(scope.to_owned()))
    }

    /// The same for a request that names no scope (RFC 6749, section 3.3).
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
            approve_at_once(tx, &request, &user, digest, now, &policy)?;
            Ok::<_, ServerError>(())
        });
        approved.wait()?;
        Ok(code)
    }

    /// Answers a request for tokens at `now`, as an HTTP server does with a body that it was sent.
    ///
    /// # Errors
    /// The refusal; failures of the store.
    pub fn token(&self, body: &str, now: Timestamp) -> Result<Tokens, ServerError> {
        let call = TokenCall::new(None, body.as_bytes());
        let provider = Provider::new(&self.policy, &OsRandomness, EveryUser);
        match respond_blocking(&*self.store, call, provider, now) {
            Ok(answer) => Ok(Tokens::of(&answer)),
            Err(TokenError::Store(error)) => Err(error.into()),
            Err(refusal) => Err(ServerError::Refused(refusal.response().code().as_str())),
        }
    }

    /// Whether an access token works.
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

    /// What a resource server learns of an access token (RFC 7662): what it permits, if it works.
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

/// The scopes of this host, which are its own.
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
