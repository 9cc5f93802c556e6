//! Rows of grants.

use api_conventions::ids::{ApplicationId, GrantId, SessionId, UserId};
use diesel::prelude::*;
use oauth_provider::{Grant, GrantState};
use storage::StoreError;

use crate::rows::RowReader;
use crate::schema::oauth_grants;

#[derive(Debug, Clone, Queryable, Selectable)]
#[diesel(table_name = oauth_grants)]
pub(crate) struct GrantRow {
    id: i64,
    code_expires_at: Option<i64>,
    user_id: i64,
    application_id: Option<i64>,
    session_id: Option<i64>,
    scopes: String,
    redirect_uri: Option<String>,
    challenge: Option<String>,
    nonce: Option<String>,
    auth_time: i64,
    created_at: i64,
    expires_at: i64,
    redeemed_at: Option<i64>,
    revoked_at: Option<i64>,
}

impl GrantRow {
    pub(crate) fn read(self) -> Result<Grant, StoreError> {
        let row = RowReader::new("oauth_grants", self.id);
        let state = match (
            row.moment_if(self.redeemed_at)?,
            row.moment_if(self.revoked_at)?,
        ) {
            (_, Some(at)) => GrantState::Revoked { at },
            (Some(at), None) => GrantState::Redeemed { at },
            (None, None) => GrantState::Issued,
        };
        Ok(Grant {
            id: GrantId::new(self.id),
            user_id: UserId::new(self.user_id),
            application_id: self.application_id.map(ApplicationId::new),
            session_id: self.session_id.map(SessionId::new),
            scopes: row.scopes(&self.scopes)?,
            redirect_uri: self.redirect_uri,
            challenge: row.challenge_if(self.challenge)?,
            nonce: self.nonce,
            auth_time: row.moment(self.auth_time)?,
            state,
            created_at: row.moment(self.created_at)?,
            code_expires_at: row.moment_if(self.code_expires_at)?,
            expires_at: row.moment(self.expires_at)?,
        })
    }
}
