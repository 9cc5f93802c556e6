//! Form to register or edit an application.

use std::ops::Deref;

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::error::ValidationFailures;
use askama::Template;
use oauth_provider::flow::applications::{ClientMetadata, MAX_NAME};
use oauth_provider::rules::redirect_uri::RedirectUri;
use oauth_provider::{Application, ApplicationOptions, ClientType};

use super::area::Area;
use super::find_in_path;
use crate::frame::form::PageForm;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::sentences;
use crate::frame::page::scope_choice::ScopeChoice;
use crate::frame::page::shell::Shell;
use crate::frame::visitor::Visitor;
use crate::state::AppState;

/// Errors of each field, as sentences.
#[derive(Default, PartialEq, Eq)]
struct ApplicationFormErrors {
    name: Vec<String>,
    redirect_uri: Vec<String>,
    post_logout: Vec<String>,
    scopes: Vec<String>,
    trusted: Vec<String>,
    groups_claim: Vec<String>,
    id_token_seconds: Vec<String>,
    access_token_seconds: Vec<String>,
}

impl ApplicationFormErrors {
    fn of(failures: &ValidationFailures) -> Self {
        let of = |attribute, subject| sentences(subject, failures.of(attribute));
        Self {
            name: of("name", "The name"),
            redirect_uri: of("redirect_uri", "The redirect URI"),
            post_logout: of(
                "post_logout_redirect_uris",
                "The redirect URI after sign-out",
            ),
            scopes: of("scopes", "The set of scopes"),
            trusted: of("trusted", "Trust"),
            groups_claim: of("groups_claim", "Listing all groups"),
            id_token_seconds: of("id_token_seconds", "The lifetime"),
            access_token_seconds: of("access_token_seconds", "The lifetime"),
        }
    }

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Template)]
#[template(path = "areas/applications/application_form.html")]
struct ApplicationFormPage<'a> {
    shell: Shell,
    action: String,
    cancel: String,
    is_new: bool,
    may_trust: bool,
    metadata: &'a ClientMetadata,
    /// `None` for the default of the application type.
    reduces_scopes: Option<bool>,
    id_token_seconds: String,
    access_token_seconds: String,
    is_confidential: bool,
    choices: Vec<ScopeChoice>,
    longest_name: usize,
    wrong: ApplicationFormErrors,
}

pub(super) async fn show_new<V: Deref<Target = Visitor>>(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: V,
) -> Result<HttpResponse, PageFailure> {
    Area::of(&request).enter(&request, &visitor)?;
    let page = PageRequest::new(&request, &state, &visitor);
    let metadata = ClientMetadata::new("", "", "", ClientType::Confidential);
    show(
        &page,
        StatusCode::OK,
        &metadata,
        &ValidationFailures::default(),
    )
}

pub(super) async fn show_edit<V: Deref<Target = Visitor>>(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: V,
) -> Result<HttpResponse, PageFailure> {
    let application = find_in_path(&request, &state, &visitor).await?;
    let page = PageRequest::new(&request, &state, &visitor);
    let metadata = as_metadata(&application);
    show(
        &page,
        StatusCode::OK,
        &metadata,
        &ValidationFailures::default(),
    )
}

/// Responds with the form and its errors.
pub(super) fn show(
    page: &PageRequest<'_>,
    status: StatusCode,
    metadata: &ClientMetadata,
    failures: &ValidationFailures,
) -> Result<HttpResponse, PageFailure> {
    let area = Area::of(page.request);
    let (member, _) = area.enter(page.request, page.visitor)?;
    let id = page.request.match_info().get("id");
    let action = id.map(|id| format!("{}/{id}", area.base()));
    let registry = &page.state.settings.oauth.policy.scopes;
    let chosen: Vec<&str> = metadata.scopes.split_whitespace().collect();
    let title = if id.is_none() {
        "New application"
    } else {
        "Edit the application"
    };
    page.show_with(
        status,
        &ApplicationFormPage {
            shell: page.shell(area.place(), title),
            cancel: action.clone().unwrap_or_else(|| area.list().to_owned()),
            action: action.unwrap_or_else(|| area.base().to_owned()),
            is_new: id.is_none(),
            may_trust: area == Area::Instance,
            metadata,
            reduces_scopes: reduces_scopes(metadata),
            id_token_seconds: seconds_text(metadata.options.id_token_seconds),
            access_token_seconds: seconds_text(metadata.options.access_token_seconds),
            is_confidential: metadata.client_type == ClientType::Confidential,
            choices: ScopeChoice::of_applications(registry, &chosen, member.user.is_admin),
            longest_name: MAX_NAME,
            wrong: ApplicationFormErrors::of(failures),
        },
    )
}

/// Reads the submitted form.
/// Only an application of the instance can be trusted.
pub(super) fn read(form: &PageForm, area: Area) -> ClientMetadata {
    let client_type = if form.is_ticked("application[confidential]") {
        ClientType::Confidential
    } else {
        ClientType::Public
    };
    let mut metadata = ClientMetadata::new(
        form.text("application[name]"),
        form.text("application[redirect_uri]"),
        form.words("application[scopes]").join(" "),
        client_type,
    );
    metadata.post_logout_redirect_uris = form
        .text("application[post_logout_redirect_uris]")
        .to_owned();
    metadata.trusted = area == Area::Instance && form.is_ticked("application[trusted]");
    read_options(form, &mut metadata.options);
    metadata
}

/// Reads the options.
/// A missing checkbox counts as unticked, so every checkbox stands for the value that is not the default.
fn read_options(form: &PageForm, options: &mut ApplicationOptions) {
    options.issuer_in_response = !form.is_ticked("application[omit_issuer]");
    options.groups_claim = form.is_ticked("application[groups_claim]");
    options.reduce_scopes = match form.text("application[reduce_scopes]") {
        "1" => true,
        "0" => false,
        _ => options.reduce_scopes,
    };
    options.id_token_seconds = seconds(form.text("application[id_token_seconds]"));
    options.access_token_seconds = seconds(form.text("application[access_token_seconds]"));
}

/// Parses seconds.
/// Text that is not a number becomes 0, which is out of bounds, so that it is rejected and not ignored.
fn seconds(typed: &str) -> Option<u32> {
    let typed = typed.trim();
    (!typed.is_empty()).then(|| typed.parse().unwrap_or(0))
}

fn seconds_text(seconds: Option<u32>) -> String {
    seconds.map_or_else(String::new, |seconds| seconds.to_string())
}

/// Scope reduction setting, unless it is the default of the application type.
fn reduces_scopes(metadata: &ClientMetadata) -> Option<bool> {
    let chosen = metadata.options.reduce_scopes;
    let default = ApplicationOptions::of(metadata.client_type).reduce_scopes;
    (chosen != default).then_some(chosen)
}

fn as_metadata(application: &Application) -> ClientMetadata {
    let lines = |uris: &[RedirectUri]| {
        let texts: Vec<&str> = uris.iter().map(RedirectUri::as_str).collect();
        texts.join("\n")
    };
    let mut metadata = ClientMetadata::new(
        application.name.clone(),
        lines(&application.redirect_uris),
        application.scopes.to_string(),
        application.client_type,
    );
    metadata.post_logout_redirect_uris = lines(&application.post_logout_redirect_uris);
    metadata.trusted = application.trusted;
    metadata.options = application.options;
    metadata
}
