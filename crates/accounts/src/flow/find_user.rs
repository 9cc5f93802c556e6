//! Lookup of a user by id or username.

use api_conventions::ids::UserId;
use storage::StoreError;

use crate::model::User;
use crate::store::AccountQueries;

/// Returns the user with this id or username. A name of digits only is always an id, even if no user has it.
///
/// # Errors
/// Failures of the store.
pub fn find_user_named<R: AccountQueries + ?Sized>(
    repos: &mut R,
    name: &str,
) -> Result<Option<User>, StoreError> {
    let is_id = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    match name.parse() {
        Ok(id) if is_id => repos.find_user(UserId::new(id)),
        _ if is_id => Ok(None),
        _ => repos.find_user_by_username(name),
    }
}
