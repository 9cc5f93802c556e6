//! `/-/snippets`: personal snippets.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::error::ValidationFailures;
use api_conventions::ids::{SnippetId, UserId};
use gatehouse_core::flows::snippets as flows;
use projects::flow::snippets::{SnippetActor, find_draft, find_snippet};
use projects::rules::snippets::SnippetHome;
use projects::{SnippetDraft, SnippetFilter, SnippetScope};
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, get, post};

use super::form::{FormTarget, SnippetFormValues, answer as answer_form, judge};
use super::list::{ListFrame, SnippetListPage};
use super::show::{LoadedSnippet, ShowFrame, SnippetShowPage};
use super::{SnippetFormError, SnippetRejection, requested_file, saved_notice};
use crate::areas::snippets::raw::{RequestedFile, raw_text};
use crate::areas::snippets::refused;
use crate::areas::snippets::view::SnippetPage;
use crate::frame::form::SignedInForm;
use crate::frame::page::answer::{PageRequest, id_in_path};
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::field_failures::check_name;
use crate::frame::page::list::{ListQuery, Tab};
use crate::frame::page::notice::Notice;
use crate::frame::page::prose::render_alone;
use crate::frame::page::shell::{PageBreadcrumb, Shell, SiteArea};
use crate::frame::visitor::{SignedInVisitor, Visitor};
use crate::state::AppState;

/// Path of the list.
const LIST: &str = "/-/snippets";
const ONE: &str = "/-/snippets/{id}";
/// Value of the parameter `view` for the snippets of all users.
const ALL: &str = "all";

pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("snippetsPage", LIST, list),
        get("newSnippetPage", "/-/snippets/new", show_new),
        post("createSnippetForm", LIST, create),
        get("snippetPage", ONE, show),
        get("editSnippetPage", "/-/snippets/{id}/edit", show_edit),
        post("changeSnippetForm", ONE, change),
        get("snippetRawPage", "/-/snippets/{id}/raw", show_raw),
        get(
            "snippetFileRawPage",
            "/-/snippets/{id}/raw/{ref}/{file_path}",
            show_file_raw,
        ),
    ]
}

/// Responds with the visitor's own snippets, those of all users that the visitor may see, or the public ones.
async fn list(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    answer_list(&PageRequest::new(&request, &state, &visitor)).await
}

async fn answer_list(page: &PageRequest<'_>) -> Result<HttpResponse, PageFailure> {
    let query = ListQuery::of(page.request)?;
    let user = page.visitor.user().map(|user| user.id);
    let is_all = query.text("view") == ALL;
    let (scope, heading) = scope_of(user, is_all);
    let (filter, paging) = (SnippetFilter::new(scope), query.paging()?);
    let found = page.state.database.read(page.visitor.lane(), move |tx| {
        let found = tx.list_snippets(&filter, paging)?;
        SnippetPage::of(tx, found)
    });
    let found = found.await?;
    let frame = ListFrame {
        shell: page.shell(SiteArea::Snippets, heading),
        heading,
        base: LIST,
        may_create: user.is_some(),
        tabs: tabs(&query, user.is_some(), is_all),
    };
    let now = page.visitor.now();
    page.show(&SnippetListPage::new(frame, &query, paging, &found, now))
}

/// Snippets of the list, and its heading.
fn scope_of(user: Option<UserId>, is_all: bool) -> (SnippetScope, &'static str) {
    match user {
        None => (SnippetScope::Public, "Public snippets"),
        Some(user) if is_all => (SnippetScope::VisibleTo(user), "Snippets"),
        Some(user) => (SnippetScope::OfAuthor(user), "Your snippets"),
    }
}

fn tabs(query: &ListQuery, is_signed_in: bool, is_all: bool) -> Vec<Tab> {
    if !is_signed_in {
        return Vec::new();
    }
    let tab = |name, view, is_current| Tab {
        name,
        href: query.with(&[("view", view)]),
        count: String::new(),
        is_current,
    };
    vec![tab("Mine", "", !is_all), tab("All", ALL, is_all)]
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &visitor);
    let nothing = ValidationFailures::default();
    answer_show(&page, StatusCode::OK, "", &nothing).await
}

/// Responds with the page of a snippet, and the errors of its form for deletion.
async fn answer_show(
    page: &PageRequest<'_>,
    status: StatusCode,
    confirm: &str,
    failures: &ValidationFailures,
) -> Result<HttpResponse, PageFailure> {
    let (id, viewer) = (snippet_id(page.request)?, page.visitor.viewer());
    let loaded = page.state.database.read(page.visitor.lane(), move |tx| {
        let found = find_snippet(tx, SnippetHome::PERSONAL, id, viewer);
        let (snippet, rights) = found.map_err(refused)?;
        Ok::<_, Failure>(LoadedSnippet::of(tx, snippet, rights)?)
    });
    let loaded = loaded.await?;
    let description = render_alone(&page.state.base_url, loaded.description()).await?;
    let frame = ShowFrame {
        shell: shell(page, &loaded.title().isolated()),
        base: LIST,
        confirm,
        failures,
        now: page.visitor.now(),
    };
    page.show_with(status, &SnippetShowPage::new(frame, loaded, description))
}

async fn show_raw(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &visitor);
    answer_raw(&page, RequestedFile::First).await
}

async fn show_file_raw(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &visitor);
    answer_raw(&page, requested_file(&request)?).await
}

async fn answer_raw(
    page: &PageRequest<'_>,
    file: RequestedFile,
) -> Result<HttpResponse, PageFailure> {
    let (id, viewer) = (snippet_id(page.request)?, page.visitor.viewer());
    let text = page.state.database.read(page.visitor.lane(), move |tx| {
        find_snippet(tx, SnippetHome::PERSONAL, id, viewer).map_err(refused)?;
        file.text(tx, id)
    });
    Ok(raw_text(text.await?))
}

async fn show_new(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: SignedInVisitor,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &visitor);
    answer(&page, None, &SnippetFormValues::new(), None)
}

async fn show_edit(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: SignedInVisitor,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &visitor);
    let id = snippet_id(&request)?;
    let draft = load_draft(&page, id).await?;
    answer(&page, Some(id), &SnippetFormValues::of(draft)?, None)
}

async fn load_draft(page: &PageRequest<'_>, id: SnippetId) -> Result<SnippetDraft, PageFailure> {
    let viewer = page.visitor.viewer();
    let draft = page.state.database.read(page.visitor.lane(), move |tx| {
        find_draft(tx, SnippetHome::PERSONAL, id, viewer).map_err(refused)
    });
    Ok(draft.await?)
}

async fn create(
    request: HttpRequest,
    state: Data<AppState>,
    form: SignedInForm,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    save(&page, &form, None).await
}

/// Updates or deletes a snippet.
async fn change(
    request: HttpRequest,
    state: Data<AppState>,
    form: SignedInForm,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    let id = snippet_id(&request)?;
    match &*form.method() {
        "put" => save(&page, &form, Some(id)).await,
        "delete" => delete(&page, &form, id).await,
        _ => Err(PageFailure::bad_request(
            "The form has no known action. Reload the page and try again.",
        )),
    }
}

/// Creates or updates a snippet, and redirects to its page.
async fn save(
    page: &PageRequest<'_>,
    form: &SignedInForm,
    id: Option<SnippetId>,
) -> Result<HttpResponse, PageFailure> {
    let (values, by) = (SnippetFormValues::from_form(form), actor(page)?);
    let before = match id {
        Some(id) => Some((id, load_draft(page, id).await?)),
        None => None,
    };
    let cleared = match judge(page, form, before, values.edit(), by).await? {
        Ok(cleared) => cleared.into_edit(),
        Err(rejection) => return answer(page, id, &values, Some(rejection)),
    };
    let saved = page.state.write(move |tx| {
        let edit = cleared.clone();
        let saved = match id {
            None => flows::create(tx, edit, by),
            Some(id) => flows::update(tx, id, edit, by),
        };
        saved.map_err(SnippetFormError::from)
    });
    match saved.await {
        Ok(snippet) => {
            let path = format!("{LIST}/{}", snippet.id);
            Ok(page.redirect_with_notice(&path, saved_notice(id)))
        }
        Err(error) => {
            let rejection = SnippetRejection::Invalid(error.into_fields()?);
            answer(page, id, &values, Some(rejection))
        }
    }
}

/// Deletes a snippet if the user typed its title, and redirects to the list.
async fn delete(
    page: &PageRequest<'_>,
    form: &SignedInForm,
    id: SnippetId,
) -> Result<HttpResponse, PageFailure> {
    let (draft, by) = (load_draft(page, id).await?, actor(page)?);
    let mut failures = ValidationFailures::default();
    let typed = form.text("confirm");
    check_name(&mut failures, typed, &draft.content.title);
    if !failures.is_empty() {
        return answer_show(page, StatusCode::UNPROCESSABLE_ENTITY, typed, &failures).await;
    }
    let deleted = page
        .state
        .write(move |tx| flows::delete(tx, id, None, by).map_err(refused));
    deleted.await?;
    Ok(page.redirect_with_notice(LIST, Notice::SnippetDeleted))
}

fn answer(
    page: &PageRequest<'_>,
    id: Option<SnippetId>,
    values: &SnippetFormValues,
    rejection: Option<SnippetRejection>,
) -> Result<HttpResponse, PageFailure> {
    let target = FormTarget { base: LIST, id };
    answer_form(page, shell(page, target.title()), target, values, rejection)
}

/// Frame of a page below the list.
fn shell(page: &PageRequest<'_>, title: &str) -> Shell {
    let mut shell = page.shell(SiteArea::Snippets, title);
    shell.crumbs = vec![PageBreadcrumb {
        name: DisplayName::of("Snippets"),
        path: Some(LIST.to_owned()),
    }];
    shell
}

fn actor(page: &PageRequest<'_>) -> Result<SnippetActor, PageFailure> {
    Ok(SnippetActor {
        home: SnippetHome::PERSONAL,
        viewer: page.visitor.viewer(),
        user: page.visitor.member(page.request)?.user.id,
        now: page.visitor.now(),
    })
}

fn snippet_id(request: &HttpRequest) -> Result<SnippetId, PageFailure> {
    id_in_path(request).map(SnippetId::new)
}
