//! Failures, as pages.

use std::error::Error;
use std::fmt;

use actix_web::http::StatusCode;
use actix_web::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE};
use actix_web::{HttpRequest, HttpResponse, ResponseError};
use api_conventions::error::ApiError;
use askama::Template;
use storage::StoreError;

use crate::frame::page::assets::{ICON, STYLESHEET};
use crate::frame::page::shell::Shell;
use gatehouse_core::passwords::{HashQueueFull, RETRY_AFTER_SECONDS};
use gatehouse_core::signing_keys::KeyRingError;
use web_conventions::failure::{Failure, TOO_MUCH_TO_EXAMINE, reason_of};
use web_conventions::mount::Mount;

/// Reason of a refusal while too many passwords wait to be hashed.
pub const PASSWORD_QUEUE_FULL: &str = "password queue full";

const ALLOW: &str = "Allow";
const LOCATION: &str = "Location";
const RETRY_AFTER: &str = "Retry-After";

/// Failure of a page: explains the problem in words, and what to do about it.
#[derive(Debug)]
pub struct PageFailure {
    status: StatusCode,
    heading: &'static str,
    advice: String,
    detail: Option<Box<Detail>>,
    header: Option<(&'static str, String)>,
    cause: Option<Box<dyn Error + Send + Sync>>,
    is_for_programs: bool,
}

/// Details for developers, separate from the advice for users.
#[derive(Debug)]
struct Detail {
    code: String,
    description: String,
}

#[derive(Template)]
#[template(path = "frame/page/failure.html")]
struct FailurePage<'a> {
    heading: &'a str,
    advice: &'a str,
    status: u16,
    detail: Option<&'a Detail>,
    request_id: Option<&'a str>,
    stylesheet: &'a str,
    icon: &'a str,
    root: &'a str,
}

/// Failure page for a signed-in visitor, with the menu.
#[derive(Template)]
#[template(path = "frame/page/failure_in_shell.html")]
struct FailureInShell<'a> {
    shell: &'a Shell,
    heading: &'a str,
    advice: &'a str,
    status: u16,
    detail: Option<&'a Detail>,
    request_id: Option<&'a str>,
    root: &'a str,
}

impl PageFailure {
    /// Creates a failure with a status and its texts.
    pub fn new(status: StatusCode, heading: &'static str, advice: impl Into<String>) -> Self {
        Self {
            status,
            heading,
            advice: advice.into(),
            detail: None,
            header: None,
            cause: None,
            is_for_programs: false,
        }
    }

    /// Same as [`Self::not_found`], for a request that may come from a program.
    /// A program gets the response to an unknown path.
    pub fn not_found_by(request: &HttpRequest) -> Self {
        Self {
            is_for_programs: !prefers_page(request),
            ..Self::not_found()
        }
    }

    /// Page does not exist, or the visitor may not see it; the response does not say which.
    pub fn not_found() -> Self {
        let advice = "Check the address. The page may have been deleted, or your account may not have access to it.";
        Self::new(StatusCode::NOT_FOUND, "Page not found", advice)
    }

    /// Method is not allowed at this address.
    pub fn method_not_allowed(allowed: &str) -> Self {
        Self {
            header: Some((ALLOW, allowed.to_owned())),
            ..Self::of_status(405, None)
        }
    }

    /// Page requires sign-in: redirects the browser to the sign-in page.
    pub fn sign_in_first(address: String) -> Self {
        let failure = Self::new(StatusCode::SEE_OTHER, "Sign in first", "");
        Self {
            header: Some((LOCATION, address)),
            ..failure
        }
    }

    /// Subject of the page has moved.
    pub fn moved(address: String) -> Self {
        let failure = Self::new(StatusCode::MOVED_PERMANENTLY, "This page has moved", "");
        Self {
            header: Some((LOCATION, address)),
            ..failure
        }
    }

    /// Page is for administrators only.
    pub fn forbidden() -> Self {
        let advice = "Your account does not have permission to do this. Ask an administrator of this server.";
        Self::new(StatusCode::FORBIDDEN, "Access denied", advice)
    }

    /// Form is not ours, or belongs to a session that ended.
    pub fn not_our_form() -> Self {
        let advice = "Nothing was changed. The form was open for too long, was sent twice, or came from another site. Go back, reload the page and try again. Your browser must allow cookies.";
        Self::new(
            StatusCode::FORBIDDEN,
            "This form is no longer valid",
            advice,
        )
    }

    /// Request is invalid; the advice says what to do.
    pub fn bad_request(advice: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "This request is not valid", advice)
    }

    /// Authorization request whose error cannot be sent to the application.
    /// The application is not authenticated (RFC 6749, section 4.1.2.1). The code and its description are for the
    /// operators of the application.
    pub fn authorization(status: StatusCode, code: &str, description: &str) -> Self {
        let advice = "The application that sent you here made an invalid request, and did not get access. Go back to it and try again. If this page appears again, send the details below to the operators of the application.";
        let detail = Detail {
            code: code.to_owned(),
            description: description.to_owned(),
        };
        Self {
            detail: Some(Box::new(detail)),
            ..Self::new(status, "This sign-in request is not valid", advice)
        }
    }

    /// Sign-out request that fails validation.
    /// There is neither a sign-out nor a redirect (OpenID Connect RP-Initiated Logout 1.0, section 4). The sentence is
    /// for the operators of the application.
    pub fn sign_out_request(description: &str) -> Self {
        let advice = format!(
            "The application that sent you here made an invalid request, and you were not signed out. Tell its operators: {description}"
        );
        let heading = "This sign-out request is not valid";
        Self::new(StatusCode::BAD_REQUEST, heading, advice)
    }

    /// Too many failed attempts: locked out for this number of seconds.
    pub fn locked_out(seconds: i64) -> Self {
        let minutes = seconds.saturating_add(59).div_euclid(60);
        let unit = if minutes == 1 { "minute" } else { "minutes" };
        let advice = format!(
            "There were too many failed attempts to sign in. Wait {minutes} {unit} and try again. Your existing sessions stay signed in."
        );
        let heading = "Too many attempts";
        let failure = Self::new(StatusCode::TOO_MANY_REQUESTS, heading, advice);
        failure.retry_after(seconds)
    }

    /// Status of the response.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// Adds the seconds after which to retry.
    #[must_use]
    pub fn retry_after(mut self, seconds: i64) -> Self {
        self.header = Some((RETRY_AFTER, seconds.to_string()));
        self
    }

    /// Adds the cause, which only the log may see.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// Internal server error with its cause.
    pub fn from_fault(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::of_status(500, None).caused_by(cause)
    }

    /// Reason of the failure, as a short phrase; empty if the status says it all.
    pub fn reason(&self) -> &'static str {
        let cause = self.cause.as_deref().map(|cause| cause as &dyn Error);
        if cause.is_some_and(<dyn Error>::is::<HashQueueFull>) {
            return PASSWORD_QUEUE_FULL;
        }
        reason_of(cause)
    }

    /// Causes for the log, outermost first.
    pub fn causes(&self) -> String {
        let mut texts = Vec::new();
        let mut next = self.cause.as_deref().map(|cause| cause as &dyn Error);
        while let Some(cause) = next {
            texts.push(cause.to_string());
            next = cause.source();
        }
        texts.join(": ")
    }

    /// Renders the page for a server at `mount`.
    /// The request id is for reports about server errors.
    pub fn to_html(&self, request_id: Option<&str>, mount: &Mount) -> String {
        let page = FailurePage {
            heading: self.heading,
            advice: &self.advice,
            status: self.status.as_u16(),
            detail: self.detail.as_deref(),
            request_id,
            stylesheet: &STYLESHEET.path(),
            icon: &ICON.path(),
            root: mount.prefix(),
        };
        page.render().unwrap_or_else(|_| self.heading.to_owned())
    }

    /// Heading, also the title of the page.
    pub fn heading(&self) -> &'static str {
        self.heading
    }

    /// Renders the page in the frame of all pages, for a signed-in visitor.
    pub fn to_html_in(&self, shell: &Shell, request_id: Option<&str>) -> String {
        let page = FailureInShell {
            shell,
            heading: self.heading,
            advice: &self.advice,
            status: self.status.as_u16(),
            detail: self.detail.as_deref(),
            request_id,
            root: &shell.root,
        };
        page.render().unwrap_or_else(|_| self.heading.to_owned())
    }

    fn of_status(status: u16, retry_after: Option<i64>) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let (heading, advice) = match status.as_u16() {
            404 => return Self::not_found(),
            405 => (
                "This page cannot be opened",
                "This address only accepts forms.",
            ),
            408 => (
                "The request took too long",
                "Check the connection and try again.",
            ),
            413 => ("The request is too large", "Send less data at once."),
            415 => (
                "This request is not valid",
                "Send forms as application/x-www-form-urlencoded.",
            ),
            503 => (
                "The server is busy",
                "Nothing was changed. Try again in a moment.",
            ),
            400..=499 => (
                "This request is not valid",
                "Go back, reload the page and try again.",
            ),
            _ => (
                "Something went wrong",
                "This is a server error and was logged. Your changes may not have been saved. Try again, and tell an administrator if it happens again.",
            ),
        };
        let failure = Self::new(status, heading, advice);
        match retry_after {
            Some(seconds) => failure.retry_after(seconds),
            None => failure,
        }
    }
}

/// True if the sender of a request prefers a page to JSON: a browser outside the API.
pub fn prefers_page(request: &HttpRequest) -> bool {
    let accepted = request.headers().get(ACCEPT);
    let accepted = accepted.and_then(|value| value.to_str().ok());
    !request.path().starts_with("/api/")
        && accepted.is_some_and(|accepted| accepted.contains("text/html"))
}

impl From<ApiError> for PageFailure {
    fn from(refusal: ApiError) -> Self {
        Self::of_status(refusal.status(), wait_of(&refusal))
    }
}

/// Seconds to wait before a retry, according to a refusal.
fn wait_of(refusal: &ApiError) -> Option<i64> {
    let mut headers = refusal.headers().iter();
    let wait = headers.find(|(name, _)| name.eq_ignore_ascii_case("Retry-After"));
    wait.and_then(|(_, value)| value.parse().ok())
}

impl From<Failure> for PageFailure {
    fn from(failure: Failure) -> Self {
        let status = failure.status_code().as_u16();
        let sentence = failure.refusal().sentence();
        let is_too_much = failure.reason() == TOO_MUCH_TO_EXAMINE;
        let failure = Self::of_status(status, wait_of(failure.refusal())).caused_by(failure);
        if is_too_much {
            return Self {
                heading: "This list is too long",
                advice: "The server would have to examine too many rows. Narrow the list with a filter, search for a longer text, or choose another sort order.".into(),
                ..failure
            };
        }
        match status {
            400 | 422 if !sentence.is_empty() => Self {
                advice: sentence,
                ..failure
            },
            _ => failure,
        }
    }
}

impl From<StoreError> for PageFailure {
    fn from(error: StoreError) -> Self {
        Failure::from(error).into()
    }
}

impl From<KeyRingError> for PageFailure {
    fn from(error: KeyRingError) -> Self {
        match error {
            KeyRingError::Store(error) => error.into(),
            other => Self::from(ApiError::internal()).caused_by(other),
        }
    }
}

impl From<HashQueueFull> for PageFailure {
    fn from(busy: HashQueueFull) -> Self {
        Self::of_status(503, Some(RETRY_AFTER_SECONDS.into())).caused_by(busy)
    }
}

impl From<askama::Error> for PageFailure {
    fn from(error: askama::Error) -> Self {
        Self::from_fault(error)
    }
}

impl fmt::Display for PageFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.status.as_u16(), self.heading)
    }
}

impl ResponseError for PageFailure {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    /// Builds the response without data of the request.
    /// The edge renders the page again if it needs the request id or the server's path on its host.
    fn error_response(&self) -> HttpResponse {
        let mut answer = HttpResponse::build(self.status);
        if let Some((name, value)) = &self.header {
            answer.insert_header((*name, value.as_str()));
        }
        if self.status.is_redirection() {
            return answer.insert_header((CACHE_CONTROL, "no-store")).finish();
        }
        if self.is_for_programs {
            return answer.json(ApiError::unknown_route().body());
        }
        answer
            .insert_header((CONTENT_TYPE, "text/html; charset=utf-8"))
            .body(self.to_html(None, &Mount::default()))
    }
}
