//! Repository of applications.

use api_conventions::ids::{ApplicationId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{
    Application, ApplicationChange, ApplicationUid, AuthorizedApplication, NewApplication,
};

/// Owner of applications.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplicationOwner {
    /// User who registered the applications.
    User(UserId),
    /// The instance: no user owns the applications.
    Instance,
}

impl ApplicationOwner {
    /// Returns the user, if the owner is one.
    pub const fn user_id(self) -> Option<UserId> {
        match self {
            Self::User(id) => Some(id),
            Self::Instance => None,
        }
    }
}

/// Queries about applications, for read and write transactions.
///
/// # Errors
/// Every method returns a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::queries]
pub trait ApplicationQueries {
    /// Returns the application with this id.
    fn find_application(&mut self, id: ApplicationId) -> Result<Option<Application>, StoreError>;

    /// Returns the application with this public name.
    fn find_application_by_uid(
        &mut self,
        uid: &ApplicationUid,
    ) -> Result<Option<Application>, StoreError>;

    /// Lists the applications of an owner, oldest first; ids break ties.
    fn list_applications(
        &mut self,
        owner: ApplicationOwner,
        page: OffsetPage,
    ) -> Result<Page<Application>, StoreError>;

    /// Lists the names of the applications with these ids, in no particular order; unknown ids are left out.
    fn list_application_names(
        &mut self,
        ids: &[ApplicationId],
    ) -> Result<Vec<(ApplicationId, String)>, StoreError>;

    /// Lists the applications that hold a live grant of this user: redeemed, not revoked, and not expired at `now`. The
    /// most recently authorized application comes first; ids break ties. Grants without an application are left out.
    fn list_authorized_applications(
        &mut self,
        user_id: UserId,
        now: Timestamp,
    ) -> Result<Vec<AuthorizedApplication>, StoreError>;
}

/// Changes to applications, for write transactions.
///
/// # Errors
/// Every method returns a [`StoreError`] when the store fails. A method that can fail in another way says so.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::repository(
    revokes(update_application, replace_secret, delete_application),
    keeps(insert_application)
)]
pub trait ApplicationRepository: ApplicationQueries {
    /// Registers an application.
    ///
    /// # Errors
    /// A uid that exists already is a conflict.
    fn insert_application(
        &mut self,
        application: &NewApplication,
    ) -> Result<ApplicationId, StoreError>;

    /// Updates an application. Returns `false` if none has this id.
    fn update_application(
        &mut self,
        id: ApplicationId,
        change: &ApplicationChange,
    ) -> Result<bool, StoreError>;

    /// Replaces the secret of an application; the old one is invalid from then on. Returns `false` if none has this id.
    fn replace_secret(
        &mut self,
        id: ApplicationId,
        secret: &SecretDigest,
    ) -> Result<bool, StoreError>;

    /// Deletes an application with its waiting requests, its grants and their tokens. Returns `false` if none has this
    /// id.
    fn delete_application(&mut self, id: ApplicationId) -> Result<bool, StoreError>;
}
