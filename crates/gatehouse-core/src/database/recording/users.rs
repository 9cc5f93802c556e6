//! Users, tokens, credentials and sessions.

use accounts::password::PasswordHash;
use accounts::{
    AccountRepositoryWrapper, CredentialRepositoryWrapper, RevocationSubject,
    SessionRepositoryWrapper, UpdateUser, UserChange, UserDeletion, UserState,
};
use api_conventions::ids::{SessionId, TokenId, UserId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::{RevocationRecorder, if_done};

impl AccountRepositoryWrapper for RevocationRecorder<'_> {
    /// Cached data of the user is out of date, and an administrator may have become an ordinary user.
    fn update_user(&mut self, id: UserId, change: &UserChange) -> Result<UpdateUser, StoreError> {
        let outcome = self.tx.update_user(id, change)?;
        let is_done = matches!(outcome, UpdateUser::Updated(_));
        self.record(if_done(is_done, RevocationSubject::User(id)));
        Ok(outcome)
    }

    fn revoke_token(&mut self, id: TokenId, at: Timestamp) -> Result<bool, StoreError> {
        let done = self.tx.revoke_token(id, at)?;
        self.record(if_done(done, RevocationSubject::Token(id)));
        Ok(done)
    }

    fn start_user_deletion(
        &mut self,
        deletion: UserDeletion,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let done = self.tx.start_user_deletion(deletion, now)?;
        self.record(if_done(done, RevocationSubject::User(deletion.user_id)));
        Ok(done)
    }

    /// Includes everything that was revoked so far, so that raising the epoch once is enough.
    fn raise_auth_epoch(&mut self, revoked: &[RevocationSubject]) -> Result<i64, StoreError> {
        let mut all = std::mem::take(&mut self.everywhere);
        all.extend(revoked);
        self.here.extend(&all);
        let all: Vec<RevocationSubject> = all.into_iter().collect();
        self.tx.raise_auth_epoch(&all)
    }
}

impl CredentialRepositoryWrapper for RevocationRecorder<'_> {
    fn set_password(
        &mut self,
        id: UserId,
        password: &PasswordHash,
        replaced: Option<&PasswordHash>,
    ) -> Result<bool, StoreError> {
        let done = self.tx.set_password(id, password, replaced)?;
        self.record(if_done(done, RevocationSubject::User(id)));
        Ok(done)
    }

    fn set_user_state(&mut self, id: UserId, state: UserState) -> Result<bool, StoreError> {
        let done = self.tx.set_user_state(id, state)?;
        self.record(if_done(done, RevocationSubject::User(id)));
        Ok(done)
    }

    fn put_second_factor(
        &mut self,
        id: UserId,
        sealed: &[u8],
        last_step: i64,
        codes: &[SecretDigest],
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let done = self
            .tx
            .put_second_factor(id, sealed, last_step, codes, now)?;
        self.record(if_done(done, RevocationSubject::User(id)));
        Ok(done)
    }

    fn delete_second_factor(&mut self, id: UserId) -> Result<bool, StoreError> {
        let done = self.tx.delete_second_factor(id)?;
        self.record(if_done(done, RevocationSubject::User(id)));
        Ok(done)
    }
}

impl SessionRepositoryWrapper for RevocationRecorder<'_> {
    fn renew_session(
        &mut self,
        id: SessionId,
        digest: &SecretDigest,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let done = self.tx.renew_session(id, digest, now)?;
        self.record(if_done(done, RevocationSubject::Session(id)));
        Ok(done)
    }

    fn delete_session(&mut self, id: SessionId) -> Result<bool, StoreError> {
        let done = self.tx.delete_session(id)?;
        self.record(if_done(done, RevocationSubject::Session(id)));
        Ok(done)
    }

    fn delete_sessions_of(
        &mut self,
        user: UserId,
        except: Option<SessionId>,
    ) -> Result<usize, StoreError> {
        let count = self.tx.delete_sessions_of(user, except)?;
        self.record(if_done(count > 0, RevocationSubject::User(user)));
        Ok(count)
    }
}
