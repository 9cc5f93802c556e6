//! Rows of grants.

use api_conventions::ids::{GrantId, SessionId};
use oauth_provider::{Grant, GrantState, NewGrant};
use storage::StoreError;

use super::subject_columns;
use crate::entity::entity;
use crate::rows::DomainRow;

entity! {
    oauth_grants: GrantRow, NewGrantRow;
    fixed {
        code_expires_at: Nullable<BigInt>,
        user_id: Nullable<BigInt>,
        application_id: Nullable<BigInt>,
        session_id: Nullable<BigInt>,
        scopes: Text,
        redirect_uri: Nullable<Text>,
        challenge: Nullable<Text>,
        nonce: Nullable<Text>,
        auth_time: BigInt,
        created_at: BigInt,
        expires_at: BigInt,
        redeemed_at: Nullable<BigInt>,
    }
    written { code_digest: Nullable<Binary> }
    later { revoked_at: Nullable<BigInt> }
}

impl DomainRow for GrantRow {
    type Value = Grant;

    fn read(self) -> Result<Grant, StoreError> {
        let row = self.reader();
        let state = match (
            row.optional_timestamp(self.redeemed_at)?,
            row.optional_timestamp(self.revoked_at)?,
        ) {
            (_, Some(at)) => GrantState::Revoked { at },
            (Some(at), None) => GrantState::Redeemed { at },
            (None, None) => GrantState::Issued,
        };
        Ok(Grant {
            id: GrantId::new(self.id),
            subject: row.subject(self.user_id, self.application_id)?,
            session_id: self.session_id.map(SessionId::new),
            scopes: row.scopes(&self.scopes)?,
            redirect_uri: self.redirect_uri,
            challenge: row.challenge_if(self.challenge)?,
            nonce: self.nonce,
            auth_time: row.timestamp(self.auth_time)?,
            state,
            created_at: row.timestamp(self.created_at)?,
            code_expires_at: row.optional_timestamp(self.code_expires_at)?,
            expires_at: row.timestamp(self.expires_at)?,
        })
    }
}

impl<'v> From<&'v NewGrant> for NewGrantRow<'v> {
    fn from(grant: &'v NewGrant) -> Self {
        let code = grant.code.as_ref();
        let challenge = grant.challenge.as_ref();
        let (user_id, application_id) = subject_columns(grant.subject);
        Self {
            code_expires_at: code.map(|(_, end)| end.as_micros()),
            user_id,
            application_id,
            session_id: grant.session_id.map(SessionId::get),
            scopes: grant.scopes.to_string().into(),
            redirect_uri: grant.redirect_uri.as_deref().map(Into::into),
            challenge: challenge.map(|challenge| challenge.as_str().into()),
            nonce: grant.nonce.as_deref().map(Into::into),
            auth_time: grant.auth_time.as_micros(),
            created_at: grant.created_at.as_micros(),
            expires_at: grant.expires_at.as_micros(),
            // A grant without a code does not wait for a redemption.
            redeemed_at: code.is_none().then(|| grant.created_at.as_micros()),
            code_digest: code.map(|(digest, _)| digest.as_bytes()[..].into()),
        }
    }
}
