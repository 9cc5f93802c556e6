//! Lookup of a user by id or username.

use api_conventions::ids::UserId;
use storage::StoreError;

use crate::model::User;
use crate::store::AccountQueries;

/// Returns the user with this id or username. A name of digits only is always an id, even if no user has it. Users whose
/// deletion is under way are not found.
///
/// # Errors
/// Failures of the store.
pub fn find_user_named<R: AccountQueries + ?Sized>(
    repos: &mut R,
    name: &str,
) -> Result<Option<User>, StoreError> {
    let is_id = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    match name.parse() {
        Ok(id) if is_id => find_present_user(repos, UserId::new(id)),
        _ if is_id => Ok(None),
        _ => repos.find_user_by_username(name),
    }
}

/// Returns the user with this id, unless their deletion is under way.
///
/// # Errors
/// Failures of the store.
pub fn find_present_user<R: AccountQueries + ?Sized>(
    repos: &mut R,
    id: UserId,
) -> Result<Option<User>, StoreError> {
    let found = repos.find_user(id)?;
    Ok(found.filter(|user| !user.kind.is_deleted()))
}
