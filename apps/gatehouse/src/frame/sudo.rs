//! Impersonation of users by administrators (`AUTH-05`).
//!
//! An unauthorized attempt is refused and never ignored: a request meant to run with another user's access would
//! otherwise run with the administrator's, and show or change what it must not.

use std::sync::Arc;

use accounts::UserState;
use accounts::flow::find_user::find_user_named;
use actix_web::http::header::HeaderName;
use actix_web::{HttpMessage as _, HttpRequest};
use api_conventions::error::ApiError;
use api_conventions::ids::UserId;
use api_conventions::params::Params;
use api_conventions::scope::Scope;
use serde_json::Value;
use url::form_urlencoded;

use crate::frame::lane;
use crate::state::AppState;
use gatehouse_core::auth::principal::{Credential, Principal};
use web_conventions::failure::Failure;

/// Name of the parameter and, ignoring case, of the header.
pub const NAME: &str = "sudo";

/// Header of that name.
const HEADER: HeaderName = HeaderName::from_static(NAME);

/// User to act as: an id or a username, as sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SudoTarget(String);

impl SudoTarget {
    /// Reads the user from the parameter or the header.
    /// An empty value is not the same as none, and matches no user: a script with an empty variable must not act as the
    /// administrator.
    ///
    /// # Errors
    /// 400 for a value that is neither text nor a number, for a repeated header, and for contradictory values: the
    /// query, the body and the header must name the same user.
    pub fn of(request: &HttpRequest, params: &Params) -> Result<Option<Self>, ApiError> {
        let named = match params.get(NAME) {
            Some(Value::String(text)) => Some(Self(text.clone())),
            Some(Value::Number(number)) => Some(Self(number.to_string())),
            Some(_) => {
                return Err(ApiError::invalid_parameters(
                    &["sudo is invalid".to_owned()],
                ));
            }
            None => None,
        };
        let in_query = form_urlencoded::parse(request.query_string().as_bytes())
            .filter(|(name, _)| name == NAME)
            .map(|(_, value)| Self(value.into_owned()));
        let others = in_query.chain(Self::of_header(request)?);
        let mut all = named.into_iter().chain(others);
        let first = all.next();
        if all.any(|other| Some(&other) != first.as_ref()) {
            return Err(ApiError::bad_request(
                "sudo names different users; send it once, as a parameter or as the header Sudo",
            ));
        }
        Ok(first)
    }

    fn of_header(request: &HttpRequest) -> Result<Option<Self>, ApiError> {
        let mut sent = request.headers().get_all(HEADER);
        let Some(value) = sent.next() else {
            return Ok(None);
        };
        match (value.to_str(), sent.next()) {
            (Ok(text), None) => Ok(Some(Self(text.trim().to_owned()))),
            _ => Err(ApiError::bad_request(
                "send the header Sudo once, with an id or a username",
            )),
        }
    }
}

/// Administrator and impersonated user, stored with the request for the log.
#[derive(Debug, Clone, Copy)]
pub struct Impersonation {
    /// Administrator who acts.
    pub administrator: UserId,
    /// User with whose rights the request ran.
    pub user: UserId,
}

/// Returns the user with whose rights the request runs.
/// The scope `sudo` grants everything that the user may do; administrators who name themselves keep the scopes of their
/// token.
///
/// # Errors
/// In this order: 401 without credentials; 403 for anyone but administrators, for browser sessions, and for tokens
/// without the scope `sudo`; 404 for an unknown user; 403 for a blocked user, who may do nothing.
pub async fn act_as(
    request: &HttpRequest,
    state: &AppState,
    principal: Option<Arc<Principal>>,
    target: &SudoTarget,
) -> Result<Arc<Principal>, Failure> {
    let principal = principal.ok_or_else(ApiError::unauthorized)?;
    may_act(&principal)?;
    let unknown = || {
        let what = format!("User with ID or username '{}'", target.0);
        ApiError::not_found(&what)
    };
    let login = target.clone();
    let found = state
        .database
        .read(lane::of_user(principal.user.id), move |tx| {
            find_user_named(tx, &login.0)
        });
    let user = found.await?.ok_or_else(unknown)?;
    if user.state != UserState::Active {
        let reason = format!("The user '{}' is blocked", target.0);
        return Err(ApiError::forbidden_because(&reason).into());
    }
    let acted = Impersonation {
        administrator: principal.user.id,
        user: user.id,
    };
    request.extensions_mut().insert(acted);
    if user.id == principal.user.id {
        return Ok(principal);
    }
    Ok(Arc::new(Principal {
        user,
        scopes: [Scope::API].into_iter().collect(),
        credential: Credential::Sudo(principal.user.id),
        expires_at: principal.expires_at,
    }))
}

fn may_act(principal: &Principal) -> Result<(), ApiError> {
    if !principal.user.is_admin {
        return Err(ApiError::forbidden_because("Must be admin to use sudo"));
    }
    match principal.credential {
        Credential::Session(_) => Err(ApiError::forbidden_because(
            "Must be authenticated using an OAuth or personal access token to use sudo",
        )),
        _ if principal.scopes.contains(&Scope::SUDO) => Ok(()),
        _ => Err(ApiError::insufficient_scope(Scope::SUDO.as_str())),
    }
}

/// True if a request outside the API names a user to act as.
pub fn is_named(request: &HttpRequest) -> bool {
    let by_query =
        form_urlencoded::parse(request.query_string().as_bytes()).any(|(name, _)| name == NAME);
    by_query || request.headers().contains_key(NAME)
}
