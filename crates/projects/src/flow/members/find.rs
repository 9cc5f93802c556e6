//! Finding a member.

use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;

use super::{MemberError, MembersOf};
use crate::model::{Member, MemberScope};
use crate::store::MemberQueries;

/// The role of a user in a place.
///
/// # Errors
/// [`MemberError::Unknown`] where the user has none; failures of the store.
pub fn find_member<R: MemberQueries + ?Sized>(
    repos: &mut R,
    of: MembersOf,
    scope: MemberScope,
    user: UserId,
    now: Timestamp,
) -> Result<Member, MemberError> {
    let found = repos.find_member(of.place, scope, user, now.date())?;
    found.ok_or(MemberError::Unknown("Member"))
}
