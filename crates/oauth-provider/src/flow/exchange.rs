//! A code for tokens (RFC 6749, section 4.1.3).

use std::collections::HashSet;

use api_conventions::ids::{ApplicationId, GrantId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{Grant, GrantState, NewTokenPair};
use crate::policy::Policy;
use crate::store::{CodeRedemption, GrantRepository, Redemption};

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
    let found = repos.lock_grants_by_code(&[wish.code])?;
    match judge(wish, found.into_iter().next().flatten(), policy) {
        Judged::Settled(outcome) => Ok(outcome),
        Judged::Replayed(grant) => replayed(repos, grant, wish.now),
        Judged::Due(due) => {
            let CodeRedemption { code, pair, now } = &due.redemption;
            let redemption = repos.redeem_code(code, pair, *now)?;
            conclude(repos, wish, *due, redemption)
        }
    }
}

/// Redeems many codes. The outcomes are those of redeeming them one after the other, in the order of the wishes; what
/// belongs to different codes is written together.
///
/// # Errors
/// Failures of the store.
pub fn exchange_all<R: GrantRepository + ?Sized>(
    repos: &mut R,
    wishes: &[&Exchange],
    policy: &Policy,
) -> Result<Vec<ExchangeOutcome>, StoreError> {
    let codes: Vec<SecretDigest> = wishes.iter().map(|wish| wish.code).collect();
    let found = repos.lock_grants_by_code(&codes)?;
    let mut outcomes = Vec::with_capacity(wishes.len());
    let (mut due, mut later) = (Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    for ((place, wish), grant) in wishes.iter().enumerate().zip(found) {
        if !seen.insert(wish.code) {
            // What comes before it changes its grant.
            later.push((place, wish));
            continue;
        }
        match judge(wish, grant, policy) {
            Judged::Settled(outcome) => outcomes.push((place, outcome)),
            Judged::Replayed(grant) => outcomes.push((place, replayed(repos, grant, wish.now)?)),
            Judged::Due(each) => due.push((place, wish, each)),
        }
    }
    let redemptions: Vec<CodeRedemption> =
        due.iter().map(|(.., due)| due.redemption.clone()).collect();
    let redeemed = repos.redeem_codes(&redemptions)?;
    for ((place, wish, due), redemption) in due.into_iter().zip(redeemed) {
        outcomes.push((place, conclude(repos, wish, *due, redemption)?));
    }
    for (place, wish) in later {
        outcomes.push((place, exchange(repos, wish, policy)?));
    }
    outcomes.sort_by_key(|(place, _)| *place);
    Ok(outcomes.into_iter().map(|(_, outcome)| outcome).collect())
}

/// What is to be done with a code.
enum Judged {
    /// Nothing more.
    Settled(ExchangeOutcome),
    /// It was redeemed before, by the same application.
    Replayed(GrantId),
    /// It is to be redeemed.
    Due(Box<Due>),
}

/// A code to be redeemed.
struct Due {
    grant: Grant,
    redemption: CodeRedemption,
}

fn judge(wish: &Exchange, grant: Option<Grant>, policy: &Policy) -> Judged {
    let Some(grant) = grant.filter(|grant| is_met(grant, wish)) else {
        return Judged::Settled(ExchangeOutcome::Refused);
    };
    if !matches!(grant.state, GrantState::Issued) {
        return Judged::Replayed(grant.id);
    }
    let scopes = grant.scopes.intersection(wish.allowed);
    if grant.code_expires_at.is_none_or(|end| end <= wish.now) || scopes.is_empty() {
        return Judged::Settled(ExchangeOutcome::Refused);
    }
    let redemption = CodeRedemption {
        code: wish.code,
        pair: first_pair(&grant, scopes, wish, policy),
        now: wish.now,
    };
    Judged::Due(Box::new(Due { grant, redemption }))
}

/// What became of a code that was due.
fn conclude<R: GrantRepository + ?Sized>(
    repos: &mut R,
    wish: &Exchange,
    due: Due,
    redemption: Redemption,
) -> Result<ExchangeOutcome, StoreError> {
    match redemption {
        Redemption::Redeemed(_) => {
            let scopes = due.redemption.pair.scopes;
            Ok(ExchangeOutcome::Issued(Box::new(due.grant), scopes))
        }
        // Somebody else was first at this very moment.
        Redemption::AlreadyUsed(id) => replayed(repos, id, wish.now),
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
