//! Rows of authorization requests that wait for consent.

use api_conventions::ids::{ApplicationId, SessionId, UserId};
use diesel::prelude::*;
use oauth_provider::{AuthorizationRequest, ResponseMode};
use storage::StoreError;

use super::super::tables::oauth_authorization_requests;
use crate::rows::{DomainRow, RowReader};

#[derive(Queryable, Selectable)]
#[diesel(table_name = oauth_authorization_requests)]
pub(crate) struct RequestRow {
    application_id: i64,
    user_id: i64,
    session_id: i64,
    redirect_uri: String,
    scopes: String,
    state: Option<String>,
    nonce: Option<String>,
    challenge: Option<String>,
    response_mode: i16,
    auth_time: i64,
    created_at: i64,
    expires_at: i64,
}

/// Returns the number of a response mode.
pub(crate) fn response_mode_number(mode: ResponseMode) -> i16 {
    match mode {
        ResponseMode::Query => 0,
        ResponseMode::FormPost => 1,
    }
}

impl DomainRow for RequestRow {
    type Value = AuthorizationRequest;

    /// Reads the row.
    /// Its key is a digest, so an error names its session instead.
    fn read(self) -> Result<AuthorizationRequest, StoreError> {
        let row = RowReader::new("oauth_authorization_requests of a session", self.session_id);
        let response_mode = match self.response_mode {
            0 => ResponseMode::Query,
            1 => ResponseMode::FormPost,
            _ => return Err(row.inconsistent("unknown response mode")),
        };
        Ok(AuthorizationRequest {
            application_id: ApplicationId::new(self.application_id),
            user_id: UserId::new(self.user_id),
            session_id: SessionId::new(self.session_id),
            redirect_uri: self.redirect_uri,
            scopes: row.scopes(&self.scopes)?,
            state: self.state,
            nonce: self.nonce,
            challenge: row.challenge_if(self.challenge)?,
            response_mode,
            auth_time: row.timestamp(self.auth_time)?,
            created_at: row.timestamp(self.created_at)?,
            expires_at: row.timestamp(self.expires_at)?,
        })
    }
}
