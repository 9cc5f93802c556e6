//! A refresh token for the next pair (RFC 6749, section 6; RFC 9700, section 4.14).

use api_conventions::ids::{ApplicationId, GrantId, TokenPairId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{Grant, GrantState, NewTokenPair, RotationSeed, TokenPair, TokenPairState};
use crate::policy::Policy;
use crate::rules::successor::{TokenSecrets, successor};
use crate::store::{GrantRepository, Rotation};

/// A refresh token that somebody wants to use. The application, if one was named, has proved that it is itself.
#[derive(Debug)]
pub struct Refresh {
    /// Which application.
    pub application_id: Option<ApplicationId>,
    /// The refresh token.
    pub presented: PlainSecret,
    /// What the application may hold by now, which may be less than when the grant was given.
    pub allowed: ScopeSet,
    /// What the next access token is to permit; what the grant permits when absent.
    pub scopes: Option<ScopeSet>,
    /// Where it says that the code was sent; checked when it is sent (`OAUTH-03`), which hardly any client does.
    pub redirect_uri: Option<String>,
    /// The verifier of PKCE; checked when it is sent.
    pub code_verifier: Option<String>,
    /// Fresh random bytes for the next pair.
    pub seed: RotationSeed,
    /// Now.
    pub now: Timestamp,
}

/// What became of a refresh token.
#[derive(Debug)]
pub enum RefreshOutcome {
    /// The next pair. Written the first time; when the same refresh token comes again soon after, nothing is written
    /// and the same pair is given again.
    Refreshed(Box<Refreshed>),
    /// The token is unknown, its time is over, it was ended, it is another application's, or the redirect URI or the
    /// verifier is not the right one. Nothing is written.
    Refused,
    /// More is asked for than was granted and the application may hold, or nothing of it is left. Nothing is written.
    ScopeTooLarge,
    /// The token was used before. Written: the grant is ended, because one of the two who used it stole it.
    Reused(GrantId),
}

/// The pair that follows a refresh token.
#[derive(Debug)]
pub struct Refreshed {
    /// The grant that it follows from.
    pub grant: Grant,
    /// The pair that works no longer.
    pub replaced: TokenPairId,
    /// The tokens.
    pub secrets: TokenSecrets,
    /// What they permit.
    pub scopes: ScopeSet,
    /// When they were issued.
    pub created_at: Timestamp,
    /// The first moment at which the access token no longer works.
    pub expires_at: Timestamp,
}

/// Uses a refresh token. The old access token and the old refresh token are worth nothing from the commit on
/// (`OAUTH-04`), and the old access token may have expired long before.
///
/// # Errors
/// Failures of the store.
pub fn refresh<R: GrantRepository + ?Sized>(
    repos: &mut R,
    wish: &Refresh,
    policy: &Policy,
) -> Result<RefreshOutcome, StoreError> {
    let digest = wish.presented.digest();
    let found = repos.find_pair_by_refresh(&digest)?;
    let Some(pair) = found.filter(|pair| pair.application_id == wish.application_id) else {
        return Ok(RefreshOutcome::Refused);
    };
    let Some(grant) = live_grant(repos, &pair, wish)? else {
        return Ok(RefreshOutcome::Refused);
    };
    if !matches!(pair.state, TokenPairState::Current) {
        return used_before(repos, wish, grant, &pair, policy);
    }
    let permitted = grant.scopes.intersection(wish.allowed);
    let scopes = wish.scopes.unwrap_or(permitted);
    if scopes.is_empty() || !scopes.is_subset_of(permitted) {
        return Ok(RefreshOutcome::ScopeTooLarge);
    }
    let secrets = successor(&wish.presented, wish.seed);
    let next = next_pair(&grant, &secrets, scopes, wish.now, policy);
    match repos.rotate_pair(&digest, wish.seed, &next, wish.now)? {
        Rotation::Rotated(_) => Ok(RefreshOutcome::Refreshed(Box::new(Refreshed {
            grant,
            replaced: pair.id,
            secrets,
            scopes,
            created_at: next.created_at,
            expires_at: next.expires_at,
        }))),
        // Somebody else was first at this very moment.
        Rotation::NotCurrent(pair) => used_before(repos, wish, grant, &pair, policy),
        Rotation::Unknown => Ok(RefreshOutcome::Refused),
    }
}

/// The grant of a pair, if it still permits anything to the one who asks.
fn live_grant<R: GrantRepository + ?Sized>(
    repos: &mut R,
    pair: &TokenPair,
    wish: &Refresh,
) -> Result<Option<Grant>, StoreError> {
    if pair.refresh_expires_at.is_none_or(|end| end <= wish.now) {
        return Ok(None);
    }
    let inconsistent =
        || StoreError::inconsistent("oauth_token_pairs", pair.id, "its grant does not exist");
    let grant = repos.find_grant(pair.grant_id)?.ok_or_else(inconsistent)?;
    let same_address = match &wish.redirect_uri {
        Some(sent) => grant.redirect_uri.as_ref() == Some(sent),
        None => true,
    };
    let proven = match (&wish.code_verifier, &grant.challenge) {
        (Some(verifier), Some(challenge)) => challenge.is_met_by(verifier),
        (Some(_), None) => false,
        (None, _) => true,
    };
    let alive = matches!(grant.state, GrantState::Redeemed { .. }) && wish.now < grant.expires_at;
    Ok((alive && same_address && proven).then_some(grant))
}

/// A refresh token that was used already: the answer may have been lost, or one of the two users is a thief.
///
/// Soon after the rotation the same answer is given again, which forks nothing: there is still one pair that
/// follows. Once that pair was used in its turn, or later than that, the grant is ended.
fn used_before<R: GrantRepository + ?Sized>(
    repos: &mut R,
    wish: &Refresh,
    grant: Grant,
    pair: &TokenPair,
    policy: &Policy,
) -> Result<RefreshOutcome, StoreError> {
    let TokenPairState::Rotated { at, seed } = pair.state else {
        return Ok(RefreshOutcome::Refused);
    };
    if wish.now < at.plus_seconds(policy.repeat_seconds) {
        let secrets = successor(&wish.presented, seed);
        let next = repos.find_pair_by_access(&secrets.access.digest())?;
        let unused = next.filter(|next| matches!(next.state, TokenPairState::Current));
        if let Some(next) = unused {
            return Ok(RefreshOutcome::Refreshed(Box::new(Refreshed {
                grant,
                replaced: pair.id,
                secrets,
                scopes: next.scopes,
                created_at: next.created_at,
                expires_at: next.expires_at,
            })));
        }
    }
    end(repos, grant.id, wish.now)
}

fn end<R: GrantRepository + ?Sized>(
    repos: &mut R,
    grant: GrantId,
    now: Timestamp,
) -> Result<RefreshOutcome, StoreError> {
    repos.revoke_grant(grant, now)?;
    Ok(RefreshOutcome::Reused(grant))
}

fn next_pair(
    grant: &Grant,
    secrets: &TokenSecrets,
    scopes: ScopeSet,
    now: Timestamp,
    policy: &Policy,
) -> NewTokenPair {
    let idle_end = now.plus_seconds(policy.refresh_idle_seconds);
    NewTokenPair {
        access: secrets.access.digest(),
        refresh: Some((secrets.refresh.digest(), idle_end.min(grant.expires_at))),
        grant_id: grant.id,
        user_id: grant.user_id,
        application_id: grant.application_id,
        scopes,
        created_at: now,
        expires_at: now.plus_seconds(policy.access_seconds),
    }
}
