//! Sharing projects with groups (`PATH-04`).

use actix_web::HttpResponse;
use api_conventions::access::AccessLevel;
use api_conventions::ids::NamespaceId;
use projects::flow::members::{ShareProject, share_project, unshare_project};
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Parameter, ParameterKind, ResponseSpec, delete, post,
};

use super::changes::{EXPIRES, read_level};
use super::json::ShareJson;
use super::place::{TAG, member_actor, refused};
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Maintainer, WriteApi};

const GROUP_ID: Parameter = Parameter::body("group_id", ParameterKind::ID, "The id of the group.");
const GROUP_ACCESS: Parameter = Parameter::body(
    "group_access",
    ParameterKind::Number(&AccessLevel::NUMBERS),
    "Maximum role that members of the group get in the project.",
);
const GROUP: Parameter = Parameter::path("group_id", ParameterKind::ID, "The id of the group.");

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        post("shareProject", "/api/v4/projects/{id}/share", share)
            .documented(TAG, "Share a project with a group")
            .takes([
                PROJECT,
                GROUP_ID.required(),
                GROUP_ACCESS.required(),
                EXPIRES,
            ])
            .response(ResponseSpec::json::<ShareJson>(201, "The share."))
            .response(ResponseSpec::refusal(
                409,
                "The project is already shared with the group.",
            )),
        delete(
            "unshareProject",
            "/api/v4/projects/{id}/share/{group_id}",
            unshare,
        )
        .documented(TAG, "Remove the share of a project with a group")
        .takes([PROJECT, GROUP])
        .response(ResponseSpec::empty(204, "Removed.")),
    ]
}

async fn share(request: InProject<Maintainer, WriteApi>) -> Result<HttpResponse, Failure> {
    let mut read = request.params().reader();
    let group = read.integer(GROUP_ID.name);
    let group = read.required(GROUP_ID.name, group);
    let level = read_level(&mut read, GROUP_ACCESS.name);
    let level = read.required(GROUP_ACCESS.name, level);
    let expires_on = read.date(EXPIRES.name);
    read.finish()?;
    let share = ShareProject {
        group_id: NamespaceId::new(group.value()?),
        level: level.value()?,
        expires_on,
    };
    let actor = member_actor(request.viewer(), &request);
    let shared = request
        .manage(move |tx, project, _| share_project(tx, &project, &share, actor).map_err(refused));
    Ok(HttpResponse::Created().json(ShareJson::from(shared.await?)))
}

async fn unshare(request: InProject<Maintainer, WriteApi>) -> Result<Deletion, Failure> {
    let group = NamespaceId::new(request.number(GROUP.name, "Group Link")?);
    let actor = member_actor(request.viewer(), &request);
    let condition = request.precondition();
    let ended = request.manage(move |tx, project, _| {
        let share = unshare_project(tx, &project, group, actor).map_err(refused)?;
        Ok(condition.check(share.created_at)?)
    });
    Ok(Deletion::no_content(ended.await?))
}
