//! Deletion of projects (`API-19`, `API-15`), and its cancellation.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use gatehouse_core::flows::delete_place::{delete_project, restore_project};
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Deletion, Operation, delete, post};

use super::shown::{Described, Shown};
use crate::frame::deletion::{AT_ONCE, Accepted, accepted, schedule};
use crate::frame::project::{InDoomedProject, InProject, PROJECT};
use crate::frame::scopes::{Owner, Write};

const TAG: &str = "projects";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        delete("deleteProject", "/api/v4/projects/{id}", remove)
            .documented(
                TAG,
                "Delete a project: it is gone for everybody at once, and its rows follow",
            )
            .takes([PROJECT, AT_ONCE])
            .answers(Answer::json::<Accepted>(202, "It is to be deleted.")),
        post("restoreProject", "/api/v4/projects/{id}/restore", restore)
            .documented(
                TAG,
                "Cancel the deletion of a project, which the path names by its number",
            )
            .takes([PROJECT])
            .answers(Answer::json::<Shown>(201, "The project."))
            .answers(Answer::refusal(
                409,
                "Its path belongs to something else now, or the deletion has begun.",
            )),
    ]
}

async fn remove(request: InProject<Owner, Write>) -> Result<Deletion, Failure> {
    let (schedule, actor) = (schedule(&request)?, request.by());
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

async fn restore(asked: InDoomedProject<Owner, Write>) -> Result<HttpResponse, Failure> {
    let actor = asked.by();
    let restored = asked.manage(move |tx, project, _| {
        let project = restore_project(tx, project.id, actor).map_err(ApiError::from)?;
        let described = Described::read_one(tx, &project, actor.viewer, actor.now)?;
        Ok((project, described))
    });
    let (project, described) = restored.await?;
    Ok(HttpResponse::Created().json(described.show(&project, false, asked.base_url())))
}
