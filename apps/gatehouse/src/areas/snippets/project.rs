//! `/api/v4/projects/:id/snippets`: snippets of projects.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::SnippetId;
use api_conventions::paging::Paging;
use gatehouse_core::flows::snippets as flows;
use gatehouse_core::spam::{Clearance, Intent};
use projects::flow::issues::IssueActor;
use projects::flow::snippets::{SnippetActor, find_draft, find_snippet};
use projects::rules::snippets::SnippetHome;
use projects::{Project, ProjectAccess, Snippet, SnippetEdit, SnippetScope};
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Pages, Parameter, ParameterKind, ResponseSpec, delete, get, post, put,
};

use super::edit::{changed_body, filters, new_body, read_changes, read_filter, read_new};
use super::personal::{changed_meanwhile, held, snippet_response, snippets_response};
use super::raw::{FILE_PATH, REF, RequestedFile, raw_response, raw_text};
use super::view::{SnippetPage, SnippetView};
use super::{TAG, refused};
use crate::frame::api::ApiRequest;
use crate::frame::project::PROJECT;
use crate::frame::project_feature::{SeesFeature, Snippets};
use crate::frame::project_user::{AtLeast, AuthorOr, Claim, UserInProject};
use crate::frame::scopes::{Maintainer, ReadApi, Reporter, WriteApi};

const SNIPPETS: &str = "/api/v4/projects/{id}/snippets";
const SNIPPET: &str = "/api/v4/projects/{id}/snippets/{snippet_id}";

const ID: Parameter = Parameter::path("snippet_id", ParameterKind::ID, "ID of the snippet.");

pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listProjectSnippets", SNIPPETS, list)
            .documented(TAG, "List the snippets of a project, the newest first")
            .takes([PROJECT])
            .takes(filters())
            .paged(Pages::Offset)
            .response(snippets_response()),
        post("createProjectSnippet", SNIPPETS, create)
            .documented(TAG, "Create a snippet of a project")
            .takes([PROJECT])
            .takes(new_body())
            .response(snippet_response(201))
            .response(held()),
        get("showProjectSnippet", SNIPPET, show)
            .documented(TAG, "Get a snippet of a project")
            .takes([PROJECT, ID])
            .response(snippet_response(200)),
        put("updateProjectSnippet", SNIPPET, update)
            .documented(
                TAG,
                "Update a snippet of a project (its author or a Maintainer); at least one field is required",
            )
            .takes([PROJECT, ID])
            .takes(changed_body())
            .response(snippet_response(200))
            .response(held()),
        delete("deleteProjectSnippet", SNIPPET, remove)
            .documented(
                TAG,
                "Delete a snippet of a project (its author or a Maintainer)",
            )
            .takes([PROJECT, ID])
            .response(ResponseSpec::empty(204, "Deleted."))
            .response(changed_meanwhile()),
        get(
            "showProjectSnippetRaw",
            "/api/v4/projects/{id}/snippets/{snippet_id}/raw",
            show_raw,
        )
        .documented(TAG, "Get the text of the first file of a snippet of a project")
        .takes([PROJECT, ID])
        .response(raw_response()),
        get(
            "showProjectSnippetFileRaw",
            "/api/v4/projects/{id}/snippets/{snippet_id}/files/{ref}/{file_path}/raw",
            show_file_raw,
        )
        .documented(TAG, "Get the text of a file of a snippet of a project")
        .takes([PROJECT, ID, REF, FILE_PATH])
        .response(raw_response()),
    ]
}

async fn list(request: SeesFeature<Snippets, ReadApi>) -> Result<HttpResponse, Failure> {
    let filter = read_filter(request.params(), SnippetScope::Public)?;
    let (paging, viewer) = (Paging::offset(request.params())?, request.viewer());
    let found = request.read(move |tx, project, access| {
        let scope = home(&project, access)?.project_scope(viewer);
        let mut filter = filter;
        filter.scope = scope.ok_or_else(ApiError::internal)?;
        let page = tx.list_snippets(&filter, paging)?;
        Ok(SnippetPage::of(tx, page)?)
    });
    let found = found.await?.into_json(request.base_url());
    request.page(paging, found, |snippet| snippet)
}

async fn show(request: SeesFeature<Snippets, ReadApi>) -> Result<HttpResponse, Failure> {
    let (id, viewer) = (snippet_id(&request)?, request.viewer());
    let found = request.read(move |tx, project, access| {
        let found = find_snippet(tx, home(&project, access)?, id, viewer);
        let (snippet, _) = found.map_err(refused)?;
        Ok(SnippetView::of(tx, snippet)?)
    });
    let found = found.await?.into_json(request.base_url());
    request.json(&found)
}

async fn show_raw(request: SeesFeature<Snippets, ReadApi>) -> Result<HttpResponse, Failure> {
    answer_raw(&request, RequestedFile::First).await
}

async fn show_file_raw(request: SeesFeature<Snippets, ReadApi>) -> Result<HttpResponse, Failure> {
    answer_raw(&request, RequestedFile::of(&request)?).await
}

async fn answer_raw(
    request: &SeesFeature<Snippets, ReadApi>,
    file: RequestedFile,
) -> Result<HttpResponse, Failure> {
    let (id, viewer) = (snippet_id(request)?, request.viewer());
    let text = request.read(move |tx, project, access| {
        find_snippet(tx, home(&project, access)?, id, viewer).map_err(refused)?;
        file.text(tx, id)
    });
    Ok(raw_text(text.await?))
}

async fn create(
    request: UserInProject<AtLeast<Reporter>, WriteApi>,
) -> Result<HttpResponse, Failure> {
    let edit = read_new(request.params())?;
    let edit = check_spam(&request, None, edit).await?.into_edit();
    let created = request.write(move |tx, project, by| {
        let by = actor_in(project, by)?;
        let snippet = flows::create(tx, edit.clone(), by).map_err(refused)?;
        Ok(SnippetView::of(tx, snippet)?)
    });
    let created = created.await?.0.into_json(request.base_url());
    Ok(HttpResponse::Created().json(created))
}

async fn update(
    request: UserInProject<AuthorOr<Maintainer>, WriteApi>,
) -> Result<HttpResponse, Failure> {
    let (id, edit) = (snippet_id(&request)?, read_changes(request.params())?);
    let edit = check_spam(&request, Some(id), edit).await?.into_edit();
    let changed = request.write(move |tx, project, by| {
        let by = actor_in(project, by)?;
        let snippet = flows::update(tx, id, edit.clone(), by).map_err(refused)?;
        Ok(SnippetView::of(tx, snippet)?)
    });
    let changed = changed.await?.0.into_json(request.base_url());
    request.json(&changed)
}

async fn remove(
    request: UserInProject<AuthorOr<Maintainer>, WriteApi>,
) -> Result<Deletion, Failure> {
    let (id, condition) = (snippet_id(&request)?, request.precondition());
    let deleted = request.write(move |tx, project, by| {
        let by = actor_in(project, by)?;
        let flow = |since| flows::delete(tx, id, since, by);
        condition.check_in(flow).map_err(refused)
    });
    Ok(Deletion::no_content(deleted.await?.0))
}

/// Checks the content of a new or changed snippet for spam.
async fn check_spam<C: Claim>(
    request: &UserInProject<C, WriteApi>,
    id: Option<SnippetId>,
    edit: SnippetEdit,
) -> Result<Clearance<SnippetEdit>, Failure> {
    if let Some(clearance) = request.spam().clear_if_disabled(&edit) {
        return Ok(clearance);
    }
    let intent = request.read(move |tx, project, by| {
        let by = actor_in(project, by)?;
        let Some(id) = id else {
            return Ok(Intent::for_snippet(None, edit, by));
        };
        let draft = find_draft(tx, by.home, id, by.viewer).map_err(refused)?;
        Ok(Intent::for_snippet(Some((id, &draft)), edit, by))
    });
    request.judge_snippet(intent.await?).await
}

/// Home of the snippets of a project.
///
/// # Errors
/// 403 if the settings of the project hide them from the viewer.
fn home(project: &Project, access: ProjectAccess) -> Result<SnippetHome, ApiError> {
    SnippetHome::of_project(project, access).ok_or_else(ApiError::forbidden)
}

/// Actor of changes to the snippets of a project.
fn actor_in(project: &Project, by: IssueActor) -> Result<SnippetActor, ApiError> {
    Ok(SnippetActor {
        home: home(project, by.access)?,
        viewer: by.viewer,
        user: by.user,
        now: by.now,
    })
}

fn snippet_id(request: &ApiRequest) -> Result<SnippetId, ApiError> {
    request.number(ID.name, Snippet::NAME).map(SnippetId::new)
}
