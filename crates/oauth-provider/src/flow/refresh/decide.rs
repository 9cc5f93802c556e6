//! Validation of refresh tokens, and detection of reuse.

use api_conventions::ids::TokenPairId;
use storage::StoreError;

use super::{Refresh, RefreshOutcome, RefreshedPair};
use crate::model::{Grant, GrantState, NewTokenPair, TokenPair, TokenPairState};
use crate::policy::Policy;
use crate::rules::successor::{TokenSecrets, successor};
use crate::store::{Family, GrantRepository, PairRotation};

/// Decision about a refresh token.
pub(super) enum RefreshDecision {
    /// The outcome is final.
    Final(RefreshOutcome),
    /// The token was used before.
    Used(Box<Family>),
    /// The token is valid and its pair must be replaced.
    Pending(Box<PendingRotation>),
}

/// A pair to replace, with the tokens that its holder gets for it.
pub(super) struct PendingRotation {
    pub(super) grant: Grant,
    pub(super) rotation: PairRotation,
    replaced: TokenPairId,
    secrets: TokenSecrets,
}

impl PendingRotation {
    /// Returns the result, once the pair is replaced.
    pub(super) fn refreshed(self) -> RefreshedPair {
        let successor = self.rotation.successor;
        RefreshedPair {
            grant: self.grant,
            replaced: self.replaced,
            secrets: self.secrets,
            scopes: successor.scopes,
            created_at: successor.created_at,
            expires_at: successor.expires_at,
        }
    }
}

/// Decides on a refresh token, given the pair and the grant to which it belongs.
pub(super) fn decide(
    request: &Refresh,
    family: Option<Family>,
    policy: &Policy,
) -> RefreshDecision {
    let alive = family.filter(|(pair, grant)| {
        pair.subject.application_id() == request.application_id && is_alive(pair, grant, request)
    });
    let Some((pair, grant)) = alive else {
        return RefreshDecision::Final(RefreshOutcome::Refused);
    };
    if !matches!(pair.state, TokenPairState::Current) {
        return RefreshDecision::Used(Box::new((pair, grant)));
    }
    // Scopes that the host has since removed from its registry are no longer issued.
    let allowed = policy.scopes.registered_in(&request.allowed);
    let permitted = grant.scopes.intersection(&allowed);
    let scopes = request.scopes.as_ref().unwrap_or(&permitted).clone();
    if scopes.is_empty() || !scopes.is_subset_of(&permitted) {
        return RefreshDecision::Final(RefreshOutcome::ScopeTooLarge);
    }
    let secrets = successor(&request.presented, request.seed);
    let idle_end = request.now.plus_seconds(policy.refresh_idle_seconds);
    let access_seconds = request.access_seconds.unwrap_or(policy.access_seconds);
    let next = NewTokenPair {
        access: secrets.access.digest(),
        refresh: Some((secrets.refresh.digest(), idle_end.min(grant.expires_at))),
        grant_id: grant.id,
        subject: grant.subject,
        scopes,
        created_at: request.now,
        expires_at: request.now.plus_seconds(access_seconds),
    };
    RefreshDecision::Pending(Box::new(PendingRotation {
        grant,
        rotation: PairRotation {
            refresh: request.presented.digest(),
            seed: request.seed,
            successor: next,
            now: request.now,
        },
        replaced: pair.id,
        secrets,
    }))
}

/// True if a pair and its grant are still valid for this request.
fn is_alive(pair: &TokenPair, grant: &Grant, request: &Refresh) -> bool {
    let in_time = pair.refresh_expires_at.is_some_and(|end| request.now < end);
    let same_address = match &request.redirect_uri {
        Some(sent) => grant.redirect_uri.as_ref() == Some(sent),
        None => true,
    };
    let proven = match (&request.code_verifier, &grant.challenge) {
        (Some(verifier), Some(challenge)) => challenge.is_met_by(verifier),
        (Some(_), None) => false,
        (None, _) => true,
    };
    let redeemed = matches!(grant.state, GrantState::Redeemed { .. });
    in_time && redeemed && request.now < grant.expires_at && same_address && proven
}

/// Handles a refresh token that was used already: the response may have been lost, or one of the two users is a thief.
///
/// Soon after the rotation the same response is repeated, which does not fork the family: there is still one successor.
/// Once the successor was used itself, or after that time, the grant is revoked.
pub(super) fn used_before<R: GrantRepository + ?Sized>(
    repos: &mut R,
    request: &Refresh,
    (pair, grant): Family,
    policy: &Policy,
) -> Result<RefreshOutcome, StoreError> {
    let TokenPairState::Rotated { at, seed } = pair.state else {
        return Ok(RefreshOutcome::Refused);
    };
    if request.now < at.plus_seconds(policy.repeat_seconds) {
        let secrets = successor(&request.presented, seed);
        let next = repos.find_pair_by_access(&secrets.access.digest())?;
        let unused = next.filter(|next| matches!(next.state, TokenPairState::Current));
        if let Some(next) = unused {
            return Ok(RefreshOutcome::Refreshed(Box::new(RefreshedPair {
                grant,
                replaced: pair.id,
                secrets,
                scopes: next.scopes,
                created_at: next.created_at,
                expires_at: next.expires_at,
            })));
        }
    }
    repos.revoke_grant(grant.id, request.now)?;
    Ok(RefreshOutcome::Reused(grant.id))
}
