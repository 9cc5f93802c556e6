//! `/api/v4/personal_access_tokens/self`: the token of the request itself.
//! Tokens of any scope may revoke themselves.

use accounts::flow::revoke_token::revoke_token;
use api_conventions::error::ApiError;
use web_conventions::failure::Failure;
use web_conventions::operations::{Deletion, Operation, ResponseSpec, delete};

use crate::frame::api::AsUser;
use crate::frame::scopes::AnyScope;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        delete(
            "revokeOwnToken",
            "/api/v4/personal_access_tokens/self",
            revoke,
        )
        .documented("users", "Revoke the personal access token of the request")
        .response(ResponseSpec::empty(204, "Revoked.")),
    ]
}

/// Revokes the token.
async fn revoke(request: AsUser<AnyScope>) -> Result<Deletion, Failure> {
    let wrong_kind =
        || ApiError::bad_request("This endpoint requires token type to be a personal access token");
    let token = request.caller().personal().ok_or_else(wrong_kind)?;
    // A token never changes; being used is not a change.
    let (created_at, now, condition) = (token.created_at, request.now(), request.precondition());
    let revoked = request.write(move |tx| {
        revoke_token(tx, token.id, now)?;
        Ok(condition.check(created_at)?)
    });
    Ok(Deletion::no_content(revoked.await?))
}
