//! Requests about a feature of a project whose readers the settings of the project choose.
//!
//! A handler of such a feature gets the project from here alone, so the settings hold for every read and every write.

use std::fmt::Debug;
use std::marker::PhantomData;

use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use api_conventions::reference::ProjectRef;
use api_conventions::time::Timestamp;
use gatehouse_core::database::ReadTransaction;
use projects::rules::features::{Feature, Readers};
use projects::{Project, ProjectAccess, Viewer};
use storage::StoreError;
use web_conventions::operations::{Needs, Place};

use super::place::{In, PlaceKind, Sees};
use super::project::Projects;

/// A feature whose readers the settings of a project choose.
pub trait ProjectFeature: Debug + 'static {
    /// The feature.
    const FEATURE: Feature;
    /// The readers of a project that never chose any.
    const SIGHT: Needs;
}

/// Pipelines, and the statuses of commits.
#[derive(Debug)]
pub struct Pipelines;
/// Jobs.
#[derive(Debug)]
pub struct Jobs;
/// Environments and deployments.
#[derive(Debug)]
pub struct Environments;

impl ProjectFeature for Pipelines {
    const FEATURE: Feature = Feature::Pipelines;
    const SIGHT: Needs = Needs::Sight(Place::Project);
}

impl ProjectFeature for Jobs {
    const FEATURE: Feature = Feature::Jobs;
    const SIGHT: Needs = Needs::RoleUnlessOpen(Place::Project, AccessLevel::Reporter);
}

impl ProjectFeature for Environments {
    const FEATURE: Feature = Feature::Environments;
    const SIGHT: Needs = Needs::RoleUnlessOpen(Place::Project, AccessLevel::Reporter);
}

/// Projects, for requests about one feature.
#[derive(Debug)]
pub struct ProjectsFor<F>(PhantomData<F>);

/// A request to read a feature of a project by somebody whom the settings let read it.
pub type SeesFeature<F, S> = Sees<ProjectsFor<F>, S>;
/// A request about a feature of a project by a member with a role, refused where the feature is off.
pub type InFeature<F, R, S> = In<ProjectsFor<F>, R, S>;

impl<F: ProjectFeature> PlaceKind for ProjectsFor<F> {
    const PLACE: Place = Projects::PLACE;
    const SIGHT: Needs = F::SIGHT;
    const THING: &'static str = Projects::THING;
    type Reference = ProjectRef;
    type Found = Project;
    type Standing = ProjectAccess;

    fn parse(raw: &str) -> Option<ProjectRef> {
        Projects::parse(raw)
    }

    fn find(
        tx: &mut dyn ReadTransaction,
        reference: &ProjectRef,
        viewer: Viewer,
        now: Timestamp,
    ) -> Result<Option<(Project, ProjectAccess)>, StoreError> {
        Projects::find(tx, reference, viewer, now)
    }

    fn find_moved(
        tx: &mut dyn ReadTransaction,
        reference: &ProjectRef,
        viewer: Viewer,
        now: Timestamp,
    ) -> Result<Option<i64>, StoreError> {
        Projects::find_moved(tx, reference, viewer, now)
    }

    fn allows(standing: ProjectAccess, needed: AccessLevel) -> bool {
        Projects::allows(standing, needed)
    }

    fn check_open(
        project: &Project,
        standing: ProjectAccess,
        viewer: Viewer,
    ) -> Result<(), ApiError> {
        if F::FEATURE.is_read_by(&project.settings, standing) {
            return Ok(());
        }
        // A token helps a member, and nobody where the feature is off.
        let is_off = F::FEATURE.readers(&project.settings) == Readers::Nobody;
        Err(if is_off || viewer.user_id().is_some() {
            ApiError::forbidden()
        } else {
            ApiError::unauthorized()
        })
    }

    fn check_writable(project: &Project) -> Result<(), ApiError> {
        Projects::check_writable(project)
    }
}
