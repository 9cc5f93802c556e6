//! `/api/v4/personal_access_tokens/self`: the token of the request itself.
//! Tokens of any scope may revoke themselves.

use accounts::flow::revoke_token::revoke_token;
use accounts::wire::AccessTokenResponse;
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use gatehouse_core::auth::principal::PersonalCredential;
use web_conventions::failure::Failure;
use web_conventions::operations::{Deletion, Operation, ResponseSpec, delete, get};

use crate::frame::api::AsUser;
use crate::frame::scopes::{AnyScope, Scopes};

const OWN_TOKEN: &str = "/api/v4/personal_access_tokens/self";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("showOwnToken", OWN_TOKEN, show)
            .documented("users", "Get the personal access token of the request")
            .response(ResponseSpec::json::<AccessTokenResponse>(200, "The token.")),
        delete("revokeOwnToken", OWN_TOKEN, revoke)
            .documented("users", "Revoke the personal access token of the request")
            .response(ResponseSpec::empty(204, "Revoked.")),
    ]
}

/// Shows the token.
async fn show(request: AsUser<AnyScope>) -> Result<HttpResponse, Failure> {
    let id = own_token(&request)?.id;
    let found = request.read(move |tx| Ok(tx.find_token(id)?));
    let token = found.await?.ok_or_else(ApiError::unauthorized)?;
    request.json(&AccessTokenResponse::new(&token, request.now()))
}

/// The token of the request.
///
/// # Errors
/// 400 for any other credential.
pub(super) fn own_token<S: Scopes>(request: &AsUser<S>) -> Result<PersonalCredential, ApiError> {
    let wrong_kind =
        || ApiError::bad_request("This endpoint requires token type to be a personal access token");
    request.caller().personal().ok_or_else(wrong_kind)
}

/// Revokes the token.
async fn revoke(request: AsUser<AnyScope>) -> Result<Deletion, Failure> {
    let token = own_token(&request)?;
    // A token never changes; being used is not a change.
    let (created_at, now, condition) = (token.created_at, request.now(), request.precondition());
    let by = request.caller().user.id;
    let revoked = request.write(move |tx| {
        revoke_token(tx, token.id, Some(by), now)?;
        Ok(condition.check(created_at)?)
    });
    Ok(Deletion::no_content(revoked.await?))
}
