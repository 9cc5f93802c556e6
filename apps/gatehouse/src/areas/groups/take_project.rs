//! `POST /api/v4/groups/:id/projects/:project_id`: transfer of a project to a group.

use actix_web::HttpResponse;
use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use api_conventions::reference::ProjectRef;
use gatehouse_core::flows::projects::move_project;
use projects::flow::find_visible::find_visible_project;
use projects::wire::GroupJson;
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Kind, Operation, Parameter, post};

use super::lists::{names_of, shown};
use crate::frame::group::{GROUP, InGroup};
use crate::frame::scopes::{Developer, Write};

const TAG: &str = "groups";

const PROJECT: Parameter = Parameter::path(
    "project_id",
    Kind::Place,
    "The number of the project, or its full path, percent-encoded.",
);

/// The operation.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        post(
            "transferProjectToGroup",
            "/api/v4/groups/{id}/projects/{project_id}",
            take,
        )
        .documented(
            TAG,
            "Move a project, which the caller owns, into a group in which the caller may make projects",
        )
        .takes([GROUP, PROJECT])
        .answers(Answer::json::<GroupJson>(201, "The group."))
        .answers(Answer::refusal(
            409,
            "Something in the group has the path or the name of the project.",
        )),
    ]
}

async fn take(asked: InGroup<Developer, Write>) -> Result<HttpResponse, Failure> {
    let unseen = || ApiError::not_found("Project");
    let project = asked.raw_segment(PROJECT.name);
    let project = project.and_then(ProjectRef::parse).ok_or_else(unseen)?;
    let actor = asked.by();
    let taken = asked.manage(move |tx, group, _| {
        let found = find_visible_project(tx, &project, actor.viewer, actor.now)?;
        let (project, access) = found.ok_or_else(unseen)?;
        if !access.allows(AccessLevel::Owner) {
            return Err(ApiError::forbidden().into());
        }
        move_project(tx, project.id, group.id, actor).map_err(ApiError::from)?;
        let names = names_of(tx, &group)?;
        Ok((group, names))
    });
    let (group, names) = taken.await?;
    Ok(HttpResponse::Created().json(shown(&asked, &group, &names)))
}
