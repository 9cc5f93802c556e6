//! Deletion of projects (`API-19`, `API-15`), and its cancellation.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use gatehouse_core::flows::deletion::{delete_project, restore_project};
use web_conventions::failure::Failure;
use web_conventions::operations::{Deletion, Operation, ResponseSpec, delete, post};

use super::view::{ProjectRelations, ProjectView};
use crate::frame::deletion::{AT_ONCE, DeletionAccepted, accepted, schedule};
use crate::frame::project::{InProject, InProjectPendingDeletion, PROJECT};
use crate::frame::scopes::{Owner, WriteApi};

const TAG: &str = "projects";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        delete("deleteProject", "/api/v4/projects/{id}", remove)
            .documented(
                TAG,
                "Delete a project; it is hidden at once, and its data is deleted later",
            )
            .takes([PROJECT, AT_ONCE])
            .response(ResponseSpec::json::<DeletionAccepted>(
                202,
                "Deletion scheduled.",
            )),
        post("restoreProject", "/api/v4/projects/{id}/restore", restore)
            .documented(
                TAG,
                "Restore a project that is scheduled for deletion, by its id",
            )
            .takes([PROJECT])
            .response(ResponseSpec::json::<ProjectView>(201, "The project."))
            .response(ResponseSpec::refusal(
                409,
                "Something else uses the path now, or the deletion has started.",
            )),
    ]
}

async fn remove(request: InProject<Owner, WriteApi>) -> Result<Deletion, Failure> {
    let (schedule, actor) = (schedule(&request)?, request.actor());
    let condition = request.precondition();
    let noted = request.manage(move |tx, project, _| {
        let mut modified_at = project.updated_at;
        delete_project(tx, project.id, schedule, actor, |locked| {
            modified_at = locked.updated_at;
            Ok::<_, ApiError>(())
        })?;
        Ok(condition.check(modified_at)?)
    });
    Ok(accepted(noted.await?))
}

async fn restore(
    request: InProjectPendingDeletion<Owner, WriteApi>,
) -> Result<HttpResponse, Failure> {
    let actor = request.actor();
    let restored = request.manage(move |tx, project, _| {
        let project = restore_project(tx, project.id, actor).map_err(ApiError::from)?;
        let relations = ProjectRelations::read_one(tx, &project, actor.viewer, actor.now)?;
        Ok((project, relations))
    });
    let (project, relations) = restored.await?;
    Ok(HttpResponse::Created().json(relations.show(&project, false, request.base_url())))
}
