//! Answers with pages, and answers that lead to pages.

use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, HeaderValue, LOCATION, SET_COOKIE};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use api_conventions::error::ApiError;
use askama::Template;

use crate::frame::cookies;
use crate::frame::page::direction::in_order;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::notice::Notice;
use crate::frame::page::shell::{Place, Shell};
use crate::frame::visitor::Visitor;
use crate::state::AppState;

/// A page that was asked for, by whom, and over what.
#[derive(Debug, Clone, Copy)]
pub struct PageRequest<'r> {
    /// The request.
    pub request: &'r HttpRequest,
    /// The state.
    pub state: &'r AppState,
    /// Who asks.
    pub visitor: &'r Visitor,
}

impl<'r> PageRequest<'r> {
    /// What a page needs to know of its request.
    pub fn new(request: &'r HttpRequest, state: &'r AppState, visitor: &'r Visitor) -> Self {
        Self {
            request,
            state,
            visitor,
        }
    }

    /// The frame of the page.
    pub fn shell(&self, place: Place, title: impl Into<String>) -> Shell {
        Shell::new(self.request, self.state, self.visitor, place, title)
    }

    /// Answers 200 with the page.
    ///
    /// # Errors
    /// When the page cannot be written, which is a fault of ours.
    pub fn show(&self, page: &impl Template) -> Result<HttpResponse, PageFailure> {
        self.show_with(StatusCode::OK, page)
    }

    /// Answers with the page and another status.
    ///
    /// # Errors
    /// As [`Self::show`].
    pub fn show_with(
        &self,
        status: StatusCode,
        page: &impl Template,
    ) -> Result<HttpResponse, PageFailure> {
        Ok(self.begin(status).body(in_order(page.render()?)))
    }

    /// The beginning of an answer with a page: for a visitor without a cookie with the one that the page's forms need,
    /// and without the notice, which was shown.
    pub fn begin(&self, status: StatusCode) -> HttpResponseBuilder {
        let mut answer = HttpResponse::build(status);
        answer.insert_header((CONTENT_TYPE, "text/html; charset=utf-8"));
        if let Some(value) = self.visitor.new_cookie() {
            let cookie = cookies::session(self.state, value, None);
            answer.append_header((SET_COOKIE, cookie));
        }
        if cookies::notice_word(self.request, self.state).is_some() {
            answer.append_header((SET_COOKIE, cookies::no_notice(self.state)));
        }
        answer
    }

    /// Leads to another page with a notice.
    pub fn lead_to(&self, path: &str, notice: Notice) -> HttpResponse {
        let word = cookies::notice(self.state, notice.word());
        see_other(path).append_header((SET_COOKIE, word)).finish()
    }
}

/// Leads to another page, which is fetched with GET whatever this request was (RFC 9110, section 15.4.4).
pub fn see_other(path: &str) -> HttpResponseBuilder {
    let mut answer = HttpResponse::SeeOther();
    answer.insert_header((LOCATION, path));
    answer.insert_header(("Cache-Control", "no-store"));
    answer
}

/// Adds a cookie to an answer that is finished.
///
/// # Errors
/// When the cookie cannot be a header's value, which is a fault of ours.
pub fn append_cookie(answer: &mut HttpResponse, cookie: &str) -> Result<(), PageFailure> {
    let value = HeaderValue::from_str(cookie)
        .map_err(|error| PageFailure::from(ApiError::internal()).caused_by(error))?;
    answer.headers_mut().append(SET_COOKIE, value);
    Ok(())
}

/// The number in the path of a request; anything else names nothing.
///
/// # Errors
/// 404 when there is none.
pub fn id_in_path(request: &HttpRequest) -> Result<i64, PageFailure> {
    let id = request.match_info().get("id");
    id.and_then(|id| id.parse().ok())
        .ok_or_else(PageFailure::not_found)
}
