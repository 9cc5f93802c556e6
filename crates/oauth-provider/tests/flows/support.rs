//! Store with two applications, and a user who consents.

use api_conventions::ids::{ApplicationId, SessionId, UserId};
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::secret::{PlainSecret, SecretDigest};
use api_conventions::time::Timestamp;
use oauth_provider::flow::authorize::{
    AuthorizeParameters, CheckedRequest, Refusal, SignedIn, approve_without_consent, check,
};
use oauth_provider::flow::exchange::{Exchange, ExchangeOutcome, exchange};
use oauth_provider::flow::refresh::{Refresh, RefreshOutcome, refresh};
use oauth_provider::rules::redirect_uri::RedirectUri;
use oauth_provider::{
    ApplicationOptions, ApplicationRepository, ApplicationUid, ClientType, Grant, NewApplication,
    Policy, RotationSeed, ScopeEntry, ScopeRegistry, TokenPair,
};
use storage::{Store, StoreError};
use storage_diesel::{SqliteStore, SqliteWriteTx};

/// Example of RFC 7636, appendix B.
pub(crate) const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub(crate) const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
pub(crate) const ADDRESS: &str = "https://app.example/cb";

/// Returns a time, in seconds after the start of the test scenario.
pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::parse_rfc3339("2024-05-01T12:00:00Z")
        .unwrap()
        .plus_seconds(seconds)
}

/// Returns the scopes of a host: `api` is the default, `sudo` is for administrators, and the repository scopes are not
/// offered.
pub(crate) fn registry() -> ScopeRegistry {
    let entry = |name: &str| ScopeEntry::new(Scope::parse(name).unwrap(), name, name);
    ScopeRegistry::new([
        entry("api").by_default(),
        entry("read_user"),
        entry("read_repository").not_offered(),
        entry("write_repository").not_offered(),
        entry("sudo").for_administrators(),
        entry("openid"),
    ])
    .unwrap()
}

/// Returns all scopes of the registry.
pub(crate) fn every_scope() -> ScopeSet {
    let registry = registry();
    registry
        .entries()
        .iter()
        .map(|entry| entry.scope().clone())
        .collect()
}

pub(crate) fn scopes(words: &str) -> ScopeSet {
    ScopeSet::parse(words).unwrap()
}

/// A provider with a store in memory.
pub(crate) struct TestProvider {
    pub(crate) store: SqliteStore,
    pub(crate) policy: Policy,
    pub(crate) confidential: ApplicationId,
    pub(crate) public: ApplicationId,
}

/// Returns the user whose browser session the tests use.
pub(crate) fn ann() -> SignedIn {
    SignedIn::new(UserId::new(1), SessionId::new(1), at(0))
}

pub(crate) fn application(uid: &str, client_type: ClientType) -> NewApplication {
    NewApplication {
        uid: ApplicationUid::parse(uid).unwrap(),
        secret: SecretDigest::of("the secret"),
        name: uid.to_owned(),
        post_logout_redirect_uris: Vec::new(),
        redirect_uris: [ADDRESS, "http://127.0.0.1/cb"]
            .map(|address| RedirectUri::register(address, false).unwrap())
            .to_vec(),
        scopes: scopes("api read_user openid"),
        client_type,
        trusted: false,
        options: ApplicationOptions::of(client_type),
        owner_id: None,
        created_at: at(0),
    }
}

impl TestProvider {
    pub(crate) fn new() -> Self {
        let store = SqliteStore::in_memory().unwrap();
        let [confidential, public] = [
            application("confidential", ClientType::Confidential),
            application("public", ClientType::Public),
        ]
        .map(|new| {
            let inserted =
                store.write(move |tx: &mut SqliteWriteTx<'_>| tx.insert_application(&new));
            inserted.wait().unwrap()
        });
        Self {
            store,
            policy: Policy::new(registry()),
            confidential,
            public,
        }
    }

    pub(crate) fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&mut SqliteWriteTx<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> T {
        self.store.write(work).wait().unwrap()
    }

    pub(crate) fn check(&self, pairs: &[(&str, &str)]) -> Result<CheckedRequest, Refusal> {
        let parameters = AuthorizeParameters::from_pairs(pairs.iter().copied()).unwrap();
        let policy = self.policy.clone();
        self.write(move |tx| check(tx, &parameters, &policy))
    }

    /// Issues a code for the confidential application, or for the public one with PKCE.
    pub(crate) fn code(&self, uid: &str, scope: &str) -> SecretDigest {
        let mut pairs = request(uid);
        pairs.push(("scope", scope));
        let checked = self.check(&pairs).unwrap();
        let code = SecretDigest::of(&format!("code for {uid}"));
        let policy = self.policy.clone();
        self.write(move |tx| approve_without_consent(tx, &checked, &ann(), code, at(10), &policy));
        code
    }

    pub(crate) fn exchange(&self, request: Exchange) -> ExchangeOutcome {
        let policy = self.policy.clone();
        self.write(move |tx| exchange(tx, &request, &policy))
    }

    /// Redeems a code and returns its grant, whose tokens are `access` and `refresh`.
    pub(crate) fn grant(&self, scope: &str) -> Grant {
        let code = self.code("confidential", scope);
        match self.exchange(self.request(code)) {
            ExchangeOutcome::Issued(grant, _) => *grant,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn request(&self, code: SecretDigest) -> Exchange {
        changed(
            Exchange::new(
                self.confidential,
                every_scope(),
                code,
                [SecretDigest::of("access"), SecretDigest::of("refresh")],
                at(20),
            ),
            |it| {
                it.redirect_uri = ADDRESS.to_owned();
            },
        )
    }

    pub(crate) fn refresh(&self, token: &str, seed: u8, now: Timestamp) -> RefreshOutcome {
        self.refresh_with(self.refreshing(token, seed, now))
    }

    /// Creates a request to use a refresh token.
    pub(crate) fn refreshing(&self, token: &str, seed: u8, now: Timestamp) -> Refresh {
        Refresh::new(
            Some(self.confidential),
            every_scope(),
            PlainSecret::new(token),
            RotationSeed::from_bytes([seed; 32]),
            now,
        )
    }

    pub(crate) fn refresh_with(&self, request: Refresh) -> RefreshOutcome {
        let policy = self.policy.clone();
        self.write(move |tx| refresh(tx, &request, &policy))
    }

    pub(crate) fn pair(&self, access: &str) -> Option<TokenPair> {
        use oauth_provider::GrantQueries as _;
        let digest = SecretDigest::of(access);
        self.write(move |tx| tx.find_pair_by_access(&digest))
    }

    pub(crate) fn is_usable(&self, access: &str, now: Timestamp) -> bool {
        self.pair(access).is_some_and(|pair| pair.is_usable(now))
    }
}

/// Returns a value with a change applied.
pub(crate) fn changed<T>(mut value: T, change: impl FnOnce(&mut T)) -> T {
    change(&mut value);
    value
}

/// Returns a valid authorization request.
pub(crate) fn request(uid: &str) -> Vec<(&str, &str)> {
    let mut pairs = vec![
        ("client_id", uid),
        ("redirect_uri", ADDRESS),
        ("response_type", "code"),
        ("state", "xyz"),
    ];
    if uid == "public" {
        pairs.extend([
            ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"),
        ]);
    }
    pairs
}
