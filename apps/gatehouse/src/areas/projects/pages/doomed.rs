//! Page of a project pending deletion: its deletion date, and the form to restore it.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::error::ApiError;
use api_conventions::ids::ProjectId;
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::delete_place::restore_project;
use gatehouse_core::flows::groups::Actor;
use projects::flow::error::PlaceError;
use projects::flow::find_visible::standing;
use projects::{Deletion, Doomed, Project};
use storage::Store as _;

use super::new::actor;
use crate::frame::form::MemberForm;
use crate::frame::page::answer::{PageRequest, id_in_path};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::notice::Notice;
use crate::frame::page::shell::{Place, Shell};
use crate::frame::page::shown_name::ShownName;
use crate::frame::scopes::{Owner, Role as _};
use crate::frame::visitor::Member;
use crate::state::AppState;

#[derive(Template)]
#[template(path = "areas/projects/project_doomed.html")]
struct DoomedPage {
    shell: Shell,
    name: ShownName,
    full_path: String,
    path: String,
    asked: DisplayTime,
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
    visitor: Member,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &visitor);
    answer(&page, StatusCode::OK, String::new()).await
}

/// Cancels the deletion, and redirects to the project.
pub(super) async fn restore(
    request: HttpRequest,
    state: Data<AppState>,
    form: MemberForm,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    let id = ProjectId::new(id_in_path(&request)?);
    let by = actor(&request, &form.visitor)?;
    let restored = state.database.write(move |tx| {
        find(tx, id, by).map_err(Undone::Failed)?;
        restore_project(tx, id, by).map_err(Undone::Refused)
    });
    match restored.await {
        Ok(project) => {
            let path = format!("/{}", project.full_path.as_str());
            Ok(page.lead_to(&path, Notice::ProjectRestored))
        }
        Err(Undone::Refused(
            error @ (PlaceError::PathTaken | PlaceError::TooLate | PlaceError::Impossible(_)),
        )) => {
            let said = ApiError::from(error).sentence();
            answer(&page, StatusCode::CONFLICT, said).await
        }
        Err(Undone::Refused(PlaceError::Store(error))) => Err(error.into()),
        Err(Undone::Refused(error)) => Err(ApiError::from(error).into()),
        Err(Undone::Failed(failure)) => Err(failure),
    }
}

/// Reason why a project is not restored.
enum Undone {
    Refused(PlaceError),
    Failed(PageFailure),
}

impl From<storage::StoreError> for Undone {
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
) -> Result<(Project, Deletion), PageFailure> {
    let project = tx.find_doomed_project(id)?;
    let project = project.ok_or_else(PageFailure::not_found)?;
    let access = standing(tx, by.viewer, &project, by.now)?;
    let is_owner = access.is_some_and(|access| access.allows(Owner::LEAST));
    let deletion = tx.find_deletion(Doomed::Project(id))?;
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
        &DoomedPage {
            shell: page.shell(Place::Projects, "A project that is to be deleted"),
            name: ShownName::of(&project.name),
            full_path: project.full_path.as_str().to_owned(),
            path: path_of(id),
            asked: DisplayTime::of(deletion.requested_at),
            due: DisplayTime::of(deletion.due_at),
            has_begun: deletion.started,
            wrong,
        },
    )
}
