//! `POST /api/v4/markdown`: renders Markdown as the pages do.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::block;
use api_conventions::error::ApiError;
use api_conventions::params::Params;
use api_conventions::reference::ProjectRef;
use gatehouse_core::flows::references::{ReferenceContext, resolve};
use markdown::{MAX_CHARACTERS, Reference, RenderSettings, ResolvedReferences};
use projects::flow::find_visible::find_visible_project;
use schemars::JsonSchema;
use serde::Serialize;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Parameter, ParameterKind, ResponseSpec, post};

use crate::frame::api::AsCaller;
use crate::frame::scopes::ReadApi;

/// Longest text, in characters.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the bound is a constant that fits"
)]
const MAX: u32 = MAX_CHARACTERS as u32;

const TEXT: Parameter = Parameter::body(
    "text",
    ParameterKind::Text { min: 1, max: MAX },
    "Markdown text.",
);
const GFM: Parameter = Parameter::body(
    "gfm",
    ParameterKind::Boolean,
    "Accepted and ignored: the extensions are always enabled.",
);
const PROJECT: Parameter = Parameter::body(
    "project",
    ParameterKind::ANY_TEXT,
    "Full path of the project in which references are resolved. Without it, references stay text.",
);

/// Prefix of ids in the HTML, so that they do not clash with other ids on the client's page.
const ID_PREFIX: &str = "user-content-";

/// The operations.
pub fn operations() -> Vec<Operation> {
    vec![
        post("renderMarkdown", "/api/v4/markdown", render)
            .documented("markdown", "Render Markdown as HTML")
            .takes([TEXT.required(), GFM, PROJECT])
            .response(ResponseSpec::json::<RenderedMarkdown>(
                201,
                "The rendered HTML.",
            ))
            .response(ResponseSpec::refusal(404, "Project not found.")),
    ]
}

/// Text rendered as HTML.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Rendered")]
struct RenderedMarkdown {
    /// HTML that is safe on any page: no scripts, styles or images.
    html: String,
}

async fn render(request: AsCaller<ReadApi>) -> Result<HttpResponse, Failure> {
    let (text, project) = read_parameters(request.params())?;
    let base_url: Arc<str> = request.base_url().into();
    let resolved = match project {
        Some(project) => {
            let (text, base_url) = (Arc::clone(&text), Arc::clone(&base_url));
            let references = run_blocking(move || markdown::references(&text, &base_url)).await?;
            look_up(&request, references, project).await?
        }
        None => ResolvedReferences::new(),
    };
    let html = run_blocking(move || {
        let settings = RenderSettings {
            base_url: &base_url,
            id_prefix: ID_PREFIX,
        };
        markdown::render(&text, settings, &resolved)
    });
    let html = html.await?;
    Ok(HttpResponse::Created().json(RenderedMarkdown { html }))
}

/// Parses the text and the project; `None` if the request names no project.
fn read_parameters(params: &Params) -> Result<(Arc<str>, Option<String>), ApiError> {
    let mut read = params.reader();
    let text = read.text(TEXT.name).unwrap_or_default();
    let project = read.text(PROJECT.name).filter(|path| !path.is_empty());
    read.boolean(GFM.name);
    if text.chars().count() > MAX_CHARACTERS {
        let problem = format!("is too long (maximum is {MAX_CHARACTERS} characters)");
        read.fault(TEXT.name, &problem);
    }
    read.demand(&[TEXT.name]);
    read.finish()?;
    Ok((text.into(), project))
}

/// Resolves the references, if the caller may see the project.
async fn look_up(
    request: &AsCaller<ReadApi>,
    references: Vec<Reference>,
    project: String,
) -> Result<ResolvedReferences, Failure> {
    let unseen = || ApiError::not_found("Project");
    let reference = ProjectRef::parse(&project).ok_or_else(unseen)?;
    let (viewer, now, base_url) = (
        *request.caller(),
        request.now(),
        request.base_url().to_owned(),
    );
    let found = request.read(move |tx| {
        let found = find_visible_project(tx, &reference, viewer, now)?;
        let (project, access) = found.ok_or_else(unseen)?;
        let context = ReferenceContext {
            project: &project,
            viewer,
            access,
            now,
            base_url: &base_url,
        };
        Ok(resolve(tx, &references, context)?)
    });
    found.await
}

/// Runs work on a blocking thread, because a long text takes time and must not delay other requests.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    let done = block(work).await;
    done.map_err(|_| ApiError::internal().into())
}
