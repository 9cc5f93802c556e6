//! `/api/v4/snippets`: personal snippets (`PATH-06`).

use accounts::wire::UserSummary;
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::SnippetId;
use api_conventions::paging::Paging;
use gatehouse_core::flows::snippets as flows;
use gatehouse_core::spam::{Clearance, Intent};
use projects::flow::snippets::{SnippetActor, find_draft, find_snippet};
use projects::rules::snippets::SnippetHome;
use projects::wire::{SnippetDetailJson, SnippetJson};
use projects::{Snippet, SnippetEdit, SnippetScope};
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Pages, Parameter, ParameterKind, ResponseSpec, UnsupportedFilter, delete,
    get, post, put,
};

use super::edit::{changed_body, filters, new_body, read_changes, read_filter, read_new};
use super::raw::{FILE_PATH, REF, RequestedFile, raw_response, raw_text};
use super::view::{SnippetPage, SnippetView};
use super::{TAG, refused};
use crate::frame::api::{ApiRequest, AsCaller, AsUser};
use crate::frame::scopes::{ReadApi, WriteApi};

const SNIPPETS: &str = "/api/v4/snippets";
const SNIPPET: &str = "/api/v4/snippets/{id}";

const ID: Parameter = Parameter::path("id", ParameterKind::ID, "ID of the snippet.");

pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listSnippets", SNIPPETS, list_own)
            .documented(TAG, "List one's own personal snippets, the newest first")
            .takes(filters())
            .paged(Pages::Offset)
            .response(snippets_response()),
        get("listPublicSnippets", "/api/v4/snippets/public", list_public)
            .documented(TAG, "List the public personal snippets of all users")
            .takes(filters())
            .paged(Pages::Offset)
            .response(snippets_response()),
        get("listAllSnippets", "/api/v4/snippets/all", list_all)
            .documented(
                TAG,
                "List the personal snippets that the caller may see; for administrators, all snippets with those of projects",
            )
            .takes(filters())
            .without_filters([UnsupportedFilter::Value("repository_storage")])
            .paged(Pages::Offset)
            .response(snippets_response()),
        post("createSnippet", SNIPPETS, create)
            .documented(TAG, "Create a personal snippet")
            .takes(new_body())
            .response(snippet_response(201))
            .response(held()),
        get("showSnippet", SNIPPET, show)
            .documented(TAG, "Get a personal snippet")
            .takes([ID])
            .response(snippet_response(200)),
        put("updateSnippet", SNIPPET, update)
            .documented(
                TAG,
                "Update a personal snippet; at least one field is required",
            )
            .takes([ID])
            .takes(changed_body())
            .response(snippet_response(200))
            .response(held()),
        delete("deleteSnippet", SNIPPET, remove)
            .documented(TAG, "Delete a personal snippet")
            .takes([ID])
            .response(ResponseSpec::empty(204, "Deleted."))
            .response(changed_meanwhile()),
        get("showSnippetRaw", "/api/v4/snippets/{id}/raw", show_raw)
            .documented(TAG, "Get the text of the first file of a personal snippet")
            .takes([ID])
            .response(raw_response()),
        get(
            "showSnippetFileRaw",
            "/api/v4/snippets/{id}/files/{ref}/{file_path}/raw",
            show_file_raw,
        )
        .documented(TAG, "Get the text of a file of a personal snippet")
        .takes([ID, REF, FILE_PATH])
        .response(raw_response()),
    ]
}

pub(super) fn snippets_response() -> ResponseSpec {
    ResponseSpec::json::<Vec<SnippetJson<UserSummary>>>(200, "A page of snippets.")
}

pub(super) fn snippet_response(status: u16) -> ResponseSpec {
    ResponseSpec::json::<SnippetDetailJson<UserSummary>>(status, "The snippet.")
}

pub(super) fn held() -> ResponseSpec {
    ResponseSpec::refusal(
        409,
        "Suspected spam: send the request again with a solved CAPTCHA.",
    )
}

pub(super) fn changed_meanwhile() -> ResponseSpec {
    ResponseSpec::refusal(412, "The snippet has changed in the meantime.")
}

async fn list_own(request: AsUser<ReadApi>) -> Result<HttpResponse, Failure> {
    list(&request, SnippetScope::OfAuthor(request.actor().id)).await
}

async fn list_all(request: AsUser<ReadApi>) -> Result<HttpResponse, Failure> {
    let user = &request.caller().user;
    let scope = if user.is_admin {
        SnippetScope::All
    } else {
        SnippetScope::VisibleTo(user.id)
    };
    list(&request, scope).await
}

async fn list(request: &AsUser<ReadApi>, scope: SnippetScope) -> Result<HttpResponse, Failure> {
    let filter = read_filter(request.params(), scope)?;
    let paging = Paging::offset(request.params())?;
    let found = request.read(move |tx| {
        let page = tx.list_snippets(&filter, paging)?;
        Ok(SnippetPage::of(tx, page)?)
    });
    let found = found.await?.into_json(request.base_url());
    request.page(paging, found, |snippet| snippet)
}

async fn list_public(request: AsCaller<ReadApi>) -> Result<HttpResponse, Failure> {
    let filter = read_filter(request.params(), SnippetScope::Public)?;
    let paging = Paging::offset(request.params())?;
    let found = request.read(move |tx| {
        let page = tx.list_snippets(&filter, paging)?;
        Ok(SnippetPage::of(tx, page)?)
    });
    let found = found.await?.into_json(request.base_url());
    request.page(paging, found, |snippet| snippet)
}

async fn show(request: AsCaller<ReadApi>) -> Result<HttpResponse, Failure> {
    let (id, viewer) = (snippet_id(&request)?, *request.caller());
    let found = request.read(move |tx| {
        let found = find_snippet(tx, SnippetHome::PERSONAL, id, viewer);
        let (snippet, _) = found.map_err(refused)?;
        Ok(SnippetView::of(tx, snippet)?)
    });
    let found = found.await?.into_json(request.base_url());
    request.json(&found)
}

async fn show_raw(request: AsCaller<ReadApi>) -> Result<HttpResponse, Failure> {
    answer_raw(&request, RequestedFile::First).await
}

async fn show_file_raw(request: AsCaller<ReadApi>) -> Result<HttpResponse, Failure> {
    answer_raw(&request, RequestedFile::of(&request)?).await
}

async fn answer_raw(
    request: &AsCaller<ReadApi>,
    file: RequestedFile,
) -> Result<HttpResponse, Failure> {
    let (id, viewer) = (snippet_id(request)?, *request.caller());
    let text = request.read(move |tx| {
        find_snippet(tx, SnippetHome::PERSONAL, id, viewer).map_err(refused)?;
        file.text(tx, id)
    });
    Ok(raw_text(text.await?))
}

async fn create(request: AsUser<WriteApi>) -> Result<HttpResponse, Failure> {
    let edit = read_new(request.params())?;
    let by = actor(&request);
    let edit = check_spam(&request, None, edit).await?.into_edit();
    let created = request.write(move |tx| {
        let snippet = flows::create(tx, edit.clone(), by).map_err(refused)?;
        Ok(SnippetView::of(tx, snippet)?)
    });
    let created = created.await?.into_json(request.base_url());
    Ok(HttpResponse::Created().json(created))
}

async fn update(request: AsUser<WriteApi>) -> Result<HttpResponse, Failure> {
    let (id, edit) = (snippet_id(&request)?, read_changes(request.params())?);
    let by = actor(&request);
    let edit = check_spam(&request, Some(id), edit).await?.into_edit();
    let changed = request.write(move |tx| {
        let snippet = flows::update(tx, id, edit.clone(), by).map_err(refused)?;
        Ok(SnippetView::of(tx, snippet)?)
    });
    let changed = changed.await?.into_json(request.base_url());
    request.json(&changed)
}

async fn remove(request: AsUser<WriteApi>) -> Result<Deletion, Failure> {
    let (id, condition) = (snippet_id(&request)?, request.precondition());
    let by = actor(&request);
    let deleted = request.write(move |tx| {
        let flow = |since| flows::delete(tx, id, since, by);
        condition.check_in(flow).map_err(refused)
    });
    Ok(Deletion::no_content(deleted.await?))
}

/// Checks the content of a new or changed snippet for spam.
async fn check_spam(
    request: &AsUser<WriteApi>,
    id: Option<SnippetId>,
    edit: SnippetEdit,
) -> Result<Clearance<SnippetEdit>, Failure> {
    if let Some(clearance) = request.spam().clear_if_disabled(&edit) {
        return Ok(clearance);
    }
    let by = actor(request);
    let intent = request.read(move |tx| {
        let Some(id) = id else {
            return Ok(Intent::for_snippet(None, edit, by));
        };
        let draft = find_draft(tx, by.home, id, by.viewer).map_err(refused)?;
        Ok(Intent::for_snippet(Some((id, &draft)), edit, by))
    });
    request.judge_snippet(intent.await?).await
}

fn actor(request: &AsUser<WriteApi>) -> SnippetActor {
    let actor = request.actor();
    SnippetActor {
        home: SnippetHome::PERSONAL,
        viewer: actor.viewer,
        user: actor.id,
        now: actor.now,
    }
}

fn snippet_id(request: &ApiRequest) -> Result<SnippetId, ApiError> {
    request.number(ID.name, Snippet::NAME).map(SnippetId::new)
}
