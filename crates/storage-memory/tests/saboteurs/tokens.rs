//! Saboteurs of pairs of tokens and of signing keys.

use api_conventions::ids::{SigningKeyId, TokenPairId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use oauth_provider::{
    NewSigningKey, NewTokenPair, Rotation, RotationSeed, SigningKey, TokenPairState,
};
use storage::StoreError;

use crate::fault_injection::{Reading, Saboteur, Writing};

pub(crate) struct EndsRefreshTokensEarly;

impl Saboteur for EndsRefreshTokensEarly {
    fn insert_pair(
        &self,
        at: &mut Writing<'_>,
        pair: &NewTokenPair,
    ) -> Result<TokenPairId, StoreError> {
        let refresh = pair.refresh.map(|(digest, _)| (digest, pair.expires_at));
        at.tx.insert_pair(&NewTokenPair {
            refresh,
            ..pair.clone()
        })
    }
}

pub(crate) struct SharesTokens;

impl Saboteur for SharesTokens {
    fn insert_pair(
        &self,
        at: &mut Writing<'_>,
        pair: &NewTokenPair,
    ) -> Result<TokenPairId, StoreError> {
        match at.tx.find_pair_by_access(&pair.access)? {
            Some(other) => Ok(other.id),
            None => at.tx.insert_pair(pair),
        }
    }
}

pub(crate) struct LeavesTheOldPair;

impl Saboteur for LeavesTheOldPair {
    fn rotate_pair(
        &self,
        at: &mut Writing<'_>,
        refresh: &SecretDigest,
        _: RotationSeed,
        successor: &NewTokenPair,
        _: Timestamp,
    ) -> Result<Rotation, StoreError> {
        match at.tx.find_pair_by_refresh(refresh)? {
            Some(_) => at.tx.insert_pair(successor).map(Rotation::Rotated),
            None => Ok(Rotation::Unknown),
        }
    }
}

pub(crate) struct GivesTheLoserItsOwnSeed;

impl Saboteur for GivesTheLoserItsOwnSeed {
    fn rotate_pair(
        &self,
        at: &mut Writing<'_>,
        refresh: &SecretDigest,
        seed: RotationSeed,
        successor: &NewTokenPair,
        now: Timestamp,
    ) -> Result<Rotation, StoreError> {
        let outcome = at.tx.rotate_pair(refresh, seed, successor, now)?;
        let Rotation::NotCurrent(mut pair) = outcome else {
            return Ok(outcome);
        };
        if let TokenPairState::Rotated { at, .. } = pair.state {
            pair.state = TokenPairState::Rotated { at, seed };
        }
        Ok(Rotation::NotCurrent(pair))
    }
}

/// Looks whether the pair is current, and issues its successor whatever happened since.
pub(crate) struct OutrunsTheEnd;

impl Saboteur for OutrunsTheEnd {
    fn rotate_pair(
        &self,
        at: &mut Writing<'_>,
        refresh: &SecretDigest,
        seed: RotationSeed,
        successor: &NewTokenPair,
        now: Timestamp,
    ) -> Result<Rotation, StoreError> {
        match at.tx.rotate_pair(refresh, seed, successor, now)? {
            Rotation::NotCurrent(pair) if matches!(pair.state, TokenPairState::Revoked { .. }) => {
                at.tx.insert_pair(successor).map(Rotation::Rotated)
            }
            outcome => Ok(outcome),
        }
    }
}

pub(crate) struct CutsKeys;

impl Saboteur for CutsKeys {
    fn insert_signing_key(
        &self,
        at: &mut Writing<'_>,
        key: &NewSigningKey,
    ) -> Result<Option<SigningKeyId>, StoreError> {
        let mut key = key.clone();
        key.sealed.truncate(255);
        at.tx.insert_signing_key(&key)
    }
}

pub(crate) struct SharesGenerations;

impl Saboteur for SharesGenerations {
    fn insert_signing_key(
        &self,
        at: &mut Writing<'_>,
        key: &NewSigningKey,
    ) -> Result<Option<SigningKeyId>, StoreError> {
        let inserted = at.tx.insert_signing_key(key)?;
        Ok(inserted.or(Some(SigningKeyId::new(1))))
    }
}

pub(crate) struct HidesSharedKids;

impl Saboteur for HidesSharedKids {
    fn insert_signing_key(
        &self,
        at: &mut Writing<'_>,
        key: &NewSigningKey,
    ) -> Result<Option<SigningKeyId>, StoreError> {
        let known = at.tx.list_signing_keys()?;
        if known.iter().any(|other| other.kid == key.kid) {
            return Ok(None);
        }
        at.tx.insert_signing_key(key)
    }
}

pub(crate) struct ListsKeysByTheirKids;

impl Saboteur for ListsKeysByTheirKids {
    fn list_signing_keys(&self, at: &mut Reading<'_>) -> Result<Vec<SigningKey>, StoreError> {
        let mut keys = at.tx.list_signing_keys()?;
        keys.sort_by(|one, other| (one.created_at, &one.kid).cmp(&(other.created_at, &other.kid)));
        Ok(keys)
    }
}

pub(crate) struct DeletesOneKey;

impl Saboteur for DeletesOneKey {
    fn delete_signing_keys(
        &self,
        at: &mut Writing<'_>,
        ids: &[SigningKeyId],
    ) -> Result<(), StoreError> {
        at.tx.delete_signing_keys(ids.get(..1).unwrap_or_default())
    }
}
