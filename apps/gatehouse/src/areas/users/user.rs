//! `GET /api/v4/user`: who the caller is.

use accounts::wire::CurrentUser;
use actix_web::HttpResponse;
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Operation, get};

use crate::frame::api::AsUser;
use crate::frame::scopes::ReadUser;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("showCurrentUser", "/api/v4/user", current)
            .documented("users", "Show the user who calls")
            .answers(Answer::json::<CurrentUser>(200, "The user.")),
    ]
}

async fn current(asked: AsUser<ReadUser>) -> Result<HttpResponse, Failure> {
    asked.json(&CurrentUser::new(&asked.who().user, asked.base_url()))
}
