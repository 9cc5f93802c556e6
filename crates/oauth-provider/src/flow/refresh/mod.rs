//! Use of a refresh token for the next pair (RFC 6749, section 6; RFC 9700, section 4.14).

mod decide;

use std::collections::HashSet;

use api_conventions::ids::{ApplicationId, GrantId, TokenPairId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use storage::StoreError;

use self::decide::{PendingRotation, RefreshDecision, decide, used_before};
use crate::model::{Grant, RotationSeed};
use crate::policy::Policy;
use crate::rules::successor::TokenSecrets;
use crate::store::{GrantRepository, PairRotation, Rotation};

/// Request to use a refresh token. The application, if one was named, is authenticated.
#[derive(Debug)]
#[non_exhaustive]
pub struct Refresh {
    /// Application that presents the token.
    pub application_id: Option<ApplicationId>,
    /// The refresh token.
    pub presented: PlainSecret,
    /// Scopes that the application may hold now, possibly fewer than when the grant was given.
    pub allowed: ScopeSet,
    /// Scopes of the next access token; all permitted ones when absent.
    pub scopes: Option<ScopeSet>,
    /// Redirect URI to which the application says the code was sent; checked if present (`OAUTH-03`), which is rare.
    pub redirect_uri: Option<String>,
    /// PKCE code verifier; checked if present.
    pub code_verifier: Option<String>,
    /// Lifetime of the next access token in seconds; `None` for the policy's default. See
    /// [`Policy::access_seconds_of`].
    pub access_seconds: Option<i64>,
    /// Timestamp and fresh random bytes for the next pair.
    pub seed: RotationSeed,
    /// Current time.
    pub now: Timestamp,
}

impl Refresh {
    /// Creates a request without the optional parameters: set these fields to what the application sent.
    pub fn new(
        application_id: Option<ApplicationId>,
        allowed: ScopeSet,
        presented: PlainSecret,
        seed: RotationSeed,
        now: Timestamp,
    ) -> Self {
        Self {
            application_id,
            presented,
            allowed,
            scopes: None,
            redirect_uri: None,
            code_verifier: None,
            access_seconds: None,
            seed,
            now,
        }
    }
}

/// Outcome of using a refresh token.
#[derive(Debug)]
#[non_exhaustive]
pub enum RefreshOutcome {
    /// The next pair is issued. Written the first time; if the same refresh token is presented again soon after,
    /// nothing is written and the same pair is returned again.
    Refreshed(Box<RefreshedPair>),
    /// The token is unknown, expired, revoked or another application's, or the redirect URI or the verifier is wrong.
    /// Nothing is written.
    Refused,
    /// The requested scopes exceed those that were granted and that the application may hold, or none is left. Nothing
    /// is written.
    ScopeTooLarge,
    /// The token was used before. Written: the grant is revoked, because one of its two users stole the token.
    Reused(GrantId),
}

/// The pair that succeeds a refresh token.
#[derive(Debug)]
#[non_exhaustive]
pub struct RefreshedPair {
    /// Grant to which the pair belongs.
    pub grant: Grant,
    /// Pair that no longer works.
    pub replaced: TokenPairId,
    /// Access and refresh token.
    pub secrets: TokenSecrets,
    /// Scopes of the tokens.
    pub scopes: ScopeSet,
    /// Time of issue.
    pub created_at: Timestamp,
    /// The first instant at which the access token no longer works.
    pub expires_at: Timestamp,
}

/// Uses a refresh token. The old access token and the old refresh token are invalid from the commit on (`OAUTH-04`).
/// The old access token may have expired long before.
///
/// # Errors
/// Failures of the store.
pub fn refresh<R: GrantRepository + ?Sized>(
    repos: &mut R,
    request: &Refresh,
    policy: &Policy,
) -> Result<RefreshOutcome, StoreError> {
    let found = repos.lock_families(&[request.presented.digest()])?;
    let family = found.into_iter().next().flatten();
    match decide(request, family, policy) {
        RefreshDecision::Final(outcome) => Ok(outcome),
        RefreshDecision::Used(family) => used_before(repos, request, *family, policy),
        RefreshDecision::Pending(pending) => {
            let PairRotation {
                refresh,
                seed,
                successor,
                now,
            } = &pending.rotation;
            let rotation = repos.rotate_pair(refresh, *seed, successor, *now)?;
            finish(repos, request, *pending, rotation, policy)
        }
    }
}

/// Uses many refresh tokens. The outcomes are those of using them one after the other, in the order of the requests;
/// writes for different grants are batched.
///
/// # Errors
/// Failures of the store.
pub fn refresh_all<R: GrantRepository + ?Sized>(
    repos: &mut R,
    requests: &[&Refresh],
    policy: &Policy,
) -> Result<Vec<RefreshOutcome>, StoreError> {
    let digests: Vec<_> = requests
        .iter()
        .map(|request| request.presented.digest())
        .collect();
    let found = repos.lock_families(&digests)?;
    let mut outcomes = Vec::with_capacity(requests.len());
    let (mut pending, mut later) = (Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    for ((index, request), family) in requests.iter().enumerate().zip(found) {
        let is_first = family
            .as_ref()
            .is_none_or(|(_, grant)| seen.insert(grant.id));
        if !is_first {
            // An earlier request changes the family of this one.
            later.push((index, request));
            continue;
        }
        match decide(request, family, policy) {
            RefreshDecision::Final(outcome) => outcomes.push((index, outcome)),
            RefreshDecision::Used(family) => {
                outcomes.push((index, used_before(repos, request, *family, policy)?));
            }
            RefreshDecision::Pending(each) => pending.push((index, request, each)),
        }
    }
    let rotations: Vec<PairRotation> = pending
        .iter()
        .map(|(.., pending)| pending.rotation.clone())
        .collect();
    let rotated = repos.rotate_pairs(&rotations)?;
    for ((index, request, pending), rotation) in pending.into_iter().zip(rotated) {
        outcomes.push((index, finish(repos, request, *pending, rotation, policy)?));
    }
    for (index, request) in later {
        outcomes.push((index, refresh(repos, request, policy)?));
    }
    outcomes.sort_by_key(|(index, _)| *index);
    Ok(outcomes.into_iter().map(|(_, outcome)| outcome).collect())
}

/// Returns the outcome of a pending rotation.
fn finish<R: GrantRepository + ?Sized>(
    repos: &mut R,
    request: &Refresh,
    pending: PendingRotation,
    rotation: Rotation,
    policy: &Policy,
) -> Result<RefreshOutcome, StoreError> {
    match rotation {
        Rotation::Rotated(_) => Ok(RefreshOutcome::Refreshed(Box::new(pending.refreshed()))),
        // A concurrent request used the token first.
        Rotation::NotCurrent(pair) => used_before(repos, request, (*pair, pending.grant), policy),
        Rotation::Unknown => Ok(RefreshOutcome::Refused),
    }
}
