//! Pages of the snippets of a project.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::ids::{SnippetId, UserId};
use api_conventions::time::Timestamp;
use gatehouse_core::flows::snippets as flows;
use projects::flow::snippets::{SnippetActor, find_draft, find_snippet};
use projects::rules::snippets::SnippetHome;
use projects::{Snippet, SnippetDraft, SnippetFilter, Viewer};
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, get, post};

use super::form::{FormTarget, SnippetFormValues, answer as answer_form, judge};
use super::list::{ListFrame, SnippetListPage};
use super::show::{LoadedSnippet, ShowFrame, SnippetShowPage};
use super::{SnippetFormError, SnippetRejection, requested_file, saved_notice};
use crate::areas::snippets::raw::{RequestedFile, raw_text};
use crate::areas::snippets::refused;
use crate::areas::snippets::view::SnippetPage;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::field_failures::check_name;
use crate::frame::page::list::ListQuery;
use crate::frame::page::notice::Notice;
use crate::frame::page::project::{
    Account, CanView, Need, ProjectContext, ProjectForm, ProjectPage, RoleOrForbidden,
};
use crate::frame::page::prose::render;
use crate::frame::page::side::Section;
use crate::frame::scopes::Reporter;

const LIST: &str = "/{project}/-/snippets";
const ONE: &str = "/{project}/-/snippets/{id}";

pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("projectSnippetsPage", LIST, list),
        get(
            "newProjectSnippetPage",
            "/{project}/-/snippets/new",
            show_new,
        ),
        post("createProjectSnippetForm", LIST, create),
        get("projectSnippetPage", ONE, show),
        get(
            "editProjectSnippetPage",
            "/{project}/-/snippets/{id}/edit",
            show_edit,
        ),
        post("changeProjectSnippetForm", ONE, change),
        get(
            "projectSnippetRawPage",
            "/{project}/-/snippets/{id}/raw",
            show_raw,
        ),
        get(
            "projectSnippetFileRawPage",
            "/{project}/-/snippets/{id}/raw/{ref}/{file_path}",
            show_file_raw,
        ),
    ]
}

async fn list(page: ProjectPage<CanView>) -> Result<HttpResponse, PageFailure> {
    let query = ListQuery::of(page.request())?;
    let (paging, viewer) = (query.paging()?, page.viewer());
    let read = page.read(move |tx, found| {
        let scope = home(found)?.project_scope(viewer);
        let filter = SnippetFilter::new(scope.ok_or_else(ApiError::internal)?);
        let page = tx.list_snippets(&filter, paging)?;
        Ok(SnippetPage::of(tx, page)?)
    });
    let (snippets, found) = read.await?;
    let base = base(&found);
    let frame = ListFrame {
        shell: page.shell(&found, Section::Snippets, "Snippets"),
        heading: "Snippets",
        base: &base,
        may_create: found.allows::<Reporter>() && !found.project.archived,
        tabs: Vec::new(),
    };
    let list = SnippetListPage::new(frame, &query, paging, &snippets, page.now());
    page.show(&list)
}

async fn show(page: ProjectPage<CanView>) -> Result<HttpResponse, PageFailure> {
    let nothing = ValidationFailures::default();
    answer_show(&page, StatusCode::OK, "", &nothing).await
}

/// Responds with the page of a snippet, and the errors of its form for deletion.
async fn answer_show<N: Need>(
    page: &ProjectPage<N>,
    status: StatusCode,
    confirm: &str,
    failures: &ValidationFailures,
) -> Result<HttpResponse, PageFailure> {
    let (id, viewer) = (snippet_id(page)?, page.viewer());
    let read = page.read(move |tx, found| {
        let found = find_snippet(tx, home(found)?, id, viewer);
        let (snippet, rights) = found.map_err(refused)?;
        Ok(LoadedSnippet::of(tx, snippet, rights)?)
    });
    let (loaded, found) = read.await?;
    let description = render(page, vec![loaded.description()]).await?.pop();
    let base = base(&found);
    let frame = ShowFrame {
        shell: page.shell(&found, Section::Snippets, &loaded.title().isolated()),
        base: &base,
        confirm,
        failures,
        now: page.now(),
    };
    let shown = SnippetShowPage::new(frame, loaded, description.unwrap_or_default());
    page.show_with(status, &shown)
}

async fn show_raw(page: ProjectPage<CanView>) -> Result<HttpResponse, PageFailure> {
    answer_raw(&page, RequestedFile::First).await
}

async fn show_file_raw(page: ProjectPage<CanView>) -> Result<HttpResponse, PageFailure> {
    answer_raw(&page, requested_file(page.request())?).await
}

async fn answer_raw(
    page: &ProjectPage<CanView>,
    file: RequestedFile,
) -> Result<HttpResponse, PageFailure> {
    let (id, viewer) = (snippet_id(page)?, page.viewer());
    let read = page.read(move |tx, found| {
        find_snippet(tx, home(found)?, id, viewer).map_err(refused)?;
        file.text(tx, id)
    });
    Ok(raw_text(read.await?.0))
}

async fn show_new(
    page: ProjectPage<RoleOrForbidden<Reporter>>,
) -> Result<HttpResponse, PageFailure> {
    let read = page.read(|_, found| home(found).map(drop).map_err(Failure::from));
    let ((), found) = read.await?;
    answer(&page, &found, None, &SnippetFormValues::new(), None)
}

async fn show_edit(page: ProjectPage<Account>) -> Result<HttpResponse, PageFailure> {
    let id = snippet_id(&page)?;
    let (draft, found) = load_draft(&page, id).await?;
    let values = SnippetFormValues::of(draft)?;
    answer(&page, &found, Some(id), &values, None)
}

async fn load_draft<N: Need>(
    page: &ProjectPage<N>,
    id: SnippetId,
) -> Result<(SnippetDraft, ProjectContext), PageFailure> {
    let viewer = page.viewer();
    let read =
        page.read(move |tx, found| find_draft(tx, home(found)?, id, viewer).map_err(refused));
    read.await
}

async fn create(form: ProjectForm<RoleOrForbidden<Reporter>>) -> Result<HttpResponse, PageFailure> {
    save(&form, None).await
}

/// Updates or deletes a snippet.
async fn change(form: ProjectForm<Account>) -> Result<HttpResponse, PageFailure> {
    let id = snippet_id(&form)?;
    match &*form.form.method() {
        "put" => save(&form, Some(id)).await,
        "delete" => delete(&form, id).await,
        _ => Err(PageFailure::bad_request(
            "The form has no known action. Reload the page and try again.",
        )),
    }
}

/// Creates or updates a snippet, and redirects to its page.
async fn save<N: Need>(
    form: &ProjectForm<N>,
    id: Option<SnippetId>,
) -> Result<HttpResponse, PageFailure> {
    let values = SnippetFormValues::from_form(&form.form);
    let sender = SnippetSender::of(form)?;
    let (before, found) = if let Some(id) = id {
        let (draft, found) = load_draft(form, id).await?;
        (Some((id, draft)), found)
    } else {
        let ((), found) = form.read(|_, _| Ok(())).await?;
        (None, found)
    };
    let (page, by) = (request_of(form), sender.in_project(&found)?);
    let cleared = match judge(&page, &form.form, before, values.edit(), by).await? {
        Ok(cleared) => cleared.into_edit(),
        Err(rejection) => return answer(form, &found, id, &values, Some(rejection)),
    };
    let saved = form.write(move |tx, found| {
        let (edit, by) = (cleared.clone(), sender.in_project(found)?);
        let saved = match id {
            None => flows::create(tx, edit, by),
            Some(id) => flows::update(tx, id, edit, by),
        };
        saved.map_err(SnippetFormError::from)
    });
    match saved.await? {
        (Ok(snippet), found) => {
            let path = format!("{}/{}", base(&found), snippet.id);
            Ok(form.redirect_with_notice(&path, saved_notice(id)))
        }
        (Err(error), found) => {
            let rejection = SnippetRejection::Invalid(error.into_fields()?);
            answer(form, &found, id, &values, Some(rejection))
        }
    }
}

/// Deletes a snippet if the user typed its title, and redirects to the list.
async fn delete(form: &ProjectForm<Account>, id: SnippetId) -> Result<HttpResponse, PageFailure> {
    let sender = SnippetSender::of(form)?;
    let (draft, _) = load_draft(form, id).await?;
    let mut failures = ValidationFailures::default();
    let typed = form.form.text("confirm");
    check_name(&mut failures, typed, &draft.content.title);
    if !failures.is_empty() {
        return answer_show(form, StatusCode::UNPROCESSABLE_ENTITY, typed, &failures).await;
    }
    let deleted = form.write(move |tx, found| {
        let by = sender.in_project(found)?;
        Ok::<(), SnippetFormError>(flows::delete(tx, id, None, by)?)
    });
    let (deleted, found) = deleted.await?;
    if let Err(error) = deleted {
        error.into_fields()?;
    }
    Ok(form.redirect_with_notice(&base(&found), Notice::SnippetDeleted))
}

fn answer<N: Need>(
    page: &ProjectPage<N>,
    found: &ProjectContext,
    id: Option<SnippetId>,
    values: &SnippetFormValues,
    rejection: Option<SnippetRejection>,
) -> Result<HttpResponse, PageFailure> {
    let base = base(found);
    let target = FormTarget { base: &base, id };
    let shell = page.shell(found, Section::Snippets, target.title());
    answer_form(&request_of(page), shell, target, values, rejection)
}

fn request_of<N: Need>(page: &ProjectPage<N>) -> PageRequest<'_> {
    PageRequest::new(page.request(), page.state(), page.visitor())
}

/// Path of the list, below the root of the server.
fn base(found: &ProjectContext) -> String {
    format!("{}/-/snippets", found.path())
}

/// Home of the snippets of the project.
///
/// # Errors
/// 404 if the settings of the project hide them from the visitor.
fn home(found: &ProjectContext) -> Result<SnippetHome, ApiError> {
    let home = SnippetHome::of_project(&found.project, found.access);
    home.ok_or_else(|| ApiError::not_found(Snippet::NAME))
}

/// Sender and time of a form.
#[derive(Debug, Clone, Copy)]
struct SnippetSender {
    viewer: Viewer,
    user: UserId,
    now: Timestamp,
}

impl SnippetSender {
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
    /// 403 for an archived project; 404 if the settings of the project hide its snippets.
    fn in_project(self, found: &ProjectContext) -> Result<SnippetActor, Failure> {
        if found.project.archived {
            return Err(ApiError::forbidden_because("the project is archived").into());
        }
        Ok(SnippetActor {
            home: home(found)?,
            viewer: self.viewer,
            user: self.user,
            now: self.now,
        })
    }
}

fn snippet_id<N: Need>(page: &ProjectPage<N>) -> Result<SnippetId, PageFailure> {
    page.number("id").map(SnippetId::new)
}
