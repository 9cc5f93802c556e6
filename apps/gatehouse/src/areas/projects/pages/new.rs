//! Form for creating a project.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use alert_intake::model::KEY_PREFIX;
use api_conventions::access::Visibility;
use api_conventions::error::ValidationFailures;
use api_conventions::ids::NamespaceId;
use api_conventions::secret::PlainSecret;
use askama::Template;
use gatehouse_core::flows::groups::Actor;
use gatehouse_core::flows::projects::create_project;
use gatehouse_core::randomness::OsRandomness;
use projects::flow::create_project::CreateProject;
use projects::flow::error::NamespaceError;
use projects::{Project, ProjectContent, ProjectEdit};
use storage::{Store as _, StoreError};

use super::fields::{ProjectFormErrors, ProjectFormValues, refused};
use super::namespaces::NamespaceChoices;
use crate::frame::form::SignedInForm;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::list::Choice;
use crate::frame::page::notice::Notice;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::return_to::query_value;
use crate::frame::visitor::{SignedInVisitor, Visitor};
use crate::state::AppState;

#[derive(Template)]
#[template(path = "areas/projects/project_new.html")]
struct NewPage<'a> {
    shell: Shell,
    offered: &'a NamespaceChoices,
    namespace: &'a str,
    visibilities: Vec<Choice>,
    written: &'a ProjectFormValues,
    wrong: ProjectFormErrors,
    is_wrong: bool,
}

/// Answers with the form.
/// `namespace_id` in the address preselects the namespace.
pub(super) async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: SignedInVisitor,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &visitor);
    let namespace = query_value(&request, "namespace_id").unwrap_or_default();
    let written = ProjectFormValues {
        visibility: Some(Visibility::Private.as_str().to_owned()),
        ..ProjectFormValues::default()
    };
    let nothing = ValidationFailures::default();
    answer(&page, &written, &namespace, &nothing).await
}

/// Creates a project, and redirects to its page.
pub(super) async fn create(
    request: HttpRequest,
    state: Data<AppState>,
    form: SignedInForm,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    let written = ProjectFormValues::from_form(&form);
    let namespace = form.text("namespace_id").trim();
    let parsed = (written.edit(), read_namespace(namespace));
    let (edit, namespace_id) = match parsed {
        (Ok(edit), Ok(id)) => (edit, id),
        (Err(failures), _) | (_, Err(failures)) => {
            return answer(&page, &written, namespace, &failures).await;
        }
    };
    let by = actor(&request, &form.visitor)?;
    match save_new(&state, edit, namespace_id, by).await {
        Ok(project) => {
            let path = format!("/{}", project.full_path.as_str());
            Ok(page.redirect_with_notice(&path, Notice::ProjectCreated))
        }
        Err(error) => {
            let failures = refused(error)?;
            answer(&page, &written, namespace, &failures).await
        }
    }
}

async fn save_new(
    state: &AppState,
    edit: ProjectEdit,
    namespace: Option<NamespaceId>,
    by: Actor,
) -> Result<Project, NamespaceError> {
    let request = CreateProject {
        content: edit.apply(ProjectContent::default()).completed(),
        namespace,
        viewer: by.viewer,
        owner: by.id,
        now: by.now,
    };
    // The key is discarded: the page of the project's alert endpoints creates another, which is shown once.
    let key = PlainSecret::generate(KEY_PREFIX, &OsRandomness).digest();
    let created = state
        .database
        .write(move |tx| create_project(tx, request.clone(), key, by));
    created.await
}

/// Parses the namespace of the project.
/// No choice means the user's own namespace.
fn read_namespace(text: &str) -> Result<Option<NamespaceId>, ValidationFailures> {
    if text.is_empty() {
        return Ok(None);
    }
    let id = text.parse().map(NamespaceId::new);
    id.map(Some).map_err(|_| {
        let mut failures = ValidationFailures::default();
        failures.add("namespace", "is not valid");
        failures
    })
}

/// Actor and time of a change.
pub(super) fn actor(request: &HttpRequest, visitor: &Visitor) -> Result<Actor, PageFailure> {
    Ok(Actor {
        id: visitor.member(request)?.user.id,
        viewer: visitor.viewer(),
        now: visitor.now(),
    })
}

/// Answers with the form and its validation failures.
async fn answer(
    page: &PageRequest<'_>,
    written: &ProjectFormValues,
    namespace: &str,
    failures: &ValidationFailures,
) -> Result<HttpResponse, PageFailure> {
    let by = actor(page.request, page.visitor)?;
    let preselected = read_namespace(namespace).ok().flatten();
    let read = page.state.database.read(page.visitor.lane(), move |tx| {
        NamespaceChoices::read(tx, by, preselected)
    });
    let offered: Result<NamespaceChoices, StoreError> = read.await;
    let status = if failures.is_empty() {
        StatusCode::OK
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    };
    page.show_with(
        status,
        &NewPage {
            shell: page.shell(SiteArea::Projects, "New project"),
            offered: &offered?,
            namespace,
            visibilities: written.visibilities(),
            written,
            wrong: ProjectFormErrors::new(failures),
            is_wrong: !failures.is_empty(),
        },
    )
}
