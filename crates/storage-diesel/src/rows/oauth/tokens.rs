//! Rows of pairs of tokens.

#![expect(
    clippy::ref_option_ref,
    reason = "the derive of insertable rows borrows each field"
)]

use api_conventions::ids::{ApplicationId, GrantId, TokenPairId, UserId};
use diesel::prelude::*;
use oauth_provider::{NewTokenPair, RotationSeed, TokenPair, TokenPairState};
use storage::StoreError;

use crate::rows::RowReader;
use crate::schema::oauth_token_pairs;

#[derive(Debug, Clone, Queryable, Selectable)]
#[diesel(table_name = oauth_token_pairs)]
pub(crate) struct PairRow {
    id: i64,
    grant_id: i64,
    refresh_expires_at: Option<i64>,
    user_id: i64,
    application_id: Option<i64>,
    scopes: String,
    created_at: i64,
    expires_at: i64,
    rotated_at: Option<i64>,
    rotation_seed: Option<Vec<u8>>,
    revoked_at: Option<i64>,
}

impl PairRow {
    pub(crate) fn read(self) -> Result<TokenPair, StoreError> {
        let row = RowReader::new("oauth_token_pairs", self.id);
        let rotated = match (row.moment_if(self.rotated_at)?, self.rotation_seed) {
            (None, None) => None,
            (Some(at), Some(seed)) => Some((at, RotationSeed::from_bytes(row.digest(seed)?))),
            _ => return Err(row.wrong("half a rotation")),
        };
        // The end of the grant outweighs what happened before: from then on the seed is of no use.
        let state = match (row.moment_if(self.revoked_at)?, rotated) {
            (Some(at), _) => TokenPairState::Revoked { at },
            (None, Some((at, seed))) => TokenPairState::Rotated { at, seed },
            (None, None) => TokenPairState::Current,
        };
        Ok(TokenPair {
            id: TokenPairId::new(self.id),
            grant_id: GrantId::new(self.grant_id),
            user_id: UserId::new(self.user_id),
            application_id: self.application_id.map(ApplicationId::new),
            scopes: row.scopes(&self.scopes)?,
            created_at: row.moment(self.created_at)?,
            expires_at: row.moment(self.expires_at)?,
            refresh_expires_at: row.moment_if(self.refresh_expires_at)?,
            state,
        })
    }
}

/// A pair to be inserted.
#[derive(Insertable)]
#[diesel(table_name = oauth_token_pairs, treat_none_as_default_value = false)]
pub(crate) struct NewPairRow<'p> {
    grant_id: i64,
    access_digest: &'p [u8],
    refresh_digest: Option<&'p [u8]>,
    refresh_expires_at: Option<i64>,
    user_id: i64,
    application_id: Option<i64>,
    scopes: String,
    created_at: i64,
    expires_at: i64,
}

impl<'p> NewPairRow<'p> {
    /// The row of a pair in the family of the grant with this number.
    pub(crate) fn new(grant_id: i64, pair: &'p NewTokenPair) -> Self {
        let refresh = pair.refresh.as_ref();
        Self {
            grant_id,
            access_digest: pair.access.as_bytes(),
            refresh_digest: refresh.map(|(digest, _)| &digest.as_bytes()[..]),
            refresh_expires_at: refresh.map(|(_, end)| end.as_micros()),
            user_id: pair.user_id.get(),
            application_id: pair.application_id.map(ApplicationId::get),
            scopes: pair.scopes.to_string(),
            created_at: pair.created_at.as_micros(),
            expires_at: pair.expires_at.as_micros(),
        }
    }
}
