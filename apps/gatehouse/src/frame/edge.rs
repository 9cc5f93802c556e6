//! Work around every request: the log, the count of refusals, and what pages need.

use std::borrow::Cow;
use std::net::IpAddr;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::ServiceResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, LINK};
use actix_web::{Error, HttpMessage as _, HttpRequest};
use api_conventions::error::ApiError;
use web_conventions::cors::CorsPolicy;
use web_conventions::edge::{Edge, RequestSummary};
use web_conventions::failure::Failure;
use web_conventions::operations::{declaration_of, other_edition_of, path_of};
use web_conventions::refusals::counter::Kind;
use web_conventions::refusals::format_client;

use super::client::counted_client;
use super::collector_failure::CollectorFailure;
use super::cors;
use super::limits::LimitFailure;
use super::oauth_failure::{OAuthFailure, refuse};
use super::page::failure::PageFailure;
use super::page::headers as page_headers;
use super::page::shell::{Shell, SiteArea};
use super::releases::{add_edition, redirect_old_address};
use super::sudo::Impersonation;
use super::token_expiry;
use super::visitor::Visitor;
use crate::state::metrics::AnsweredRequest;
use crate::state::{AppState, Behaviour};

impl Edge for AppState {
    fn max_query_bytes(&self) -> usize {
        self.settings.server.max_query_bytes
    }

    fn cors_policy(&self, path: &str) -> Option<CorsPolicy> {
        let asks_first = self.releases.has(Behaviour::PreflightOfOAuthEndpoints);
        cors::policy(path).map(|policy| {
            if asks_first || !cors::is_preflight_new(path) {
                policy
            } else {
                policy.without_preflight()
            }
        })
    }

    fn refuse(&self, request: &HttpRequest, refusal: ApiError) -> Error {
        refuse(request, refusal)
    }

    fn finish(
        &self,
        response: ServiceResponse<BoxBody>,
        summary: &RequestSummary,
    ) -> ServiceResponse<BoxBody> {
        let response = redirect_old_address(&self.releases, response);
        let page = self.render_again(&response, summary);
        let mut response = response.map_body(|_, body| page.map_or(body, MessageBody::boxed));
        self.metrics.answered(AnsweredRequest {
            operation: declaration_of(response.request()).map(|found| found.id),
            status: response.status().as_str(),
            duration: summary.duration,
        });
        log(self, &response, summary);
        if page_headers::is_page(response.headers()) {
            let path = response.request().path().to_owned();
            page_headers::add(response.headers_mut(), &path, self.is_https());
        }
        self.mount.prefix_location(response.headers_mut());
        if let Some((name, value)) = token_expiry::header_of(response.request()) {
            response.headers_mut().insert(name, value);
        }
        self.add_old_links(&mut response);
        if let Some(edition) = other_edition_of(response.request()) {
            add_edition(edition, response.headers_mut());
        }
        response
    }
}

impl AppState {
    /// Adds the links of a list under their old header name, in releases that have it.
    fn add_old_links(&self, response: &mut ServiceResponse<BoxBody>) {
        let gives = self
            .releases
            .has_for(response.request(), Behaviour::LinksHeader);
        if let Some(links) = response.headers().get(LINK).cloned().filter(|_| gives) {
            let name = HeaderName::from_static("links");
            response.headers_mut().insert(name, links);
        }
    }

    /// Renders the page of a failure again if it needs more than the failure knows.
    /// That is the menu for a signed-in visitor, the request id in the log for a server error, and the prefix of
    /// addresses for a server below a path of its host.
    fn render_again(
        &self,
        response: &ServiceResponse<BoxBody>,
        summary: &RequestSummary,
    ) -> Option<String> {
        let failure = response.response().error()?.as_error::<PageFailure>()?;
        if !page_headers::is_page(response.headers()) {
            return None;
        }
        let is_ours = response.status().is_server_error();
        let id = is_ours.then(|| summary.id.to_string());
        if let Some(shell) = self.shell_of_failure(response.request(), failure) {
            return Some(failure.to_html_in(&shell, id.as_deref()));
        }
        (is_ours || !self.mount.is_root()).then(|| failure.to_html(id.as_deref(), &self.mount))
    }

    /// Frame of a failure page.
    /// `None` for anonymous visitors, and on the way to an application, where pages have no menu. The visitor comes
    /// from the session cache, so there is no database access.
    fn shell_of_failure(&self, request: &HttpRequest, failure: &PageFailure) -> Option<Shell> {
        if page_headers::keeps_opener(request.path()) {
            return None;
        }
        let visitor = Visitor::cached(request, self).filter(|known| known.user().is_some())?;
        let mut shell = Shell::new(request, self, &visitor, SiteArea::Home, failure.heading());
        // The notice stays for the page that it belongs to.
        shell.notice = None;
        Some(shell)
    }
}

/// Logs a request.
/// Server errors are logged as errors with their causes; actions of an administrator as another user at info;
/// everything else at debug, because a flood causes many refusals. Refusals are logged by rate (see
/// [`web_conventions::refusals`]), and the first of a kind immediately, as a warning with its causes if the server is
/// at fault. The query string is never logged, because it may contain tokens; nor is the path of an unknown route,
/// because it may contain anything.
fn log<B>(state: &AppState, response: &ServiceResponse<B>, summary: &RequestSummary) {
    let operation = declaration_of(response.request());
    let acted = response
        .request()
        .extensions()
        .get::<Impersonation>()
        .copied();
    macro_rules! line {
        ($level:ident, $message:literal $(, $($field:ident).+ = $value:expr)* $(,)?) => {
            tracing::$level!(
                request.id = %summary.id,
                request.method = %response.request().method(),
                request.route = path_of(response.request()).unwrap_or_default(),
                request.operation = operation.as_ref().map_or("", |operation| operation.id),
                response.status = response.status().as_u16(),
                duration_ms = summary.duration.as_secs_f64() * 1000.0,
                sudo.administrator = acted.map(|acted| acted.administrator.get()),
                sudo.user = acted.map(|acted| acted.user.get()),
                $($($field).+ = $value,)*
                $message,
            )
        };
    }
    let status = response.status();
    let refused = count_refusal(state, response);
    let first = refused.as_ref().filter(|refused| refused.is_first);
    if let Some(first) = first {
        let client = first.client.map(format_client);
        if status == StatusCode::SERVICE_UNAVAILABLE {
            line!(
                warn,
                "request not served (further ones are counted)",
                reason = first.reason,
                client.address = client,
                error = causes(response).unwrap_or_default(),
            );
        } else {
            line!(
                info,
                "request refused (further ones are counted)",
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
        line!(info, "request handled as another user");
    } else if status == StatusCode::SERVICE_UNAVAILABLE {
        line!(
            debug,
            "request not served",
            error = causes(response).unwrap_or_default()
        );
    } else {
        line!(debug, "request handled");
    }
}

/// Refused request, as it is counted.
struct RefusalRecord {
    is_first: bool,
    reason: &'static str,
    client: Option<IpAddr>,
}

/// Counts the request if it was refused.
fn count_refusal<B>(state: &AppState, response: &ServiceResponse<B>) -> Option<RefusalRecord> {
    let status = response.status();
    if !status.is_client_error() && status != StatusCode::SERVICE_UNAVAILABLE {
        return None;
    }
    let request = response.request();
    let route = path_of(request).map(Cow::Borrowed);
    let reason = reason(response).unwrap_or_default();
    let client = counted_client(request, state);
    state.metrics.refused(status.as_str(), reason);
    let kind = Kind {
        status: Some(status.as_u16()),
        route: route.unwrap_or(Cow::Borrowed("unknown route")),
        reason,
    };
    Some(RefusalRecord {
        is_first: state.refusals.count(kind, client),
        reason,
        client,
    })
}

/// Reason of a refusal, for any kind of endpoint.
fn reason<B>(response: &ServiceResponse<B>) -> Option<&'static str> {
    let error = response.response().error()?;
    let of_api = error.as_error::<Failure>().map(Failure::reason);
    let of_page = || error.as_error::<PageFailure>().map(PageFailure::reason);
    let of_oauth = || error.as_error::<OAuthFailure>().map(OAuthFailure::reason);
    let of_collector = || error.as_error().map(CollectorFailure::reason);
    let of_limit = || error.as_error().map(LimitFailure::reason);
    of_api
        .or_else(of_page)
        .or_else(of_oauth)
        .or_else(of_collector)
        .or_else(of_limit)
}

/// Causes of an unsuccessful response, for any kind of endpoint.
fn causes<B>(response: &ServiceResponse<B>) -> Option<String> {
    let error = response.response().error()?;
    let of_api = error.as_error::<Failure>().map(Failure::causes);
    let of_page = || error.as_error::<PageFailure>().map(PageFailure::causes);
    let of_oauth = || error.as_error::<OAuthFailure>().map(OAuthFailure::causes);
    let of_collector = || error.as_error().map(CollectorFailure::causes);
    of_api
        .or_else(of_page)
        .or_else(of_oauth)
        .or_else(of_collector)
}
