//! Repository traits of runners and registration tokens.

use api_conventions::ids::{ProjectId, RunnerId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::secret::SecretDigest;
use storage::StoreError;

use crate::model::{
    NewRunner, RegistrationToken, Runner, RunnerContact, RunnerFilter, RunnerPlace, RunnerSettings,
};

/// Queries for runners, in a transaction of either kind.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::queries]
pub trait RunnerQueries {
    /// Returns the runner with this id.
    fn find_runner(&mut self, id: RunnerId) -> Result<Option<Runner>, StoreError>;

    /// Returns the runner whose authentication token has this digest.
    fn find_runner_by_digest(
        &mut self,
        digest: &SecretDigest,
    ) -> Result<Option<Runner>, StoreError>;

    /// Lists the groups and projects of a runner, in no particular order. A runner of the instance has none.
    fn list_runner_places(&mut self, id: RunnerId) -> Result<Vec<RunnerPlace>, StoreError>;

    /// Lists one page of the runners that match, in the order of their ids.
    ///
    /// # Errors
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork) if the query examines more runners than one request may;
    /// that limit is at least 100,000.
    fn list_runners(
        &mut self,
        filter: &RunnerFilter,
        page: OffsetPage,
    ) -> Result<Page<Runner>, StoreError>;

    /// Returns the registration token with this digest.
    fn find_registration_token(
        &mut self,
        digest: &SecretDigest,
    ) -> Result<Option<RegistrationToken>, StoreError>;

    /// Returns the registration token of a place.
    fn find_registration_token_of(
        &mut self,
        place: RunnerPlace,
    ) -> Result<Option<RegistrationToken>, StoreError>;
}

/// Writes to runners.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::repository(keeps(
    insert_runner,
    lock_runner,
    update_runner,
    replace_runner_token,
    touch_runners,
    assign_runner,
    unassign_runner,
    delete_runner,
    delete_runners_of,
    release_runners_of,
    put_registration_token
))]
pub trait RunnerRepository: RunnerQueries {
    /// Inserts a runner with its first place.
    ///
    /// # Errors
    /// Fails with a conflict if the digest already exists.
    fn insert_runner(&mut self, new: &NewRunner) -> Result<Runner, StoreError>;

    /// Locks a runner and its places against changes by other transactions until this one ends, and returns it.
    fn lock_runner(&mut self, id: RunnerId) -> Result<Option<Runner>, StoreError>;

    /// Updates the settings of a runner. Returns `false` if it does not exist.
    fn update_runner(
        &mut self,
        id: RunnerId,
        settings: &RunnerSettings,
    ) -> Result<bool, StoreError>;

    /// Replaces the authentication token of a runner. Returns `false` if it does not exist.
    fn replace_runner_token(
        &mut self,
        id: RunnerId,
        digest: &SecretDigest,
    ) -> Result<bool, StoreError>;

    /// Stores contacts of runners. An earlier contact than the stored one changes nothing, nor does one of an unknown
    /// runner.
    fn touch_runners(&mut self, contacts: &[RunnerContact]) -> Result<(), StoreError>;

    /// Assigns an existing runner to a project. Returns `false` if it was assigned before.
    fn assign_runner(&mut self, id: RunnerId, project: ProjectId) -> Result<bool, StoreError>;

    /// Ends the assignment of a runner to a project. Returns `false` if there was none.
    fn unassign_runner(&mut self, id: RunnerId, project: ProjectId) -> Result<bool, StoreError>;

    /// Deletes a runner with its assignments. Returns `false` if it does not exist.
    fn delete_runner(&mut self, id: RunnerId) -> Result<bool, StoreError>;

    /// Deletes the registration token of a group or project and its assignments, with the runners that have no other
    /// place. Returns how many runners were deleted.
    fn delete_runners_of(&mut self, place: RunnerPlace) -> Result<usize, StoreError>;

    /// Makes `successor` the creator of at most `limit` runners and registration tokens of a user who is deleted. Returns
    /// the number updated; 0 when none was left.
    fn release_runners_of(
        &mut self,
        creator: UserId,
        successor: UserId,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Stores the registration token of a place, in place of its previous one.
    ///
    /// # Errors
    /// Fails with a conflict if the digest already exists.
    fn put_registration_token(
        &mut self,
        token: &RegistrationToken,
        digest: &SecretDigest,
    ) -> Result<(), StoreError>;
}
