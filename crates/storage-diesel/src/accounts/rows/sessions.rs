//! Rows of sessions.

use accounts::{NewSession, Session, SessionStage};
use api_conventions::ids::{SessionId, UserId};
use storage::StoreError;

use crate::entity::entity;
use crate::rows::DomainRow;

entity! {
    sessions: SessionRow, NewSessionRow;
    fixed {
        user_id: BigInt,
        stage: SmallInt,
        user_agent: Text,
        address: Text,
        authenticated_at: BigInt,
        last_seen_at: BigInt,
        expires_at: BigInt,
    }
    written { digest: Binary }
}

impl DomainRow for SessionRow {
    type Value = Session;

    fn read(self) -> Result<Session, StoreError> {
        let row = self.reader();
        let stage = match self.stage {
            0 => SessionStage::SecondFactorMissing,
            1 => SessionStage::SignedIn,
            _ => return Err(row.inconsistent("unknown stage")),
        };
        Ok(Session {
            id: SessionId::new(self.id),
            user_id: UserId::new(self.user_id),
            stage,
            user_agent: self.user_agent,
            address: self.address,
            authenticated_at: row.timestamp(self.authenticated_at)?,
            last_seen_at: row.timestamp(self.last_seen_at)?,
            expires_at: row.timestamp(self.expires_at)?,
        })
    }
}

impl<'v> From<&'v NewSession> for NewSessionRow<'v> {
    fn from(new: &'v NewSession) -> Self {
        Self {
            user_id: new.user_id.get(),
            stage: match new.stage {
                SessionStage::SecondFactorMissing => 0,
                SessionStage::SignedIn => 1,
            },
            user_agent: new.user_agent.as_str().into(),
            address: new.address.as_str().into(),
            authenticated_at: new.authenticated_at.as_micros(),
            last_seen_at: new.authenticated_at.as_micros(),
            expires_at: new.expires_at.as_micros(),
            digest: new.digest.as_bytes()[..].into(),
        }
    }
}
