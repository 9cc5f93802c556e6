//! Caller and parameters of a request (`AUTH-01`, `AUTH-02`, `AUTH-03`, `AUTH-05`, `AUTH-10`).

use std::future::{Ready, ready};
use std::sync::Arc;

use accounts::AuditImpersonation;
use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::{FromRequest, HttpRequest, web};
use api_conventions::error::ApiError;
use api_conventions::params::Params;
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::time::Timestamp;
use futures_util::future::{Either, LocalBoxFuture};
use storage::Lane;

use crate::frame::cookies;
use crate::frame::credentials;
use crate::frame::csrf;
use crate::frame::lane;
use crate::frame::releases::used_in;
use crate::frame::sudo::{self, SudoTarget};
use crate::frame::token_expiry;
use crate::frame::visitor::Visitor;
use crate::state::AppState;
use deprecations::Holder;
use gatehouse_core::auth::principal::{Credential, OAuthCredential, Principal};
use gatehouse_core::auth::tokens::{SentToken, TokenVerdict};
use web_conventions::body::{BodyLimits, BodySender};
use web_conventions::failure::Failure;
use web_conventions::form_data::UploadedFile;
use web_conventions::operations::{ValidatedParams, validate_params};
use web_conventions::params::{RequestInput, file_fields, read_input, read_query_params};

/// Sender, parameters and time of the request.
/// The extractor refuses bad credentials, on public endpoints too, and an unreadable body, even if no parameter is
/// used; the handler then states what it requires.
///
/// This is the only access of an API endpoint to either of the two, because a parameter may say that the caller acts as
/// another user ([`sudo`]): an endpoint with access to only one of them could miss that.
#[derive(Debug, Clone)]
pub struct ApiCaller {
    principal: Option<Arc<Principal>>,
    params: Params,
    files: Vec<UploadedFile>,
    refusal: Option<ApiError>,
    now: Timestamp,
    lane: Lane,
}

impl ApiCaller {
    /// Impersonation that the audit log records, if the caller acts as another user.
    pub fn impersonation(&self) -> Option<AuditImpersonation> {
        self.principal.as_ref()?.impersonation()
    }

    /// Lane for reads on behalf of the caller.
    pub fn lane(&self) -> Lane {
        self.lane
    }

    /// Parameters of the request (`API-02`, `API-07`).
    /// They are those of the query, and with any method that has a body those of the body, which take precedence.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Returns the authenticated user; `None` for anonymous callers.
    pub(super) fn principal(&self) -> Option<&Arc<Principal>> {
        self.principal.as_ref()
    }

    /// Refuses parameters that the operation does not accept.
    /// Extractors call this once the caller is authorized.
    ///
    /// # Errors
    /// 400 that names them.
    pub fn check_params(&self) -> Result<(), ApiError> {
        self.refusal.clone().map_or(Ok(()), Err)
    }

    /// First file in a field; `None` if there is none, and for operations that accept no files.
    pub fn file(&self, field: &str) -> Option<&UploadedFile> {
        self.files.iter().find(|file| file.field == field)
    }

    /// Time of receipt: the only reading of the clock, used for everything in the request.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Returns the authenticated user; `None` for anonymous callers.
    /// The credentials must have one of the scopes `accepted`.
    ///
    /// # Errors
    /// 403 if the credentials lack the scopes.
    pub fn admitted(&self, accepted: &[Scope]) -> Result<Option<Arc<Principal>>, ApiError> {
        let Some(principal) = &self.principal else {
            return Ok(None);
        };
        if principal.scopes.allows_any(accepted) {
            Ok(Some(Arc::clone(principal)))
        } else {
            let needed: ScopeSet = accepted.iter().cloned().collect();
            Err(ApiError::insufficient_scope(&needed.to_string()))
        }
    }
}

impl FromRequest for ApiCaller {
    type Error = Failure;
    type Future =
        Either<Ready<Result<Self, Failure>>, LocalBoxFuture<'static, Result<Self, Failure>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let Some(state) = request.app_data::<web::Data<AppState>>().cloned() else {
            return Either::Left(ready(Err(ApiError::internal().into())));
        };
        let now = state.now();
        match cached_caller(request, &state, now) {
            Ok(Some(caller)) => {
                note_caller(request, &state, &caller);
                Either::Left(ready(Ok(caller)))
            }
            Ok(None) => {
                let payload = payload.take();
                Either::Right(Box::pin(load_caller(request.clone(), payload, state, now)))
            }
            Err(refusal) => Either::Left(ready(Err(refusal.into()))),
        }
    }
}

/// Returns the caller if it can be determined without waiting.
/// That is a reader who acts for themselves, with a cached valid token or without credentials.
fn cached_caller(
    request: &HttpRequest,
    state: &AppState,
    now: Timestamp,
) -> Result<Option<ApiCaller>, ApiError> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Ok(None);
    }
    let tokens = credentials::sent_tokens(request)?;
    let params = read_query_params(request)?;
    if SudoTarget::of(request, &params)?.is_some() {
        return Ok(None);
    }
    let principal = if tokens.is_empty() {
        let has_session = cookies::session_value(request, state).is_some();
        (!has_session).then_some(None)
    } else {
        let cached = |token: &SentToken| state.tokens.cached(*token, now);
        let known = tokens.iter().map(cached).collect::<Option<Vec<_>>>();
        known.map(|found| found.into_iter().next())
    };
    let Some(principal) = principal else {
        return Ok(None);
    };
    // Only callers with valid credentials learn which parameters the release does not accept.
    let ValidatedParams { params, refusal } = validate_params(request, params)?;
    Ok(Some(ApiCaller {
        lane: lane_of(request, state, principal.as_deref()),
        principal,
        params,
        files: Vec::new(),
        refusal,
        now,
    }))
}

/// Determines the caller from the database, the body and the user to act as.
/// The order matters: a sender with bad credentials cannot make the server buffer a body.
async fn load_caller(
    request: HttpRequest,
    payload: Payload,
    state: web::Data<AppState>,
    now: Timestamp,
) -> Result<ApiCaller, Failure> {
    let tokens = credentials::sent_tokens(&request)?;
    let principal = if tokens.is_empty() && cookies::session_value(&request, &state).is_some() {
        by_cookie(&request, &state).await?
    } else {
        by_tokens(&state, &tokens, now).await?
    };
    let params = read_query_params(&request)?;
    let limits = limits(&request, &state, principal.is_some());
    let RequestInput { params, files } = read_input(&request, payload, limits, params).await?;
    let principal = match SudoTarget::of(&request, &params)? {
        Some(target) => Some(sudo::act_as(&request, &state, principal, &target).await?),
        None => principal,
    };
    let ValidatedParams { params, refusal } = validate_params(&request, params)?;
    let caller = ApiCaller {
        lane: lane_of(&request, &state, principal.as_deref()),
        principal,
        params,
        files,
        refusal,
        now,
    };
    note_caller(&request, &state, &caller);
    Ok(caller)
}

/// Limits of the body.
/// Signed-in users may send larger bodies to operations that accept files.
fn limits<'b>(request: &HttpRequest, state: &'b AppState, is_signed_in: bool) -> BodyLimits<'b> {
    let settings = &state.settings;
    let takes_files = is_signed_in && !file_fields(request).is_empty();
    BodyLimits {
        max_bytes: if takes_files {
            settings.projects.max_import_bytes
        } else {
            settings.server.max_body_bytes
        },
        timeout: settings.server.body_timeout,
        budget: &state.bodies,
        sender: if is_signed_in {
            BodySender::Authorized
        } else {
            BodySender::Anonymous
        },
    }
}

/// Notes the caller of a request: the expiry of their token, and their uses of deprecated features.
fn note_caller(request: &HttpRequest, state: &AppState, caller: &ApiCaller) {
    if let Some(principal) = &caller.principal {
        token_expiry::note(request, principal, caller.now);
        note_uses(request, state, principal, caller.now);
    }
}

/// Counts the request's uses of deprecated features, for the owner of its credentials and for administrators.
fn note_uses(request: &HttpRequest, state: &AppState, principal: &Principal, now: Timestamp) {
    let own = principal.user.id;
    let (user, holder) = match &principal.credential {
        Credential::Personal(token) => (own, Holder::Token(token.id)),
        Credential::OAuth(OAuthCredential { pair, .. }) => {
            let application = pair.subject.application_id().map(Holder::Application);
            (own, application.unwrap_or(Holder::Session))
        }
        Credential::Session(_) => (own, Holder::Session),
        // The uses count for the administrator who acts, because they can change the program that acts.
        Credential::Sudo(administrator) => (*administrator, Holder::Session),
    };
    for record in used_in(request) {
        state.deprecation_uses.note(&record, user, holder, now);
    }
}

fn lane_of(request: &HttpRequest, state: &AppState, principal: Option<&Principal>) -> Lane {
    lane::of_request(request, state, principal.map(|principal| principal.user.id))
}

/// Returns the user who is signed in with the browser that sent the request (`AUTH-03`).
/// A request that changes anything must carry the CSRF token in a header, because another site can make a browser send
/// everything else; without it, the request is anonymous.
async fn by_cookie(
    request: &HttpRequest,
    state: &AppState,
) -> Result<Option<Arc<Principal>>, Failure> {
    let visitor = Visitor::of(request, state).await?;
    let is_safe = matches!(*request.method(), Method::GET | Method::HEAD);
    let header = request.headers().get(csrf::HEADER);
    let sent = header.and_then(|value| value.to_str().ok());
    let is_ours = is_safe
        || sent.is_some_and(|sent| visitor.is_csrf_token(sent))
            && !csrf::is_cross_site(request, &state.base_url);
    let found = visitor.signed_in().filter(|_| is_ours);
    Ok(found.map(|found| Arc::new(Principal::of_session(found))))
}

/// Returns the user of the first token; `None` if there is no token.
/// If several tokens were sent, all must be valid.
async fn by_tokens(
    state: &AppState,
    tokens: &[SentToken],
    now: Timestamp,
) -> Result<Option<Arc<Principal>>, Failure> {
    let mut first = None;
    for token in tokens {
        let found = match state.tokens.cached(*token, now) {
            Some(known) => known,
            None => principal_of(state.tokens.check(&state.database, *token, now).await?)?,
        };
        first.get_or_insert(found);
    }
    Ok(first)
}

/// Returns the sender of a request that is still being answered, by its credentials as they are now.
/// This is no further use of a token: one that was rotated since is refused, and nothing else.
///
/// # Errors
/// Refusals of the credentials, and failures of the store.
pub(super) async fn current_principal(
    request: &HttpRequest,
    state: &AppState,
    now: Timestamp,
) -> Result<Option<Arc<Principal>>, Failure> {
    let tokens = credentials::sent_tokens(request)?;
    let mut principal = None;
    if tokens.is_empty() && cookies::session_value(request, state).is_some() {
        principal = by_cookie(request, state).await?;
    }
    for token in tokens {
        let found = match state.tokens.cached(token, now) {
            Some(known) => known,
            None => principal_of(
                state
                    .tokens
                    .check_again(&state.database, token, now)
                    .await?,
            )?,
        };
        principal.get_or_insert(found);
    }
    match SudoTarget::of(request, &read_query_params(request)?)? {
        Some(target) => Ok(Some(
            sudo::act_as(request, state, principal, &target).await?,
        )),
        None => Ok(principal),
    }
}

/// Returns the user of a valid token.
///
/// # Errors
/// 401 or 403, depending on the verdict.
pub fn principal_of(verdict: TokenVerdict) -> Result<Arc<Principal>, ApiError> {
    match verdict {
        TokenVerdict::Good(principal) => Ok(principal),
        TokenVerdict::Refused => Err(ApiError::unauthorized()),
        TokenVerdict::Expired => Err(ApiError::invalid_token(
            "Token is expired. You can either do re-authorization or token refresh.",
        )),
        TokenVerdict::Revoked => Err(ApiError::invalid_token(
            "Token was revoked. You have to re-authorize from the user.",
        )),
        TokenVerdict::ImpersonationDisabled => Err(ApiError::invalid_token(
            "Token is an impersonation token but impersonation was disabled.",
        )),
        TokenVerdict::Blocked => Err(ApiError::forbidden_because(
            "Your account has been blocked.",
        )),
    }
}
