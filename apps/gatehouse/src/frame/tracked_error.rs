//! Requests of the tracker's web API.
//! The path identifies a project by namespace and slug, and an error by id only.

use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use api_conventions::ids::ErrorId;
use api_conventions::reference::{FullPath, ProjectRef, decode_segment};
use api_conventions::time::Timestamp;
use error_tracking::model::{EventId, TrackedError};
use error_tracking::store::FormerNumber;
use gatehouse_core::database::ReadTransaction;
use projects::flow::find_visible::find_visible_project;
use projects::{Project, ProjectAccess, Viewer};
use storage::StoreError;
use web_conventions::operations::{Kind, Parameter, Place};

use super::api::ApiRequest;
use super::place::{In, NAME, PlaceKind};
use super::project::Projects;

/// Path parameter with the namespace of a project.
pub const ORGANIZATION: Parameter = Parameter::path(
    "organization",
    Kind::Text { min: 1, max: 255 },
    "The full path of the group or the user that the project belongs to, with its slashes percent-encoded.",
);
/// Path parameter with the slug of a project.
pub const SLUG: Parameter = Parameter::path(
    "project",
    Kind::Text { min: 1, max: 255 },
    "The last part of the path of the project.",
);
/// Path parameter with the id of an error.
pub const ERROR_ID: Parameter = Parameter::path(NAME, Kind::ID, "The number of the error.");

/// Path parameter with the id of an event.
pub const EVENT_ID: Parameter = Parameter::path(
    "event_id",
    Kind::Text { min: 1, max: 36 },
    "The id that the SDK gave the event, with or without dashes.",
);

/// Projects, identified by two path parameters.
#[derive(Debug)]
pub struct NamedProjects;
/// Errors with their projects, identified by id.
#[derive(Debug)]
pub struct TrackedErrors;

/// Error, and its project.
#[derive(Debug, Clone)]
pub struct InItsProject {
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
    pub of: InItsProject,
}

/// Request about an event by a member of its project with a role.
pub type InProjectOfEvent<R, S> = In<OrganizationEvents, R, S>;
/// Request about a project by a member with a role.
pub type InNamedProject<R, S> = In<NamedProjects, R, S>;
/// Request about an error by a member of its project with a role.
pub type InProjectOfError<R, S> = In<TrackedErrors, R, S>;

impl PlaceKind for NamedProjects {
    const PLACE: Place = Place::Project;
    const THING: &'static str = "Project";
    type Reference = ProjectRef;
    type Found = Project;
    type Standing = ProjectAccess;

    fn parse(raw: &str) -> Option<ProjectRef> {
        ProjectRef::parse(raw)
    }

    fn wanted(asked: &ApiRequest) -> Option<ProjectRef> {
        let part = |parameter: Parameter| decode_segment(asked.raw_segment(parameter.name)?);
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

    fn allows(standing: ProjectAccess, needed: AccessLevel) -> bool {
        standing.allows(needed)
    }
}

impl PlaceKind for OrganizationEvents {
    const PLACE: Place = Place::Project;
    // As with errors: a caller who cannot see the project does not learn if the event exists.
    const THING: &'static str = "Project";
    type Reference = EventReference;
    type Found = EventOfError;
    type Standing = ProjectAccess;

    fn parse(_: &str) -> Option<EventReference> {
        None
    }

    fn wanted(asked: &ApiRequest) -> Option<EventReference> {
        let part = |parameter: Parameter| decode_segment(asked.raw_segment(parameter.name)?);
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
                of: InItsProject { error, project },
            };
            // If several projects have the same id, prefer the one that the viewer may read.
            if access.allows(AccessLevel::Reporter) {
                return Ok(Some((found, access)));
            }
            seen = seen.or(Some((found, access)));
        }
        Ok(seen)
    }

    fn allows(standing: ProjectAccess, needed: AccessLevel) -> bool {
        standing.allows(needed)
    }

    fn check_writable(found: &EventOfError) -> Result<(), ApiError> {
        <Projects>::check_writable(&found.of.project)
    }
}

impl PlaceKind for TrackedErrors {
    const PLACE: Place = Place::Project;
    // A caller who cannot see the project does not learn if the error exists.
    const THING: &'static str = "Project";
    type Reference = ErrorId;
    type Found = InItsProject;
    type Standing = ProjectAccess;

    fn parse(raw: &str) -> Option<ErrorId> {
        raw.parse().ok().map(ErrorId::new)
    }

    fn find(
        tx: &mut dyn ReadTransaction,
        id: &ErrorId,
        viewer: Viewer,
        now: Timestamp,
    ) -> Result<Option<(InItsProject, ProjectAccess)>, StoreError> {
        // Clients of this API store ids and follow no redirects, so a merged error resolves to the error it was merged
        // into.
        let error = match tx.find_error_by_id(*id)? {
            Some(error) => Some(error),
            None => tx.find_merged_error(FormerNumber::Id(*id))?,
        };
        let Some(error) = error else {
            return Ok(None);
        };
        let of = ProjectRef::Id(error.project_id);
        let found = find_visible_project(tx, &of, viewer, now)?;
        Ok(found.map(|(project, access)| (InItsProject { error, project }, access)))
    }

    fn allows(standing: ProjectAccess, needed: AccessLevel) -> bool {
        standing.allows(needed)
    }

    fn check_writable(found: &InItsProject) -> Result<(), ApiError> {
        <Projects>::check_writable(&found.project)
    }
}
