//! Deletion of groups, and its cancellation.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use gatehouse_core::flows::deletion::{delete_group, restore_group};
use projects::wire::GroupJson;
use web_conventions::failure::Failure;
use web_conventions::operations::{Deletion, Operation, ResponseSpec, delete, post};

use super::lists::{group_json, names_of};
use crate::frame::deletion::{AT_ONCE, DeletionAccepted, accepted, schedule};
use crate::frame::group::{GROUP, InGroup, InGroupPendingDeletion};
use crate::frame::scopes::{Owner, WriteApi};

const TAG: &str = "groups";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        delete("deleteGroup", "/api/v4/groups/{id}", remove)
            .documented(
                TAG,
                "Delete a group with everything in it; it is hidden at once, and its data is deleted later",
            )
            .takes([GROUP, AT_ONCE])
            .response(ResponseSpec::json::<DeletionAccepted>(202, "Deletion scheduled.")),
        post("restoreGroup", "/api/v4/groups/{id}/restore", restore)
            .documented(TAG, "Restore a group that is scheduled for deletion, by its id")
            .takes([GROUP])
            .response(ResponseSpec::json::<GroupJson>(201, "The group."))
            .response(ResponseSpec::refusal(
                409,
                "Something else uses a path in the group now, or the deletion has started.",
            )),
    ]
}

async fn remove(request: InGroup<Owner, WriteApi>) -> Result<Deletion, Failure> {
    let (schedule, actor) = (schedule(&request)?, request.actor());
    let condition = request.precondition();
    let noted = request.manage(move |tx, group, _| {
        delete_group(tx, group.id, schedule, actor).map_err(ApiError::from)?;
        Ok(condition.check(group.updated_at)?)
    });
    Ok(accepted(noted.await?))
}

async fn restore(
    request: InGroupPendingDeletion<Owner, WriteApi>,
) -> Result<HttpResponse, Failure> {
    let actor = request.actor();
    let restored = request.manage(move |tx, group, _| {
        let group = restore_group(tx, group.id, actor).map_err(ApiError::from)?;
        let names = names_of(tx, &group)?;
        Ok((group, names))
    });
    let (group, names) = restored.await?;
    Ok(HttpResponse::Created().json(group_json(&request, &group, &names)))
}
