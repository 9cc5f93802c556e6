//! Who calls, and with which parameters (`AUTH-01`, `AUTH-02`, `AUTH-03`, `AUTH-05`, `AUTH-10`).

use std::future::{Ready, ready};
use std::sync::Arc;

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
use crate::frame::sudo::{self, Target};
use crate::frame::visitor::Visitor;
use crate::state::AppState;
use deprecations::Holder;
use gatehouse_core::auth::principal::{Credential, OAuthCredential, Principal};
use gatehouse_core::auth::tokens::{SentToken, TokenVerdict};
use web_conventions::body::{BodyLimits, BodySender};
use web_conventions::failure::Failure;
use web_conventions::form_data::SentFile;
use web_conventions::operations::{Fitted, fit_params};
use web_conventions::params::{Sent, file_fields, read_query_params, read_sent};

/// The sender of the request, its parameters, and when it came. Extracting it refuses bad credentials, on public
/// endpoints too, and a body that cannot be read, also where no parameter is asked for; a handler then asks for what it
/// needs.
///
/// This is the only way for an endpoint of the API to either of the two, because a parameter may say that the caller
/// acts as somebody else ([`sudo`]): an endpoint that could have the one without the other could pass that over.
#[derive(Debug, Clone)]
pub struct Caller {
    principal: Option<Arc<Principal>>,
    params: Params,
    files: Vec<SentFile>,
    refusal: Option<ApiError>,
    now: Timestamp,
    lane: Lane,
}

impl Caller {
    /// The lane in which what the caller asks for is read.
    pub fn lane(&self) -> Lane {
        self.lane
    }

    /// The parameters: those of the query, and with any method that has a body those of the body, which win
    /// (`API-02`, `API-07`).
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Refuses parameters that the operation does not take. Extractors ask once it is known that the caller may call it.
    ///
    /// # Errors
    /// 400 that names them.
    pub fn check_params(&self) -> Result<(), ApiError> {
        self.refusal.clone().map_or(Ok(()), Err)
    }

    /// The first file in a field; `None` where there is none, and for operations that take no files.
    pub fn file(&self, field: &str) -> Option<&SentFile> {
        self.files.iter().find(|file| file.field == field)
    }

    /// When the request came: the one reading of the clock that everything in it uses.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The user who signed in, after a check that the credentials have one of the scopes `accepted`; nobody where there are
    /// none.
    ///
    /// # Errors
    /// 403 when the credentials lack the scopes.
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

impl FromRequest for Caller {
    type Error = Failure;
    type Future =
        Either<Ready<Result<Self, Failure>>, LocalBoxFuture<'static, Result<Self, Failure>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let Some(state) = request.app_data::<web::Data<AppState>>().cloned() else {
            return Either::Left(ready(Err(ApiError::internal().into())));
        };
        let now = state.now();
        match known(request, &state, now) {
            Ok(Some(caller)) => {
                note_uses(request, &state, &caller);
                Either::Left(ready(Ok(caller)))
            }
            Ok(None) => {
                let payload = payload.take();
                Either::Right(Box::pin(found(request.clone(), payload, state, now)))
            }
            Err(refusal) => Either::Left(ready(Err(refusal.into()))),
        }
    }
}

/// The caller, where that is known without waiting for anything: a viewer for themselves, with a token that is known
/// to be good or with nothing.
fn known(
    request: &HttpRequest,
    state: &AppState,
    now: Timestamp,
) -> Result<Option<Caller>, ApiError> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Ok(None);
    }
    let tokens = credentials::sent(request)?;
    let params = read_query_params(request)?;
    if Target::of(request, &params)?.is_some() {
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
    // What the release does not take is said to those whose credentials are good.
    let Fitted { params, refusal } = fit_params(request, params)?;
    Ok(Some(Caller {
        lane: lane_of(request, state, principal.as_deref()),
        principal,
        params,
        files: Vec::new(),
        refusal,
        now,
    }))
}

/// The caller, once the database, the body and the one to act as were looked at: in this order, so that nobody with bad
/// credentials can make the server hold a body.
async fn found(
    request: HttpRequest,
    payload: Payload,
    state: web::Data<AppState>,
    now: Timestamp,
) -> Result<Caller, Failure> {
    let tokens = credentials::sent(&request)?;
    let principal = if tokens.is_empty() && cookies::session_value(&request, &state).is_some() {
        by_cookie(&request, &state).await?
    } else {
        by_tokens(&state, &tokens, now).await?
    };
    let params = read_query_params(&request)?;
    let limits = limits(&request, &state, principal.is_some());
    let Sent { params, files } = read_sent(&request, payload, limits, params).await?;
    let principal = match Target::of(&request, &params)? {
        Some(target) => Some(sudo::act_as(&request, &state, principal, &target).await?),
        None => principal,
    };
    let Fitted { params, refusal } = fit_params(&request, params)?;
    let caller = Caller {
        lane: lane_of(&request, &state, principal.as_deref()),
        principal,
        params,
        files,
        refusal,
        now,
    };
    note_uses(&request, &state, &caller);
    Ok(caller)
}

/// The bounds of the body. Those who sign in may send larger ones to operations that take files.
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
            BodySender::Known
        } else {
            BodySender::Stranger
        },
    }
}

/// Counts what the request uses that will go, for the owner of its credentials and for administrators.
fn note_uses(request: &HttpRequest, state: &AppState, caller: &Caller) {
    let Some(principal) = &caller.principal else {
        return;
    };
    let own = principal.user.id;
    let (user, holder) = match &principal.credential {
        Credential::Personal(token) => (own, Holder::Token(token.id)),
        Credential::OAuth(OAuthCredential { pair, .. }) => {
            let application = pair.subject.application_id().map(Holder::Application);
            (own, application.unwrap_or(Holder::Session))
        }
        Credential::Session(_) => (own, Holder::Session),
        // Who acts is who can change the program that acts.
        Credential::Sudo(administrator) => (*administrator, Holder::Session),
    };
    for record in used_in(request) {
        state
            .deprecation_uses
            .note(&record, user, holder, caller.now);
    }
}

fn lane_of(request: &HttpRequest, state: &AppState, principal: Option<&Principal>) -> Lane {
    lane::of_request(request, state, principal.map(|principal| principal.user.id))
}

/// The user who is signed in with the browser that sent the request (`AUTH-03`). What changes something must carry the
/// token of the browser's forms in a header, because another site can make a browser send everything else; without
/// it the request is anybody's.
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

/// The user whom the first token stands for; nobody where there is none. Where several were sent all have to be good.
async fn by_tokens(
    state: &AppState,
    tokens: &[SentToken],
    now: Timestamp,
) -> Result<Option<Arc<Principal>>, Failure> {
    let mut first = None;
    for token in tokens {
        let found = match state.tokens.cached(*token, now) {
            Some(known) => known,
            None => good(state.tokens.check(&state.database, *token, now).await?)?,
        };
        first.get_or_insert(found);
    }
    Ok(first)
}

/// The user whom a good token stands for.
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
