//! The cache of good access tokens, of both kinds.

use std::sync::Arc;

use accounts::UserState;
use accounts::flow::authenticate::{self, AuthenticationOutcome};
use api_conventions::secret::{PlainSecret, SecretDigest};
use api_conventions::time::Timestamp;
use oauth_provider::flow::authenticate::{TokenOutcome, authenticate as authenticate_oauth};
use oauth_provider::model::ACCESS_PREFIX;
use oauth_provider::{TokenPair, TokenSubject};
use quick_cache::sync::Cache;
use storage::StoreError;

use super::cache_entry::{CacheEntry, ReadAt};
use super::principal::Principal;
use super::revocations::{CACHE_TTL, GRANT_CACHE_TTL, RevocationTracker};
use super::usage::TokenUsage;
use crate::database::{Database, ReadTransaction};

/// The number of tokens kept: about 30 MB when full.
const CAPACITY: usize = 100_000;

/// A token as it was sent: which kind it says that it is, and its digest.
#[derive(Debug, Clone, Copy)]
pub struct SentToken {
    digest: SecretDigest,
    is_oauth: bool,
}

impl SentToken {
    /// Digests a token. Its prefix says which kind it is, so that one table is asked.
    pub fn of(token: &PlainSecret) -> Self {
        Self {
            digest: token.digest(),
            is_oauth: token.reveal().starts_with(ACCESS_PREFIX),
        }
    }

    /// Whether it says that it is an access token of an application.
    pub fn is_oauth(self) -> bool {
        self.is_oauth
    }
}

/// What became of a token.
#[derive(Debug, Clone)]
pub enum TokenVerdict {
    /// It is good.
    Good(Arc<Principal>),
    /// It is unknown, a personal token that works no longer, or one that acts for no user.
    Refused,
    /// It is an application's token whose time is over.
    Expired,
    /// It is an application's token that was ended.
    Revoked,
    /// It is good, but its user is blocked.
    Blocked,
}

/// Checks access tokens. A hit costs a digest, a probe or two and a few loads, and no work of the database.
#[derive(Debug)]
pub struct TokenCheck {
    cache: Cache<SecretDigest, CacheEntry<Arc<Principal>, 3>>,
    revocations: Arc<RevocationTracker>,
    usage: TokenUsage,
}

impl TokenCheck {
    /// An empty cache, invalidated by `revocations`.
    pub fn new(revocations: Arc<RevocationTracker>) -> Self {
        Self {
            cache: Cache::new(CAPACITY),
            revocations,
            usage: TokenUsage::default(),
        }
    }

    /// The principal of a token that is known to be good at `now`, without asking the database.
    pub fn cached(&self, token: SentToken, now: Timestamp) -> Option<Arc<Principal>> {
        let principal = self.cache.get(&token.digest)?.if_valid(&self.revocations)?;
        (now < principal.expires_at).then(|| {
            self.note_use(&principal, now);
            principal
        })
    }

    fn note_use(&self, principal: &Principal, now: Timestamp) {
        if let Some(id) = principal.personal().map(|token| token.id) {
            self.usage.note(id, now);
        }
    }

    /// Judges a token in the database and keeps it when it is good.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn check(
        &self,
        database: &Database,
        token: SentToken,
        now: Timestamp,
    ) -> Result<TokenVerdict, StoreError> {
        let read_at = ReadAt::now();
        let verdict = database.read_for_auth(move |tx| {
            if token.is_oauth {
                validate_oauth(tx, &token.digest, now)
            } else {
                validate_personal(tx, &token.digest, now)
            }
        });
        let verdict: Result<TokenVerdict, StoreError> = verdict.await;
        let verdict = verdict?;
        if let TokenVerdict::Good(principal) = &verdict {
            self.note_use(principal, now);
            let ttl = principal.oauth().map_or(CACHE_TTL, |_| GRANT_CACHE_TTL);
            let entry = CacheEntry::new(Arc::clone(principal), principal.subjects(), read_at);
            self.cache.insert(token.digest, entry.with_ttl(ttl));
        }
        Ok(verdict)
    }

    /// When tokens were last used.
    pub fn usage(&self) -> &TokenUsage {
        &self.usage
    }
}

fn validate_personal(
    tx: &mut dyn ReadTransaction,
    digest: &SecretDigest,
    now: Timestamp,
) -> Result<TokenVerdict, StoreError> {
    Ok(match authenticate::authenticate(tx, digest, now)? {
        AuthenticationOutcome::Authenticated(found) => {
            TokenVerdict::Good(Arc::new(Principal::of_personal(*found)))
        }
        AuthenticationOutcome::Refused => TokenVerdict::Refused,
        AuthenticationOutcome::Blocked => TokenVerdict::Blocked,
    })
}

fn validate_oauth(
    tx: &mut dyn ReadTransaction,
    digest: &SecretDigest,
    now: Timestamp,
) -> Result<TokenVerdict, StoreError> {
    Ok(match authenticate_oauth(tx, digest, now)? {
        TokenOutcome::Usable(pair) => principal(tx, *pair)?,
        TokenOutcome::Expired => TokenVerdict::Expired,
        TokenOutcome::Revoked => TokenVerdict::Revoked,
        _ => TokenVerdict::Refused,
    })
}

fn principal(
    tx: &mut dyn ReadTransaction,
    mut pair: TokenPair,
) -> Result<TokenVerdict, StoreError> {
    let id = pair.id;
    let broken = |what| StoreError::inconsistent("oauth_token_pairs", id, what);
    // This server acts for users alone. A program that shares its database may issue others.
    let TokenSubject::User {
        user_id,
        application_id,
    } = pair.subject
    else {
        return Ok(TokenVerdict::Refused);
    };
    let user = tx.find_user(user_id)?;
    let user = user.ok_or_else(|| broken("its user does not exist"))?;
    if user.state != UserState::Active {
        return Ok(TokenVerdict::Blocked);
    }
    let application = match application_id {
        Some(id) => {
            let found = tx.find_application(id)?;
            let found = found.ok_or_else(|| broken("its application does not exist"))?;
            // What was taken from the application since is taken from its tokens.
            pair.scopes = pair.scopes.intersection(&found.scopes);
            Some(found.uid)
        }
        None => None,
    };
    let principal = Principal::of_oauth(user, pair, application);
    Ok(TokenVerdict::Good(Arc::new(principal)))
}
