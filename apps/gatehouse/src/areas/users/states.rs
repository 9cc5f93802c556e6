//! `POST /api/v4/users/:id/block` and the other changes of the state of a user.

use accounts::StateChange;
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use gatehouse_core::flows::users::{StateChangeError, change_state};
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, ResponseSpec, post};

use super::create::administrator;
use super::people::{ID, id_of};
use crate::frame::api::AsAdministrator;
use crate::frame::scopes::WriteApi;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    [
        (
            post("blockUser", "/api/v4/users/{id}/block", block),
            "Block a user: ends their sessions and refuses their tokens",
        ),
        (
            post("unblockUser", "/api/v4/users/{id}/unblock", unblock),
            "Unblock a user",
        ),
        (
            post("banUser", "/api/v4/users/{id}/ban", ban),
            "Ban a user: blocks them until the ban is lifted",
        ),
        (
            post("unbanUser", "/api/v4/users/{id}/unban", unban),
            "Lift the ban of a user",
        ),
        (
            post("deactivateUser", "/api/v4/users/{id}/deactivate", deactivate),
            "Deactivate a user who was not active for 90 days: blocks them until an administrator activates them",
        ),
        (
            post("activateUser", "/api/v4/users/{id}/activate", activate),
            "Activate a deactivated user",
        ),
    ]
    .into_iter()
    .map(|(operation, about)| {
        operation
            .documented("users", about)
            .takes([ID])
            .response(ResponseSpec::json::<bool>(201, "Always `true`."))
            .response(ResponseSpec::refusal(
                403,
                "The caller is not an administrator, or the state of the user does not allow the change, or the user is a bot, \
                 or the caller.",
            ))
            .response(ResponseSpec::refusal(404, "User not found."))
    })
    .collect()
}

async fn block(request: AsAdministrator<WriteApi>) -> Result<HttpResponse, Failure> {
    change(request, StateChange::Block).await
}

async fn unblock(request: AsAdministrator<WriteApi>) -> Result<HttpResponse, Failure> {
    change(request, StateChange::Unblock).await
}

async fn ban(request: AsAdministrator<WriteApi>) -> Result<HttpResponse, Failure> {
    change(request, StateChange::Ban).await
}

async fn unban(request: AsAdministrator<WriteApi>) -> Result<HttpResponse, Failure> {
    change(request, StateChange::Unban).await
}

async fn deactivate(request: AsAdministrator<WriteApi>) -> Result<HttpResponse, Failure> {
    change(request, StateChange::Deactivate).await
}

async fn activate(request: AsAdministrator<WriteApi>) -> Result<HttpResponse, Failure> {
    change(request, StateChange::Activate).await
}

async fn change(
    request: AsAdministrator<WriteApi>,
    change: StateChange,
) -> Result<HttpResponse, Failure> {
    let (id, by) = (id_of(&request)?, administrator(&request));
    let changed = request.write(move |tx| change_state(tx, id, change, by).map_err(refusal));
    changed.await?;
    Ok(HttpResponse::Created().json(true))
}

fn refusal(error: StateChangeError) -> Failure {
    match error {
        StateChangeError::Store(error) => error.into(),
        StateChangeError::Unknown => ApiError::not_found("User").into(),
        StateChangeError::Refused(reason) => ApiError::forbidden_because(reason).into(),
        // Includes callers who are no administrators any more.
        _ => ApiError::forbidden().into(),
    }
}
