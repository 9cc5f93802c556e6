//! Page of one alert endpoint: how to send alerts to it, its key, its state, and its rules.

use std::future::ready;

use actix_web::http::StatusCode;
use actix_web::web::Bytes;
use actix_web::{HttpResponse, ResponseError as _};
use alert_intake::flow::authorize::KeyOutcome;
use alert_intake::flow::heartbeat;
use alert_intake::model::{Heartbeat, Integration, Source};
use alert_intake::payload::DeliveryFormat;
use alert_intake::wire::IntakeAlertJson;
use api_conventions::error::ApiError;
use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use web_conventions::failure::Failure;

use super::super::intake::{DeliveryBody, deliver as deliver_to};
use super::endpoint_form::EndpointForm;
use super::endpoints::{EndpointViewers, path_of, state, takes};
use super::samples::{KEY, SenderSnippet, heartbeat_snippets, snippets, test_body};
use crate::frame::intake_urls::{endpoint_url, named_url};
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::notice::Notice;
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{Need, ProjectContext, ProjectForm, ProjectPage};
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
    /// End of the grace period of the key before the last renewal.
    retired_until: Option<DisplayTime>,
    may_delete: bool,
    /// Number of entries of the mapping; `None` if the payload is fixed.
    mapped: Option<usize>,
    form: EndpointForm,
    /// Heartbeat that the endpoint expects; `None` if it takes alerts.
    heartbeat: Option<HeartbeatView>,
}

/// Heartbeat of an endpoint.
struct HeartbeatView {
    state: Pill,
    last: Option<DisplayTime>,
    due: Option<DisplayTime>,
}

impl HeartbeatView {
    fn new(heartbeat: Option<Heartbeat>, now: Timestamp) -> Self {
        let due = heartbeat.and_then(|heartbeat| heartbeat.due_at);
        Self {
            state: match &heartbeat {
                None => Pill::NEW,
                Some(heartbeat) if heartbeat.is_missing() => Pill::MISSING,
                Some(_) => Pill::ALIVE,
            },
            last: heartbeat.map(|heartbeat| DisplayTime::at(heartbeat.last_at, now)),
            due: due.map(|due| DisplayTime::at(due, now)),
        }
    }
}

/// Endpoint of a page, with its heartbeat if it has had a sign of life.
struct FoundEndpoint {
    endpoint: Integration,
    heartbeat: Option<Heartbeat>,
}

/// Responds with the page of the endpoint.
/// A key that was just generated is shown this once.
pub(super) async fn show(page: ProjectPage<EndpointViewers>) -> Result<HttpResponse, PageFailure> {
    let (of_page, found) = find(&page).await?;
    let endpoint = &of_page.endpoint;
    let of = SecretSubject::Endpoint(endpoint.id);
    let (request, state, visitor) = (page.request(), page.state(), page.visitor());
    let session = &visitor.member(request)?.session;
    let key = secret_once::waiting(request, state, of, session, endpoint.key, page.now());
    let shown = shown(&page, &of_page, &found, key.as_ref());
    let mut answer = page.show(&shown)?;
    if key.is_some() {
        secret_once::forget(&mut answer, state, of)?;
    }
    Ok(answer)
}

/// Sends the submitted body to the endpoint, as a monitoring tool would, and redirects to the resulting alert.
pub(super) async fn test(form: ProjectForm<EndpointViewers>) -> Result<HttpResponse, PageFailure> {
    let (of_page, found) = find(&form).await?;
    let endpoint = &of_page.endpoint;
    let body = form.form.text("body").replace("\r\n", "\n");
    match deliver(&form, endpoint, &body).await {
        Ok(created) => {
            let (path, notice) = match created.first() {
                Some(alert) => {
                    let path = format!("{}/-/alert_management/{}/details", found.path(), alert.iid);
                    (path, Notice::TestReceived)
                }
                None => (path_of(&found, endpoint), Notice::TestWithoutAlert),
            };
            Ok(form.redirect_with_notice(&path, notice))
        }
        Err(failure) if failure.status_code().is_client_error() => {
            let mut shown = shown(&form, &of_page, &found, None);
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
    let stored = deliver_to(form.request(), form.state(), endpoint, reading).await;
    stored.map(|stored| stored.alerts)
}

/// Identifier of the endpoint in the path; empty, as no endpoint has it, if it is not one.
pub(super) fn identifier<N: Need>(page: &ProjectPage<N>) -> Result<String, PageFailure> {
    let named = page
        .request()
        .match_info()
        .get("endpoint")
        .unwrap_or_default();
    let is_valid = named.len() <= 255 && named.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_valid {
        Ok(named.to_owned())
    } else {
        Err(page.sign_in_if_hidden(ApiError::not_found("Alert endpoint").into()))
    }
}

/// Returns an endpoint of the project.
pub(super) fn endpoint_of<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    found: &ProjectContext,
    identifier: &str,
) -> Result<Integration, Failure> {
    let endpoint = tx.find_integration(found.project.id, identifier)?;
    endpoint.ok_or_else(|| ApiError::not_found("Alert endpoint").into())
}

async fn find<N: Need>(
    page: &ProjectPage<N>,
) -> Result<(FoundEndpoint, ProjectContext), PageFailure> {
    let identifier = identifier(page)?;
    page.read(move |tx, found| {
        let endpoint = endpoint_of(tx, found, &identifier)?;
        let heartbeat = match endpoint.settings.heartbeat {
            Some(_) => heartbeat::find(tx, found.project.id, endpoint.id)?,
            None => None,
        };
        Ok(FoundEndpoint {
            endpoint,
            heartbeat,
        })
    })
    .await
}

/// Responds with the page of the endpoint whose form was refused.
pub(super) async fn show_refused<N: Need>(
    page: &ProjectPage<N>,
    form: EndpointForm,
) -> Result<HttpResponse, PageFailure> {
    let (of_page, found) = find(page).await?;
    let mut shown = shown(page, &of_page, &found, None);
    shown.form = form;
    page.show_with(StatusCode::UNPROCESSABLE_ENTITY, &shown)
}

fn shown<'a, N: Need>(
    page: &ProjectPage<N>,
    of_page: &FoundEndpoint,
    found: &ProjectContext,
    key: Option<&'a PlainSecret>,
) -> EndpointPage<'a> {
    let endpoint = &of_page.endpoint;
    let (base, path) = (&page.state().base_url, &found.project.full_path);
    let url = endpoint_url(base, path, endpoint);
    let named = named_url(base, path, endpoint);
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
        snippets: if endpoint.settings.heartbeat.is_some() {
            heartbeat_snippets(&url, &named, key.unwrap_or(KEY))
        } else {
            snippets(endpoint.source, &url, &named, key.unwrap_or(KEY))
        },
        heartbeat: endpoint
            .settings
            .heartbeat
            .map(|_| HeartbeatView::new(of_page.heartbeat, page.now())),
        url,
        retired_until: endpoint
            .retired_key
            .filter(|retired| page.now() < retired.valid_until)
            .map(|retired| DisplayTime::at(retired.valid_until, page.now())),
        may_delete: !endpoint.is_predefined(),
        mapped: (endpoint.source == Source::Generic).then_some(endpoint.settings.mapping.0.len()),
        form: EndpointForm::of(endpoint),
        key,
        body: test_body(endpoint.source, &DisplayTime::of(page.now()).machine),
        wrong: String::new(),
    }
}
