//! Saboteurs of users and tokens.

use ::accounts::Revocation;
use storage::StoreError;

use crate::fault_injection::{Reading, Saboteur};

/// Lists the revocations of the newest epoch only when a newer one has begun.
pub(crate) struct ListsRevocationsLate;

impl Saboteur for ListsRevocationsLate {
    fn list_revocations_after(
        &self,
        at: &mut Reading<'_>,
        epoch: i64,
        limit: usize,
    ) -> Result<Vec<Revocation>, StoreError> {
        let newest = at.tx.auth_epoch()?;
        let mut listed = at.tx.list_revocations_after(epoch, limit)?;
        listed.retain(|kept| kept.epoch < newest);
        Ok(listed)
    }
}
