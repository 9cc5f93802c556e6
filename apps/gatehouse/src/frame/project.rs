//! Requests about a project.

use std::marker::PhantomData;

use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use api_conventions::ids::ProjectId;
use api_conventions::reference::ProjectRef;
use api_conventions::time::Timestamp;
use gatehouse_core::database::ReadTransaction;
use projects::flow::find_visible::{find_moved_project, find_visible_project, standing};
use projects::{Project, ProjectAccess, Viewer};
use storage::StoreError;
use web_conventions::operations::{Kind, Needs, Parameter, Place};

use super::place::{In, NAME, PlaceKind, Sees};
use super::project_feature::{ProjectPart, Whole};

/// Path parameter that identifies the project.
pub const PROJECT: Parameter = Parameter::path(
    NAME,
    Kind::Place,
    "The number of the project, or its full path, percent-encoded.",
);

/// Projects, or one feature of them.
#[derive(Debug)]
pub struct Projects<P = Whole>(PhantomData<P>);

/// Request about a project by a caller who may see it.
pub type SeesProject<S> = Sees<Projects, S>;
/// Request about a project by a member with a role.
pub type InProject<R, S> = In<Projects, R, S>;

/// Projects pending deletion, which a path identifies by id only.
#[derive(Debug)]
pub struct DoomedProjects;

/// Request about a project pending deletion, by a member with a role.
pub type InDoomedProject<R, S> = In<DoomedProjects, R, S>;

impl PlaceKind for DoomedProjects {
    const PLACE: Place = Place::Project;
    const THING: &'static str = "Project";
    type Reference = ProjectId;
    type Found = Project;
    type Standing = ProjectAccess;

    fn parse(raw: &str) -> Option<ProjectId> {
        raw.parse().ok().map(ProjectId::new)
    }

    fn find(
        tx: &mut dyn ReadTransaction,
        id: &ProjectId,
        viewer: Viewer,
        now: Timestamp,
    ) -> Result<Option<(Project, ProjectAccess)>, StoreError> {
        let Some(project) = tx.find_doomed_project(*id)? else {
            return Ok(None);
        };
        let access = standing(tx, viewer, &project, now)?;
        Ok(access.map(|access| (project, access)))
    }

    fn allows(standing: ProjectAccess, needed: AccessLevel) -> bool {
        standing.allows(needed)
    }
}

impl<P: ProjectPart> PlaceKind for Projects<P> {
    const PLACE: Place = Place::Project;
    const SIGHT: Needs = P::SIGHT;
    const THING: &'static str = "Project";
    type Reference = ProjectRef;
    type Found = Project;
    type Standing = ProjectAccess;

    fn parse(raw: &str) -> Option<ProjectRef> {
        ProjectRef::parse(raw)
    }

    fn find(
        tx: &mut dyn ReadTransaction,
        reference: &ProjectRef,
        viewer: Viewer,
        now: Timestamp,
    ) -> Result<Option<(Project, ProjectAccess)>, StoreError> {
        find_visible_project(tx, reference, viewer, now)
    }

    fn find_moved(
        tx: &mut dyn ReadTransaction,
        reference: &ProjectRef,
        viewer: Viewer,
        now: Timestamp,
    ) -> Result<Option<i64>, StoreError> {
        let moved = find_moved_project(tx, reference, viewer, now)?;
        Ok(moved.map(|(project, _)| project.id.get()))
    }

    fn allows(standing: ProjectAccess, needed: AccessLevel) -> bool {
        standing.allows(needed)
    }

    fn check_open(
        project: &Project,
        standing: ProjectAccess,
        viewer: Viewer,
    ) -> Result<(), ApiError> {
        P::check_open(project, standing, viewer)
    }

    fn check_writable(project: &Project) -> Result<(), ApiError> {
        if project.archived {
            return Err(ApiError::forbidden_because("the project is archived"));
        }
        Ok(())
    }
}
