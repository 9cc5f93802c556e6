//! Grants, and what follows from them.

use std::ops::Deref;

use api_conventions::ids::{ApplicationId, GrantId, SessionId, TokenPairId, UserId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use oauth_provider::{
    AuthorizationRequest, Family, Grant, GrantQueries, GrantRepository, GrantState, NewGrant,
    NewTokenPair, Redemption, Rotation, RotationSeed, TokenPair, TokenSubject,
};
use storage::StoreError;

use super::{Tables, is_live};
use crate::repo::conflict;
use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};

impl Tables {
    fn grant_of_code(&self, code: &SecretDigest) -> Option<&Grant> {
        let found = self.grants.find(|(its, _)| its.as_ref() == Some(code));
        found.map(|(_, grant)| grant)
    }
}

impl<S: Deref<Target = State>> GrantQueries for MemoryTx<S> {
    fn find_grant(&mut self, id: GrantId) -> Result<Option<Grant>, StoreError> {
        let found = self.0.oauth.grants.get(id);
        Ok(found.map(|(_, grant)| grant.clone()))
    }

    fn find_grant_by_code(&mut self, code: &SecretDigest) -> Result<Option<Grant>, StoreError> {
        Ok(self.0.oauth.grant_of_code(code).cloned())
    }

    fn has_consented(
        &mut self,
        user_id: UserId,
        application_id: ApplicationId,
        scopes: &ScopeSet,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        Ok(self.0.oauth.grants.has(|(_, grant)| {
            grant.subject == TokenSubject::user(user_id, application_id)
                && grant.scopes == *scopes
                && is_live(grant, now)
        }))
    }

    fn find_pair_by_access(
        &mut self,
        access: &SecretDigest,
    ) -> Result<Option<TokenPair>, StoreError> {
        let pair = self.0.oauth.pair(|row| row.access == *access);
        Ok(pair.cloned())
    }

    fn find_pair_by_refresh(
        &mut self,
        refresh: &SecretDigest,
    ) -> Result<Option<TokenPair>, StoreError> {
        let tables = &self.0.oauth;
        let pair = tables.pair(|row| row.refresh.as_ref() == Some(refresh));
        Ok(pair.cloned())
    }

    fn find_authorization_request(
        &mut self,
        handle: &SecretDigest,
    ) -> Result<Option<AuthorizationRequest>, StoreError> {
        Ok(self.0.oauth.request(handle).cloned())
    }
}

impl GrantRepository for MemoryWriteTx<'_> {
    fn insert_authorization_request(
        &mut self,
        handle: &SecretDigest,
        request: &AuthorizationRequest,
    ) -> Result<(), StoreError> {
        self.0.oauth.insert_request(handle, request)
    }

    fn take_authorization_request(
        &mut self,
        handle: &SecretDigest,
        session_id: SessionId,
        now: Timestamp,
    ) -> Result<Option<AuthorizationRequest>, StoreError> {
        Ok(self.0.oauth.take_request(handle, session_id, now))
    }

    fn insert_grant(&mut self, new: &NewGrant) -> Result<GrantId, StoreError> {
        let tables = &mut self.0.oauth;
        let code = new.code.map(|(digest, _)| digest);
        if code.is_some_and(|code| tables.grant_of_code(&code).is_some()) {
            return Err(conflict("insert a grant whose code exists"));
        }
        let redeemed = GrantState::Redeemed { at: new.created_at };
        let grant = |id| Grant {
            id,
            subject: new.subject,
            session_id: new.session_id,
            scopes: new.scopes.clone(),
            redirect_uri: new.redirect_uri.clone(),
            challenge: new.challenge.clone(),
            nonce: new.nonce.clone(),
            auth_time: new.auth_time,
            state: code.map_or(redeemed, |_| GrantState::Issued),
            created_at: new.created_at,
            code_expires_at: new.code.map(|(_, end)| end),
            expires_at: new.expires_at,
        };
        Ok(tables.grants.insert(|id| (code, grant(id))))
    }

    fn redeem_code(
        &mut self,
        code: &SecretDigest,
        pair: &NewTokenPair,
        now: Timestamp,
    ) -> Result<Redemption, StoreError> {
        let tables = &mut self.0.oauth;
        let Some(grant) = tables.grant_of_code(code) else {
            return Ok(Redemption::Unknown);
        };
        let (id, state) = (grant.id, grant.state);
        if state != GrantState::Issued {
            return Ok(Redemption::AlreadyUsed(id));
        }
        let pair_id = tables.insert_pair(pair)?;
        let redeemed = GrantState::Redeemed { at: now };
        tables
            .grants
            .update(id, |(_, grant)| grant.state = redeemed);
        Ok(Redemption::Redeemed(pair_id))
    }

    fn insert_pair(&mut self, pair: &NewTokenPair) -> Result<TokenPairId, StoreError> {
        self.0.oauth.insert_pair(pair)
    }

    fn rotate_pair(
        &mut self,
        refresh: &SecretDigest,
        seed: RotationSeed,
        successor: &NewTokenPair,
        now: Timestamp,
    ) -> Result<Rotation, StoreError> {
        self.0.oauth.rotate_pair(refresh, seed, successor, now)
    }

    /// There is one writer, so what is found stays as it is until the end.
    fn lock_grants_by_code(
        &mut self,
        codes: &[SecretDigest],
    ) -> Result<Vec<Option<Grant>>, StoreError> {
        codes
            .iter()
            .map(|code| self.find_grant_by_code(code))
            .collect()
    }

    /// There is one writer, so what is found stays as it is until the end.
    fn lock_families(
        &mut self,
        refresh: &[SecretDigest],
    ) -> Result<Vec<Option<Family>>, StoreError> {
        let find = |digest: &SecretDigest| {
            let Some(pair) = self.find_pair_by_refresh(digest)? else {
                return Ok(None);
            };
            let missing = || {
                StoreError::inconsistent("oauth_token_pairs", pair.id, "its grant does not exist")
            };
            let grant = self.find_grant(pair.grant_id)?.ok_or_else(missing)?;
            Ok(Some((pair, grant)))
        };
        refresh.iter().map(find).collect()
    }

    fn revoke_grant(&mut self, id: GrantId, now: Timestamp) -> Result<bool, StoreError> {
        Ok(self.0.oauth.end_grants(now, |grant| grant.id == id) == 1)
    }

    fn revoke_grants_of_user(
        &mut self,
        user_id: UserId,
        application_id: Option<ApplicationId>,
        now: Timestamp,
    ) -> Result<usize, StoreError> {
        Ok(self.0.oauth.end_grants(now, |grant| {
            grant.subject.is_user(user_id)
                && (application_id.is_none() || grant.subject.application_id() == application_id)
        }))
    }

    fn revoke_unredeemed(
        &mut self,
        session_id: SessionId,
        now: Timestamp,
    ) -> Result<usize, StoreError> {
        let tables = &mut self.0.oauth;
        tables.forget_requests(|request| request.session_id == session_id);
        Ok(tables.end_grants(now, |grant| {
            grant.session_id == Some(session_id) && grant.state == GrantState::Issued
        }))
    }

    fn delete_spent_grants(
        &mut self,
        before: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let tables = &mut self.0.oauth;
        let grants = tables.delete_grants(limit, |grant| grant.expires_at < before);
        Ok(grants + tables.forget_late_requests(before, limit))
    }
}
