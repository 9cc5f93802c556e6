//! Repository traits of on-call schedules and their overrides.
//!
//! The traits have a store of their own, so that a host that only sends messages need not serve them.

use api_conventions::ids::{OverrideId, ProjectId, ScheduleId};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{NewOverride, NewSchedule, OnCallSchedule, ScheduleOverride, ScheduleSettings};

/// Queries for schedules and overrides, in a transaction of either kind.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::queries]
pub trait OnCallQueries {
    /// Returns the schedule of a project with this id.
    fn find_schedule(
        &mut self,
        project: ProjectId,
        id: ScheduleId,
    ) -> Result<Option<OnCallSchedule>, StoreError>;

    /// Lists the schedules of a project in the order of their ids, at most `limit`.
    fn list_schedules(
        &mut self,
        project: ProjectId,
        limit: usize,
    ) -> Result<Vec<OnCallSchedule>, StoreError>;

    /// Returns the override of a schedule with this id.
    fn find_override(
        &mut self,
        schedule: ScheduleId,
        id: OverrideId,
    ) -> Result<Option<ScheduleOverride>, StoreError>;

    /// Lists the overrides of these schedules that end after `time`, those with the largest ids first, at most `limit`.
    fn list_overrides(
        &mut self,
        schedules: &[ScheduleId],
        time: Timestamp,
        limit: usize,
    ) -> Result<Vec<ScheduleOverride>, StoreError>;
}

/// Outcome of writing the settings of a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SaveSchedule {
    /// The schedule was written.
    Saved(OnCallSchedule),
    /// Another schedule of the project has the name. Nothing was written.
    NameTaken,
    /// There is no such schedule.
    NotFound,
}

/// Writes to schedules and overrides.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::repository(keeps(
    insert_schedule,
    update_schedule,
    delete_schedule,
    lock_schedule,
    insert_override,
    delete_override,
    delete_overrides_before,
    delete_schedules_of
))]
pub trait OnCallRepository: OnCallQueries {
    /// Inserts a schedule, unless its name is taken.
    fn insert_schedule(&mut self, new: &NewSchedule) -> Result<SaveSchedule, StoreError>;

    /// Replaces the settings of a schedule at `now`.
    fn update_schedule(
        &mut self,
        project: ProjectId,
        id: ScheduleId,
        settings: &ScheduleSettings,
        now: Timestamp,
    ) -> Result<SaveSchedule, StoreError>;

    /// Deletes a schedule and its overrides. Returns `false` if it does not exist.
    fn delete_schedule(&mut self, project: ProjectId, id: ScheduleId) -> Result<bool, StoreError>;

    /// Locks and returns a schedule of a project: no other transaction changes it or locks it until this one ends.
    fn lock_schedule(
        &mut self,
        project: ProjectId,
        id: ScheduleId,
    ) -> Result<Option<OnCallSchedule>, StoreError>;

    /// Inserts an override of a schedule that this transaction locked.
    fn insert_override(&mut self, new: &NewOverride) -> Result<OverrideId, StoreError>;

    /// Deletes an override of a schedule. Returns `false` if it does not exist.
    fn delete_override(&mut self, schedule: ScheduleId, id: OverrideId)
    -> Result<bool, StoreError>;

    /// Deletes at most `limit` overrides that ended before `time`. Returns their number.
    fn delete_overrides_before(
        &mut self,
        time: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Deletes at most `limit` schedules of a project, with their overrides. Returns their number. The deletion of the
    /// project calls it until it returns 0.
    fn delete_schedules_of(
        &mut self,
        project: ProjectId,
        limit: usize,
    ) -> Result<usize, StoreError>;
}

storage::dyn_store! {
    /// A store of on-call schedules, for use behind `dyn`. Every [`Store`](storage::Store) whose transactions have these
    /// repository traits implements it.
    pub trait OnCallStore {
        /// Transaction that a read closure of an [`OnCallStore`] gets.
        type Read: OnCallReadTx = OnCallQueries;
        /// Transaction that a write closure of an [`OnCallStore`] gets.
        type Write: OnCallWriteTx = OnCallRepository;
    }
}
