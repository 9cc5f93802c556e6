//! Group resource: `/api/v4/groups/:id`.

use ::pipelines::model::RunnerPlace;
use actix_web::HttpResponse;
use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use api_conventions::ids::NamespaceId;
use gatehouse_core::database::WriteTransaction;
use gatehouse_core::flows::groups::{create_group, move_group, update_group};
use projects::flow::error::NamespaceError;
use projects::flow::groups::CreateGroup;
use projects::wire::{GroupDetailJson, GroupJson};
use projects::{FullNames, Group, GroupContent};
use schemars::JsonSchema;
use serde::Serialize;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Operation, Parameter, ParameterKind, ResponseSpec, get, post, put,
};

use super::lists::{detail, group_json, names_of};
use super::of_group::GroupProjects;
use super::parameters::{content, read_edit};
use crate::frame::api::AsUser;
use crate::frame::group::{GROUP, InGroup, SeesGroup};
use crate::frame::runners_token::RunnersToken;
use crate::frame::scopes::{Owner, ReadApi, WriteApi};

const TAG: &str = "groups";
const GROUPS: &str = "/api/v4/groups";
const ONE: &str = "/api/v4/groups/{id}";

const WITH_PROJECTS: Parameter = Parameter::query(
    "with_projects",
    ParameterKind::Boolean,
    "Include the first 100 projects of the group and projects shared with it (default: `true`).",
);

/// A single group.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ShownGroup")]
struct ShownGroupJson {
    #[serde(flatten)]
    group: GroupDetailJson,
    /// Registration token of runners, which only Owners see.
    #[serde(skip_serializing_if = "Option::is_none")]
    runners_token: Option<RunnersToken>,
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let required = |parameter: Parameter| match parameter.name {
        "name" | "path" => parameter.required(),
        _ => parameter,
    };
    let parent = Parameter::body(
        "parent_id",
        ParameterKind::ID,
        "The id of the parent group.",
    );
    let to = Parameter::body(
        "group_id",
        ParameterKind::ID,
        "The id of the new parent group; omit it to make the group a top-level group.",
    );
    vec![
        post("createGroup", GROUPS, create)
            .documented(TAG, "Create a group, with the caller as its Owner")
            .takes(content().into_iter().map(required))
            .takes([parent])
            .response(ResponseSpec::json::<GroupDetailJson>(201, "The group."))
            .response(ResponseSpec::refusal(404, "Parent group not found."))
            .response(path_conflict()),
        get("showGroup", ONE, show)
            .documented(TAG, "Get a group")
            .takes([GROUP, WITH_PROJECTS])
            .response(ResponseSpec::json::<ShownGroupJson>(200, "The group.")),
        put("updateGroup", ONE, update)
            .documented(TAG, "Update a group; at least one field is required")
            .takes([GROUP])
            .takes(content())
            .response(ResponseSpec::json::<GroupDetailJson>(
                200,
                "The updated group.",
            ))
            .response(path_conflict()),
        post("transferGroup", "/api/v4/groups/{id}/transfer", transfer)
            .documented(TAG, "Transfer a group with everything in it")
            .takes([GROUP, to])
            .response(ResponseSpec::json::<GroupJson>(201, "The updated group."))
            .response(path_conflict()),
    ]
}

fn path_conflict() -> ResponseSpec {
    ResponseSpec::refusal(409, "A group, a user or a project already has the path.")
}

async fn create(request: AsUser<WriteApi>) -> Result<HttpResponse, Failure> {
    let mut read = request.params().reader();
    let edit = read_edit(&mut read);
    let parent = read.integer("parent_id").map(NamespaceId::new);
    read.demand(&["name", "path"]);
    read.finish()?;
    let actor = request.actor();
    let creation = CreateGroup {
        content: edit.apply(GroupContent::default()),
        parent,
        viewer: actor.viewer,
        owner: actor.id,
        now: actor.now,
    };
    let created = request.write(move |tx| with_names(tx, |tx| create_group(tx, &creation)));
    let (group, names) = created.await?;
    Ok(HttpResponse::Created().json(detail(&request, &group, &names)))
}

async fn show(request: SeesGroup<ReadApi>) -> Result<HttpResponse, Failure> {
    let mut read = request.params().reader();
    let with_projects = read.boolean(WITH_PROJECTS.name).unwrap_or(true);
    read.finish()?;
    let (viewer, today, vault) = (request.viewer(), request.now().date(), request.vault());
    let found = request.read(move |tx, group, access| {
        let names = names_of(tx, &group)?;
        let projects = with_projects.then(|| GroupProjects::read(tx, group.id, viewer, today));
        let projects = projects.transpose()?.flatten();
        let (place, least) = (RunnerPlace::Group(group.id), AccessLevel::Owner);
        let token = RunnersToken::read(tx, &vault, place, access.allows(least))?;
        Ok((group, names, projects, token))
    });
    let (group, names, projects, runners_token) = found.await?;
    let mut json = detail(&request, &group, &names);
    if let Some(projects) = projects {
        let (own, shared) = projects.to_json(group.id, request.base_url());
        json = json.with_projects(own, shared);
    }
    request.json(&ShownGroupJson {
        group: json,
        runners_token,
    })
}

async fn update(request: InGroup<Owner, WriteApi>) -> Result<HttpResponse, Failure> {
    let mut read = request.params().reader();
    let edit = read_edit(&mut read);
    read.finish()?;
    let actor = request.actor();
    let changed = request
        .manage(move |tx, group, _| with_names(tx, |tx| update_group(tx, group.id, &edit, actor)));
    let (group, names) = changed.await?;
    request.json(&detail(&request, &group, &names))
}

async fn transfer(request: InGroup<Owner, WriteApi>) -> Result<HttpResponse, Failure> {
    let mut read = request.params().reader();
    let to = read.integer("group_id").map(NamespaceId::new);
    read.finish()?;
    let actor = request.actor();
    let moved = request
        .manage(move |tx, group, _| with_names(tx, |tx| move_group(tx, group.id, to, actor)));
    let (group, names) = moved.await?;
    Ok(HttpResponse::Created().json(group_json(&request, &group, &names)))
}

/// Runs some work on a group, and loads its names.
fn with_names(
    tx: &mut dyn WriteTransaction,
    work: impl FnOnce(&mut dyn WriteTransaction) -> Result<Group, NamespaceError>,
) -> Result<(Group, FullNames), Failure> {
    let group = work(tx).map_err(ApiError::from)?;
    let names = names_of(tx, &group)?;
    Ok((group, names))
}
