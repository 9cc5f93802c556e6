//! A refresh token for the next pair (RFC 6749, section 6; RFC 9700, section 4.14).

mod decide;

use std::collections::HashSet;

use api_conventions::ids::{ApplicationId, GrantId, TokenPairId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use storage::StoreError;

use self::decide::{Decided, PendingRotation, decide, used_before};
use crate::model::{Grant, RotationSeed};
use crate::policy::Policy;
use crate::rules::successor::TokenSecrets;
use crate::store::{GrantRepository, PairRotation, Rotation};

/// A refresh token that somebody wants to use. The application, if one was named, has proved that it is itself.
#[derive(Debug)]
#[non_exhaustive]
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
    /// Lifetime of the next access token in seconds; `None` for the policy's. See [`Policy::access_seconds_of`].
    pub access_seconds: Option<i64>,
    /// Fresh random bytes for the next pair.
    pub seed: RotationSeed,
    /// Now.
    pub now: Timestamp,
}

impl Refresh {
    /// A refresh token with nothing that an application may send beside it: set the fields to what was sent.
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

/// What became of a refresh token.
#[derive(Debug)]
#[non_exhaustive]
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
#[non_exhaustive]
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
    /// The first instant at which the access token no longer works.
    pub expires_at: Timestamp,
}

/// Uses a refresh token. The old access token and the old refresh token are worth nothing from the commit on
/// (`OAUTH-04`), and the old access token may have expired long before.
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
        Decided::Settled(outcome) => Ok(outcome),
        Decided::Used(family) => used_before(repos, request, *family, policy),
        Decided::Pending(pending) => {
            let PairRotation {
                refresh,
                seed,
                successor,
                now,
            } = &pending.rotation;
            let rotation = repos.rotate_pair(refresh, *seed, successor, *now)?;
            conclude(repos, request, *pending, rotation, policy)
        }
    }
}

/// Uses many refresh tokens. The outcomes are those of using them one after the other, in the order of the requests;
/// what belongs to different grants is written together.
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
    for ((place, request), family) in requests.iter().enumerate().zip(found) {
        let is_first = family
            .as_ref()
            .is_none_or(|(_, grant)| seen.insert(grant.id));
        if !is_first {
            // What comes before it changes its family.
            later.push((place, request));
            continue;
        }
        match decide(request, family, policy) {
            Decided::Settled(outcome) => outcomes.push((place, outcome)),
            Decided::Used(family) => {
                outcomes.push((place, used_before(repos, request, *family, policy)?));
            }
            Decided::Pending(each) => pending.push((place, request, each)),
        }
    }
    let rotations: Vec<PairRotation> = pending
        .iter()
        .map(|(.., pending)| pending.rotation.clone())
        .collect();
    let rotated = repos.rotate_pairs(&rotations)?;
    for ((place, request, pending), rotation) in pending.into_iter().zip(rotated) {
        outcomes.push((place, conclude(repos, request, *pending, rotation, policy)?));
    }
    for (place, request) in later {
        outcomes.push((place, refresh(repos, request, policy)?));
    }
    outcomes.sort_by_key(|(place, _)| *place);
    Ok(outcomes.into_iter().map(|(_, outcome)| outcome).collect())
}

/// What became of a refresh token that was pending.
fn conclude<R: GrantRepository + ?Sized>(
    repos: &mut R,
    request: &Refresh,
    pending: PendingRotation,
    rotation: Rotation,
    policy: &Policy,
) -> Result<RefreshOutcome, StoreError> {
    match rotation {
        Rotation::Rotated(_) => Ok(RefreshOutcome::Refreshed(Box::new(pending.refreshed()))),
        // Somebody else was first at this very time.
        Rotation::NotCurrent(pair) => used_before(repos, request, (*pair, pending.grant), policy),
        Rotation::Unknown => Ok(RefreshOutcome::Refused),
    }
}
