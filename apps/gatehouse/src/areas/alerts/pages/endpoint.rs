//! Page of one alert endpoint: how to send alerts to it, its key, and its state.

use std::future::ready;

use actix_web::http::StatusCode;
use actix_web::web::Bytes;
use actix_web::{HttpResponse, ResponseError as _};
use alert_intake::flow::authorize::KeyOutcome;
use alert_intake::model::{Integration, IntegrationChange, KEY_PREFIX};
use alert_intake::payload::DeliveryFormat;
use alert_intake::wire::IntakeAlertJson;
use api_conventions::error::ApiError;
use api_conventions::secret::PlainSecret;
use askama::Template;
use gatehouse_core::flows::endpoints::change_endpoint;
use gatehouse_core::flows::groups::Actor;
use gatehouse_core::randomness::OsRandomness;
use web_conventions::failure::Failure;

use super::super::intake::{DeliveryBody, deliver as deliver_to};
use super::endpoints::{EndpointViewers, parse_identifier, path_of, state, takes, url};
use super::samples::{KEY, SenderSnippet, snippets, test_body};
use crate::frame::intake_urls::IntakeUrls;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::notice::Notice;
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{
    And, Need, ProjectContext, ProjectForm, ProjectPage, RoleOrForbidden,
};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::Maintainer;
use crate::frame::secret_once::{self, SecretSubject};

#[derive(Template)]
#[template(path = "areas/alerts/endpoint.html")]
struct EndpointPage<'a> {
    shell: Shell,
    list: String,
    path: String,
    name: DisplayName,
    takes: &'static str,
    state: Pill,
    is_on: bool,
    may_change: bool,
    url: String,
    /// New key, shown only once.
    key: Option<&'a str>,
    snippets: Vec<SenderSnippet>,
    body: String,
    wrong: String,
}

/// Responds with the page of the endpoint.
/// A key that was just generated is shown this once.
pub(super) async fn show(page: ProjectPage<EndpointViewers>) -> Result<HttpResponse, PageFailure> {
    let (endpoint, found) = find(&page).await?;
    let of = SecretSubject::Endpoint(endpoint.id);
    let (request, state, visitor) = (page.request(), page.state(), page.visitor());
    let session = &visitor.member(request)?.session;
    let key = secret_once::waiting(request, state, of, session, endpoint.key, page.now());
    let shown = shown(&page, &endpoint, &found, key.as_ref());
    let mut answer = page.show(&shown)?;
    if key.is_some() {
        secret_once::forget(&mut answer, state, of)?;
    }
    Ok(answer)
}

/// Enables or disables the endpoint, or rotates its key.
pub(super) async fn change(
    form: ProjectForm<And<EndpointViewers, RoleOrForbidden<Maintainer>>>,
) -> Result<HttpResponse, PageFailure> {
    let key = PlainSecret::generate(KEY_PREFIX, &OsRandomness);
    let (change, notice) = match form.form.text("event") {
        "enable" => (IntegrationChange::Active(true), Notice::EndpointEnabled),
        "disable" => (IntegrationChange::Active(false), Notice::EndpointDisabled),
        "renew" => (IntegrationChange::Key(key.digest()), Notice::KeyRenewed),
        _ => {
            return Err(PageFailure::bad_request(
                "Choose what to do with the endpoint.",
            ));
        }
    };
    let identifier = identifier(&form)?;
    let by = Actor {
        id: form.actor_id()?,
        viewer: form.viewer(),
        now: form.now(),
    };
    let changed = form.write(move |tx, found| {
        let changed = change_endpoint(tx, found.project.id, identifier, change, by)?;
        changed.ok_or_else(|| Failure::from(ApiError::not_found("Alert endpoint")))
    });
    let (changed, found) = changed.await?;
    let endpoint = changed.map_err(|failure| form.sign_in_if_hidden(failure.into()))?;
    let mut answer = form.redirect_with_notice(&path_of(&found, &endpoint), notice);
    if matches!(change, IntegrationChange::Key(_)) {
        let session = &form.visitor().member(form.request())?.session;
        let of = SecretSubject::Endpoint(endpoint.id);
        secret_once::send(&mut answer, form.state(), of, session, &key, form.now())?;
    }
    Ok(answer)
}

/// Sends the submitted body to the endpoint, as a monitoring tool would, and redirects to the resulting alert.
pub(super) async fn test(form: ProjectForm<EndpointViewers>) -> Result<HttpResponse, PageFailure> {
    let (endpoint, found) = find(&form).await?;
    let body = form.form.text("body").replace("\r\n", "\n");
    match deliver(&form, &endpoint, &body).await {
        Ok(created) => {
            let (path, notice) = match created.first() {
                Some(alert) => {
                    let path = format!("{}/-/alert_management/{}/details", found.path(), alert.iid);
                    (path, Notice::TestReceived)
                }
                None => (path_of(&found, &endpoint), Notice::TestWithoutAlert),
            };
            Ok(form.redirect_with_notice(&path, notice))
        }
        Err(failure) if failure.status_code().is_client_error() => {
            let mut shown = shown(&form, &endpoint, &found, None);
            shown.wrong = failure.refusal().sentence();
            shown.body = body;
            form.show_with(StatusCode::UNPROCESSABLE_ENTITY, &shown)
        }
        Err(failure) => Err(failure.into()),
    }
}

async fn deliver(
    form: &ProjectForm<EndpointViewers>,
    endpoint: &Integration,
    body: &str,
) -> Result<Vec<IntakeAlertJson>, Failure> {
    if !endpoint.active {
        KeyOutcome::<()>::Inactive.authorized()?;
    }
    let body = Bytes::copy_from_slice(body.as_bytes());
    let read = DeliveryBody {
        key: None,
        format: DeliveryFormat::Json,
        body,
    };
    let reading = ready(Ok(read));
    deliver_to(form.request(), form.state(), endpoint, reading).await
}

fn identifier<N: Need>(page: &ProjectPage<N>) -> Result<&'static str, PageFailure> {
    let named_in_path = page.request().match_info().get("endpoint");
    parse_identifier(named_in_path.unwrap_or_default())
        .map_err(|refusal| page.sign_in_if_hidden(refusal.into()))
}

async fn find<N: Need>(
    page: &ProjectPage<N>,
) -> Result<(Integration, ProjectContext), PageFailure> {
    let identifier = identifier(page)?;
    let read = page.read(move |tx, found| {
        let endpoint = tx.find_integration(found.project.id, identifier)?;
        Ok(endpoint.ok_or_else(|| ApiError::not_found("Alert endpoint"))?)
    });
    read.await
}

fn shown<'a, N: Need>(
    page: &ProjectPage<N>,
    endpoint: &Integration,
    found: &ProjectContext,
    key: Option<&'a PlainSecret>,
) -> EndpointPage<'a> {
    let urls = IntakeUrls::new(&page.state().base_url, &found.project.full_path);
    let url = url(&urls, endpoint.source);
    let key = key.map(PlainSecret::reveal);
    let name = DisplayName::of(&endpoint.name);
    EndpointPage {
        shell: page.shell(found, Section::Settings, &name.isolated()),
        list: format!("{}/-/settings/alert_endpoints", found.path()),
        path: path_of(found, endpoint),
        name,
        takes: takes(endpoint.source),
        state: state(endpoint),
        is_on: endpoint.active,
        may_change: found.allows::<Maintainer>(),
        snippets: snippets(endpoint.source, url, key.unwrap_or(KEY)),
        url: url.to_owned(),
        key,
        body: test_body(endpoint.source, &DisplayTime::of(page.now()).machine),
        wrong: String::new(),
    }
}
