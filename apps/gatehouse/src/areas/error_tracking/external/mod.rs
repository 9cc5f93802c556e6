//! Projects whose errors are in an external tracker: the same operations and the same pages, with what it answers.

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
use web_conventions::operations::Answer;

use super::named::THING;
use crate::frame::api::ApiRequest;
use crate::frame::project::InProject;
use crate::frame::scopes::{Role, Scopes};

pub(super) use self::change::{Act, apply, say, update};
pub(super) use self::connect::{Named, asked_tracker, operations};
pub(super) use self::read::{event, list, show};

/// A project whose errors are in an external tracker.
#[derive(Debug, Clone)]
pub(super) struct Elsewhere {
    pub(super) connection: Connection,
    pub(super) project: Project,
}

/// Where the errors of the project are: `None` for here. It is asked before anything else is done about them.
pub(super) async fn elsewhere<R: Role, S: Scopes>(
    asked: &InProject<R, S>,
) -> Result<Option<Elsewhere>, Failure> {
    let found = asked.read(|tx, project| Ok(connection_of(tx, project)?));
    let (connection, project) = found.await?;
    Ok(connection.map(|connection| Elsewhere {
        connection,
        project,
    }))
}

/// The tracker in which the errors of a project are; `None` where they are here.
pub(super) fn connection_of(
    tx: &mut dyn ReadTransaction,
    project: &Project,
) -> Result<Option<Connection>, StoreError> {
    let settings = tx.find_error_settings(project.id)?;
    Ok(settings.as_ref().and_then(Connection::of))
}

/// Which errors have which issues.
pub(super) type Links = Vec<(ErrorIid, IssueId)>;

/// An error of a tracker as one of ours.
pub(super) fn tracked(project: &Project, issue: &ExternalIssue, links: &Links) -> TrackedError {
    let link = links.iter().find(|(error, _)| *error == issue.id);
    issue.to_tracked(project.id, link.map(|(_, issue)| *issue))
}

/// An error of a tracker as a list has it.
fn shown(asked: &ApiRequest, at: &Elsewhere, issue: &ExternalIssue, links: &Links) -> ErrorJson {
    let place = (asked.base_url(), at.project.full_path.as_str());
    let error = tracked(&at.project, issue, links);
    ErrorJson::new(error, &issue.hours(), place).at_external(issue.permalink.clone())
}

/// An id for an event that comes without one.
pub(super) fn spare_id() -> EventId {
    EventId::from_random(|| uuid::Uuid::new_v4().into_bytes())
}

/// The answer where a tracker gave nothing.
pub(super) fn failed(failure: ExternalFailure) -> Failure {
    let text = failure.to_string();
    let refusal = match failure {
        ExternalFailure::NotFound => ApiError::not_found(THING),
        ExternalFailure::NotAskable(_) => ApiError::bad_request(&text),
        ExternalFailure::Busy => ApiError::unavailable(5),
        ExternalFailure::TimedOut => ApiError::gateway_timeout(&text),
        _ => ApiError::bad_gateway(&text),
    };
    Failure::caused(refusal, failure).because("external tracker")
}

/// What else an operation answers where the errors are in an external tracker.
pub(super) fn bad_gateway() -> Answer {
    Answer::refusal(502, "The external tracker gave no answer that can be used.")
}

/// As [`bad_gateway`].
pub(super) fn gateway_timeout() -> Answer {
    Answer::refusal(504, "The external tracker did not answer in time.")
}
