//! Requests of the tracker's web API.
//! The path identifies a project by namespace and slug, and an error by id only.

use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use api_conventions::ids::ErrorId;
use api_conventions::reference::{FullPath, ProjectRef, decode_segment};
use api_conventions::time::Timestamp;
use error_tracking::model::{EventId, TrackedError};
use error_tracking::store::MergedErrorRef;
use gatehouse_core::database::ReadTransaction;
use projects::flow::find_visible::find_visible_project;
use projects::{Project, ProjectAccess, Viewer};
use storage::StoreError;
use web_conventions::operations::{Parameter, ParameterKind, ResourceKind};

use super::api::ApiRequest;
use super::place::{In, PLACE_PARAMETER, PlaceKind};
use super::project::Projects;

/// Path parameter with the namespace of a project.
pub const ORGANIZATION: Parameter = Parameter::path(
    "organization",
    ParameterKind::Text { min: 1, max: 255 },
    "Full path of the group or user that owns the project, with its slashes percent-encoded.",
);
/// Path parameter with the slug of a project.
pub const SLUG: Parameter = Parameter::path(
    "project",
    ParameterKind::Text { min: 1, max: 255 },
    "Slug of the project, the last part of its path.",
);
/// Path parameter with the id of an error.
pub const ERROR_ID: Parameter =
    Parameter::path(PLACE_PARAMETER, ParameterKind::ID, "ID of the error.");

/// Path parameter with the id of an event.
pub const EVENT_ID: Parameter = Parameter::path(
    "event_id",
    ParameterKind::Text { min: 1, max: 36 },
    "ID that the SDK assigned to the event, with or without dashes.",
);

/// Projects, identified by two path parameters.
#[derive(Debug)]
pub struct NamedProjects;
/// Errors with their projects, identified by id.
#[derive(Debug)]
pub struct TrackedErrors;

/// Error, and its project.
#[derive(Debug, Clone)]
pub struct ErrorInProject {
    /// The error.
    pub error: TrackedError,
    /// The project.
    pub project: Project,
}

/// Events of an organization's projects, identified by the ids that SDKs assigned.
#[derive(Debug)]
pub struct OrganizationEvents;

/// Reference to an event of an organization.
#[derive(Debug, Clone)]
pub struct EventReference {
    /// Full path of the organization.
    organization: FullPath,
    /// Id of the event.
    pub event: EventId,
}

/// Event, and its error.
#[derive(Debug, Clone)]
pub struct EventOfError {
    /// Id of the event.
    pub event: EventId,
    /// Error with its project.
    pub of: ErrorInProject,
}

/// Request about an event by a member of its project with a role.
pub type InProjectOfEvent<R, S> = In<OrganizationEvents, R, S>;
/// Request about a project by a member with a role.
pub type InNamedProject<R, S> = In<NamedProjects, R, S>;
/// Request about an error by a member of its project with a role.
pub type InProjectOfError<R, S> = In<TrackedErrors, R, S>;

impl PlaceKind for NamedProjects {
    const RESOURCE_KIND: ResourceKind = ResourceKind::Project;
    const RESOURCE: &'static str = "Project";
    type Reference = ProjectRef;
    type Place = Project;
    type Access = ProjectAccess;

    fn parse(raw: &str) -> Option<ProjectRef> {
        ProjectRef::parse(raw)
    }

    fn reference_in(request: &ApiRequest) -> Option<ProjectRef> {
        let part = |parameter: Parameter| decode_segment(request.raw_segment(parameter.name)?);
        let reference = ProjectRef::parse(&format!("{}/{}", part(ORGANIZATION)?, part(SLUG)?))?;
        matches!(reference, ProjectRef::Path(_)).then_some(reference)
    }

    fn find(
        tx: &mut dyn ReadTransaction,
        reference: &ProjectRef,
        viewer: Viewer,
        now: Timestamp,
    ) -> Result<Option<(Project, ProjectAccess)>, StoreError> {
        find_visible_project(tx, reference, viewer, now)
    }

    fn allows(access: ProjectAccess, needed: AccessLevel) -> bool {
        access.allows(needed)
    }
}

impl PlaceKind for OrganizationEvents {
    const RESOURCE_KIND: ResourceKind = ResourceKind::Project;
    // As with errors: a caller who cannot see the project does not learn if the event exists.
    const RESOURCE: &'static str = "Project";
    type Reference = EventReference;
    type Place = EventOfError;
    type Access = ProjectAccess;

    fn parse(_: &str) -> Option<EventReference> {
        None
    }

    fn reference_in(request: &ApiRequest) -> Option<EventReference> {
        let part = |parameter: Parameter| decode_segment(request.raw_segment(parameter.name)?);
        Some(EventReference {
            organization: FullPath::parse(&part(ORGANIZATION)?)?,
            event: EventId::parse(&part(EVENT_ID)?)?,
        })
    }

    fn find(
        tx: &mut dyn ReadTransaction,
        reference: &EventReference,
        viewer: Viewer,
        now: Timestamp,
    ) -> Result<Option<(EventOfError, ProjectAccess)>, StoreError> {
        let organization = reference.organization.lookup_key();
        let mut seen = None;
        for (project, error) in tx.list_errors_of_event(reference.event, None)? {
            let of = ProjectRef::Id(project);
            let Some((project, access)) = find_visible_project(tx, &of, viewer, now)? else {
                continue;
            };
            if project.namespace.full_path.lookup_key() != organization {
                continue;
            }
            let Some(error) = tx.find_error_by_id(error)? else {
                continue;
            };
            let found = EventOfError {
                event: reference.event,
                of: ErrorInProject { error, project },
            };
            // If several projects have the same id, prefer the one that the viewer may read.
            if access.allows(AccessLevel::Reporter) {
                return Ok(Some((found, access)));
            }
            seen = seen.or(Some((found, access)));
        }
        Ok(seen)
    }

    fn allows(access: ProjectAccess, needed: AccessLevel) -> bool {
        access.allows(needed)
    }

    fn check_writable(found: &EventOfError) -> Result<(), ApiError> {
        <Projects>::check_writable(&found.of.project)
    }
}

impl PlaceKind for TrackedErrors {
    const RESOURCE_KIND: ResourceKind = ResourceKind::Project;
    // A caller who cannot see the project does not learn if the error exists.
    const RESOURCE: &'static str = "Project";
    type Reference = ErrorId;
    type Place = ErrorInProject;
    type Access = ProjectAccess;

    fn parse(raw: &str) -> Option<ErrorId> {
        raw.parse().ok().map(ErrorId::new)
    }

    fn find(
        tx: &mut dyn ReadTransaction,
        id: &ErrorId,
        viewer: Viewer,
        now: Timestamp,
    ) -> Result<Option<(ErrorInProject, ProjectAccess)>, StoreError> {
        // Clients of this API store ids and follow no redirects, so a merged error resolves to the error it was merged
        // into.
        let error = match tx.find_error_by_id(*id)? {
            Some(error) => Some(error),
            None => tx.find_merged_error(MergedErrorRef::Id(*id))?,
        };
        let Some(error) = error else {
            return Ok(None);
        };
        let of = ProjectRef::Id(error.project_id);
        let found = find_visible_project(tx, &of, viewer, now)?;
        Ok(found.map(|(project, access)| (ErrorInProject { error, project }, access)))
    }

    fn allows(access: ProjectAccess, needed: AccessLevel) -> bool {
        access.allows(needed)
    }

    fn check_writable(found: &ErrorInProject) -> Result<(), ApiError> {
        <Projects>::check_writable(&found.project)
    }
}
