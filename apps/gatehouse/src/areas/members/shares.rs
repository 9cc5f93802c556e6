//! Sharing projects with groups (`PATH-04`).

use actix_web::HttpResponse;
use api_conventions::access::AccessLevel;
use api_conventions::ids::NamespaceId;
use projects::flow::members::{ShareProject, share_project, unshare_project};
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Deletion, Kind, Operation, Parameter, delete, post};

use super::changes::{EXPIRES, read_level};
use super::json::ShareJson;
use super::place::{TAG, acting, refused};
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Maintainer, Write};

const GROUP_ID: Parameter = Parameter::body("group_id", Kind::ID, "The id of the group.");
const GROUP_ACCESS: Parameter = Parameter::body(
    "group_access",
    Kind::Number(&AccessLevel::NUMBERS),
    "The highest role that members of the group get in the project.",
);
const GROUP: Parameter = Parameter::path("group_id", Kind::ID, "The id of the group.");

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
            .answers(Answer::json::<ShareJson>(201, "The share."))
            .answers(Answer::refusal(
                409,
                "The project is shared with the group already.",
            )),
        delete(
            "unshareProject",
            "/api/v4/projects/{id}/share/{group_id}",
            unshare,
        )
        .documented(TAG, "End the share of a project with a group")
        .takes([PROJECT, GROUP])
        .answers(Answer::empty(204, "The share is gone.")),
    ]
}

async fn share(asked: InProject<Maintainer, Write>) -> Result<HttpResponse, Failure> {
    let mut read = asked.params().reader();
    let group = read.integer(GROUP_ID.name);
    let group = read.required(GROUP_ID.name, group);
    let level = read_level(&mut read, GROUP_ACCESS.name);
    let level = read.required(GROUP_ACCESS.name, level);
    let expires_on = read.date(EXPIRES.name);
    read.finish()?;
    let request = ShareProject {
        group_id: NamespaceId::new(group.value()?),
        level: level.value()?,
        expires_on,
    };
    let acting = acting(asked.viewer(), &asked);
    let shared = asked.manage(move |tx, project, _| {
        share_project(tx, &project, &request, acting).map_err(refused)
    });
    Ok(HttpResponse::Created().json(ShareJson::from(shared.await?)))
}

async fn unshare(request: InProject<Maintainer, Write>) -> Result<Deletion, Failure> {
    let group = NamespaceId::new(request.number(GROUP.name, "Group Link")?);
    let acting = acting(request.viewer(), &request);
    let condition = request.precondition();
    let ended = request.manage(move |tx, project, _| {
        let share = unshare_project(tx, &project, group, acting).map_err(refused)?;
        Ok(condition.check(share.created_at)?)
    });
    Ok(Deletion::no_content(ended.await?))
}
