//! `GET /api/v4/user`: the calling user.

use std::time::Instant;

use accounts::wire::CurrentUser;
use actix_web::HttpResponse;
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Operation, get};

use super::activity::activity_of;
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
    let (id, now) = (asked.who().user.id, asked.now());
    let mut activity = if let Some(activity) = asked.recent_activity().get(id) {
        activity
    } else {
        let looked_up = Instant::now();
        let found = asked.read(move |tx| Ok(activity_of(tx, &[id])?.of(id)));
        let activity = found.await?;
        asked.recent_activity().put(id, looked_up, activity);
        activity
    };
    // The request itself shows activity. The use of its token is recorded a little later.
    activity.last_seen_at = activity.last_seen_at.max(Some(now));
    let user = &asked.who().user;
    asked.json(&CurrentUser::new(user, &activity, asked.base_url()))
}
