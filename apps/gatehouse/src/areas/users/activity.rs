//! When users signed in and were last there.

use std::collections::BTreeMap;

use accounts::UserActivity;
use api_conventions::ids::UserId;
use gatehouse_core::database::ReadTransaction;
use storage::StoreError;

/// The activity of some users.
#[derive(Debug)]
pub(super) struct Activities(BTreeMap<UserId, UserActivity>);

impl Activities {
    /// The activity of a user; none for anyone who was not looked up.
    pub(super) fn of(&self, id: UserId) -> UserActivity {
        self.0.get(&id).copied().unwrap_or_default()
    }
}

/// Looks up the activity of users.
///
/// # Errors
/// Failures of the store.
pub(super) fn activity_of<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    ids: &[UserId],
) -> Result<Activities, StoreError> {
    let found = tx.list_user_activity(ids)?;
    Ok(Activities(found.into_iter().collect()))
}
