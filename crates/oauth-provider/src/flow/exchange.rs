//! A code for tokens (RFC 6749, section 4.1.3).

use api_conventions::ids::{ApplicationId, GrantId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{Grant, GrantState, NewTokenPair};
use crate::policy::Policy;
use crate::store::{GrantRepository, Redemption};

/// A code that an application wants to redeem. The application has proved that it is itself.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// Which application.
    pub application_id: ApplicationId,
    /// What it may hold by now, which may be less than when the grant was given.
    pub allowed: ScopeSet,
    /// The digest of the code.
    pub code: SecretDigest,
    /// Where it says that the code was sent.
    pub redirect_uri: String,
    /// The verifier of PKCE.
    pub code_verifier: Option<String>,
    /// The digest of the access token to be issued.
    pub access: SecretDigest,
    /// The digest of the refresh token to be issued.
    pub refresh: SecretDigest,
    /// Now.
    pub now: Timestamp,
}

/// What became of a code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExchangeOutcome {
    /// The tokens are issued, with these scopes. Written: the code is spent.
    Issued(Box<Grant>, ScopeSet),
    /// The code is unknown, too old, another application's, or the redirect URI or the verifier is not the right one, or
    /// the application may hold nothing of it any more.
    /// Nothing is written, so that a stranger's try does not spend the code of its owner.
    Refused,
    /// The application redeemed the code before. Written: the grant is ended with all its tokens (RFC 6749, section
    /// 4.1.2).
    Replayed(GrantId),
}

/// Redeems a code.
///
/// # Errors
/// Failures of the store.
pub fn exchange<R: GrantRepository + ?Sized>(
    repos: &mut R,
    wish: &Exchange,
    policy: &Policy,
) -> Result<ExchangeOutcome, StoreError> {
    let found = repos.find_grant_by_code(&wish.code)?;
    let Some(grant) = found.filter(|grant| is_met(grant, wish)) else {
        return Ok(ExchangeOutcome::Refused);
    };
    if !matches!(grant.state, GrantState::Issued) {
        repos.revoke_grant(grant.id, wish.now)?;
        return Ok(ExchangeOutcome::Replayed(grant.id));
    }
    let scopes = grant.scopes.intersection(wish.allowed);
    if grant.code_expires_at.is_none_or(|end| end <= wish.now) || scopes.is_empty() {
        return Ok(ExchangeOutcome::Refused);
    }
    let pair = first_pair(&grant, scopes, wish, policy);
    match repos.redeem_code(&wish.code, &pair, wish.now)? {
        Redemption::Redeemed(_) => Ok(ExchangeOutcome::Issued(Box::new(grant), scopes)),
        Redemption::AlreadyUsed(id) => {
            repos.revoke_grant(id, wish.now)?;
            Ok(ExchangeOutcome::Replayed(id))
        }
        Redemption::Unknown => Ok(ExchangeOutcome::Refused),
    }
}

/// Whether the one who redeems is the one whom the code was made for. A verifier without a challenge is refused like
/// a challenge without a verifier: otherwise a stolen code could be used in a flow without PKCE (RFC 9700, section
/// 4.8.2).
fn is_met(grant: &Grant, wish: &Exchange) -> bool {
    let proven = match (&grant.challenge, &wish.code_verifier) {
        (None, None) => true,
        (Some(challenge), Some(verifier)) => challenge.is_met_by(verifier),
        (None, Some(_)) | (Some(_), None) => false,
    };
    proven
        && grant.application_id == Some(wish.application_id)
        && grant.redirect_uri.as_ref() == Some(&wish.redirect_uri)
}

fn first_pair(grant: &Grant, scopes: ScopeSet, wish: &Exchange, policy: &Policy) -> NewTokenPair {
    let idle_end = wish.now.plus_seconds(policy.refresh_idle_seconds);
    NewTokenPair {
        access: wish.access,
        refresh: Some((wish.refresh, idle_end.min(grant.expires_at))),
        grant_id: grant.id,
        user_id: grant.user_id,
        application_id: grant.application_id,
        scopes,
        created_at: wish.now,
        expires_at: wish.now.plus_seconds(policy.access_seconds),
    }
}
