//! Saboteurs of pairs of tokens and of signing keys.

use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use oauth_provider::{NewTokenPair, Rotation, RotationSeed, TokenPairState};
use storage::StoreError;

use crate::fault_injection::{Saboteur, WriteHook};

/// Checks whether the pair is current, and issues its successor regardless of later changes.
pub(crate) struct IgnoresRevocation;

impl Saboteur for IgnoresRevocation {
    fn rotate_pair(
        &self,
        at: &mut WriteHook<'_>,
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
