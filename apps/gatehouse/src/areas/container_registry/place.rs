//! Requests about an image repository that the path names by its id alone.

use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use api_conventions::ids::ImageRepositoryId;
use api_conventions::reference::ProjectRef;
use api_conventions::time::Timestamp;
use gatehouse_core::database::ReadTransaction;
use projects::flow::find_visible::find_visible_project;
use projects::{ImageRepository, Project, ProjectAccess, Viewer};
use storage::StoreError;
use web_conventions::operations::{Needs, ResourceKind};

use crate::frame::place::{PlaceKind, Sees};
use crate::frame::project_feature::{Images, ProjectPart as _};
use crate::frame::scopes::ReadApi;

/// Image repositories, each with its project.
#[derive(Debug)]
pub(super) struct ImagePlaces;

/// Request to read an image repository.
pub(super) type SeesImages = Sees<ImagePlaces, ReadApi>;

impl PlaceKind for ImagePlaces {
    const RESOURCE_KIND: ResourceKind = ResourceKind::Project;
    const VIEW_NEEDS: Needs = Images::VIEW_NEEDS;
    const RESOURCE: &'static str = super::shared::RESOURCE;
    type Reference = ImageRepositoryId;
    type Place = (ImageRepository, Project);
    type Access = ProjectAccess;

    fn parse(raw: &str) -> Option<ImageRepositoryId> {
        raw.parse().ok().map(ImageRepositoryId::new)
    }

    fn find(
        tx: &mut dyn ReadTransaction,
        id: &ImageRepositoryId,
        viewer: Viewer,
        now: Timestamp,
    ) -> Result<Option<(Self::Place, ProjectAccess)>, StoreError> {
        let Some(images) = tx.find_image_repository(*id)? else {
            return Ok(None);
        };
        let project = ProjectRef::Id(images.project_id);
        let found = find_visible_project(tx, &project, viewer, now)?;
        Ok(found.map(|(project, access)| ((images, project), access)))
    }

    fn allows(access: ProjectAccess, needed: AccessLevel) -> bool {
        access.allows(needed)
    }

    fn check_open(
        (_, project): &Self::Place,
        access: ProjectAccess,
        viewer: Viewer,
    ) -> Result<(), ApiError> {
        Images::check_open(project, access, viewer)
    }
}
