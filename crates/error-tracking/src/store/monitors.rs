//! The repository traits of monitors.

use api_conventions::ids::{MonitorId, ProjectId};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::monitors::{Monitor, MonitorKey, MonitorState};

/// Read access to monitors, in a transaction of either kind.
///
/// # Errors
/// Every method returns a [`StoreError`] when the store fails. A missing row is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::queries]
pub trait MonitorQueries {
    /// Returns the monitor with this key.
    fn find_monitor(&mut self, key: &MonitorKey) -> Result<Option<Monitor>, StoreError>;

    /// Lists the monitors of a project, ordered by slug, then by environment. There are few: see
    /// [`MAX_MONITORS`](crate::flow::monitors::MAX_MONITORS).
    fn list_monitors(&mut self, project: ProjectId) -> Result<Vec<Monitor>, StoreError>;

    /// Lists the monitors of all projects that are due at `now`, at most `limit`: those that have been due for longest
    /// first.
    fn list_due_monitors(
        &mut self,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<Monitor>, StoreError>;
}

/// Write access to monitors, in a write transaction. The caller holds the lock of
/// [`lock_errors`](super::CollectRepository::lock_errors) on the project.
///
/// # Errors
/// Every method returns a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::repository(keeps(put_monitor, delete_monitor))]
pub trait MonitorRepository: MonitorQueries {
    /// Inserts a monitor, or replaces the state of the one with this key. It is due at
    /// [`due_at`](MonitorState::due_at) of the state.
    fn put_monitor(&mut self, key: &MonitorKey, state: &MonitorState) -> Result<(), StoreError>;

    /// Deletes a monitor of a project. Returns true if it existed.
    fn delete_monitor(&mut self, project: ProjectId, id: MonitorId) -> Result<bool, StoreError>;
}
