//! Resource owner password credentials grant (`OAUTH-05`).

use accounts::flow::check_password::{Attempt, LookUp, VerifiedPassword, look_up};
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use oauth_provider::Application;
use oauth_provider::flow::password::password_scopes;
use oauth_provider::model::ACCESS_PREFIX;
use oauth_provider::wire::token_request::PasswordParameters;
use oauth_provider::wire::{ErrorCode, OAuthError, TokenResponse};
use storage::{Store as _, StoreError};
use web_conventions::failure::Failure;

use crate::frame::lane;
use crate::frame::oauth_failure::{OAuthFailure, response};
use crate::frame::page::failure::PASSWORD_QUEUE_FULL;
use crate::state::AppState;
use gatehouse_core::flows::oauth::{CheckedPassword, PasswordGranted, issue_by_password};
use gatehouse_core::passwords::RETRY_AFTER_SECONDS;
use gatehouse_core::randomness::OsRandomness;

/// Issues an access token for a username and password, to an authenticated application or to none.
/// `address` identifies the client in the count of failures.
///
/// # Errors
/// `invalid_grant` for any problem with the user or the password; 429 after too many wrong passwords.
pub async fn by_password(
    state: &AppState,
    application: Option<&Application>,
    sent: PasswordParameters,
    address: String,
    now: Timestamp,
) -> Result<HttpResponse, OAuthFailure> {
    if !state.settings.oauth.password_grant {
        return Err(refused(ErrorCode::UnsupportedGrantType));
    }
    let allowed = application.map(|application| &application.scopes);
    let registry = &state.settings.oauth.policy.scopes;
    let requested = match (sent.scopes, application) {
        (Some(scopes), Some(application)) => Some(application.granted_of(scopes)),
        (scopes, _) => scopes,
    };
    let scopes = password_scopes(requested.as_ref(), allowed, registry)
        .ok_or_else(|| refused(ErrorCode::InvalidScope))?;
    let policy = &state.settings.oauth.policy;
    let access_seconds = application.map_or(policy.access_seconds, |application| {
        policy.access_seconds_of(&application.options)
    });
    let access = PlainSecret::generate_dated(ACCESS_PREFIX, &OsRandomness, now);
    let attempt = Attempt::new(sent.username, address, now);
    let right = check(state, &attempt, sent.password).await?;
    let checked = CheckedPassword {
        attempt,
        right,
        application_id: application.map(|application| application.id),
        scopes: scopes.clone(),
        access: access.digest(),
        access_seconds,
    };
    issue(state, checked).await?;
    Ok(response(&TokenResponse {
        access_token: &access,
        expires_in: access_seconds,
        refresh_token: None,
        scopes: Some(&scopes),
        created_at: None,
        id_token: None,
    }))
}

async fn check(
    state: &AppState,
    attempt: &Attempt,
    password: PlainSecret,
) -> Result<Option<VerifiedPassword>, OAuthFailure> {
    let (cloned, policy) = (attempt.clone(), state.settings.sign_in.rules.policy);
    let found = state
        .database
        .read(lane::of_address(&attempt.address), move |tx| {
            look_up(tx, &cloned, &policy)
        });
    let found: Result<LookUp, StoreError> = found.await;
    match found? {
        LookUp::LockedOut { seconds } => Err(locked_out(seconds)),
        LookUp::Found(found) => {
            let checked = state.passwords.check(found.as_deref(), password).await;
            checked.map_err(|busy| {
                let refusal = ApiError::unavailable(RETRY_AFTER_SECONDS);
                Failure::caused(refusal, busy)
                    .because(PASSWORD_QUEUE_FULL)
                    .into()
            })
        }
    }
}

async fn issue(state: &AppState, checked: CheckedPassword) -> Result<(), OAuthFailure> {
    let (limits, policy) = (
        state.settings.sign_in.rules.policy,
        state.settings.oauth.policy.clone(),
    );
    let granted = state
        .database
        .write(move |tx| issue_by_password(tx, checked.clone(), &limits, &policy));
    let granted: Result<PasswordGranted, StoreError> = granted.await;
    match granted? {
        PasswordGranted::Issued => Ok(()),
        PasswordGranted::Refused => Err(refused(ErrorCode::InvalidGrant)),
        PasswordGranted::LockedOut { seconds } => Err(locked_out(seconds)),
    }
}

fn refused(code: ErrorCode) -> OAuthFailure {
    OAuthError::new(code).into()
}

fn locked_out(seconds: i64) -> OAuthFailure {
    ApiError::too_many_requests(seconds).into()
}
