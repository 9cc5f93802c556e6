//! Features of a project whose readers the settings of the project choose.
//!
//! A handler of the API gets the project of such a feature as a [`SeesFeature`] or an [`InFeature`], so the settings hold for every
//! read and every write. Pages check [`Found::shows`](super::page::project::Found::shows).

use std::fmt::Debug;

use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use projects::rules::features::{Feature, Readers};
use projects::{Project, ProjectAccess, Viewer};
use web_conventions::operations::{Needs, Place};

use super::place::{In, Sees};
use super::project::Projects;

/// The part of a project that a request is about: the whole, or a feature.
pub trait ProjectPart: Debug + 'static {
    /// The feature; `None` for the whole project.
    const FEATURE: Option<Feature>;
    /// The readers in a project whose settings choose none.
    const SIGHT: Needs = Needs::Sight(Place::Project);

    /// Refuses viewers to whom the settings of the project do not open the part.
    ///
    /// # Errors
    /// 401 for callers without a token whom a role could help, else 403.
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
        // A token helps a member, and nobody where the feature is off.
        let is_off = feature.readers(&project.settings) == Readers::Nobody;
        Err(if is_off || viewer.user_id().is_some() {
            ApiError::forbidden()
        } else {
            ApiError::unauthorized()
        })
    }
}

/// The whole project.
#[derive(Debug)]
pub struct Whole;
/// Pipelines, and the statuses of commits.
#[derive(Debug)]
pub struct Pipelines;
/// Jobs.
#[derive(Debug)]
pub struct Jobs;
/// Environments and deployments.
#[derive(Debug)]
pub struct Environments;

/// A request to read a feature of a project by somebody whom the settings let read it.
pub type SeesFeature<F, S> = Sees<Projects<F>, S>;
/// A request about a feature of a project by a member with a role, refused where the feature is off.
pub type InFeature<F, R, S> = In<Projects<F>, R, S>;

impl ProjectPart for Whole {
    const FEATURE: Option<Feature> = None;
}

impl ProjectPart for Pipelines {
    const FEATURE: Option<Feature> = Some(Feature::Pipelines);
}

impl ProjectPart for Jobs {
    const FEATURE: Option<Feature> = Some(Feature::Jobs);
    const SIGHT: Needs = Needs::RoleUnlessOpen(Place::Project, AccessLevel::Reporter);
}

impl ProjectPart for Environments {
    const FEATURE: Option<Feature> = Some(Feature::Environments);
    const SIGHT: Needs = Needs::RoleUnlessOpen(Place::Project, AccessLevel::Reporter);
}
