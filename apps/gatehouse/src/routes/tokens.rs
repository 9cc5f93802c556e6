//! `/api/v4/personal_access_tokens/self`: the token of the request itself. Any scope may ask, and end it.

use accounts::flow::revoke_token::revoke_token;
use actix_web::HttpResponse;
use actix_web::web::{Data, ServiceConfig};
use api_conventions::error::ApiError;
use api_conventions::scope::Scope;
use storage::{Store as _, StoreError};

use crate::extract::caller::Caller;
use crate::http::endpoint::at;
use crate::http::failure::Failure;
use crate::state::AppState;

/// Mounts the endpoint.
pub fn configure(service: &mut ServiceConfig) {
    service.service(
        at("/api/v4/personal_access_tokens/self")
            .delete(revoke)
            .build(),
    );
}

/// Ends the token.
async fn revoke(state: Data<AppState>, caller: Caller) -> Result<HttpResponse, Failure> {
    let wrong_kind =
        || ApiError::bad_request("This endpoint requires token type to be a personal access token");
    let token = caller.signed_in(&Scope::ALL)?.personal();
    let token = token.ok_or_else(wrong_kind)?;
    let now = caller.now();
    let revoked = state.database.write(move |tx| revoke_token(tx, token, now));
    let revoked: Result<bool, StoreError> = revoked.await;
    revoked?;
    Ok(HttpResponse::NoContent().finish())
}
