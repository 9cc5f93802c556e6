//! Form of `POST /jwt/auth` (OAuth 2.0 token requests of the Distribution project), which containerd sends first.

use std::borrow::Cow;

use actix_web::dev::Payload;
use actix_web::web::{self, Bytes, Data};
use actix_web::{FromRequest, HttpRequest};
use api_conventions::error::ApiError;
use api_conventions::secret::PlainSecret;
use futures_util::future::LocalBoxFuture;
use gatehouse_core::container_registry::SERVICE;
use url::form_urlencoded;
use web_conventions::body::{BodyLimits, BodySender, read_body};
use web_conventions::failure::Failure;
use web_conventions::media_type::MediaType;
use web_conventions::operations::{Access, Caller, Parameter, ParameterKind};

use crate::frame::public::REGISTRY_TOKEN;
use crate::frame::token_login::TokenLogin;
use crate::state::AppState;

/// Size limit of the form, in bytes.
const MAX_BYTES: usize = 64 * 1024;
/// Username with a refresh token, which identifies its user by itself.
const ANY_USERNAME: &str = "token";

const GRANT_TYPES: &[&str] = &["password", "refresh_token"];
const TEXT: ParameterKind = ParameterKind::ANY_TEXT;

/// Parameters of the form.
pub(super) fn parameters() -> [Parameter; 8] {
    [
        Parameter::form(
            "grant_type",
            ParameterKind::Word(GRANT_TYPES),
            "Kind of the credentials.",
        )
        .required(),
        Parameter::form(
            "service",
            ParameterKind::Word(&[SERVICE]),
            "Name of the service that the registry states.",
        )
        .required(),
        Parameter::form(
            "scope",
            TEXT,
            "Requested access, as in a GET request; separated by spaces.",
        )
        .example("repository:acme/shop:pull,push"),
        Parameter::form(
            "username",
            TEXT,
            "Username, with the grant type `password`: any one with an access token, or that of a deploy token.",
        ),
        Parameter::form(
            "password",
            TEXT,
            "Access token or deploy token, with the grant type `password`.",
        ),
        Parameter::form(
            "refresh_token",
            TEXT,
            "Access token, with the grant type `refresh_token`.",
        ),
        Parameter::form("client_id", TEXT, "Accepted and ignored."),
        Parameter::form(
            "access_type",
            TEXT,
            "Accepted and ignored: no refresh tokens are issued.",
        ),
    ]
}

/// Form of a token request.
#[derive(Debug)]
pub(super) struct RegistryTokenForm(Bytes);

impl RegistryTokenForm {
    /// Names and values of the form.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
        form_urlencoded::parse(&self.0)
    }

    fn text(&self, name: &'static str) -> Result<String, ApiError> {
        let mut values = self.pairs().filter(|(sent, _)| sent == name);
        let value = values.next().map(|(_, value)| value.into_owned());
        let value = value.filter(|value| !value.is_empty());
        value.ok_or_else(|| ApiError::missing_attribute(name))
    }

    /// Returns the credentials.
    ///
    /// # Errors
    /// 400 for an unknown grant type, or if the credentials are missing.
    pub(super) fn login(&self) -> Result<TokenLogin, ApiError> {
        let (username, password) = match self.text("grant_type")?.as_str() {
            "password" => (self.text("username")?, self.text("password")?),
            "refresh_token" => (ANY_USERNAME.to_owned(), self.text("refresh_token")?),
            _ => {
                let text = "grant_type must be password or refresh_token";
                return Err(ApiError::bad_request(text));
            }
        };
        let password = PlainSecret::new(password);
        Ok(TokenLogin { username, password })
    }
}

impl Caller for RegistryTokenForm {
    const ACCESS: Access = Access::Protocol(REGISTRY_TOKEN);
}

impl FromRequest for RegistryTokenForm {
    type Error = Failure;
    type Future = LocalBoxFuture<'static, Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let payload = web::Payload::from_request(request, payload);
        let request = request.clone();
        Box::pin(async move {
            let state = request.app_data::<Data<AppState>>();
            let state = state.ok_or_else(ApiError::internal)?;
            let media_type = MediaType::of(request.headers());
            let is_form = media_type
                .is_some_and(|media_type| media_type.name == "application/x-www-form-urlencoded");
            if !is_form {
                let text = "the body must have the content type application/x-www-form-urlencoded";
                return Err(ApiError::bad_request(text).into());
            }
            let limits = BodyLimits {
                max_bytes: MAX_BYTES,
                timeout: state.settings.server.body_timeout,
                budget: &state.bodies,
                sender: BodySender::Anonymous,
            };
            let payload = payload.await.map_err(|_| ApiError::internal())?;
            Ok(Self(read_body(&request, payload, limits).await?))
        })
    }
}
