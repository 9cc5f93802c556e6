//! Forms sent from our own pages.

use actix_web::dev::Payload;
use actix_web::web::{self, Bytes, Data};
use actix_web::{FromRequest, HttpRequest};
use api_conventions::error::ApiError;
use api_conventions::params::Params;
use api_conventions::secret::PlainSecret;
use futures_util::future::LocalBoxFuture;
use serde_json::Value;
use web_conventions::operations::{Access, Caller, PageAudience};

use crate::frame::csrf;
use crate::frame::page::failure::PageFailure;
use crate::frame::restricted::restricted;
use crate::frame::visitor::Visitor;
use crate::state::AppState;
use web_conventions::body::{BodyLimits, BodySender, read_body};
use web_conventions::form_data::{FORM_DATA, read_fields};
use web_conventions::media_type::MediaType;

/// Largest form, in bytes.
const MAX_BYTES: usize = 256 * 1024;

/// Fields and sender of a form.
/// The extractor refuses a form that is not ours, so no handler can forget the check.
#[derive(Debug)]
pub struct PageForm {
    /// Sender of the form.
    pub visitor: Visitor,
    fields: Params,
}

impl PageForm {
    fn visitor(&self) -> &Visitor {
        &self.visitor
    }

    /// Text of a field, such as `user[login]`; empty if it is missing or not text.
    pub fn text(&self, name: &str) -> &str {
        self.find(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// Secret text of a field.
    pub fn secret(&self, name: &str) -> PlainSecret {
        PlainSecret::new(self.text(name))
    }

    /// True if a field was sent, even if empty.
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// True if a checkbox is ticked.
    pub fn is_ticked(&self, name: &str) -> bool {
        matches!(self.text(name), "1" | "true" | "on")
    }

    /// Values of a field that may be repeated, such as `scopes[]`, or of one with values separated by spaces.
    pub fn words(&self, name: &str) -> Vec<&str> {
        match self.find(name) {
            Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
            Some(Value::String(text)) => text.split_whitespace().collect(),
            _ => Vec::new(),
        }
    }

    /// HTTP method of the form: browsers send forms only as GET and POST, so `_method` names any other.
    pub fn method(&self) -> String {
        self.text("_method").to_ascii_lowercase()
    }

    fn find(&self, name: &str) -> Option<&Value> {
        let mut parts = name.split('[').map(|part| part.trim_end_matches(']'));
        let first = self.fields.get(parts.next()?)?;
        parts.try_fold(first, |value, part| value.get(part))
    }
}

impl FromRequest for PageForm {
    type Error = PageFailure;
    type Future = LocalBoxFuture<'static, Result<Self, PageFailure>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let payload = web::Payload::from_request(request, payload);
        let request = request.clone();
        Box::pin(async move {
            let payload = payload.await.map_err(|_| ApiError::internal())?;
            let sent = SignInForm::of_payload(&request, payload).await?;
            sent.current().ok_or_else(PageFailure::not_our_form)
        })
    }
}

impl PageForm {
    /// Parses the form in a body that was already read.
    ///
    /// # Errors
    /// If the form is not ours; failures of the store.
    pub(super) async fn of_body(
        request: &HttpRequest,
        state: &AppState,
        body: Bytes,
    ) -> Result<Self, PageFailure> {
        let sent = SignInForm::of_body(request, state, body).await?;
        sent.current().ok_or_else(PageFailure::not_our_form)
    }

    /// True if the form carries the CSRF token of the visitor's cookie, as a field or, from a script, as a header.
    fn is_ours(&self, request: &HttpRequest) -> bool {
        let header = request.headers().get(csrf::HEADER);
        let header = header.and_then(|value| value.to_str().ok());
        let field = self.text(csrf::FIELD);
        let sent = if field.is_empty() {
            header
        } else {
            Some(field)
        };
        sent.is_some_and(|sent| self.visitor.is_csrf_token(sent))
    }
}

/// Sign-in form.
/// People leave it open, sign in in another tab, or lose the cookie in the meantime: then its token is no longer valid,
/// and the server can only let them continue or show the form again.
#[derive(Debug)]
pub enum SignInForm {
    /// Form of the browser's session.
    Current(PageForm),
    /// Form whose token matches no session of this browser.
    /// It may come from another site.
    Stale(StaleForm),
}

/// Form with an invalid token.
/// It must not be processed; it only says what to show again.
#[derive(Debug)]
pub struct StaleForm {
    /// The visitor.
    pub visitor: Visitor,
    fields: PageForm,
}

impl StaleForm {
    /// Text of a field; empty if it is missing or not text.
    pub fn text(&self, name: &str) -> &str {
        self.fields.text(name)
    }
}

impl SignInForm {
    fn current(self) -> Option<PageForm> {
        match self {
            Self::Current(form) => Some(form),
            Self::Stale(_) => None,
        }
    }

    async fn of_payload(request: &HttpRequest, payload: web::Payload) -> Result<Self, PageFailure> {
        let state = request
            .app_data::<Data<AppState>>()
            .ok_or_else(ApiError::internal)?;
        if csrf::is_cross_site(request, &state.base_url) {
            return Err(PageFailure::not_our_form());
        }
        let body = read(request, state, payload).await?;
        Self::of_body(request, state, body).await
    }

    async fn of_body(
        request: &HttpRequest,
        state: &AppState,
        body: Bytes,
    ) -> Result<Self, PageFailure> {
        if csrf::is_cross_site(request, &state.base_url) {
            return Err(PageFailure::not_our_form());
        }
        let media_type = MediaType::of(request.headers());
        let fields = if media_type.is_some_and(|media_type| media_type.name == FORM_DATA) {
            read_fields(request.headers(), body).await?
        } else {
            Params::from_form(&body)?
        };
        let visitor = Visitor::of(request, state).await?;
        let form = PageForm { visitor, fields };
        if form.is_ours(request) {
            return Ok(Self::Current(form));
        }
        Ok(Self::Stale(StaleForm {
            visitor: form.visitor.clone(),
            fields: form,
        }))
    }
}

impl FromRequest for SignInForm {
    type Error = PageFailure;
    type Future = LocalBoxFuture<'static, Result<Self, PageFailure>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let payload = web::Payload::from_request(request, payload);
        let request = request.clone();
        Box::pin(async move {
            let payload = payload.await.map_err(|_| ApiError::internal())?;
            Self::of_payload(&request, payload).await
        })
    }
}

impl Caller for SignInForm {
    const ACCESS: Access = Access::Page(PageAudience::Everybody);
}

/// Reads the body of a form from any sender.
///
/// # Errors
/// If the body is too large, malformed or late, or has another content type.
pub(super) async fn read(
    request: &HttpRequest,
    state: &AppState,
    payload: web::Payload,
) -> Result<Bytes, PageFailure> {
    let media_type = MediaType::of(request.headers());
    let name = media_type.map_or_else(String::new, |media_type| media_type.name);
    let is_form = matches!(
        name.as_str(),
        "application/x-www-form-urlencoded" | FORM_DATA
    );
    if !is_form && request.method() != "DELETE" {
        return Err(ApiError::unsupported_content_type(&name).into());
    }
    let limits = BodyLimits {
        max_bytes: MAX_BYTES.min(state.settings.server.max_body_bytes),
        timeout: state.settings.server.body_timeout,
        budget: &state.bodies,
        sender: BodySender::Anonymous,
    };
    Ok(read_body(request, payload, limits).await?)
}

impl Caller for PageForm {
    const ACCESS: Access = Access::Page(PageAudience::Everybody);
}

/// Form of a signed-in user.
#[derive(Debug)]
pub struct SignedInForm(PageForm);

/// Form of an administrator of the instance.
#[derive(Debug)]
pub struct AdministratorForm(PageForm);

restricted! {
    SignedInForm is PageForm of SignedIn, by member;
    AdministratorForm is PageForm of Administrators, by administrator;
}
