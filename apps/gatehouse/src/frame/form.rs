//! A form that somebody sent from one of our pages.

use actix_web::dev::Payload;
use actix_web::web::{self, Bytes, Data};
use actix_web::{FromRequest, HttpRequest};
use api_conventions::error::ApiError;
use api_conventions::params::Params;
use api_conventions::secret::PlainSecret;
use futures_util::future::LocalBoxFuture;
use serde_json::Value;
use web_conventions::operations::{Access, Audience, Caller};

use crate::frame::csrf;
use crate::frame::page::failure::PageFailure;
use crate::frame::restricted::restricted;
use crate::frame::visitor::Visitor;
use crate::state::AppState;
use web_conventions::body::{BodyLimits, BodySender, read_body};
use web_conventions::form_data::{FORM_DATA, read_fields};
use web_conventions::media_type::MediaType;

/// The largest form, in bytes.
const MAX_BYTES: usize = 256 * 1024;

/// The fields of a form and who sent it. Extracting it refuses a form that is not one of ours, so no handler can forget
/// to.
#[derive(Debug)]
pub struct Form {
    /// Who sent it.
    pub visitor: Visitor,
    fields: Params,
}

impl Form {
    fn visitor(&self) -> &Visitor {
        &self.visitor
    }

    /// The text of a field, such as `user[login]`; empty when it was not sent or is no text.
    pub fn text(&self, name: &str) -> &str {
        self.find(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// The text of a field that nobody may see again.
    pub fn secret(&self, name: &str) -> PlainSecret {
        PlainSecret::new(self.text(name))
    }

    /// Whether a field was sent, if only with an empty text.
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Whether a box is ticked.
    pub fn is_ticked(&self, name: &str) -> bool {
        matches!(self.text(name), "1" | "true" | "on")
    }

    /// The texts of a field that may be there several times, such as `scopes[]`, or of one with words between spaces.
    pub fn words(&self, name: &str) -> Vec<&str> {
        match self.find(name) {
            Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
            Some(Value::String(text)) => text.split_whitespace().collect(),
            _ => Vec::new(),
        }
    }

    /// The method that the form stands for: browsers send forms as GET and POST only, so `_method` says the others.
    pub fn method(&self) -> String {
        self.text("_method").to_ascii_lowercase()
    }

    fn find(&self, name: &str) -> Option<&Value> {
        let mut parts = name.split('[').map(|part| part.trim_end_matches(']'));
        let first = self.fields.get(parts.next()?)?;
        parts.try_fold(first, |value, part| value.get(part))
    }
}

impl FromRequest for Form {
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

impl Form {
    /// The form in a body that was read already.
    ///
    /// # Errors
    /// When it is none of ours; failures of the store.
    pub(super) async fn of_body(
        request: &HttpRequest,
        state: &AppState,
        body: Bytes,
    ) -> Result<Self, PageFailure> {
        let sent = SignInForm::of_body(request, state, body).await?;
        sent.current().ok_or_else(PageFailure::not_our_form)
    }

    /// Whether it carries the token of the visitor's cookie, as a field or, from a script, as a header.
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

/// A form for signing in. People leave it open, sign in in another tab, or lose the cookie meanwhile: then its token is no
/// longer good, and all that can be done is to let them go on or to show the form again.
#[derive(Debug)]
pub enum SignInForm {
    /// The form of the browser's session.
    Current(Form),
    /// A form whose token belongs to no session of this browser. Its sender may be another site.
    Stale(StaleForm),
}

/// A form whose token is not good. What it asks for must not be done; it only says what to show again.
#[derive(Debug)]
pub struct StaleForm {
    /// The visitor.
    pub visitor: Visitor,
    fields: Form,
}

impl StaleForm {
    /// The text of a field; empty when it was not sent or is no text.
    pub fn text(&self, name: &str) -> &str {
        self.fields.text(name)
    }
}

impl SignInForm {
    fn current(self) -> Option<Form> {
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
        let form = Form { visitor, fields };
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
    const ACCESS: Access = Access::Page(Audience::Everybody);
}

/// The body of a form from any sender.
///
/// # Errors
/// When it is too large, broken or late, or its type is another one.
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
        sender: BodySender::Stranger,
    };
    Ok(read_body(request, payload, limits).await?)
}

impl Caller for Form {
    const ACCESS: Access = Access::Page(Audience::Everybody);
}

/// A form that somebody sent who is signed in.
#[derive(Debug)]
pub struct MemberForm(Form);

/// A form that somebody sent who administers the instance.
#[derive(Debug)]
pub struct AdministratorForm(Form);

restricted! {
    MemberForm is Form of SignedIn, by member;
    AdministratorForm is Form of Administrators, by administrator;
}
