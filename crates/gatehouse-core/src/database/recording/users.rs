//! Users, tokens, credentials, sessions and the audit log.

use accounts::password::PasswordHash;
use accounts::{
    AccessToken, AccountQueries, AccountRepository, AuditEntity, AuditEntry, AuditQueries,
    AuditRepository, CredentialQueries, CredentialRepository, Credentials, Failures, InsertUser,
    NewAuditEntry, NewSession, NewToken, NewUser, Revocation, Revoked, Session, SessionQueries,
    SessionRepository, UpdateUser, User, UserActivity, UserChange, UserFilter, UserKind, UserState,
};
use api_conventions::ids::{AuditEntryId, SessionId, TokenId, UserId};
use api_conventions::page::{KeysetPage, OffsetPage, Page, Stretch};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

#[cfg(test)]
use super::Looking;
use super::{Recording, ends_of, if_done, nothing, recorded};

impl AccountRepository for Recording<'_> {
    fn insert_user(&mut self, user: &NewUser) -> Result<InsertUser, StoreError> {
        self.tx.insert_user(user)
    }

    /// What is remembered of the user is out of date, and an administrator may have become an ordinary user.
    fn update_user(&mut self, id: UserId, change: &UserChange) -> Result<UpdateUser, StoreError> {
        let outcome = self.tx.update_user(id, change)?;
        let is_done = matches!(outcome, UpdateUser::Updated(_));
        self.record(if_done(is_done, Revoked::User(id)));
        Ok(outcome)
    }

    fn insert_token(&mut self, token: &NewToken) -> Result<TokenId, StoreError> {
        self.tx.insert_token(token)
    }

    fn revoke_token(&mut self, id: TokenId, at: Timestamp) -> Result<bool, StoreError> {
        let done = self.tx.revoke_token(id, at)?;
        self.record(if_done(done, Revoked::Token(id)));
        Ok(done)
    }

    fn touch_tokens(&mut self, used: &[(TokenId, Timestamp)]) -> Result<(), StoreError> {
        self.tx.touch_tokens(used)
    }

    /// Raises it for what was taken away until now, too, so that once is enough.
    fn raise_auth_epoch(&mut self, revoked: &[Revoked]) -> Result<i64, StoreError> {
        let mut all = std::mem::take(&mut self.everywhere);
        all.extend(revoked);
        self.here.extend(&all);
        let all: Vec<Revoked> = all.into_iter().collect();
        self.tx.raise_auth_epoch(&all)
    }

    fn forget_revocations_through(&mut self, epoch: i64) -> Result<usize, StoreError> {
        self.tx.forget_revocations_through(epoch)
    }
}

recorded! {
    queries AccountQueries {
        fn find_user(id: UserId) -> Option<User>;
        fn find_user_by_username(username: &str) -> Option<User>;
        fn list_users_by_id(ids: &[UserId]) -> Vec<User>;
        fn list_users_by_username(usernames: &[&str]) -> Vec<User>;
        fn list_users(filter: &UserFilter, page: OffsetPage) -> Page<User>;
        fn find_bot(kind: UserKind) -> Option<User>;
        fn find_token_by_digest(digest: &SecretDigest) -> Option<AccessToken>;
        fn list_token_names(ids: &[TokenId]) -> Vec<(TokenId, String)>;
        fn auth_epoch() -> i64;
        fn list_revocations_after(epoch: i64, limit: usize) -> Vec<Revocation>;
    }
    queries CredentialQueries {
        fn find_credentials(login: &str) -> Option<Credentials>;
        fn find_credentials_of(id: UserId) -> Option<Credentials>;
        fn find_failures(key: &SecretDigest) -> Option<Failures>;
    }
    queries SessionQueries {
        fn find_session(digest: &SecretDigest) -> Option<Session>;
        fn list_sessions(user: UserId) -> Vec<Session>;
        fn list_user_activity(ids: &[UserId]) -> Vec<(UserId, UserActivity)>;
    }
    queries AuditQueries {
        fn list_audit_entries(
            entity: AuditEntity, last: Option<AuditEntryId>, page: KeysetPage
        ) -> Stretch<AuditEntry>;
    }
    changes CredentialRepository {
        fn lock_user(id: UserId) -> bool, ends nothing;
        fn set_password(id: UserId, password: &PasswordHash) -> bool,
            ends |done| if_done(*done, Revoked::User(id));
        fn set_user_state(id: UserId, state: UserState) -> bool,
            ends |done| if_done(*done, Revoked::User(id));
        fn put_second_factor(
            id: UserId, sealed: &[u8], last_step: i64, codes: &[SecretDigest], now: Timestamp,
        ) -> bool, ends |done| if_done(*done, Revoked::User(id));
        fn delete_second_factor(id: UserId) -> bool,
            ends |done| if_done(*done, Revoked::User(id));
        fn take_time_step(id: UserId, step: i64) -> bool, ends nothing;
        fn take_recovery_code(id: UserId, code: &SecretDigest) -> bool, ends nothing;
        fn replace_recovery_codes(id: UserId, codes: &[SecretDigest]) -> bool, ends nothing;
        fn count_failure(key: &SecretDigest, window: i64, now: Timestamp) -> Failures, ends nothing;
        fn forget_failures(key: &SecretDigest) -> (), ends nothing;
        fn delete_old_failures(before: Timestamp) -> usize, ends nothing;
    }
    changes SessionRepository {
        fn insert_session(session: &NewSession) -> SessionId, ends nothing;
        fn note_sign_in(user: UserId, at: Timestamp) -> bool, ends nothing;
        fn renew_session(id: SessionId, digest: &SecretDigest, now: Timestamp) -> bool,
            ends |done| if_done(*done, Revoked::Session(id));
        fn lock_session(id: SessionId) -> bool, ends nothing;
        fn touch_sessions(used: &[(SessionId, Timestamp)]) -> (), ends nothing;
        fn delete_session(id: SessionId) -> bool,
            ends |done| if_done(*done, Revoked::Session(id));
        fn delete_sessions_of(user: UserId, except: Option<SessionId>) -> usize,
            ends |count| if_done(*count > 0, Revoked::User(user));
        fn delete_ended_sessions(before: Timestamp, unused_since: Timestamp, limit: usize) -> usize,
            ends nothing;
    }
    changes AuditRepository {
        fn insert_audit_entries(entries: &[NewAuditEntry]) -> (), ends nothing;
    }
}
