//! The cache of good access tokens, of both kinds.

use std::sync::Arc;

use accounts::UserState;
use accounts::flow::authenticate::{self, AuthenticationOutcome};
use api_conventions::secret::{PlainSecret, SecretDigest};
use api_conventions::time::Timestamp;
use oauth_provider::TokenPair;
use oauth_provider::flow::authenticate::{TokenOutcome, authenticate as authenticate_oauth};
use oauth_provider::model::ACCESS_PREFIX;
use quick_cache::sync::Cache;
use storage::{Store as _, StoreError};

use super::ended::{BELIEF_SECONDS, Ended};
use super::epoch::Epoch;
use super::principal::{Credential, Principal};
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
    /// It is unknown, or a personal token that works no longer.
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
    cache: Cache<SecretDigest, Entry>,
    epoch: Arc<Epoch>,
    usage: TokenUsage,
    ended: Ended,
}

#[derive(Debug, Clone)]
struct Entry {
    principal: Arc<Principal>,
    epoch: i64,
    believed_until: Timestamp,
}

impl TokenCheck {
    /// An empty cache under `epoch`.
    pub fn new(epoch: Arc<Epoch>) -> Self {
        Self {
            cache: Cache::new(CAPACITY),
            epoch,
            usage: TokenUsage::default(),
            ended: Ended::default(),
        }
    }

    /// The principal of a token that is known to be good at `now`, without asking the database.
    pub fn cached(&self, token: SentToken, now: Timestamp) -> Option<Arc<Principal>> {
        let epoch = self.epoch.trusted(now)?;
        let entry = self.cache.get(&token.digest)?;
        let good = entry.epoch == epoch && now < entry.believed_until;
        (good && self.is_in_use(&entry.principal, now)).then_some(entry.principal)
    }

    /// Notes the use of a personal token; tells whether an application's token was not ended here meanwhile.
    fn is_in_use(&self, principal: &Principal, now: Timestamp) -> bool {
        match &principal.credential {
            Credential::Personal(id) => {
                self.usage.note(*id, now);
                true
            }
            Credential::OAuth(credential) => !self.ended.contains(credential, now),
            Credential::Session(_) | Credential::Sudo(_) => true,
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
        // The epoch is read in the transaction that reads the token, so the stamp can never be newer than what
        // was read.
        let (verdict, epoch) = database
            .read(move |tx| {
                let verdict = if token.is_oauth {
                    judge_oauth(tx, &token.digest, now)?
                } else {
                    judge_personal(tx, &token.digest, now)?
                };
                Ok::<_, StoreError>((verdict, tx.auth_epoch()?))
            })
            .await?;
        self.epoch.observe(epoch);
        if let TokenVerdict::Good(principal) = &verdict {
            self.keep(token.digest, principal, epoch, now);
            if !self.is_in_use(principal, now) {
                return Ok(TokenVerdict::Revoked);
            }
        }
        Ok(verdict)
    }

    fn keep(&self, digest: SecretDigest, principal: &Arc<Principal>, epoch: i64, now: Timestamp) {
        let believed_until = match principal.credential {
            Credential::OAuth(_) => now.plus_seconds(BELIEF_SECONDS).min(principal.expires_at),
            Credential::Personal(_) | Credential::Session(_) | Credential::Sudo(_) => {
                principal.expires_at
            }
        };
        let entry = Entry {
            principal: Arc::clone(principal),
            epoch,
            believed_until,
        };
        self.cache.insert(digest, entry);
    }

    /// When tokens were last used.
    pub fn usage(&self) -> &TokenUsage {
        &self.usage
    }

    /// What this process ended itself.
    pub fn ended(&self) -> &Ended {
        &self.ended
    }
}

fn judge_personal(
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

fn judge_oauth(
    tx: &mut dyn ReadTransaction,
    digest: &SecretDigest,
    now: Timestamp,
) -> Result<TokenVerdict, StoreError> {
    Ok(match authenticate_oauth(tx, digest, now)? {
        TokenOutcome::Usable(pair) => principal(tx, *pair)?,
        TokenOutcome::Unknown => TokenVerdict::Refused,
        TokenOutcome::Expired => TokenVerdict::Expired,
        TokenOutcome::Revoked => TokenVerdict::Revoked,
    })
}

fn principal(
    tx: &mut dyn ReadTransaction,
    mut pair: TokenPair,
) -> Result<TokenVerdict, StoreError> {
    let id = pair.id;
    let broken = |what| StoreError::inconsistent("oauth_token_pairs", id, what);
    let user = tx.find_user(pair.user_id)?;
    let user = user.ok_or_else(|| broken("its user does not exist"))?;
    if user.state != UserState::Active {
        return Ok(TokenVerdict::Blocked);
    }
    let application = match pair.application_id {
        Some(id) => {
            let found = tx.find_application(id)?;
            let found = found.ok_or_else(|| broken("its application does not exist"))?;
            // What was taken from the application since is taken from its tokens.
            pair.scopes = pair.scopes.intersection(found.scopes);
            Some(found.uid)
        }
        None => None,
    };
    let principal = Principal::of_oauth(user, pair, application);
    Ok(TokenVerdict::Good(Arc::new(principal)))
}
