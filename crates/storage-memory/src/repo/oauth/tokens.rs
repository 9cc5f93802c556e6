//! Pairs of tokens.

use api_conventions::ids::TokenPairId;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use oauth_provider::{NewTokenPair, Rotation, RotationSeed, TokenPair, TokenPairState};
use storage::StoreError;

use super::{PairRow, Tables};
use crate::repo::conflict;

impl Tables {
    pub(super) fn pair(&self, is_it: impl Fn(&PairRow) -> bool) -> Option<&TokenPair> {
        let found = self.pairs.values().find(|row| is_it(row));
        found.map(|row| &row.pair)
    }

    pub(super) fn insert_pair(&mut self, new: &NewTokenPair) -> Result<TokenPairId, StoreError> {
        let refresh = new.refresh.map(|(digest, _)| digest);
        let taken =
            |row: &PairRow| row.access == new.access || refresh.is_some() && row.refresh == refresh;
        if self.pair(taken).is_some() {
            return Err(conflict("insert a pair whose token exists"));
        }
        let id = TokenPairId::new(self.next_id());
        let pair = TokenPair {
            id,
            grant_id: new.grant_id,
            user_id: new.user_id,
            application_id: new.application_id,
            scopes: new.scopes,
            created_at: new.created_at,
            expires_at: new.expires_at,
            refresh_expires_at: new.refresh.map(|(_, end)| end),
            state: TokenPairState::Current,
        };
        let access = new.access;
        let row = PairRow {
            access,
            refresh,
            pair,
        };
        self.pairs.insert(id, row);
        Ok(id)
    }

    pub(super) fn rotate_pair(
        &mut self,
        refresh: &SecretDigest,
        seed: RotationSeed,
        successor: &NewTokenPair,
        now: Timestamp,
    ) -> Result<Rotation, StoreError> {
        let Some(pair) = self.pair(|row| row.refresh.as_ref() == Some(refresh)) else {
            return Ok(Rotation::Unknown);
        };
        if pair.state != TokenPairState::Current {
            return Ok(Rotation::NotCurrent(Box::new(pair.clone())));
        }
        let old = pair.id;
        let id = self.insert_pair(successor)?;
        if let Some(row) = self.pairs.get_mut(&old) {
            row.pair.state = TokenPairState::Rotated { at: now, seed };
        }
        Ok(Rotation::Rotated(id))
    }
}
