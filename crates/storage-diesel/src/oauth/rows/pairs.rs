//! Rows of pairs of tokens.

use api_conventions::ids::{GrantId, TokenPairId};
use oauth_provider::{NewTokenPair, RotationSeed, TokenPair, TokenPairState};
use storage::StoreError;

use super::subject_columns;
use crate::entity::entity;
use crate::rows::DomainRow;

entity! {
    oauth_token_pairs: PairRow, NewPairRow;
    fixed {
        grant_id: BigInt,
        refresh_expires_at: Nullable<BigInt>,
        user_id: Nullable<BigInt>,
        application_id: Nullable<BigInt>,
        scopes: Text,
        created_at: BigInt,
        expires_at: BigInt,
    }
    written {
        access_digest: Binary,
        refresh_digest: Nullable<Binary>,
    }
    later {
        rotated_at: Nullable<BigInt>,
        rotation_seed: Nullable<Binary>,
        revoked_at: Nullable<BigInt>,
    }
}

impl DomainRow for PairRow {
    type Value = TokenPair;

    fn read(self) -> Result<TokenPair, StoreError> {
        let row = self.reader();
        let rotated = match (row.optional_timestamp(self.rotated_at)?, self.rotation_seed) {
            (None, None) => None,
            (Some(at), Some(seed)) => Some((at, RotationSeed::from_bytes(row.digest(seed)?))),
            _ => return Err(row.inconsistent("incomplete rotation")),
        };
        // Revocation of the grant takes precedence over rotation: from then on the seed is useless.
        let state = match (row.optional_timestamp(self.revoked_at)?, rotated) {
            (Some(at), _) => TokenPairState::Revoked { at },
            (None, Some((at, seed))) => TokenPairState::Rotated { at, seed },
            (None, None) => TokenPairState::Current,
        };
        Ok(TokenPair {
            id: TokenPairId::new(self.id),
            grant_id: GrantId::new(self.grant_id),
            subject: row.subject(self.user_id, self.application_id)?,
            scopes: row.scopes(&self.scopes)?,
            created_at: row.timestamp(self.created_at)?,
            expires_at: row.timestamp(self.expires_at)?,
            refresh_expires_at: row.optional_timestamp(self.refresh_expires_at)?,
            state,
        })
    }
}

impl<'p> NewPairRow<'p> {
    /// Creates the row of a pair in the family of the grant with this id.
    pub(crate) fn new(grant_id: i64, pair: &'p NewTokenPair) -> Self {
        let refresh = pair.refresh.as_ref();
        let (user_id, application_id) = subject_columns(pair.subject);
        Self {
            grant_id,
            access_digest: pair.access.as_bytes()[..].into(),
            refresh_digest: refresh.map(|(digest, _)| digest.as_bytes()[..].into()),
            refresh_expires_at: refresh.map(|(_, end)| end.as_micros()),
            user_id,
            application_id,
            scopes: pair.scopes.to_string().into(),
            created_at: pair.created_at.as_micros(),
            expires_at: pair.expires_at.as_micros(),
        }
    }
}
