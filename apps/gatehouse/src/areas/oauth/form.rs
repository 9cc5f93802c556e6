//! Form of a request to the provider (`OAUTH-11`).

use std::future::ready;

use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::http::header::AUTHORIZATION;
use actix_web::web;
use actix_web::{FromRequest, HttpRequest};
use api_conventions::error::ApiError;
use api_conventions::secret::PlainSecret;
use futures_util::future::LocalBoxFuture;
use oauth_provider::wire::{ClientCredentials, FormParameters, OAuthError};
use web_conventions::operations::{Access, Caller};

use crate::frame::oauth_failure::OAuthFailure;
use crate::frame::public::{APPLICATION, APPLICATION_TOKEN};
use crate::state::AppState;
use web_conventions::body::{BodyLimits, BodySender, read_body};
use web_conventions::media_type::MediaType;

/// Size limit of a form, in bytes: a few values of 4,096 bytes each.
const MAX_BYTES: usize = 64 * 1024;

/// Form of a request, and its `Authorization` header.
/// The query is ignored, because URLs end up in logs.
#[derive(Debug)]
pub(super) struct OAuthForm {
    /// Form parameters.
    pub(super) form: FormParameters,
    header: Option<String>,
}

impl OAuthForm {
    /// Returns the client credentials of the request; `None` if there are none.
    ///
    /// # Errors
    /// If the credentials are contradictory or cannot be parsed.
    pub(super) fn client(&mut self) -> Result<Option<ClientCredentials>, OAuthError> {
        ClientCredentials::read(self.header.as_deref(), &mut self.form)
    }
}

/// Access token in the form of a POST (RFC 6750, section 2.2).
/// `None` for other methods and other content types.
#[derive(Debug)]
pub(super) struct BodyToken(pub(super) Option<PlainSecret>);

impl Caller for OAuthForm {
    const ACCESS: Access = Access::Protocol(APPLICATION);
}

impl Caller for BodyToken {
    const ACCESS: Access = Access::Protocol(APPLICATION_TOKEN);
}

impl FromRequest for BodyToken {
    type Error = OAuthFailure;
    type Future = LocalBoxFuture<'static, Result<Self, OAuthFailure>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        if request.method() != Method::POST || !is_form(request) {
            return Box::pin(ready(Ok(Self(None))));
        }
        let form = OAuthForm::from_request(request, payload);
        Box::pin(async move {
            let mut sent = form.await?;
            Ok(Self(sent.form.take_secret("access_token")))
        })
    }
}

impl FromRequest for OAuthForm {
    type Error = OAuthFailure;
    type Future = LocalBoxFuture<'static, Result<Self, OAuthFailure>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let payload = web::Payload::from_request(request, payload);
        let request = request.clone();
        Box::pin(async move {
            let limits = limits(&request)?;
            let payload = payload.await.map_err(|_| ApiError::internal())?;
            let body = read_body(&request, payload, limits).await?;
            let header = request.headers().get(AUTHORIZATION);
            Ok(Self {
                form: decode(&request, &body)?,
                header: header.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()),
            })
        })
    }
}

fn limits(request: &HttpRequest) -> Result<BodyLimits<'_>, ApiError> {
    let state = request.app_data::<web::Data<AppState>>();
    let state = state.ok_or_else(ApiError::internal)?;
    Ok(BodyLimits {
        max_bytes: MAX_BYTES,
        timeout: state.settings.server.body_timeout,
        budget: &state.bodies,
        sender: BodySender::Anonymous,
    })
}

fn is_form(request: &HttpRequest) -> bool {
    let media_type = MediaType::of(request.headers());
    media_type.is_some_and(|media_type| media_type.name == "application/x-www-form-urlencoded")
}

fn decode(request: &HttpRequest, body: &[u8]) -> Result<FormParameters, OAuthError> {
    if is_form(request) {
        FormParameters::from_body(body)
    } else if body.is_empty() {
        Ok(FormParameters::default())
    } else {
        Err(OAuthError::invalid_request(
            "The body must have the content type application/x-www-form-urlencoded.",
        ))
    }
}
