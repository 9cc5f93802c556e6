//! Who calls (`AUTH-01`, `AUTH-02`, `AUTH-03`, `AUTH-10`).

use std::future::{Ready, ready};
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::{FromRequest, HttpRequest, web};
use api_conventions::error::ApiError;
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::time::Timestamp;
use futures_util::future::{Either, LocalBoxFuture};
use projects::Reader;

use crate::auth::principal::Principal;
use crate::auth::tokens::{SentToken, TokenVerdict};
use crate::csrf;
use crate::extract::credentials;
use crate::extract::visitor::Visitor;
use crate::http::cookie;
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
    principal: Option<Arc<Principal>>,
    now: Timestamp,
}

impl Caller {
    fn new(principal: Option<Arc<Principal>>, now: Timestamp) -> Self {
        Self { principal, now }
    }

    /// When the request came: the one reading of the clock that everything in it uses.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The signed-in caller, whose credentials have one of the scopes `accepted`.
    ///
    /// # Errors
    /// 401 without credentials, 403 when they lack the scopes.
    pub fn signed_in(&self, accepted: &[Scope]) -> Result<&Principal, ApiError> {
        let principal = self
            .principal
            .as_deref()
            .ok_or_else(ApiError::unauthorized)?;
        if principal.scopes.allows_any(accepted) {
            Ok(principal)
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
        if self.principal.is_none() {
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
        match credentials::sent(request) {
            Ok(tokens) if !tokens.is_empty() => {
                let cached = |token: &SentToken| state.tokens.cached(*token, now);
                match tokens.iter().map(cached).collect::<Option<Vec<_>>>() {
                    Some(found) => {
                        Either::Left(ready(Ok(Self::new(found.into_iter().next(), now))))
                    }
                    None => Either::Right(Box::pin(check(state, tokens, now))),
                }
            }
            Ok(_) if cookie::session_value(request, &state).is_some() => {
                Either::Right(Box::pin(by_cookie(request.clone(), state)))
            }
            Ok(_) => Either::Left(ready(Ok(Self::new(None, now)))),
            Err(refusal) => Either::Left(ready(Err(refusal.into()))),
        }
    }
}

/// Whoever is signed in with the browser that sent the request (`AUTH-03`). What changes something must carry the
/// token of the browser's forms in a header, because another site can make a browser send everything else; without
/// it the request is anybody's.
async fn by_cookie(request: HttpRequest, state: web::Data<AppState>) -> Result<Caller, Failure> {
    let visitor = Visitor::of(&request, &state).await?;
    let is_safe = matches!(*request.method(), Method::GET | Method::HEAD);
    let header = request.headers().get(csrf::HEADER);
    let sent = header.and_then(|value| value.to_str().ok());
    let is_ours = is_safe
        || sent.is_some_and(|sent| visitor.is_csrf_token(sent))
            && !csrf::is_cross_site(&request, &state.base_url);
    let found = visitor.signed_in().filter(|_| is_ours);
    let principal = found.map(|found| Arc::new(Principal::of_session(found)));
    Ok(Caller::new(principal, visitor.now()))
}

/// Whoever the first token stands for. Where several were sent all have to be good.
async fn check(
    state: web::Data<AppState>,
    tokens: Vec<SentToken>,
    now: Timestamp,
) -> Result<Caller, Failure> {
    let mut first = None;
    for token in tokens {
        let verdict = state.tokens.check(&state.database, token, now).await?;
        let found = good(verdict)?;
        first.get_or_insert(found);
    }
    Ok(Caller::new(first, now))
}

/// Whoever a good token stands for.
///
/// # Errors
/// 401 or 403, as the verdict is.
pub fn good(verdict: TokenVerdict) -> Result<Arc<Principal>, ApiError> {
    match verdict {
        TokenVerdict::Good(principal) => Ok(principal),
        TokenVerdict::Refused => Err(ApiError::unauthorized()),
        TokenVerdict::Expired => Err(ApiError::invalid_token(
            "Token is expired. You can either do re-authorization or token refresh.",
        )),
        TokenVerdict::Revoked => Err(ApiError::invalid_token(
            "Token was revoked. You have to re-authorize from the user.",
        )),
        TokenVerdict::Blocked => Err(ApiError::forbidden_because(
            "Your account has been blocked.",
        )),
    }
}
