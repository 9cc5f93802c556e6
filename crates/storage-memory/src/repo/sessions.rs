//! Sessions.

use std::ops::Deref;

use accounts::{
    NewSession, Session, SessionQueries, SessionRepository, SessionStage, UserActivity,
};
use api_conventions::ids::{SessionId, UserId};
use api_conventions::page::SortOrder;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::conflict;
use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};
use crate::table::Table;

/// The table of sessions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tables {
    sessions: Table<SessionId, (SecretDigest, Session)>,
}

impl Tables {
    fn has_digest(&self, digest: &SecretDigest) -> bool {
        self.sessions.has(|(other, _)| other == digest)
    }
}

impl<S: Deref<Target = State>> SessionQueries for MemoryTx<S> {
    fn find_session(&mut self, digest: &SecretDigest) -> Result<Option<Session>, StoreError> {
        let found = self.0.sessions.sessions.find(|(its, _)| its == digest);
        Ok(found.map(|(_, session)| session.clone()))
    }

    fn list_sessions(&mut self, user_id: UserId) -> Result<Vec<Session>, StoreError> {
        let its = self.0.sessions.sessions.list(
            |(_, session)| session.user_id == user_id,
            |(_, session)| session.last_seen_at,
            SortOrder::Descending,
        );
        Ok(its
            .into_iter()
            .map(|(_, session)| session.clone())
            .collect())
    }

    fn list_user_activity(
        &mut self,
        ids: &[UserId],
    ) -> Result<Vec<(UserId, UserActivity)>, StoreError> {
        let accounts = &self.0.accounts;
        let known = accounts.users.rows().map(|user| user.id);
        let activity = |id: UserId| {
            let mut activity = accounts.sign_ins.get(&id).copied().unwrap_or_default();
            let tokens = accounts.tokens.rows();
            let tokens = tokens.filter(|(_, token)| token.user_id == id);
            let sessions = self.0.sessions.sessions.rows().filter(|(_, session)| {
                session.user_id == id && session.stage == SessionStage::SignedIn
            });
            let seen = tokens.filter_map(|(_, token)| token.last_used_at);
            let seen = seen.chain(sessions.map(|(_, session)| session.last_seen_at));
            activity.last_seen_at = activity.last_seen_at.max(seen.max());
            (id, activity)
        };
        Ok(known.filter(|id| ids.contains(id)).map(activity).collect())
    }
}

impl MemoryWriteTx<'_> {
    /// Ends at most `limit` of the sessions that `ends` is true of, with the requests that wait in them.
    fn end_sessions(&mut self, limit: usize, ends: impl Fn(&Session) -> bool) -> usize {
        let sessions = &mut self.0.sessions.sessions;
        let ended = sessions.remove_where(limit, |(_, session)| ends(session));
        #[cfg(feature = "oauth-provider")]
        self.0
            .oauth
            .forget_requests(|request| ended.contains(&request.session_id));
        ended.len()
    }
}

impl SessionRepository for MemoryWriteTx<'_> {
    fn insert_session(&mut self, new: &NewSession) -> Result<SessionId, StoreError> {
        let tables = &mut self.0.sessions;
        if tables.has_digest(&new.digest) {
            return Err(conflict("insert a session whose digest exists"));
        }
        let session = |id| Session {
            id,
            user_id: new.user_id,
            stage: new.stage,
            user_agent: new.user_agent.clone(),
            address: new.address.clone(),
            authenticated_at: new.authenticated_at,
            last_seen_at: new.authenticated_at,
            expires_at: new.expires_at,
        };
        Ok(tables.sessions.insert(|id| (new.digest, session(id))))
    }

    fn note_sign_in(&mut self, user: UserId, at: Timestamp) -> Result<bool, StoreError> {
        let accounts = &mut self.0.accounts;
        let is_known = accounts.users.get(user).is_some();
        if is_known {
            accounts.sign_ins.entry(user).or_default().sign_in(at);
        }
        Ok(is_known)
    }

    fn renew_session(
        &mut self,
        id: SessionId,
        digest: &SecretDigest,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let tables = &mut self.0.sessions;
        if tables.sessions.get(id).is_none() {
            return Ok(false);
        }
        if tables.has_digest(digest) {
            return Err(conflict("renew a session with a digest that exists"));
        }
        Ok(tables.sessions.update(id, |(its, session)| {
            *its = *digest;
            session.authenticated_at = now;
            session.last_seen_at = session.last_seen_at.max(now);
        }))
    }

    /// There is one writer at a time, so its transaction locks everything.
    fn lock_session(&mut self, id: SessionId) -> Result<bool, StoreError> {
        Ok(self.0.sessions.sessions.get(id).is_some())
    }

    fn touch_sessions(&mut self, used: &[(SessionId, Timestamp)]) -> Result<(), StoreError> {
        for (id, at) in used {
            let sessions = &mut self.0.sessions.sessions;
            sessions.update(*id, |(_, session)| {
                session.last_seen_at = session.last_seen_at.max(*at);
            });
        }
        Ok(())
    }

    fn delete_session(&mut self, id: SessionId) -> Result<bool, StoreError> {
        Ok(self.end_sessions(1, |session| session.id == id) == 1)
    }

    fn delete_sessions_of(
        &mut self,
        user_id: UserId,
        except: Option<SessionId>,
    ) -> Result<usize, StoreError> {
        Ok(self.end_sessions(usize::MAX, |session| {
            session.user_id == user_id && Some(session.id) != except
        }))
    }

    fn delete_ended_sessions(
        &mut self,
        before: Timestamp,
        unused_since: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError> {
        Ok(self.end_sessions(limit, |session| {
            session.expires_at < before || session.last_seen_at < unused_since
        }))
    }
}
