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
        let found = self.pairs.find(is_it);
        found.map(|row| &row.pair)
    }

    pub(super) fn insert_pair(&mut self, new: &NewTokenPair) -> Result<TokenPairId, StoreError> {
        let refresh = new.refresh.map(|(digest, _)| digest);
        let taken =
            |row: &PairRow| row.access == new.access || refresh.is_some() && row.refresh == refresh;
        if self.pair(taken).is_some() {
            return Err(conflict("insert a pair whose token exists"));
        }
        let pair = |id| TokenPair {
            id,
            grant_id: new.grant_id,
            subject: new.subject,
            scopes: new.scopes.clone(),
            created_at: new.created_at,
            expires_at: new.expires_at,
            refresh_expires_at: new.refresh.map(|(_, end)| end),
            state: TokenPairState::Current,
        };
        Ok(self.pairs.insert(|id| PairRow {
            access: new.access,
            refresh,
            pair: pair(id),
        }))
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
        let rotated = TokenPairState::Rotated { at: now, seed };
        self.pairs.update(old, |row| row.pair.state = rotated);
        Ok(Rotation::Rotated(id))
    }
}
