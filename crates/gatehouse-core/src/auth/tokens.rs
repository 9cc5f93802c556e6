//! Cache of valid access tokens, both personal and OAuth.

use std::sync::Arc;

use accounts::flow::authenticate::{self, AuthenticationOutcome};
use accounts::flow::token_reuse::end_token_family;
use accounts::{TokenKind, UserState};
use api_conventions::ids::TokenId;
use api_conventions::secret::{PlainSecret, SecretDigest};
use api_conventions::time::Timestamp;
use oauth_provider::flow::authenticate::{TokenOutcome, authenticate as authenticate_oauth};
use oauth_provider::model::ACCESS_PREFIX;
use oauth_provider::{TokenPair, TokenSubject};
use quick_cache::sync::Cache;
use storage::{Store as _, StoreError};

use super::cache_entry::{CacheEntry, ReadAt};
use super::principal::Principal;
use super::revocations::{CACHE_TTL, GRANT_CACHE_TTL, RevocationTracker};
use super::usage::TokenUsage;
use crate::database::{Database, ReadTransaction};

/// Maximum number of cached tokens: about 30 MB when full.
const CAPACITY: usize = 100_000;

/// A token as received: its kind according to its prefix, and its digest.
#[derive(Debug, Clone, Copy)]
pub struct SentToken {
    digest: SecretDigest,
    is_oauth: bool,
}

impl SentToken {
    /// Digests a token. Its prefix tells the kind, so only one table is queried.
    pub fn of(token: &PlainSecret) -> Self {
        Self {
            digest: token.digest(),
            is_oauth: token.reveal().starts_with(ACCESS_PREFIX),
        }
    }

    /// True if its prefix marks it as an OAuth access token.
    pub fn is_oauth(self) -> bool {
        self.is_oauth
    }
}

/// Result of checking a token.
#[derive(Debug, Clone)]
pub enum TokenVerdict {
    /// The token is valid.
    Good(Arc<Principal>),
    /// The token is unknown, is a personal access token that is no longer valid, or acts for no user.
    Refused,
    /// The token is an OAuth access token that has expired.
    Expired,
    /// The token is an OAuth access token that was revoked.
    Revoked,
    /// The token is valid, but its user is blocked.
    Blocked,
    /// The token is an impersonation token, and the server accepts none.
    ImpersonationDisabled,
}

/// Result of validating a token in the database.
enum Validation {
    /// The verdict.
    Verdict(TokenVerdict),
    /// The personal access token with this id was rotated before, and its successor is active.
    Reused(TokenId),
}

/// Consequence of a token that was rotated before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TokenReuse {
    /// Revocation of the successor.
    EndsFamily,
    /// Refusal of the token, and nothing else.
    IsRefused,
}

/// Checks access tokens. A hit costs a digest, one or two probes and a few loads, without the database.
#[derive(Debug)]
pub struct TokenCheck {
    cache: Cache<SecretDigest, CacheEntry<Arc<Principal>, 3>>,
    revocations: Arc<RevocationTracker>,
    usage: TokenUsage,
    accepts_impersonation: bool,
}

impl TokenCheck {
    /// Creates an empty cache, invalidated by `revocations`. Impersonation tokens are refused unless
    /// `accepts_impersonation` is set.
    pub fn new(revocations: Arc<RevocationTracker>, accepts_impersonation: bool) -> Self {
        Self {
            cache: Cache::new(CAPACITY),
            revocations,
            usage: TokenUsage::default(),
            accepts_impersonation,
        }
    }

    /// Returns the principal of a cached token if it is valid at `now`, without a database query.
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

    /// Validates a token in the database, and caches it if it is valid.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn check(
        &self,
        database: &Database,
        token: SentToken,
        now: Timestamp,
    ) -> Result<TokenVerdict, StoreError> {
        self.validate(database, token, now, TokenReuse::EndsFamily)
            .await
    }

    /// Validates the token of a request that is still being answered. If it was rotated in the meantime, nobody used it
    /// again, so its successor stays valid.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn check_again(
        &self,
        database: &Database,
        token: SentToken,
        now: Timestamp,
    ) -> Result<TokenVerdict, StoreError> {
        self.validate(database, token, now, TokenReuse::IsRefused)
            .await
    }

    async fn validate(
        &self,
        database: &Database,
        token: SentToken,
        now: Timestamp,
        reuse: TokenReuse,
    ) -> Result<TokenVerdict, StoreError> {
        let read_at = ReadAt::now();
        let accepts_impersonation = self.accepts_impersonation;
        let validation = database.read_for_auth(move |tx| {
            if token.is_oauth {
                validate_oauth(tx, &token.digest, now).map(Validation::Verdict)
            } else {
                validate_personal(tx, &token.digest, accepts_impersonation, now)
            }
        });
        let validation: Result<Validation, StoreError> = validation.await;
        let verdict = match validation? {
            Validation::Verdict(verdict) => verdict,
            Validation::Reused(id) if reuse == TokenReuse::EndsFamily => {
                return end_family(database, id, now).await;
            }
            Validation::Reused(_) => TokenVerdict::Refused,
        };
        if let TokenVerdict::Good(principal) = &verdict {
            self.note_use(principal, now);
            let ttl = principal.oauth().map_or(CACHE_TTL, |_| GRANT_CACHE_TTL);
            let entry = CacheEntry::new(Arc::clone(principal), principal.subjects(), read_at);
            self.cache.insert(token.digest, entry.with_ttl(ttl));
        }
        Ok(verdict)
    }

    /// Times of last use of personal access tokens.
    pub fn usage(&self) -> &TokenUsage {
        &self.usage
    }
}

/// Revokes the successor of a rotated token that was used again.
async fn end_family(
    database: &Database,
    id: TokenId,
    now: Timestamp,
) -> Result<TokenVerdict, StoreError> {
    let ended = database.write(move |tx| end_token_family(tx, id, now));
    if let Some(successor) = ended.await? {
        tracing::warn!(
            token = %id,
            user = %successor.user_id,
            successor = %successor.id,
            "a rotated access token was used again; its successor is revoked"
        );
    }
    Ok(TokenVerdict::Refused)
}

fn validate_personal(
    tx: &mut dyn ReadTransaction,
    digest: &SecretDigest,
    accepts_impersonation: bool,
    now: Timestamp,
) -> Result<Validation, StoreError> {
    let verdict = match authenticate::authenticate(tx, digest, now)? {
        AuthenticationOutcome::Authenticated(found)
            if found.kind == TokenKind::Impersonation && !accepts_impersonation =>
        {
            TokenVerdict::ImpersonationDisabled
        }
        AuthenticationOutcome::Authenticated(found) => {
            TokenVerdict::Good(Arc::new(Principal::of_personal(*found)))
        }
        AuthenticationOutcome::Refused => TokenVerdict::Refused,
        AuthenticationOutcome::Blocked => TokenVerdict::Blocked,
        AuthenticationOutcome::Reused(id) => return Ok(Validation::Reused(id)),
    };
    Ok(Validation::Verdict(verdict))
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
    // This server issues tokens for users only. Another program that shares its database may issue others.
    let TokenSubject::User {
        user_id,
        application_id,
    } = pair.subject
    else {
        return Ok(TokenVerdict::Refused);
    };
    let user = tx.find_user(user_id)?;
    let user = user.ok_or_else(|| broken("user does not exist"))?;
    if user.state != UserState::Active {
        return Ok(TokenVerdict::Blocked);
    }
    let application = match application_id {
        Some(id) => {
            let found = tx.find_application(id)?;
            let found = found.ok_or_else(|| broken("application does not exist"))?;
            // Scopes that were removed from the application since are removed from its tokens.
            pair.scopes = pair.scopes.intersection(&found.scopes);
            Some(found.uid)
        }
        None => None,
    };
    let principal = Principal::of_oauth(user, pair, application);
    Ok(TokenVerdict::Good(Arc::new(principal)))
}
