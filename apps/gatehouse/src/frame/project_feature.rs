//! Features of a project whose access is controlled by the project's settings.
//!
//! An API handler receives the project of such a feature as a [`SeesFeature`] or an [`InFeature`], so the settings
//! apply to every read and every write. Pages check [`ProjectContext::shows`](super::page::project::ProjectContext::shows).

use std::fmt::Debug;

use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use gatehouse_core::flows::registry_access::may_pull;
use projects::rules::features::{Feature, Readers};
use projects::{Project, ProjectAccess, Viewer};
use web_conventions::operations::{Needs, ResourceKind};

use super::place::{In, Sees};
use super::project::Projects;

/// Part of a project that a request concerns: the whole, or a feature.
pub trait ProjectPart: Debug + 'static {
    /// Feature; `None` for the whole project.
    const FEATURE: Option<Feature>;
    /// Requirement for readers by default.
    const VIEW_NEEDS: Needs = Needs::CanView(ResourceKind::Project);

    /// Refuses viewers to whom the project's settings do not open the part.
    ///
    /// # Errors
    /// 401 for callers without a token to whom a role could give access, otherwise 403.
    fn check_open(
        project: &Project,
        access: ProjectAccess,
        viewer: Viewer,
    ) -> Result<(), ApiError> {
        let Some(feature) = Self::FEATURE else {
            return Ok(());
        };
        if feature.is_read_by(&project.settings, access) {
            return Ok(());
        }
        // A token could help a member, but no one if the feature is disabled.
        let is_off = feature.readers(&project.settings) == Readers::Nobody;
        Err(if is_off || viewer.user_id().is_some() {
            ApiError::forbidden()
        } else {
            ApiError::unauthorized()
        })
    }
}

/// Whole project.
#[derive(Debug)]
pub struct EntireProject;
/// Pipelines and commit statuses.
#[derive(Debug)]
pub struct Pipelines;
/// Jobs.
#[derive(Debug)]
pub struct Jobs;
/// Environments and deployments.
#[derive(Debug)]
pub struct Environments;
/// Repository, which a Git server holds.
#[derive(Debug)]
pub struct Repository;

/// Images, which a container registry holds.
#[derive(Debug)]
pub struct Images;
/// Snippets of the project.
#[derive(Debug)]
pub struct Snippets;

/// Request to read a feature of a project, by a caller whom the settings permit to read it.
pub type SeesFeature<F, S> = Sees<Projects<F>, S>;
/// Request about a feature of a project by a member with a role, refused if the feature is disabled.
pub type InFeature<F, R, S> = In<Projects<F>, R, S>;

impl ProjectPart for EntireProject {
    const FEATURE: Option<Feature> = None;
}

impl ProjectPart for Pipelines {
    const FEATURE: Option<Feature> = Some(Feature::Pipelines);
}

impl ProjectPart for Jobs {
    const FEATURE: Option<Feature> = Some(Feature::Jobs);
    const VIEW_NEEDS: Needs = Needs::RoleUnlessOpen(ResourceKind::Project, AccessLevel::Reporter);
}

impl ProjectPart for Repository {
    const FEATURE: Option<Feature> = Some(Feature::Repository);
}

impl ProjectPart for Images {
    const FEATURE: Option<Feature> = Some(Feature::ContainerRegistry);
    const VIEW_NEEDS: Needs = Needs::RoleUnlessOpen(ResourceKind::Project, AccessLevel::Reporter);

    fn check_open(
        project: &Project,
        access: ProjectAccess,
        viewer: Viewer,
    ) -> Result<(), ApiError> {
        if may_pull(project, access) {
            return Ok(());
        }
        Err(if viewer.user_id().is_some() {
            ApiError::forbidden()
        } else {
            ApiError::unauthorized()
        })
    }
}

impl ProjectPart for Environments {
    const FEATURE: Option<Feature> = Some(Feature::Environments);
    const VIEW_NEEDS: Needs = Needs::RoleUnlessOpen(ResourceKind::Project, AccessLevel::Reporter);
}

impl ProjectPart for Snippets {
    const FEATURE: Option<Feature> = Some(Feature::Snippets);
}
