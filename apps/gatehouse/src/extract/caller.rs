//! Who calls (`AUTH-01`, `AUTH-02`, `AUTH-10`).

use std::future::{Ready, ready};
use std::sync::Arc;

use accounts::flow::authenticate::{Authentication, AuthenticationOutcome};
use actix_web::dev::Payload;
use actix_web::http::header::AUTHORIZATION;
use actix_web::{FromRequest, HttpRequest, web};
use api_conventions::credentials::Authorization;
use api_conventions::error::ApiError;
use api_conventions::params::Params;
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::secret::{PlainSecret, SecretDigest};
use api_conventions::time::Timestamp;
use futures_util::future::{Either, LocalBoxFuture};
use projects::Reader;

use crate::http::failure::Failure;
use crate::state::AppState;

/// The scopes that read anything.
pub const READ: &[Scope] = &[Scope::Api, Scope::ReadApi];
/// The scopes that read one's own user.
pub const READ_USER: &[Scope] = &[Scope::Api, Scope::ReadApi, Scope::ReadUser];
/// The scopes that change things.
pub const WRITE: &[Scope] = &[Scope::Api];

/// Whoever sent the request, and when it came. Extracting it refuses bad credentials, on public endpoints too;
/// a handler then asks for what it needs.
#[derive(Debug, Clone)]
pub struct Caller {
    authentication: Option<Arc<Authentication>>,
    now: Timestamp,
}

impl Caller {
    /// When the request came: the one reading of the clock that everything in it uses.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The signed-in caller, whose token has one of the scopes `accepted`.
    ///
    /// # Errors
    /// 401 without credentials, 403 when the token lacks the scopes.
    pub fn signed_in(&self, accepted: &[Scope]) -> Result<&Authentication, ApiError> {
        let authentication = self
            .authentication
            .as_deref()
            .ok_or_else(ApiError::unauthorized)?;
        if authentication.scopes.allows_any(accepted) {
            Ok(authentication)
        } else {
            let needed: ScopeSet = accepted.iter().copied().collect();
            Err(ApiError::insufficient_scope(&needed.to_string()))
        }
    }

    /// The caller as a reader of things that may be public.
    ///
    /// # Errors
    /// 403 when there is a token that lacks the scopes `accepted`.
    pub fn reader(&self, accepted: &[Scope]) -> Result<Reader, ApiError> {
        if self.authentication.is_none() {
            return Ok(Reader::Anonymous);
        }
        let user = &self.signed_in(accepted)?.user;
        Ok(if user.is_admin {
            Reader::Administrator(user.id)
        } else {
            Reader::User(user.id)
        })
    }
}

impl FromRequest for Caller {
    type Error = Failure;
    type Future =
        Either<Ready<Result<Self, Failure>>, LocalBoxFuture<'static, Result<Self, Failure>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let Some(state) = request.app_data::<web::Data<AppState>>().cloned() else {
            return Either::Left(ready(Err(ApiError::internal().into())));
        };
        let now = state.now();
        let digest = match credentials(request) {
            Ok(Some(token)) => token.digest(),
            Ok(None) => {
                return Either::Left(ready(Ok(Self {
                    authentication: None,
                    now,
                })));
            }
            Err(refusal) => return Either::Left(ready(Err(refusal.into()))),
        };
        match state.tokens.cached(&digest, now) {
            Some(found) => Either::Left(ready(Ok(Self {
                authentication: Some(found),
                now,
            }))),
            None => Either::Right(Box::pin(check(state, digest, now))),
        }
    }
}

async fn check(
    state: web::Data<AppState>,
    digest: SecretDigest,
    now: Timestamp,
) -> Result<Caller, Failure> {
    match state.tokens.check(&state.database, digest, now).await? {
        AuthenticationOutcome::Authenticated(found) => Ok(Caller {
            authentication: Some(Arc::from(found)),
            now,
        }),
        AuthenticationOutcome::Refused => Err(ApiError::unauthorized().into()),
        AuthenticationOutcome::Blocked => {
            Err(ApiError::forbidden_because("Your account has been blocked.").into())
        }
    }
}

/// The token of the request. A parameter wins over every header and `PRIVATE-TOKEN` over `Authorization`, which is
/// refused when it is anything but a Bearer token.
fn credentials(request: &HttpRequest) -> Result<Option<PlainSecret>, ApiError> {
    let query = request.query_string();
    if query.contains("token")
        && let Some(token) = query_token(query)?
    {
        return Ok(Some(token));
    }
    if let Some(value) = request.headers().get("PRIVATE-TOKEN") {
        return value
            .to_str()
            .map(|token| Some(PlainSecret::new(token)))
            .map_err(|_| ApiError::unauthorized());
    }
    let Some(value) = request.headers().get(AUTHORIZATION) else {
        return Ok(None);
    };
    let text = value.to_str().map_err(|_| ApiError::unauthorized())?;
    match Authorization::parse(text) {
        Some(Authorization::Bearer(token)) => Ok(Some(token)),
        Some(Authorization::Basic { .. }) | None => Err(ApiError::unauthorized()),
    }
}

/// The token in the query, under either of its names. An empty one is none.
fn query_token(query: &str) -> Result<Option<PlainSecret>, ApiError> {
    let params = Params::from_query(query)?;
    let found = ["private_token", "access_token"]
        .into_iter()
        .filter_map(|name| params.get(name)?.as_str())
        .find(|token| !token.is_empty());
    Ok(found.map(PlainSecret::new))
}
