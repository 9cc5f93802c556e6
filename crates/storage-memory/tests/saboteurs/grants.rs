//! Saboteurs of requests and grants.

use api_conventions::ids::{ApplicationId, GrantId, SessionId, UserId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use oauth_provider::{
    AuthorizationRequest, NewGrant, NewTokenPair, Redemption, TokenPair, TokenPairState,
};
use storage::StoreError;

use crate::fault_injection::{Reading, Saboteur, Writing};

pub(crate) struct ForgetsEmptyStates;

impl Saboteur for ForgetsEmptyStates {
    fn insert_authorization_request(
        &self,
        at: &mut Writing<'_>,
        handle: &SecretDigest,
        request: &AuthorizationRequest,
    ) -> Result<(), StoreError> {
        let mut request = request.clone();
        request.state = request.state.filter(|state| !state.is_empty());
        at.tx.insert_authorization_request(handle, &request)
    }
}

pub(crate) struct KeepsTheFirstRequest;

impl Saboteur for KeepsTheFirstRequest {
    fn insert_authorization_request(
        &self,
        at: &mut Writing<'_>,
        handle: &SecretDigest,
        request: &AuthorizationRequest,
    ) -> Result<(), StoreError> {
        match at.tx.find_authorization_request(handle)? {
            Some(_) => Ok(()),
            None => at.tx.insert_authorization_request(handle, request),
        }
    }
}

pub(crate) struct LooksInsteadOfTaking;

impl Saboteur for LooksInsteadOfTaking {
    fn take_authorization_request(
        &self,
        at: &mut Writing<'_>,
        handle: &SecretDigest,
        session: SessionId,
        now: Timestamp,
    ) -> Result<Option<AuthorizationRequest>, StoreError> {
        let found = at.tx.find_authorization_request(handle)?;
        Ok(found.filter(|one| one.session_id == session && now < one.expires_at))
    }
}

pub(crate) struct AnswersLate;

impl Saboteur for AnswersLate {
    fn take_authorization_request(
        &self,
        at: &mut Writing<'_>,
        handle: &SecretDigest,
        session: SessionId,
        _: Timestamp,
    ) -> Result<Option<AuthorizationRequest>, StoreError> {
        at.tx
            .take_authorization_request(handle, session, Timestamp::MIN)
    }
}

pub(crate) struct AnswersAnybody;

impl Saboteur for AnswersAnybody {
    fn take_authorization_request(
        &self,
        at: &mut Writing<'_>,
        handle: &SecretDigest,
        _: SessionId,
        now: Timestamp,
    ) -> Result<Option<AuthorizationRequest>, StoreError> {
        let Some(found) = at.tx.find_authorization_request(handle)? else {
            return Ok(None);
        };
        at.tx
            .take_authorization_request(handle, found.session_id, now)
    }
}

pub(crate) struct LosesNonces;

impl Saboteur for LosesNonces {
    fn insert_grant(&self, at: &mut Writing<'_>, new: &NewGrant) -> Result<GrantId, StoreError> {
        at.tx.insert_grant(&NewGrant {
            nonce: None,
            ..new.clone()
        })
    }
}

pub(crate) struct SharesCodes;

impl Saboteur for SharesCodes {
    fn insert_grant(&self, at: &mut Writing<'_>, new: &NewGrant) -> Result<GrantId, StoreError> {
        if let Some((code, _)) = new.code
            && let Some(other) = at.tx.find_grant_by_code(&code)?
        {
            return Ok(other.id);
        }
        at.tx.insert_grant(new)
    }
}

/// Redeems a code whatever became of it.
fn redeem_again(
    at: &mut Writing<'_>,
    code: &SecretDigest,
    pair: &NewTokenPair,
    now: Timestamp,
) -> Result<Redemption, StoreError> {
    match at.tx.redeem_code(code, pair, now)? {
        Redemption::AlreadyUsed(_) => at.tx.insert_pair(pair).map(Redemption::Redeemed),
        outcome => Ok(outcome),
    }
}

pub(crate) struct RedeemsAgain;

impl Saboteur for RedeemsAgain {
    fn redeem_code(
        &self,
        at: &mut Writing<'_>,
        code: &SecretDigest,
        pair: &NewTokenPair,
        now: Timestamp,
    ) -> Result<Redemption, StoreError> {
        redeem_again(at, code, pair, now)
    }
}

/// A pair whose grant has ended, as if that had nothing to do with it.
fn still_current(mut pair: TokenPair) -> TokenPair {
    if matches!(pair.state, TokenPairState::Revoked { .. }) {
        pair.state = TokenPairState::Current;
    }
    pair
}

pub(crate) struct LeavesTokens;

impl Saboteur for LeavesTokens {
    fn find_pair_by_access(
        &self,
        at: &mut Reading<'_>,
        access: &SecretDigest,
    ) -> Result<Option<TokenPair>, StoreError> {
        let found = at.tx.find_pair_by_access(access)?;
        Ok(found.map(still_current))
    }

    fn find_pair_by_refresh(
        &self,
        at: &mut Reading<'_>,
        refresh: &SecretDigest,
    ) -> Result<Option<TokenPair>, StoreError> {
        let found = at.tx.find_pair_by_refresh(refresh)?;
        Ok(found.map(still_current))
    }

    fn redeem_code(
        &self,
        at: &mut Writing<'_>,
        code: &SecretDigest,
        pair: &NewTokenPair,
        now: Timestamp,
    ) -> Result<Redemption, StoreError> {
        redeem_again(at, code, pair, now)
    }
}

pub(crate) struct EndsAgain;

impl Saboteur for EndsAgain {
    fn revoke_grant(
        &self,
        at: &mut Writing<'_>,
        id: GrantId,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        at.tx.revoke_grant(id, now).map(|_| true)
    }
}

pub(crate) struct EndsAllOfTheUser;

impl Saboteur for EndsAllOfTheUser {
    fn revoke_grant(
        &self,
        at: &mut Writing<'_>,
        id: GrantId,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let ended = at.tx.revoke_grant(id, now)?;
        if let Some(grant) = at.tx.find_grant(id)? {
            at.tx.revoke_grants_of_user(grant.user_id, None, now)?;
        }
        Ok(ended)
    }
}

pub(crate) struct MindsNoApplication;

impl Saboteur for MindsNoApplication {
    fn revoke_grants_of_user(
        &self,
        at: &mut Writing<'_>,
        user: UserId,
        _: Option<ApplicationId>,
        now: Timestamp,
    ) -> Result<usize, StoreError> {
        at.tx.revoke_grants_of_user(user, None, now)
    }
}

pub(crate) struct EndsTheRedeemedToo;

impl Saboteur for EndsTheRedeemedToo {
    fn revoke_unredeemed(
        &self,
        at: &mut Writing<'_>,
        session: SessionId,
        now: Timestamp,
    ) -> Result<usize, StoreError> {
        let ended = at.tx.revoke_unredeemed(session, now)?;
        for id in (1..50).map(GrantId::new) {
            let grant = at.tx.find_grant(id)?;
            if grant.is_some_and(|grant| grant.session_id == Some(session)) {
                at.tx.revoke_grant(id, now)?;
            }
        }
        Ok(ended)
    }
}

pub(crate) struct KnowsNoLimit;

impl Saboteur for KnowsNoLimit {
    fn delete_spent_grants(
        &self,
        at: &mut Writing<'_>,
        before: Timestamp,
        _: usize,
    ) -> Result<usize, StoreError> {
        at.tx.delete_spent_grants(before, usize::MAX)
    }
}

pub(crate) struct DeletesEarly;

impl Saboteur for DeletesEarly {
    fn delete_spent_grants(
        &self,
        at: &mut Writing<'_>,
        before: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError> {
        at.tx.delete_spent_grants(before.plus_seconds(1), limit)
    }
}
