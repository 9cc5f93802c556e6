//! Around every request: an id, the headers that every answer carries, the bound on the query string, the end of
//! the connection when the answer comes early, and what the log tells.

use std::borrow::Cow;
use std::net::IpAddr;
use std::rc::Rc;
use std::time::Instant;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{
    HeaderMap, HeaderName, HeaderValue, VARY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage as _, HttpRequest, web};
use api_conventions::error::ApiError;
use uuid::Uuid;

use super::connection::{PipelineGate, PipelineGuard};
use super::cors;
use super::early_response::{AnswerBody, HeldPayload};
use super::failure::Failure;
use super::mount::Mount;
use super::oauth::{OAuthFailure, refuse};
use crate::extract::browser::counted_client;
use crate::extract::sudo::ActedAs;
use crate::pages::failure::PageFailure;
use crate::pages::headers as page_headers;
use crate::refusals::shown;
use crate::refusals::tally::Kind;
use crate::state::AppState;

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const X_RUNTIME: HeaderName = HeaderName::from_static("x-runtime");

/// Wraps a request.
///
/// # Errors
/// Only what the inner services return as errors; refusals are answers.
pub async fn observe(
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<AnswerBody>, Error> {
    let started = Instant::now();
    let id = Uuid::now_v7().simple();
    let payload = HeldPayload::of(&mut request);
    let gate = request
        .conn_data::<Rc<PipelineGate>>()
        .map(PipelineGuard::of);
    let response = match (too_long_query(&request), cors::preflight(&request)) {
        (Some(refusal), _) => {
            let refusal = refuse(request.request(), refusal).error_response();
            readable(request.into_response(refusal))
        }
        (None, Some(answer)) => request.into_response(answer),
        (None, None) => readable(next.call(request).await?),
    };
    let mount = mount(response.request());
    let page = written_anew(&response, id, &mount);
    let mut response = response
        .map_body(|_, body| AnswerBody::new(page.map_or(body, MessageBody::boxed), payload, gate));
    let seconds = started.elapsed().as_secs_f64();
    log(&response, id, seconds);
    if page_headers::is_page(response.headers()) {
        let is_https = is_https(response.request());
        let path = response.request().path().to_owned();
        page_headers::add(response.headers_mut(), &path, is_https);
    }
    mount.lead(response.headers_mut());
    add_headers(response.headers_mut(), id, seconds);
    Ok(response)
}

/// The page about a failure, where it has to tell more than the failure knows: about a fault of ours the id under which
/// the log tells of it, and below a path of the host that path.
fn written_anew(
    response: &ServiceResponse<BoxBody>,
    id: uuid::fmt::Simple,
    mount: &Mount,
) -> Option<String> {
    let failure = response.response().error()?.as_error::<PageFailure>()?;
    let is_ours = response.status().is_server_error();
    if !page_headers::is_page(response.headers()) || !is_ours && mount.is_root() {
        return None;
    }
    let id = is_ours.then(|| id.to_string());
    Some(failure.to_html(id.as_deref(), mount))
}

fn mount(request: &HttpRequest) -> Mount {
    let state = request.app_data::<web::Data<AppState>>();
    state.map_or_else(Mount::default, |state| state.mount.clone())
}

/// Says who may read an answer. A preflight says so itself, as far as it allows anything.
fn readable(mut response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    if let Some(policy) = cors::policy_of(response.request()) {
        policy.add_to(response.headers_mut());
    }
    response
}

fn too_long_query(request: &ServiceRequest) -> Option<ApiError> {
    let limit = request
        .app_data::<web::Data<AppState>>()?
        .settings
        .server
        .max_query_bytes;
    (request.query_string().len() > limit).then(|| ApiError::query_too_long(limit))
}

fn is_https(request: &HttpRequest) -> bool {
    let state = request.app_data::<web::Data<AppState>>();
    state.is_some_and(|state| state.is_https())
}

fn add_headers(headers: &mut HeaderMap, id: uuid::fmt::Simple, seconds: f64) {
    let mut buffer = [0_u8; uuid::fmt::Simple::LENGTH];
    if let Ok(value) = HeaderValue::from_str(id.encode_lower(&mut buffer)) {
        headers.insert(X_REQUEST_ID, value);
    }
    if let Ok(value) = HeaderValue::from_str(&format!("{seconds:.6}")) {
        headers.insert(X_RUNTIME, value);
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if !headers.contains_key(X_FRAME_OPTIONS) {
        headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("SAMEORIGIN"));
    }
    headers.insert(VARY, HeaderValue::from_static("Origin"));
}

/// Our own faults are logged as errors with their causes; what an administrator did as somebody else for information;
/// everything else at debug, because a flood brings many refusals. Those are logged by their rate (see
/// [`crate::refusals`]), and the first of a kind at once, as a warning with its causes where the trouble is ours. The query
/// string is never logged, because tokens may travel in it; nor is the path of an unknown route, because anything may.
fn log<B>(response: &ServiceResponse<B>, id: uuid::fmt::Simple, seconds: f64) {
    let acted = response.request().extensions().get::<ActedAs>().copied();
    macro_rules! line {
        ($level:ident, $message:literal $(, $($field:ident).+ = $value:expr)* $(,)?) => {
            tracing::$level!(
                request.id = %id,
                request.method = %response.request().method(),
                request.route = response.request().match_pattern().unwrap_or_default(),
                response.status = response.status().as_u16(),
                duration_ms = seconds * 1000.0,
                sudo.administrator = acted.map(|acted| acted.administrator.get()),
                sudo.user = acted.map(|acted| acted.user.get()),
                $($($field).+ = $value,)*
                $message,
            )
        };
    }
    let status = response.status();
    let refused = refused(response);
    let first = refused.as_ref().filter(|refused| refused.is_first);
    if let Some(first) = first {
        let client = first.client.map(shown);
        if status == StatusCode::SERVICE_UNAVAILABLE {
            line!(
                warn,
                "first request turned away in this way",
                reason = first.reason,
                client.address = client,
                error = causes(response).unwrap_or_default(),
            );
        } else {
            line!(
                info,
                "first request refused in this way",
                reason = first.reason,
                client.address = client,
            );
        }
    } else if status.is_server_error() && refused.is_none() {
        line!(
            error,
            "request failed",
            error = causes(response).unwrap_or_default()
        );
    } else if acted.is_some() {
        line!(info, "request answered as another user");
    } else if status == StatusCode::SERVICE_UNAVAILABLE {
        line!(
            debug,
            "request turned away",
            error = causes(response).unwrap_or_default()
        );
    } else {
        line!(debug, "request answered");
    }
}

/// A request that was refused.
struct Refused {
    is_first: bool,
    reason: &'static str,
    client: Option<IpAddr>,
}

/// Counts the request, if it was refused.
fn refused<B>(response: &ServiceResponse<B>) -> Option<Refused> {
    let status = response.status();
    if !status.is_client_error() && status != StatusCode::SERVICE_UNAVAILABLE {
        return None;
    }
    let request = response.request();
    let state = request.app_data::<web::Data<AppState>>()?;
    let route = request.match_pattern().map(Cow::Owned);
    let reason = reason(response).unwrap_or_default();
    let client = counted_client(request, state);
    let kind = Kind {
        status: Some(status.as_u16()),
        route: route.unwrap_or(Cow::Borrowed("unknown route")),
        reason,
    };
    Some(Refused {
        is_first: state.refusals.count(kind, client),
        reason,
        client,
    })
}

/// Why a request was refused, whichever kind of endpoint refused it.
fn reason<B>(response: &ServiceResponse<B>) -> Option<&'static str> {
    let error = response.response().error()?;
    let of_api = error.as_error::<Failure>().map(Failure::reason);
    let of_page = || error.as_error::<PageFailure>().map(PageFailure::reason);
    let of_oauth = || error.as_error::<OAuthFailure>().map(OAuthFailure::reason);
    of_api.or_else(of_page).or_else(of_oauth)
}

/// What caused an answer that is no success, whichever kind of endpoint it came from.
fn causes<B>(response: &ServiceResponse<B>) -> Option<String> {
    let error = response.response().error()?;
    let of_api = error.as_error::<Failure>().map(Failure::causes);
    let of_page = || error.as_error::<PageFailure>().map(PageFailure::causes);
    let of_oauth = || error.as_error::<OAuthFailure>().map(OAuthFailure::causes);
    of_api.or_else(of_page).or_else(of_oauth)
}
