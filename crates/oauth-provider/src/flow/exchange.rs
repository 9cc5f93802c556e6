//! Exchange of a code for tokens (RFC 6749, section 4.1.3).

use std::collections::HashSet;

use api_conventions::ids::{ApplicationId, GrantId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{Grant, GrantState, NewTokenPair};
use crate::policy::Policy;
use crate::store::{CodeRedemption, GrantRepository, Redemption};

/// Request of an authenticated application to redeem a code.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Exchange {
    /// Application that redeems the code.
    pub application_id: ApplicationId,
    /// Scopes that the application may hold now, possibly fewer than when the grant was given.
    pub allowed: ScopeSet,
    /// Digest of the code.
    pub code: SecretDigest,
    /// Redirect URI to which the application says the code was sent.
    pub redirect_uri: String,
    /// PKCE code verifier.
    pub code_verifier: Option<String>,
    /// Digest of the access token to issue.
    pub access: SecretDigest,
    /// Digest of the refresh token to issue.
    pub refresh: SecretDigest,
    /// Lifetime of the access token in seconds; `None` for the policy's default. See [`Policy::access_seconds_of`].
    pub access_seconds: Option<i64>,
    /// Current time.
    pub now: Timestamp,
}

impl Exchange {
    /// Creates a request to redeem a code for an access and a refresh token with the digests `tokens`, in this order.
    /// Redirect URI and verifier are not set: set the two fields to what the application sent. Without the redirect URI
    /// the request is refused.
    pub fn new(
        application_id: ApplicationId,
        allowed: ScopeSet,
        code: SecretDigest,
        tokens: [SecretDigest; 2],
        now: Timestamp,
    ) -> Self {
        let [access, refresh] = tokens;
        Self {
            application_id,
            allowed,
            code,
            redirect_uri: String::new(),
            code_verifier: None,
            access,
            refresh,
            access_seconds: None,
            now,
        }
    }
}

/// Outcome of redeeming a code.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExchangeOutcome {
    /// The tokens are issued, with these scopes. Written: the code is spent.
    Issued(Box<Grant>, ScopeSet),
    /// The code is unknown, expired or another application's, the redirect URI or the verifier is wrong, or the
    /// application may hold none of the scopes any more. Nothing is written, so a stranger's attempt does not spend the
    /// code.
    Refused,
    /// The application redeemed the code before. Written: the grant is revoked with all its tokens (RFC 6749, section
    /// 4.1.2).
    Replayed(GrantId),
}

/// Redeems a code.
///
/// # Errors
/// Failures of the store.
pub fn exchange<R: GrantRepository + ?Sized>(
    repos: &mut R,
    request: &Exchange,
    policy: &Policy,
) -> Result<ExchangeOutcome, StoreError> {
    let found = repos.lock_grants_by_code(&[request.code])?;
    match decide(request, found.into_iter().next().flatten(), policy) {
        CodeDecision::Final(outcome) => Ok(outcome),
        CodeDecision::Replayed(grant) => replayed(repos, grant, request.now),
        CodeDecision::Pending(pending) => {
            let CodeRedemption { code, pair, now } = &pending.redemption;
            let redemption = repos.redeem_code(code, pair, *now)?;
            finish(repos, request, *pending, redemption)
        }
    }
}

/// Redeems many codes. The outcomes are those of redeeming them one after the other, in the order of the requests;
/// writes for different codes are batched.
///
/// # Errors
/// Failures of the store.
pub fn exchange_all<R: GrantRepository + ?Sized>(
    repos: &mut R,
    requests: &[&Exchange],
    policy: &Policy,
) -> Result<Vec<ExchangeOutcome>, StoreError> {
    let codes: Vec<SecretDigest> = requests.iter().map(|request| request.code).collect();
    let found = repos.lock_grants_by_code(&codes)?;
    let mut outcomes = Vec::with_capacity(requests.len());
    let (mut pending, mut later) = (Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    for ((index, request), grant) in requests.iter().enumerate().zip(found) {
        if !seen.insert(request.code) {
            // An earlier request changes the grant of this one.
            later.push((index, request));
            continue;
        }
        match decide(request, grant, policy) {
            CodeDecision::Final(outcome) => outcomes.push((index, outcome)),
            CodeDecision::Replayed(grant) => {
                outcomes.push((index, replayed(repos, grant, request.now)?));
            }
            CodeDecision::Pending(each) => pending.push((index, request, each)),
        }
    }
    let redemptions: Vec<CodeRedemption> = pending
        .iter()
        .map(|(.., pending)| pending.redemption.clone())
        .collect();
    let redeemed = repos.redeem_codes(&redemptions)?;
    for ((index, request, pending), redemption) in pending.into_iter().zip(redeemed) {
        outcomes.push((index, finish(repos, request, *pending, redemption)?));
    }
    for (index, request) in later {
        outcomes.push((index, exchange(repos, request, policy)?));
    }
    outcomes.sort_by_key(|(index, _)| *index);
    Ok(outcomes.into_iter().map(|(_, outcome)| outcome).collect())
}

/// Decision about a code.
enum CodeDecision {
    /// The outcome is final.
    Final(ExchangeOutcome),
    /// The same application redeemed the code before.
    Replayed(GrantId),
    /// The code is valid and must be redeemed.
    Pending(Box<PendingRedemption>),
}

/// A code to redeem.
struct PendingRedemption {
    grant: Grant,
    redemption: CodeRedemption,
}

fn decide(request: &Exchange, grant: Option<Grant>, policy: &Policy) -> CodeDecision {
    let Some(grant) = grant.filter(|grant| is_met(grant, request)) else {
        return CodeDecision::Final(ExchangeOutcome::Refused);
    };
    if !matches!(grant.state, GrantState::Issued) {
        return CodeDecision::Replayed(grant.id);
    }
    // Scopes that the host has since removed from its registry are no longer issued.
    let allowed = policy.scopes.registered_in(&request.allowed);
    let scopes = grant.scopes.intersection(&allowed);
    if grant.code_expires_at.is_none_or(|end| end <= request.now) || scopes.is_empty() {
        return CodeDecision::Final(ExchangeOutcome::Refused);
    }
    let redemption = CodeRedemption {
        code: request.code,
        pair: first_pair(&grant, scopes, request, policy),
        now: request.now,
    };
    CodeDecision::Pending(Box::new(PendingRedemption { grant, redemption }))
}

/// Returns the outcome of a pending redemption.
fn finish<R: GrantRepository + ?Sized>(
    repos: &mut R,
    request: &Exchange,
    pending: PendingRedemption,
    redemption: Redemption,
) -> Result<ExchangeOutcome, StoreError> {
    match redemption {
        Redemption::Redeemed(_) => {
            let scopes = pending.redemption.pair.scopes;
            Ok(ExchangeOutcome::Issued(Box::new(pending.grant), scopes))
        }
        // A concurrent request redeemed the code first.
        Redemption::AlreadyUsed(id) => replayed(repos, id, request.now),
        Redemption::Unknown => Ok(ExchangeOutcome::Refused),
    }
}

fn replayed<R: GrantRepository + ?Sized>(
    repos: &mut R,
    grant: GrantId,
    now: Timestamp,
) -> Result<ExchangeOutcome, StoreError> {
    repos.revoke_grant(grant, now)?;
    Ok(ExchangeOutcome::Replayed(grant))
}

/// True if the redeemer is the client to which the code was issued. A verifier without a challenge is refused like a
/// challenge without a verifier: otherwise a stolen code could be used in a flow without PKCE (RFC 9700, section
/// 4.8.2).
fn is_met(grant: &Grant, request: &Exchange) -> bool {
    let proven = match (&grant.challenge, &request.code_verifier) {
        (None, None) => true,
        (Some(challenge), Some(verifier)) => challenge.is_met_by(verifier),
        (None, Some(_)) | (Some(_), None) => false,
    };
    proven
        && grant.subject.application_id() == Some(request.application_id)
        && grant.redirect_uri.as_ref() == Some(&request.redirect_uri)
}

fn first_pair(
    grant: &Grant,
    scopes: ScopeSet,
    request: &Exchange,
    policy: &Policy,
) -> NewTokenPair {
    let idle_end = request.now.plus_seconds(policy.refresh_idle_seconds);
    let access_seconds = request.access_seconds.unwrap_or(policy.access_seconds);
    NewTokenPair {
        access: request.access,
        refresh: Some((request.refresh, idle_end.min(grant.expires_at))),
        grant_id: grant.id,
        subject: grant.subject,
        scopes,
        created_at: request.now,
        expires_at: request.now.plus_seconds(access_seconds),
    }
}
