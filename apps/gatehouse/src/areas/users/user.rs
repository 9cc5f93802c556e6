//! `GET /api/v4/user`: the calling user.

use std::time::Instant;

use accounts::wire::CurrentUser;
use actix_web::HttpResponse;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, ResponseSpec, get};

use super::activity::activity_of;
use crate::frame::api::AsUser;
use crate::frame::scopes::ReadUser;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("showCurrentUser", "/api/v4/user", current)
            .documented("users", "Get the current user")
            .response(ResponseSpec::json::<CurrentUser>(200, "The user.")),
    ]
}

async fn current(request: AsUser<ReadUser>) -> Result<HttpResponse, Failure> {
    let (id, now) = (request.caller().user.id, request.now());
    let mut activity = if let Some(activity) = request.recent_activity().get(id) {
        activity
    } else {
        let looked_up = Instant::now();
        let found = request.read(move |tx| Ok(activity_of(tx, &[id])?.of(id)));
        let activity = found.await?;
        request.recent_activity().put(id, looked_up, activity);
        activity
    };
    // The request itself shows activity. The use of its token is recorded a little later.
    activity.last_seen_at = activity.last_seen_at.max(Some(now));
    let user = &request.caller().user;
    request.json(&CurrentUser::new(user, &activity, request.base_url()))
}
