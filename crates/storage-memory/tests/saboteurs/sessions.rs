//! Saboteurs of sessions.

use ::accounts::{NewSession, Session};
use api_conventions::ids::{SessionId, UserId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::fault_injection::{Reading, Saboteur, Writing};

pub(crate) struct CutsAgents;

impl Saboteur for CutsAgents {
    fn insert_session(
        &self,
        at: &mut Writing<'_>,
        new: &NewSession,
    ) -> Result<SessionId, StoreError> {
        at.tx.insert_session(&NewSession {
            user_agent: new.user_agent.chars().take(20).collect(),
            ..new.clone()
        })
    }
}

pub(crate) struct SharesSessions;

impl Saboteur for SharesSessions {
    fn insert_session(
        &self,
        at: &mut Writing<'_>,
        new: &NewSession,
    ) -> Result<SessionId, StoreError> {
        match at.tx.find_session(&new.digest)? {
            Some(other) => Ok(other.id),
            None => at.tx.insert_session(new),
        }
    }
}

pub(crate) struct KeepsTheOldCookie;

impl Saboteur for KeepsTheOldCookie {
    fn renew_session(
        &self,
        at: &mut Writing<'_>,
        id: SessionId,
        _: &SecretDigest,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        at.tx.touch_sessions(&[(id, now)]).map(|()| true)
    }
}

pub(crate) struct NotesTheFirstUse;

impl Saboteur for NotesTheFirstUse {
    fn touch_sessions(
        &self,
        at: &mut Writing<'_>,
        used: &[(SessionId, Timestamp)],
    ) -> Result<(), StoreError> {
        at.tx.touch_sessions(used.get(..1).unwrap_or_default())
    }
}

pub(crate) struct BreaksTiesUpwards;

impl Saboteur for BreaksTiesUpwards {
    fn list_sessions(
        &self,
        at: &mut Reading<'_>,
        user: UserId,
    ) -> Result<Vec<Session>, StoreError> {
        let mut sessions = at.tx.list_sessions(user)?;
        sessions.sort_by_key(|one| (std::cmp::Reverse(one.last_seen_at), one.id));
        Ok(sessions)
    }
}

pub(crate) struct EndsAgain;

impl Saboteur for EndsAgain {
    fn delete_session(&self, at: &mut Writing<'_>, id: SessionId) -> Result<bool, StoreError> {
        at.tx.delete_session(id).map(|_| true)
    }
}

pub(crate) struct SparesNobody;

impl Saboteur for SparesNobody {
    fn delete_sessions_of(
        &self,
        at: &mut Writing<'_>,
        user: UserId,
        _: Option<SessionId>,
    ) -> Result<usize, StoreError> {
        at.tx.delete_sessions_of(user, None)
    }
}

pub(crate) struct SparesTheUnused;

impl Saboteur for SparesTheUnused {
    fn delete_ended_sessions(
        &self,
        at: &mut Writing<'_>,
        before: Timestamp,
        _: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError> {
        at.tx.delete_ended_sessions(before, Timestamp::MIN, limit)
    }
}

pub(crate) struct KnowsNoLimit;

impl Saboteur for KnowsNoLimit {
    fn delete_ended_sessions(
        &self,
        at: &mut Writing<'_>,
        before: Timestamp,
        unused_since: Timestamp,
        _: usize,
    ) -> Result<usize, StoreError> {
        at.tx
            .delete_ended_sessions(before, unused_since, usize::MAX)
    }
}

pub(crate) struct GivesIdsAgain;

impl Saboteur for GivesIdsAgain {
    fn insert_session(
        &self,
        at: &mut Writing<'_>,
        new: &NewSession,
    ) -> Result<SessionId, StoreError> {
        let others = at.tx.list_sessions(new.user_id)?;
        at.tx.insert_session(new)?;
        // The first number that no living session has.
        let free = (1..).map(SessionId::new);
        let mut free = free.filter(|id| others.iter().all(|other| other.id != *id));
        Ok(free.next().unwrap())
    }

    fn delete_session(&self, at: &mut Writing<'_>, _: SessionId) -> Result<bool, StoreError> {
        at.tx
            .delete_ended_sessions(Timestamp::MAX, Timestamp::MAX, 1)
            .map(|ended| ended == 1)
    }
}

pub(crate) struct LocksAnySession;

impl Saboteur for LocksAnySession {
    fn lock_session(&self, _: &mut Writing<'_>, _: SessionId) -> Result<bool, StoreError> {
        Ok(true)
    }
}
