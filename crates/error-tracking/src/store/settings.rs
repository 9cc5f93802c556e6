//! The repository traits of settings and client keys.

use api_conventions::ids::{ClientKeyId, ErrorIid, IssueId, ProjectId};
use api_conventions::page::{OffsetPage, Page};
use storage::{Locked, StoreError};

use crate::model::{ClientKey, ClientKeyChange, NewClientKey, PublicKey, Settings};

/// What a transaction of either kind can tell about settings and client keys.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. What does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::queries]
pub trait SettingsQueries {
    /// The settings of a project.
    fn find_error_settings(&mut self, project: ProjectId) -> Result<Option<Settings>, StoreError>;

    /// The client key with these digits, of whichever project, active or not.
    fn find_client_key(&mut self, key: &PublicKey) -> Result<Option<ClientKey>, StoreError>;

    /// Settings in the order of their projects, beyond this one; at most `limit`.
    fn list_error_settings(
        &mut self,
        beyond: Option<ProjectId>,
        limit: usize,
    ) -> Result<Vec<Settings>, StoreError>;

    /// The client keys of a project, the oldest first.
    fn list_client_keys(
        &mut self,
        project: ProjectId,
        page: OffsetPage,
    ) -> Result<Page<ClientKey>, StoreError>;

    /// Of these errors of the external tracker of a project, those that an issue is about, in the order of their numbers there.
    fn list_external_links(
        &mut self,
        project: ProjectId,
        errors: &[ErrorIid],
    ) -> Result<Vec<(ErrorIid, IssueId)>, StoreError>;
}

/// What a write transaction can change about settings and client keys.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::repository(
    revokes(put_error_settings, update_client_key, delete_client_key),
    keeps(
        lock_error_settings,
        put_external_link,
        delete_external_links,
        insert_client_key
    )
)]
pub trait SettingsRepository: SettingsQueries {
    /// The settings of a project, or those of one that has chosen nothing, and whether they are stored. Nobody else changes the
    /// settings or the client keys of the project until the transaction ends. The project must exist.
    fn lock_error_settings(
        &mut self,
        project: ProjectId,
    ) -> Result<(Locked<Settings>, bool), StoreError>;

    /// Writes the settings of the project that `locked` is of. `settings` is of the same project.
    fn put_error_settings(
        &mut self,
        locked: Locked<Settings>,
        settings: &Settings,
    ) -> Result<(), StoreError>;

    /// Says which issue is about an error of the external tracker of the project that `locked` is of; `None` for no issue.
    ///
    /// # Errors
    /// A [`Conflict`](storage::StoreErrorKind::Conflict) when the issue is about another error of an external tracker.
    fn put_external_link(
        &mut self,
        locked: &Locked<Settings>,
        error: ErrorIid,
        issue: Option<IssueId>,
    ) -> Result<(), StoreError>;

    /// Forgets which issues are about errors of the external tracker of the project that `locked` is of.
    fn delete_external_links(&mut self, locked: &Locked<Settings>) -> Result<(), StoreError>;

    /// Inserts an active client key.
    ///
    /// # Errors
    /// A [`Conflict`](storage::StoreErrorKind::Conflict) when there is a key with these digits, in any project.
    fn insert_client_key(&mut self, new: &NewClientKey) -> Result<ClientKey, StoreError>;

    /// Changes a client key of a project, and gives it as it is then; `None` when the project has no such key.
    fn update_client_key(
        &mut self,
        project: ProjectId,
        id: ClientKeyId,
        change: ClientKeyChange,
    ) -> Result<Option<ClientKey>, StoreError>;

    /// Deletes a client key of a project, and gives it as it was. What came with it stays.
    fn delete_client_key(
        &mut self,
        project: ProjectId,
        id: ClientKeyId,
    ) -> Result<Option<ClientKey>, StoreError>;
}
