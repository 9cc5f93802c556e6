//! The provider: a store, an application and a user who agrees to everything.

use std::sync::Arc;

use api_conventions::ids::{ApplicationId, SessionId, UserId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::PlainSecret;
use api_conventions::system::{OsRandomness, SystemClock};
use api_conventions::time::{Clock as _, Timestamp};
use oauth_provider::flow::authenticate::{TokenOutcome, authenticate};
use oauth_provider::flow::authorize::{
    AuthorizeParameters, CheckedRequest, Refusal, SignedIn, approve_at_once, check,
};
use oauth_provider::model::{CODE_PREFIX, SECRET_PREFIX};
use oauth_provider::rules::redirect_uri::RedirectUri;
use oauth_provider::token::{Provider, TokenCall, TokenError, respond_blocking};
use oauth_provider::work::EveryUser;
use oauth_provider::{ApplicationUid, ClientType, NewApplication, OauthStore, Policy};
use storage::{Store as _, StoreError, StoreExt as _};
use storage_memory::MemoryStore;

use crate::client::Tokens;

/// Where codes would be sent.
pub(crate) const ADDRESS: &str = "https://app.example/callback";

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
    pub(crate) client_id: String,
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
        let store: Arc<dyn OauthStore> = Arc::new(MemoryStore::new());
        let secret = PlainSecret::generate(SECRET_PREFIX, &OsRandomness);
        let uid = ApplicationUid::generate(&OsRandomness);
        let refused = |_| ServerError::Refused("invalid_redirect_uri");
        let registered = NewApplication {
            uid: uid.clone(),
            secret: secret.digest(),
            name: "Invoices".to_owned(),
            redirect_uris: vec![RedirectUri::register(ADDRESS, false).map_err(refused)?],
            post_logout_redirect_uris: Vec::new(),
            scopes: scopes()?,
            client_type: ClientType::Confidential,
            trusted: false,
            owner_id: None,
            created_at: SystemClock.now(),
        };
        let application = store.change(move |tx| tx.insert_application(&registered));
        Ok(Self {
            store,
            policy: Policy::default(),
            client_id: uid.to_string(),
            client_secret: secret,
            application: application.wait()?,
        })
    }

    /// What happens when a browser comes with a request and its user agrees: the code.
    ///
    /// # Errors
    /// The refusal of the request; failures of the store.
    pub fn authorize(&self) -> Result<PlainSecret, ServerError> {
        let scope = scopes()?.to_string();
        let parameters = AuthorizeParameters::from_pairs([
            ("client_id", self.client_id.as_str()),
            ("redirect_uri", ADDRESS),
            ("response_type", "code"),
            ("scope", scope.as_str()),
        ]);
        let parameters = parameters.map_err(|_| ServerError::Refused("invalid_request"))?;
        let (policy, now) = (self.policy, SystemClock.now());
        let code = PlainSecret::generate_dated(CODE_PREFIX, &OsRandomness, now);
        let digest = code.digest();
        let user = SignedIn::new(UserId::new(1), SessionId::new(1), now);
        let approved = self.store.write(move |tx| {
            let request: Result<CheckedRequest, Refusal> = check(tx, &parameters, &policy)?;
            let request = request.map_err(|refusal| match refusal {
                Refusal::Page { error, .. } | Refusal::Redirect { error, .. } => {
                    ServerError::Refused(error)
                }
            })?;
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
        let provider = Provider::new(self.policy, &OsRandomness, EveryUser);
        match respond_blocking(&*self.store, call, provider, now) {
            Ok(answer) => Ok(Tokens::of(&answer)),
            Err(TokenError::Store(error)) => Err(error.into()),
            Err(refusal) => Err(ServerError::Refused(refusal.response().code().as_str())),
        }
    }

    /// What an access token is worth.
    ///
    /// # Errors
    /// Failures of the store.
    pub fn introspect(&self, access: &str) -> Result<&'static str, ServerError> {
        let (digest, now) = (PlainSecret::new(access).digest(), SystemClock.now());
        let found = self.store.query(move |tx| authenticate(tx, &digest, now));
        Ok(match found.wait()? {
            TokenOutcome::Usable(_) => "usable",
            TokenOutcome::Expired => "expired",
            TokenOutcome::Revoked => "revoked",
            TokenOutcome::Unknown => "unknown",
        })
    }
}

fn scopes() -> Result<ScopeSet, ServerError> {
    ScopeSet::parse("read_user email").map_err(|_| ServerError::Refused("invalid_scope"))
}
