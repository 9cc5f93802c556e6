//! Repository traits of silences, and of the times at which alerts expire.
//!
//! The traits have a store of their own, so that a host without Alertmanager's API need not serve them.

use api_conventions::ids::{AlertId, ProjectId, SilenceId};
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::{AlertQueries, AlertRepository};
use crate::model::{Alert, AlertExpiry, AlertIdentity, NewSilence, Silence};

/// Queries for silences and expiries, in a transaction of either kind.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::queries]
pub trait SilenceQueries {
    /// Lists these alerts with their payloads, in any order. Those that do not exist are left out.
    fn list_alerts_with_payloads(&mut self, ids: &[AlertId]) -> Result<Vec<Alert>, StoreError>;

    /// Returns a silence of a project.
    fn find_silence(
        &mut self,
        project: ProjectId,
        id: SilenceId,
    ) -> Result<Option<Silence>, StoreError>;

    /// Lists the silences of these projects that end after `time`, at most `limit` of each project. Of each project those
    /// that end last come first; of equal ones those with the larger id.
    fn list_silences(
        &mut self,
        projects: &[ProjectId],
        time: Timestamp,
        limit: usize,
    ) -> Result<Vec<Silence>, StoreError>;

    /// Lists the silences that are due at `now` or before, those due first, at most `limit`.
    fn list_due_silences(
        &mut self,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<Silence>, StoreError>;

    /// Lists the expiries at `now` or before, the earliest first, at most `limit`.
    fn list_due_expiries(
        &mut self,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<AlertExpiry>, StoreError>;
}

/// Writes to silences and expiries.
///
/// The caller locks the alerts of the project first ([`AlertRepository::lock_alerts`]), so that a silence and a report do
/// not miss each other.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::repository(keeps(
    insert_silence,
    update_silence,
    delete_silences_before,
    put_expiries,
    delete_expiries,
    postpone_expiries,
    delete_silences_of
))]
pub trait SilenceRepository: SilenceQueries {
    /// Inserts a silence.
    fn insert_silence(&mut self, new: &NewSilence) -> Result<SilenceId, StoreError>;

    /// Sets everything of a silence except its project and its matchers. Returns `false` if it does not exist.
    fn update_silence(&mut self, silence: &Silence) -> Result<bool, StoreError>;

    /// Deletes at most `limit` silences that ended before `time` and are not due. Returns their number.
    fn delete_silences_before(
        &mut self,
        time: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Stores expiries, each of another identity. One that exists keeps its time if that is later, and gets the endpoint.
    fn put_expiries(&mut self, expiries: &[AlertExpiry]) -> Result<(), StoreError>;

    /// Deletes the expiries of these identities.
    fn delete_expiries(
        &mut self,
        identities: &[(ProjectId, AlertIdentity)],
    ) -> Result<(), StoreError>;

    /// Moves expiries before `time` to it.
    fn postpone_expiries(&mut self, time: Timestamp) -> Result<(), StoreError>;

    /// Deletes at most `limit` silences and expiries of a project. Returns their number. The deletion of the project calls
    /// it until it returns 0.
    fn delete_silences_of(&mut self, project: ProjectId, limit: usize)
    -> Result<usize, StoreError>;
}

storage::dyn_store! {
    /// A store of alerts and silences, for use behind `dyn`. Every [`Store`](storage::Store) whose transactions have
    /// these repository traits implements it.
    pub trait SilenceStore {
        /// Transaction that a read closure of a [`SilenceStore`] gets.
        type Read: SilenceReadTx = AlertQueries + SilenceQueries;
        /// Transaction that a write closure of a [`SilenceStore`] gets.
        type Write: SilenceWriteTx = AlertRepository + SilenceRepository;
    }
}
