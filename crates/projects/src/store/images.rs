//! The repository traits of image repositories in a container registry.

use api_conventions::ids::{ImageRepositoryId, NamespaceId, ProjectId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{ImageCleanup, ImageRepository, NewImageRepository};

/// Read queries on image repositories, in read and write transactions.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::queries]
pub trait ImageQueries {
    /// The image repository with this id.
    fn find_image_repository(
        &mut self,
        id: ImageRepositoryId,
    ) -> Result<Option<ImageRepository>, StoreError>;

    /// The image repository with this name.
    fn find_image_repository_by_name(
        &mut self,
        name: &str,
    ) -> Result<Option<ImageRepository>, StoreError>;

    /// Page of the image repositories of a project, ordered by id.
    fn list_image_repositories(
        &mut self,
        project: ProjectId,
        page: OffsetPage,
    ) -> Result<Page<ImageRepository>, StoreError>;

    /// Page of the image repositories of the projects in a group, at any depth, ordered by project and id. Projects that
    /// are pending deletion have none.
    fn list_image_repositories_of_group(
        &mut self,
        group: NamespaceId,
        page: OffsetPage,
    ) -> Result<Page<ImageRepository>, StoreError>;

    /// The latest deletion of images of the repository with this name.
    fn find_image_cleanup(&mut self, name: &str) -> Result<Option<ImageCleanup>, StoreError>;

    /// The deletion of images that is due first, if it is due at `now`.
    fn find_due_image_cleanup(
        &mut self,
        now: Timestamp,
    ) -> Result<Option<ImageCleanup>, StoreError>;
}

/// Write operations on image repositories.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::repository(keeps(
    put_image_repository,
    delete_image_repository,
    put_image_cleanup,
    reschedule_image_cleanup,
    delete_image_cleanup
))]
pub trait ImageRepositories: ImageQueries {
    /// Inserts an image repository, unless one has its name. Returns the one with the name, which may belong to another
    /// project.
    fn put_image_repository(
        &mut self,
        new: &NewImageRepository,
    ) -> Result<ImageRepository, StoreError>;

    /// Deletes an image repository. Returns `false` if it does not exist.
    fn delete_image_repository(&mut self, id: ImageRepositoryId) -> Result<bool, StoreError>;

    /// Stores a deletion of images, in place of the previous one of this name.
    fn put_image_cleanup(&mut self, cleanup: &ImageCleanup) -> Result<(), StoreError>;

    /// Replaces the time at which a deletion of images is due, if it still is `cleanup.due_at`; `None` completes it.
    /// Returns `false` if another transaction replaced it first.
    fn reschedule_image_cleanup(
        &mut self,
        cleanup: &ImageCleanup,
        due_at: Option<Timestamp>,
    ) -> Result<bool, StoreError>;

    /// Deletes the deletion of images of this name. Returns `false` if there is none.
    fn delete_image_cleanup(&mut self, name: &str) -> Result<bool, StoreError>;
}
