//! Requests about a project.

use std::marker::PhantomData;

use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use api_conventions::ids::ProjectId;
use api_conventions::reference::ProjectRef;
use api_conventions::time::Timestamp;
use gatehouse_core::database::ReadTransaction;
use projects::flow::find_visible::{find_redirected_project, find_visible_project, project_access};
use projects::{Project, ProjectAccess, Viewer};
use storage::StoreError;
use web_conventions::operations::{Needs, Parameter, ParameterKind, ResourceKind};

use super::place::{In, PLACE_PARAMETER, PlaceKind, Sees};
use super::project_feature::{EntireProject, ProjectPart};

/// Path parameter that identifies the project.
pub const PROJECT: Parameter = Parameter::path(
    PLACE_PARAMETER,
    ParameterKind::IdOrPath,
    "ID of the project, or its percent-encoded full path.",
);

/// Projects, or one feature of them.
#[derive(Debug)]
pub struct Projects<P = EntireProject>(PhantomData<P>);

/// Request about a project by a caller who may see it.
pub type SeesProject<S> = Sees<Projects, S>;
/// Request about a project by a member with a role.
pub type InProject<R, S> = In<Projects, R, S>;

/// Projects pending deletion, which a path identifies by id only.
#[derive(Debug)]
pub struct ProjectsPendingDeletion;

/// Request about a project pending deletion, by a member with a role.
pub type InProjectPendingDeletion<R, S> = In<ProjectsPendingDeletion, R, S>;

impl PlaceKind for ProjectsPendingDeletion {
    const RESOURCE_KIND: ResourceKind = ResourceKind::Project;
    const RESOURCE: &'static str = "Project";
    type Reference = ProjectId;
    type Place = Project;
    type Access = ProjectAccess;

    fn parse(raw: &str) -> Option<ProjectId> {
        raw.parse().ok().map(ProjectId::new)
    }

    fn find(
        tx: &mut dyn ReadTransaction,
        id: &ProjectId,
        viewer: Viewer,
        now: Timestamp,
    ) -> Result<Option<(Project, ProjectAccess)>, StoreError> {
        let Some(project) = tx.find_project_pending_deletion(*id)? else {
            return Ok(None);
        };
        let access = project_access(tx, viewer, &project, now)?;
        Ok(access.map(|access| (project, access)))
    }

    fn allows(access: ProjectAccess, needed: AccessLevel) -> bool {
        access.allows(needed)
    }
}

impl<P: ProjectPart> PlaceKind for Projects<P> {
    const RESOURCE_KIND: ResourceKind = ResourceKind::Project;
    const VIEW_NEEDS: Needs = P::VIEW_NEEDS;
    const RESOURCE: &'static str = "Project";
    type Reference = ProjectRef;
    type Place = Project;
    type Access = ProjectAccess;

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

    fn find_redirected(
        tx: &mut dyn ReadTransaction,
        reference: &ProjectRef,
        viewer: Viewer,
        now: Timestamp,
    ) -> Result<Option<i64>, StoreError> {
        let moved = find_redirected_project(tx, reference, viewer, now)?;
        Ok(moved.map(|(project, _)| project.id.get()))
    }

    fn allows(access: ProjectAccess, needed: AccessLevel) -> bool {
        access.allows(needed)
    }

    fn check_open(
        project: &Project,
        access: ProjectAccess,
        viewer: Viewer,
    ) -> Result<(), ApiError> {
        P::check_open(project, access, viewer)
    }

    fn check_writable(project: &Project) -> Result<(), ApiError> {
        if project.archived {
            return Err(ApiError::forbidden_because("the project is archived"));
        }
        Ok(())
    }
}
