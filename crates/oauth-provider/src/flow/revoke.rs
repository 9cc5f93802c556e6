//! Token revocation for an application (RFC 7009).

use api_conventions::ids::{ApplicationId, GrantId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::ClientType;
use crate::store::{ApplicationQueries, GrantRepository};

/// Outcome of a revocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RevokeOutcome {
    /// The token no longer works, nor does anything else of this grant. Written if it worked before.
    Revoked(GrantId),
    /// The token does not exist, which counts as success (RFC 7009, section 2.2). Nothing is written.
    Unknown,
    /// The token belongs to another application. Nothing is written.
    OtherApplication,
}

/// Revokes a token, given as the digest of an access or refresh token (no type hint is needed), and the grant to which
/// it belongs.
///
/// `caller` is the authenticated application. A token of a public application, which cannot authenticate, is revoked
/// for anyone who holds it; so is one without an application.
///
/// # Errors
/// Failures of the store.
pub fn revoke<R: GrantRepository + ApplicationQueries + ?Sized>(
    repos: &mut R,
    token: &SecretDigest,
    caller: Option<ApplicationId>,
    now: Timestamp,
) -> Result<RevokeOutcome, StoreError> {
    let by_access = repos.find_pair_by_access(token)?;
    let found = match by_access {
        Some(pair) => Some(pair),
        None => repos.find_pair_by_refresh(token)?,
    };
    let Some(pair) = found else {
        return Ok(RevokeOutcome::Unknown);
    };
    let is_own = match (pair.subject.application_id(), caller) {
        (Some(owner), Some(caller)) => owner == caller,
        (Some(owner), None) => {
            let owner = repos.find_application(owner)?;
            owner.is_some_and(|owner| owner.client_type == ClientType::Public)
        }
        (None, _) => true,
    };
    if !is_own {
        return Ok(RevokeOutcome::OtherApplication);
    }
    repos.revoke_grant(pair.grant_id, now)?;
    Ok(RevokeOutcome::Revoked(pair.grant_id))
}
