//! Times at which users signed in and were last active.

use std::collections::BTreeMap;

use accounts::UserActivity;
use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use gatehouse_core::database::ReadTransaction;
use storage::StoreError;

/// Activity of some users.
#[derive(Debug)]
pub(super) struct Activities(BTreeMap<UserId, UserActivity>);

impl Activities {
    /// Activity of a user; empty if the user was not loaded.
    pub(super) fn of(&self, id: UserId) -> UserActivity {
        self.0.get(&id).copied().unwrap_or_default()
    }

    /// Activity of a user as the user `who` sees it at `now`.
    /// A request by the user counts as activity; the use of its token is recorded a little later.
    pub(super) fn seen_by(&self, id: UserId, who: UserId, now: Timestamp) -> UserActivity {
        let mut activity = self.of(id);
        if id == who {
            activity.last_seen_at = activity.last_seen_at.max(Some(now));
        }
        activity
    }
}

/// Loads the activity of users.
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
