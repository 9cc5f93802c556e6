//! Saboteurs of batch operations.

use api_conventions::secret::SecretDigest;
use oauth_provider::{CodeRedemption, Family, Grant, PairRotation, Redemption, Rotation};
use storage::StoreError;

use crate::fault_injection::{Saboteur, WriteHook};

pub(crate) struct LosesTheOrder;

impl Saboteur for LosesTheOrder {
    fn lock_grants_by_code(
        &self,
        at: &mut WriteHook<'_>,
        codes: &[SecretDigest],
    ) -> Result<Vec<Option<Grant>>, StoreError> {
        let mut locked = at.tx.lock_grants_by_code(codes)?;
        locked.sort_by_key(|grant| grant.as_ref().map(|grant| grant.id));
        Ok(locked)
    }

    fn lock_families(
        &self,
        at: &mut WriteHook<'_>,
        refresh: &[SecretDigest],
    ) -> Result<Vec<Option<Family>>, StoreError> {
        let mut locked = at.tx.lock_families(refresh)?;
        locked.sort_by_key(|family| family.as_ref().map(|(_, grant)| grant.id));
        Ok(locked)
    }
}

pub(crate) struct RedeemsTwiceInGroup;

impl Saboteur for RedeemsTwiceInGroup {
    fn redeem_codes(
        &self,
        at: &mut WriteHook<'_>,
        redemptions: &[CodeRedemption],
    ) -> Result<Vec<Redemption>, StoreError> {
        let mut outcomes = at.tx.redeem_codes(redemptions)?;
        for (outcome, redemption) in outcomes.iter_mut().zip(redemptions) {
            if matches!(outcome, Redemption::AlreadyUsed(_)) {
                *outcome = Redemption::Redeemed(at.tx.insert_pair(&redemption.pair)?);
            }
        }
        Ok(outcomes)
    }
}

pub(crate) struct RotatesTwiceInGroup;

impl Saboteur for RotatesTwiceInGroup {
    fn rotate_pairs(
        &self,
        at: &mut WriteHook<'_>,
        rotations: &[PairRotation],
    ) -> Result<Vec<Rotation>, StoreError> {
        let mut outcomes = at.tx.rotate_pairs(rotations)?;
        for (outcome, rotation) in outcomes.iter_mut().zip(rotations) {
            if matches!(outcome, Rotation::NotCurrent(_)) {
                *outcome = Rotation::Rotated(at.tx.insert_pair(&rotation.successor)?);
            }
        }
        Ok(outcomes)
    }
}
