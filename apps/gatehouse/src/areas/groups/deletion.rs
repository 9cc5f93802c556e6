//! Deletion of groups, and its cancellation.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use gatehouse_core::flows::delete_place::{delete_group, restore_group};
use projects::wire::GroupJson;
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Deletion, Operation, delete, post};

use super::lists::{names_of, shown};
use crate::frame::deletion::{AT_ONCE, Accepted, accepted, schedule};
use crate::frame::group::{GROUP, InDoomedGroup, InGroup};
use crate::frame::scopes::{Owner, Write};

const TAG: &str = "groups";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        delete("deleteGroup", "/api/v4/groups/{id}", remove)
            .documented(
                TAG,
                "Delete a group with everything in it: it is gone for everybody at once, and its rows follow",
            )
            .takes([GROUP, AT_ONCE])
            .answers(Answer::json::<Accepted>(202, "It is to be deleted.")),
        post("restoreGroup", "/api/v4/groups/{id}/restore", restore)
            .documented(TAG, "Cancel the deletion of a group, which the path names by its number")
            .takes([GROUP])
            .answers(Answer::json::<GroupJson>(201, "The group."))
            .answers(Answer::refusal(
                409,
                "A path in it belongs to something else now, or the deletion has begun.",
            )),
    ]
}

async fn remove(request: InGroup<Owner, Write>) -> Result<Deletion, Failure> {
    let (schedule, actor) = (schedule(&request)?, request.by());
    let condition = request.precondition();
    let noted = request.manage(move |tx, group, _| {
        delete_group(tx, group.id, schedule, actor).map_err(ApiError::from)?;
        Ok(condition.check(group.updated_at)?)
    });
    Ok(accepted(noted.await?))
}

async fn restore(asked: InDoomedGroup<Owner, Write>) -> Result<HttpResponse, Failure> {
    let actor = asked.by();
    let restored = asked.manage(move |tx, group, _| {
        let group = restore_group(tx, group.id, actor).map_err(ApiError::from)?;
        let names = names_of(tx, &group)?;
        Ok((group, names))
    });
    let (group, names) = restored.await?;
    Ok(HttpResponse::Created().json(shown(&asked, &group, &names)))
}
