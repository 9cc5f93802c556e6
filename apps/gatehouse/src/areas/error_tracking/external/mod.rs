//! Projects whose errors are in an external tracker: the same operations and pages, filled from its API.

mod change;
mod connect;
mod read;

use api_conventions::error::ApiError;
use api_conventions::ids::{ErrorIid, IssueId};
use error_tracking::external::{ExternalFailure, ExternalIssue};
use error_tracking::model::{EventId, TrackedError};
use error_tracking::wire::ErrorJson;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::external_tracker::Connection;
use projects::Project;
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::ResponseSpec;

use super::lookup::RESOURCE;
use crate::frame::api::ApiRequest;
use crate::frame::project::InProject;
use crate::frame::scopes::{Role, Scopes};

pub(super) use self::change::{ExternalErrorChange, apply, update, update_status};
pub(super) use self::connect::{TrackerInput, operations, resolve_tracker};
pub(super) use self::read::{event, list, show};

/// A project whose errors are in an external tracker.
#[derive(Debug, Clone)]
pub(super) struct ProjectAtTracker {
    pub(super) connection: Connection,
    pub(super) project: Project,
}

/// Returns the external tracker of the project; `None` if its errors are stored here.
/// Handlers call it before any other work on errors.
pub(super) async fn external_project<R: Role, S: Scopes>(
    request: &InProject<R, S>,
) -> Result<Option<ProjectAtTracker>, Failure> {
    let found = request.read(|tx, project| Ok(connection_of(tx, project)?));
    let (connection, project) = found.await?;
    Ok(connection.map(|connection| ProjectAtTracker {
        connection,
        project,
    }))
}

/// Returns the connection to the external tracker of a project; `None` if its errors are stored here.
pub(super) fn connection_of(
    tx: &mut dyn ReadTransaction,
    project: &Project,
) -> Result<Option<Connection>, StoreError> {
    let settings = tx.find_error_settings(project.id)?;
    Ok(settings.as_ref().and_then(Connection::of))
}

/// Issues linked to external errors.
pub(super) type ExternalIssueLinks = Vec<(ErrorIid, IssueId)>;

/// Converts an error of an external tracker into a tracked error.
pub(super) fn tracked(
    project: &Project,
    issue: &ExternalIssue,
    links: &ExternalIssueLinks,
) -> TrackedError {
    let link = links.iter().find(|(error, _)| *error == issue.id);
    issue.to_tracked(project.id, link.map(|(_, issue)| *issue))
}

/// Builds the list entry of an error of an external tracker.
fn error_json(
    request: &ApiRequest,
    at: &ProjectAtTracker,
    issue: &ExternalIssue,
    links: &ExternalIssueLinks,
) -> ErrorJson {
    let error = tracked(&at.project, issue, links);
    let (base_url, path) = (request.base_url(), at.project.full_path.as_str());
    ErrorJson::new(error, &issue.hours(), base_url, path).at_external(issue.permalink.clone())
}

/// Generates an id for an event without one.
pub(super) fn fallback_id() -> EventId {
    EventId::from_random(|| uuid::Uuid::new_v4().into_bytes())
}

/// Response to a failed request to a tracker.
pub(super) fn failed(failure: ExternalFailure) -> Failure {
    let text = failure.to_string();
    let refusal = match failure {
        ExternalFailure::NotFound => ApiError::not_found(RESOURCE),
        ExternalFailure::Unsupported(_) => ApiError::bad_request(&text),
        ExternalFailure::Busy => ApiError::unavailable(5),
        ExternalFailure::TimedOut => ApiError::gateway_timeout(&text),
        _ => ApiError::bad_gateway(&text),
    };
    Failure::caused(refusal, failure).because("external tracker")
}

/// Additional response of an operation that may reach an external tracker: 502.
pub(super) fn bad_gateway() -> ResponseSpec {
    ResponseSpec::refusal(
        502,
        "The external tracker failed or returned an invalid response.",
    )
}

/// Additional response of such an operation, like [`bad_gateway`]: 504.
pub(super) fn gateway_timeout() -> ResponseSpec {
    ResponseSpec::refusal(504, "The external tracker did not respond in time.")
}
