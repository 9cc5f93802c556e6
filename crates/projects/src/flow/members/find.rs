//! Lookup of a member.

use api_conventions::access::AccessLevel;
use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::{MemberContext, MemberError};
use crate::model::{Member, MemberScope};
use crate::store::MemberQueries;

/// Returns the role of a user in a place.
///
/// # Errors
/// [`MemberError::Unknown`] if the user has none; failures of the store.
pub fn find_member<R: MemberQueries + ?Sized>(
    repos: &mut R,
    of: MemberContext,
    scope: MemberScope,
    user: UserId,
    now: Timestamp,
) -> Result<Member, MemberError> {
    let found = repos.find_member(of.source, scope, user, now.date())?;
    found.ok_or(MemberError::Unknown("Member"))
}

/// True if a role is that of the only permanent Owner of a group that needs one.
/// Such a role can be neither lowered nor removed.
///
/// # Errors
/// Failures of the store.
pub fn is_last_owner<R>(
    repos: &mut R,
    of: MemberContext,
    member: &Member,
) -> Result<bool, StoreError>
where
    R: MemberQueries + ?Sized,
{
    match of.needs_owner() {
        Some(group) if stays_owner(member) => Ok(!repos.has_other_owner(group, member.user_id)?),
        _ => Ok(false),
    }
}

/// True if a role makes its user an Owner without a day of expiry.
pub(super) fn stays_owner(member: &Member) -> bool {
    member.level == AccessLevel::Owner && member.expires_on.is_none()
}
