//! Group resource: `/api/v4/groups/:id`.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::NamespaceId;
use gatehouse_core::database::WriteTransaction;
use gatehouse_core::flows::groups::{create_group, move_group, update_group};
use projects::flow::error::PlaceError;
use projects::flow::groups::CreateGroup;
use projects::wire::{GroupDetailJson, GroupJson};
use projects::{FullNames, Group, GroupContent};
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Kind, Operation, Parameter, get, post, put};

use super::lists::{detail, names_of, shown};
use super::of_group::GroupProjects;
use super::parameters::{content, read_edit};
use crate::frame::api::AsUser;
use crate::frame::group::{GROUP, InGroup, SeesGroup};
use crate::frame::scopes::{Owner, Read, Write};

const TAG: &str = "groups";
const GROUPS: &str = "/api/v4/groups";
const ONE: &str = "/api/v4/groups/{id}";

const WITH_PROJECTS: Parameter = Parameter::query(
    "with_projects",
    Kind::Boolean,
    "Include the projects in the group and those that are shared with it, the first hundred of them; `true` when it is absent.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let required = |parameter: Parameter| match parameter.name {
        "name" | "path" => parameter.required(),
        _ => parameter,
    };
    let parent = Parameter::body("parent_id", Kind::ID, "The group to put it in.");
    let to = Parameter::body(
        "group_id",
        Kind::ID,
        "The group to move it to; out of all without one.",
    );
    vec![
        post("createGroup", GROUPS, create)
            .documented(TAG, "Make a group, whose Owner the caller becomes")
            .takes(content().into_iter().map(required))
            .takes([parent])
            .answers(Answer::json::<GroupDetailJson>(201, "The group."))
            .answers(Answer::refusal(
                404,
                "The caller sees no such group to put it in.",
            ))
            .answers(taken()),
        get("showGroup", ONE, show)
            .documented(TAG, "Show a group")
            .takes([GROUP, WITH_PROJECTS])
            .answers(Answer::json::<GroupDetailJson>(200, "The group.")),
        put("updateGroup", ONE, update)
            .documented(TAG, "Change a group: at least one of its fields")
            .takes([GROUP])
            .takes(content())
            .answers(Answer::json::<GroupDetailJson>(
                200,
                "The group as it is now.",
            ))
            .answers(taken()),
        post("transferGroup", "/api/v4/groups/{id}/transfer", transfer)
            .documented(TAG, "Move a group with everything in it")
            .takes([GROUP, to])
            .answers(Answer::json::<GroupJson>(201, "The group as it is now."))
            .answers(taken()),
    ]
}

fn taken() -> Answer {
    Answer::refusal(409, "A group, a user or a project has the path.")
}

async fn create(asked: AsUser<Write>) -> Result<HttpResponse, Failure> {
    let mut read = asked.params().reader();
    let edit = read_edit(&mut read);
    let parent = read.integer("parent_id").map(NamespaceId::new);
    read.demand(&["name", "path"]);
    read.finish()?;
    let actor = asked.by();
    let request = CreateGroup {
        content: edit.apply(GroupContent::default()),
        parent,
        viewer: actor.viewer,
        owner: actor.id,
        now: actor.now,
    };
    let made = asked.write(move |tx| with_names(tx, |tx| create_group(tx, &request)));
    let (group, names) = made.await?;
    Ok(HttpResponse::Created().json(detail(&asked, &group, &names)))
}

async fn show(asked: SeesGroup<Read>) -> Result<HttpResponse, Failure> {
    let mut read = asked.params().reader();
    let with_projects = read.boolean(WITH_PROJECTS.name).unwrap_or(true);
    read.finish()?;
    let (viewer, today) = (asked.viewer(), asked.now().date());
    let found = asked.read(move |tx, group, _| {
        let names = names_of(tx, &group)?;
        let projects = if with_projects {
            GroupProjects::read(tx, group.id, viewer, today)?
        } else {
            None
        };
        Ok((group, names, projects))
    });
    let (group, names, projects) = found.await?;
    let mut json = detail(&asked, &group, &names);
    if let Some(projects) = projects {
        let (own, shared) = projects.shown(group.id, asked.base_url());
        json = json.with_projects(own, shared);
    }
    asked.json(&json)
}

async fn update(asked: InGroup<Owner, Write>) -> Result<HttpResponse, Failure> {
    let mut read = asked.params().reader();
    let edit = read_edit(&mut read);
    read.finish()?;
    let actor = asked.by();
    let changed = asked
        .manage(move |tx, group, _| with_names(tx, |tx| update_group(tx, group.id, &edit, actor)));
    let (group, names) = changed.await?;
    asked.json(&detail(&asked, &group, &names))
}

async fn transfer(asked: InGroup<Owner, Write>) -> Result<HttpResponse, Failure> {
    let mut read = asked.params().reader();
    let to = read.integer("group_id").map(NamespaceId::new);
    read.finish()?;
    let actor = asked.by();
    let moved =
        asked.manage(move |tx, group, _| with_names(tx, |tx| move_group(tx, group.id, to, actor)));
    let (group, names) = moved.await?;
    Ok(HttpResponse::Created().json(shown(&asked, &group, &names)))
}

/// Runs some work on a group, and loads its names.
fn with_names(
    tx: &mut dyn WriteTransaction,
    work: impl FnOnce(&mut dyn WriteTransaction) -> Result<Group, PlaceError>,
) -> Result<(Group, FullNames), Failure> {
    let group = work(tx).map_err(ApiError::from)?;
    let names = names_of(tx, &group)?;
    Ok((group, names))
}
