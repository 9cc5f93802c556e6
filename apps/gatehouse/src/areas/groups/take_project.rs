//! `POST /api/v4/groups/:id/projects/:project_id`: transfer of a project to a group.

use actix_web::HttpResponse;
use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use api_conventions::reference::ProjectRef;
use gatehouse_core::flows::projects::move_project;
use projects::flow::find_visible::find_visible_project;
use projects::wire::GroupJson;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Parameter, ParameterKind, ResponseSpec, post};

use super::lists::{group_json, names_of};
use crate::frame::group::{GROUP, InGroup};
use crate::frame::scopes::{Developer, WriteApi};

const TAG: &str = "groups";

const PROJECT: Parameter = Parameter::path(
    "project_id",
    ParameterKind::IdOrPath,
    "The id of the project, or its percent-encoded full path.",
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
            "Transfer a project that the caller owns to a group in which the caller can create projects",
        )
        .takes([GROUP, PROJECT])
        .response(ResponseSpec::json::<GroupJson>(201, "The group."))
        .response(ResponseSpec::refusal(
            409,
            "Something in the group already has the path or the name of the project.",
        )),
    ]
}

async fn take(request: InGroup<Developer, WriteApi>) -> Result<HttpResponse, Failure> {
    let unseen = || ApiError::not_found("Project");
    let project = request.raw_segment(PROJECT.name);
    let project = project.and_then(ProjectRef::parse).ok_or_else(unseen)?;
    let actor = request.actor();
    let moved = request.manage(move |tx, group, _| {
        let found = find_visible_project(tx, &project, actor.viewer, actor.now)?;
        let (project, access) = found.ok_or_else(unseen)?;
        if !access.allows(AccessLevel::Owner) {
            return Err(ApiError::forbidden().into());
        }
        move_project(tx, project.id, group.id, actor).map_err(ApiError::from)?;
        let names = names_of(tx, &group)?;
        Ok((group, names))
    });
    let (group, names) = moved.await?;
    Ok(HttpResponse::Created().json(group_json(&request, &group, &names)))
}
