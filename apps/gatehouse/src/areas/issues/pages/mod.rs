//! Issue pages of a project.

mod alert_incident;
mod change;
mod comments;
mod fields;
mod form;
mod incident_alerts;
mod incident_settings;
mod list;
mod show;
mod spam;
mod spam_log;

use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::ids::{IssueIid, UserId};
use api_conventions::time::Timestamp;
use gatehouse_core::database::ReadTransaction;
use projects::flow::issues::{IssueActor, IssueError, find_issue};
use projects::flow::notes::NoteError;
use projects::{Issue, Viewer};
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, get, post};

use super::refused;
use crate::config::RequestLimit;
use crate::frame::limits::LimitedOperation as _;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::field_failures::of_record;
use crate::frame::page::project::{Need, ProjectContext, ProjectForm};

const LIST: &str = "/{project}/-/issues";
const ONE: &str = "/{project}/-/issues/{iid}";
const NOTE: &str = "/{project}/-/issues/{iid}/notes/{note_id}";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("issuesPage", LIST, list::show).limited_by(RequestLimit::Search),
        get("newIssuePage", "/{project}/-/issues/new", form::show_new),
        post("createIssueForm", LIST, change::create).limited_by(RequestLimit::IssueCreation),
        get("issuePage", ONE, show::show),
        get(
            "editIssuePage",
            "/{project}/-/issues/{iid}/edit",
            form::show_edit,
        ),
        post("changeIssueForm", ONE, change::change),
        post(
            "createIssueNoteForm",
            "/{project}/-/issues/{iid}/notes",
            comments::create,
        )
        .limited_by(RequestLimit::NoteCreation),
        get(
            "editIssueNotePage",
            "/{project}/-/issues/{iid}/notes/{note_id}/edit",
            comments::show_edit,
        ),
        post("changeIssueNoteForm", NOTE, comments::change),
        post(
            "changeAlertIncidentForm",
            alert_incident::PATH,
            alert_incident::change,
        )
        .limited_by(RequestLimit::IssueCreation),
        get(
            "incidentSettingsPage",
            incident_settings::PATH,
            incident_settings::show,
        ),
        post(
            "changeIncidentSettingsForm",
            incident_settings::PATH,
            incident_settings::change,
        ),
        get("spamLogPage", spam_log::PATH, spam_log::show),
    ]
}

/// Finds an issue by its IID, if the viewer may see it.
fn find(
    tx: &mut dyn ReadTransaction,
    found: &ProjectContext,
    iid: IssueIid,
    viewer: Viewer,
) -> Result<Issue, Failure> {
    find_issue(tx, found.project.id, iid, viewer, found.access).map_err(refused)
}

/// Response to a refusal of a note flow.
/// Store failures keep their cause for the log.
fn note_refused(error: NoteError) -> Failure {
    match error {
        NoteError::Store(error) => error.into(),
        refusal => ApiError::from(refusal).into(),
    }
}

/// Path of the page of an issue, below the root of the server.
fn path_of(found: &ProjectContext, iid: IssueIid) -> String {
    format!("{}/-/issues/{iid}", found.path())
}

/// Sender and time of a form.
#[derive(Debug, Clone, Copy)]
struct IssueFormSender {
    viewer: Viewer,
    user: UserId,
    now: Timestamp,
}

impl IssueFormSender {
    fn of<N: Need>(form: &ProjectForm<N>) -> Result<Self, PageFailure> {
        Ok(Self {
            viewer: form.viewer(),
            user: form.actor_id()?,
            now: form.now(),
        })
    }

    /// Returns the actor of changes in a project.
    ///
    /// # Errors
    /// 403 for an archived project.
    fn in_project(self, found: &ProjectContext) -> Result<IssueActor, IssueFormError> {
        if found.project.archived {
            let refusal = ApiError::forbidden_because("the project is archived");
            return Err(IssueFormError::Whole(refusal.into()));
        }
        Ok(IssueActor {
            viewer: self.viewer,
            user: self.user,
            access: found.access,
            now: self.now,
        })
    }
}

/// Reason why a form was refused.
#[derive(Debug)]
enum IssueFormError {
    /// Invalid fields.
    Fields(ValidationFailures),
    /// A label to create was refused.
    Label(records::RecordError),
    /// Failure that is not about a field.
    Whole(Failure),
}

impl IssueFormError {
    /// Returns the validation failures of the fields.
    ///
    /// # Errors
    /// Failures that are not about a field.
    fn into_fields(self) -> Result<ValidationFailures, PageFailure> {
        match self {
            Self::Fields(failures) => Ok(failures),
            Self::Label(error) => {
                let found = of_record(error, "title")?;
                let mut failures = ValidationFailures::default();
                for text in found.of("title") {
                    failures.add("labels", text);
                }
                Ok(failures)
            }
            Self::Whole(failure) => Err(failure.into()),
        }
    }
}

impl From<IssueError> for IssueFormError {
    fn from(error: IssueError) -> Self {
        match error {
            IssueError::Invalid(failures) => Self::Fields(failures),
            IssueError::Label(error) => Self::Label(error),
            other => Self::Whole(refused(other)),
        }
    }
}

impl From<NoteError> for IssueFormError {
    fn from(error: NoteError) -> Self {
        match error {
            NoteError::Invalid(failures) => Self::Fields(failures),
            other => Self::Whole(note_refused(other)),
        }
    }
}

impl From<StoreError> for IssueFormError {
    fn from(error: StoreError) -> Self {
        Self::Whole(error.into())
    }
}
