//! Removal of expired roles and shares.

use api_conventions::time::Timestamp;
use storage::StoreError;

use super::MemberJournal;
use crate::model::{MemberAction, MemberChange, ShareAction, ShareChange};
use crate::store::MemberRepository;

/// Deletes at most `limit` expired roles and as many expired shares. Returns `true` if there may be more.
/// They stopped counting on their day of expiry, so no user loses a permission.
///
/// # Errors
/// Failures of the store.
pub fn expire_members<R>(repos: &mut R, now: Timestamp, limit: usize) -> Result<bool, StoreError>
where
    R: MemberRepository + MemberJournal + ?Sized,
{
    let members = repos.take_expired_members(now.date(), limit)?;
    let shares = repos.take_expired_shares(now.date(), limit)?;
    let is_full = members.len() >= limit || shares.len() >= limit;
    let members = members.into_iter().map(|member| MemberChange {
        member,
        action: MemberAction::Expired,
        by: None,
        at: now,
    });
    let shares = shares.into_iter().map(|share| ShareChange {
        share,
        action: ShareAction::Expired,
        by: None,
        at: now,
    });
    repos.journal_members(&members.collect::<Vec<_>>())?;
    repos.journal_shares(&shares.collect::<Vec<_>>())?;
    Ok(is_full)
}
