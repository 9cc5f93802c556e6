//! Responses with pages, and redirects to pages.

use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, HeaderValue, LOCATION, SET_COOKIE};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use api_conventions::error::ApiError;
use askama::Template;

use crate::frame::cookies;
use crate::frame::page::direction::neutralize_bidi;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::notice::Notice;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::visitor::Visitor;
use crate::state::AppState;

/// Request for a page, with its visitor and the state.
#[derive(Debug, Clone, Copy)]
pub struct PageRequest<'r> {
    /// HTTP request.
    pub request: &'r HttpRequest,
    /// Shared state of the server.
    pub state: &'r AppState,
    /// Visitor who requests the page.
    pub visitor: &'r Visitor,
}

impl<'r> PageRequest<'r> {
    /// Collects the request data that a page needs.
    pub fn new(request: &'r HttpRequest, state: &'r AppState, visitor: &'r Visitor) -> Self {
        Self {
            request,
            state,
            visitor,
        }
    }

    /// Frame of the page.
    pub fn shell(&self, place: SiteArea, title: impl Into<String>) -> Shell {
        Shell::new(self.request, self.state, self.visitor, place, title)
    }

    /// Responds with the page and status 200.
    ///
    /// # Errors
    /// If the template fails to render, which is a bug.
    pub fn show(&self, page: &impl Template) -> Result<HttpResponse, PageFailure> {
        self.show_with(StatusCode::OK, page)
    }

    /// Responds with the page and another status.
    ///
    /// # Errors
    /// Same as [`Self::show`].
    pub fn show_with(
        &self,
        status: StatusCode,
        page: &impl Template,
    ) -> Result<HttpResponse, PageFailure> {
        Ok(self.begin(status).body(neutralize_bidi(page.render()?)))
    }

    /// Begins a response with a page.
    /// It sets the cookie that forms need, if the visitor has none, and removes the notice, which the page shows.
    pub fn begin(&self, status: StatusCode) -> HttpResponseBuilder {
        let mut answer = HttpResponse::build(status);
        answer.insert_header((CONTENT_TYPE, "text/html; charset=utf-8"));
        if let Some(value) = self.visitor.new_cookie() {
            let cookie = cookies::session(self.state, value, None);
            answer.append_header((SET_COOKIE, cookie));
        }
        if cookies::notice_word(self.request, self.state).is_some() {
            answer.append_header((SET_COOKIE, cookies::clear_notice(self.state)));
        }
        answer
    }

    /// Redirects to another page with a notice.
    pub fn redirect_with_notice(&self, path: &str, notice: Notice) -> HttpResponse {
        let word = cookies::notice(self.state, notice.word());
        see_other(path).append_header((SET_COOKIE, word)).finish()
    }
}

/// Redirects to another page.
/// The browser fetches it with GET regardless of the method of this request (RFC 9110, section 15.4.4).
pub fn see_other(path: &str) -> HttpResponseBuilder {
    let mut answer = HttpResponse::SeeOther();
    answer.insert_header((LOCATION, path));
    answer.insert_header(("Cache-Control", "no-store"));
    answer
}

/// Adds a cookie to a complete response.
///
/// # Errors
/// If the cookie is not a valid header value, which is a bug.
pub fn append_cookie(answer: &mut HttpResponse, cookie: &str) -> Result<(), PageFailure> {
    let value = HeaderValue::from_str(cookie)
        .map_err(|error| PageFailure::from(ApiError::internal()).caused_by(error))?;
    answer.headers_mut().append(SET_COOKIE, value);
    Ok(())
}

/// Parses the id in the path of a request; anything else matches no resource.
///
/// # Errors
/// 404 if it is not a number.
pub fn id_in_path(request: &HttpRequest) -> Result<i64, PageFailure> {
    let id = request.match_info().get("id");
    id.and_then(|id| id.parse().ok())
        .ok_or_else(PageFailure::not_found)
}
