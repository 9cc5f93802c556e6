//! The repository traits of image repositories in a container registry.

use api_conventions::ids::{ImageRepositoryId, ProjectId};
use api_conventions::page::{OffsetPage, Page};
use storage::StoreError;

use crate::model::{ImageRepository, NewImageRepository};

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
}

/// Write operations on image repositories.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::repository(keeps(put_image_repository, delete_image_repository))]
pub trait ImageRepositories: ImageQueries {
    /// Inserts an image repository, unless one has its name. Returns the one with the name, which may belong to another
    /// project.
    fn put_image_repository(
        &mut self,
        new: &NewImageRepository,
    ) -> Result<ImageRepository, StoreError>;

    /// Deletes an image repository. Returns `false` if it does not exist.
    fn delete_image_repository(&mut self, id: ImageRepositoryId) -> Result<bool, StoreError>;
}
