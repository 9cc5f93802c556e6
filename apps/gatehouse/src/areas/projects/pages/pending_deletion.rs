//! Page of a project pending deletion: its deletion date, and the form to restore it.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::error::ApiError;
use api_conventions::ids::ProjectId;
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::deletion::restore_project;
use gatehouse_core::flows::groups::Actor;
use projects::flow::error::NamespaceError;
use projects::flow::find_visible::project_access;
use projects::{DeletionTarget, Project, ScheduledDeletion};
use storage::Store as _;

use super::new::actor;
use crate::frame::form::SignedInForm;
use crate::frame::page::answer::{PageRequest, id_in_path};
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::notice::Notice;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::scopes::{Owner, Role as _};
use crate::frame::visitor::SignedInVisitor;
use crate::state::AppState;

#[derive(Template)]
#[template(path = "areas/projects/project_pending_deletion.html")]
struct PendingDeletionPage {
    shell: Shell,
    name: DisplayName,
    full_path: String,
    path: String,
    requested: DisplayTime,
    due: DisplayTime,
    has_begun: bool,
    wrong: String,
}

/// Path of the page.
pub(super) fn path_of(project: ProjectId) -> String {
    format!("/projects/{project}/deletion")
}

/// Answers with the page, to Owners.
pub(super) async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: SignedInVisitor,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &visitor);
    answer(&page, StatusCode::OK, String::new()).await
}

/// Cancels the deletion, and redirects to the project.
pub(super) async fn restore(
    request: HttpRequest,
    state: Data<AppState>,
    form: SignedInForm,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    let id = ProjectId::new(id_in_path(&request)?);
    let by = actor(&request, &form.visitor)?;
    let restored = state.database.write(move |tx| {
        find(tx, id, by).map_err(RestoreError::Failed)?;
        restore_project(tx, id, by).map_err(RestoreError::Refused)
    });
    match restored.await {
        Ok(project) => {
            let path = format!("/{}", project.full_path.as_str());
            Ok(page.redirect_with_notice(&path, Notice::ProjectRestored))
        }
        Err(RestoreError::Refused(
            error @ (NamespaceError::PathTaken
            | NamespaceError::TooLate
            | NamespaceError::Impossible(_)),
        )) => {
            let problem = ApiError::from(error).sentence();
            answer(&page, StatusCode::CONFLICT, problem).await
        }
        Err(RestoreError::Refused(NamespaceError::Store(error))) => Err(error.into()),
        Err(RestoreError::Refused(error)) => Err(ApiError::from(error).into()),
        Err(RestoreError::Failed(failure)) => Err(failure),
    }
}

/// Reason why a project is not restored.
enum RestoreError {
    Refused(NamespaceError),
    Failed(PageFailure),
}

impl From<storage::StoreError> for RestoreError {
    fn from(error: storage::StoreError) -> Self {
        Self::Failed(error.into())
    }
}

/// Finds the project and its own deletion, for Owners.
/// Others do not learn that a deletion exists.
fn find(
    tx: &mut dyn ReadTransaction,
    id: ProjectId,
    by: Actor,
) -> Result<(Project, ScheduledDeletion), PageFailure> {
    let project = tx.find_project_pending_deletion(id)?;
    let project = project.ok_or_else(PageFailure::not_found)?;
    let access = project_access(tx, by.viewer, &project, by.now)?;
    let is_owner = access.is_some_and(|access| access.allows(Owner::LEAST));
    let deletion = tx.find_deletion(DeletionTarget::Project(id))?;
    let deletion = deletion.filter(|_| is_owner);
    Ok((project, deletion.ok_or_else(PageFailure::not_found)?))
}

async fn answer(
    page: &PageRequest<'_>,
    status: StatusCode,
    wrong: String,
) -> Result<HttpResponse, PageFailure> {
    let id = ProjectId::new(id_in_path(page.request)?);
    let by = actor(page.request, page.visitor)?;
    let read = page
        .state
        .database
        .read(page.visitor.lane(), move |tx| find(tx, id, by));
    let (project, deletion) = read.await?;
    page.show_with(
        status,
        &PendingDeletionPage {
            shell: page.shell(SiteArea::Projects, "Project scheduled for deletion"),
            name: DisplayName::of(&project.name),
            full_path: project.full_path.as_str().to_owned(),
            path: path_of(id),
            requested: DisplayTime::of(deletion.requested_at),
            due: DisplayTime::of(deletion.due_at),
            has_begun: deletion.started,
            wrong,
        },
    )
}
