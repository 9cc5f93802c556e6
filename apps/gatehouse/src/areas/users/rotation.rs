//! `POST /api/v4/personal_access_tokens/:id/rotate`, and `self/rotate` for the token of the request itself.

use accounts::flow::rotate_token::{RotateToken, RotateTokenError, SuccessorExpiry};
use accounts::wire::NewAccessTokenResponse;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ApiError;
use api_conventions::ids::TokenId;
use gatehouse_core::flows::place_tokens::rotate_any_token;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Parameter, ParameterKind, ResponseSpec, post};

use super::personal_tokens::{ID, TAG, token_id};
use super::tokens::own_token;
use crate::frame::api::AsUser;
use crate::frame::new_token::{new_secret, response_of, with_secret};
use crate::frame::scopes::WriteApi;

const OWN: &str = "/api/v4/personal_access_tokens/self/rotate";
const ROTATE: &str = "/api/v4/personal_access_tokens/{id}/rotate";

const EXPIRES_AT: Parameter = Parameter::body(
    "expires_at",
    ParameterKind::Date,
    "First day on which the new token is no longer valid, at most a year ahead (default: in 7 days).",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let created = || {
        ResponseSpec::json::<NewAccessTokenResponse<'_>>(
            200,
            "The new token, with its secret, which is shown only once.",
        )
    };
    let refused = || {
        ResponseSpec::refusal(
            400,
            "The token was already revoked, or the day of expiry is not within a year.",
        )
    };
    vec![
        post("rotateOwnToken", OWN, rotate_own)
            .documented(TAG, "Rotate the personal access token of the request")
            .takes([EXPIRES_AT])
            .response(created())
            .response(refused()),
        post("rotatePersonalAccessToken", ROTATE, rotate)
            .documented(TAG, "Rotate a personal access token")
            .takes([ID, EXPIRES_AT])
            .response(created())
            .response(refused())
            .response(ResponseSpec::refusal(
                401,
                "The caller is not an administrator, and the token is not theirs or does not exist.",
            ))
            .response(ResponseSpec::refusal(404, "Token not found.")),
    ]
}

async fn rotate(request: AsUser<WriteApi>) -> Result<HttpResponse, Failure> {
    let id = token_id(&request)?;
    respond(&request, id).await
}

async fn rotate_own(request: AsUser<WriteApi>) -> Result<HttpResponse, Failure> {
    let id = own_token(&request)?.id;
    respond(&request, id).await
}

/// Rotates the token on behalf of the caller.
async fn respond(request: &AsUser<WriteApi>, id: TokenId) -> Result<HttpResponse, Failure> {
    let mut read = request.params().reader();
    let expires_on = read.date("expires_at");
    read.finish()?;
    let (caller, secret) = (&request.caller().user, new_secret(request.settings()));
    let mut rotation = RotateToken::new(id, caller.id, secret.digest(), request.now());
    if let Some(day) = expires_on {
        rotation.expiry = SuccessorExpiry::Day(day);
    }
    let is_admin = caller.is_admin;
    let rotated = request.write(move |tx| {
        rotate_any_token(tx, &rotation).map_err(|refused| match refused {
            RotateTokenError::Store(error) => error.into(),
            // Others do not learn whether a token exists.
            RotateTokenError::Unknown if !is_admin => ApiError::unauthorized().into(),
            refused => Failure::from(ApiError::from(refused)),
        })
    });
    let body = response_of(&rotated.await?, &secret, request.now());
    Ok(with_secret(StatusCode::OK, &body))
}
