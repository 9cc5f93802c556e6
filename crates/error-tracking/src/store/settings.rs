//! The repository traits of settings and client keys.

use api_conventions::ids::{ClientKeyId, ErrorIid, IssueId, ProjectId};
use api_conventions::page::{OffsetPage, Page};
use storage::{Locked, StoreError};

use crate::model::{ClientKey, ClientKeyChange, NewClientKey, PublicKey, Settings};

/// Read access to settings and client keys, in a transaction of either kind.
///
/// # Errors
/// Every method returns a [`StoreError`] when the store fails. A missing row is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::queries]
pub trait SettingsQueries {
    /// Returns the settings of a project.
    fn find_error_settings(&mut self, project: ProjectId) -> Result<Option<Settings>, StoreError>;

    /// Returns the client key with these digits, of any project, active or not.
    fn find_client_key(&mut self, key: &PublicKey) -> Result<Option<ClientKey>, StoreError>;

    /// Lists settings in the order of their projects, after this one; at most `limit`.
    fn list_error_settings(
        &mut self,
        beyond: Option<ProjectId>,
        limit: usize,
    ) -> Result<Vec<Settings>, StoreError>;

    /// Lists the client keys of a project, the oldest first.
    fn list_client_keys(
        &mut self,
        project: ProjectId,
        page: OffsetPage,
    ) -> Result<Page<ClientKey>, StoreError>;

    /// Lists those of these errors of a project's external tracker that are linked to an issue, by their numbers there.
    fn list_external_links(
        &mut self,
        project: ProjectId,
        errors: &[ErrorIid],
    ) -> Result<Vec<(ErrorIid, IssueId)>, StoreError>;
}

/// Write access to settings and client keys, in a write transaction.
///
/// # Errors
/// Every method returns a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
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
    /// Locks and returns the settings of a project, or the default ones, and true if they are stored.
    /// No other transaction changes the settings or the client keys of the project until this one ends. The project
    /// must exist.
    fn lock_error_settings(
        &mut self,
        project: ProjectId,
    ) -> Result<(Locked<Settings>, bool), StoreError>;

    /// Writes the settings of the project of `locked`.
    /// `settings` must belong to the same project.
    fn put_error_settings(
        &mut self,
        locked: Locked<Settings>,
        settings: &Settings,
    ) -> Result<(), StoreError>;

    /// Links an issue to an error of the external tracker of the project of `locked`; `None` removes the link.
    ///
    /// # Errors
    /// A [`Conflict`](storage::StoreErrorKind::Conflict) if the issue is linked to another error of an external
    /// tracker.
    fn put_external_link(
        &mut self,
        locked: &Locked<Settings>,
        error: ErrorIid,
        issue: Option<IssueId>,
    ) -> Result<(), StoreError>;

    /// Removes all links between issues and errors of the external tracker of the project of `locked`.
    fn delete_external_links(&mut self, locked: &Locked<Settings>) -> Result<(), StoreError>;

    /// Inserts an active client key.
    ///
    /// # Errors
    /// A [`Conflict`](storage::StoreErrorKind::Conflict) if there is already a key with these digits, in any project.
    fn insert_client_key(&mut self, new: &NewClientKey) -> Result<ClientKey, StoreError>;

    /// Updates a client key of a project and returns it; `None` if the project has no such key.
    fn update_client_key(
        &mut self,
        project: ProjectId,
        id: ClientKeyId,
        change: ClientKeyChange,
    ) -> Result<Option<ClientKey>, StoreError>;

    /// Deletes a client key of a project and returns it.
    /// Events that were received with it stay.
    fn delete_client_key(
        &mut self,
        project: ProjectId,
        id: ClientKeyId,
    ) -> Result<Option<ClientKey>, StoreError>;
}
