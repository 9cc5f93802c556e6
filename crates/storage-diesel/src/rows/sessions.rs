//! Rows of sessions.

use accounts::{Session, SessionStage};
use api_conventions::ids::{SessionId, UserId};
use diesel::prelude::*;
use storage::StoreError;

use super::RowReader;
use crate::schema::sessions;

#[derive(Queryable, Selectable)]
#[diesel(table_name = sessions)]
pub(crate) struct SessionRow {
    id: i64,
    user_id: i64,
    stage: i16,
    user_agent: String,
    address: String,
    authenticated_at: i64,
    last_seen_at: i64,
    expires_at: i64,
}

/// The number of a stage.
pub(crate) fn stage_number(stage: SessionStage) -> i16 {
    match stage {
        SessionStage::SecondFactorMissing => 0,
        SessionStage::SignedIn => 1,
    }
}

impl SessionRow {
    pub(crate) fn read(self) -> Result<Session, StoreError> {
        let row = RowReader::new("sessions", self.id);
        let stage = match self.stage {
            0 => SessionStage::SecondFactorMissing,
            1 => SessionStage::SignedIn,
            _ => return Err(row.wrong("an unknown stage")),
        };
        Ok(Session {
            id: SessionId::new(self.id),
            user_id: UserId::new(self.user_id),
            stage,
            user_agent: self.user_agent,
            address: self.address,
            authenticated_at: row.moment(self.authenticated_at)?,
            last_seen_at: row.moment(self.last_seen_at)?,
            expires_at: row.moment(self.expires_at)?,
        })
    }
}
