//! `/api/v4/projects/:id/hooks`: the hooks of a project, as v4 clients know them.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::ChannelId;
use api_conventions::page::Page;
use api_conventions::paging::Paging;
use gatehouse_core::flows::hooks::{
    HookTrigger, create_hook, delete_hook, find_hook, list_hooks, test_hook, update_hook,
};
use notifications::flow::ChannelError;
use notifications::wire::ProjectHookJson;
use schemars::JsonSchema;
use serde::Serialize;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Pages, Parameter, ParameterKind, ResponseSpec, delete, get, post, put,
};

use super::api::{TAG, actor};
use super::hook_input::{URL, parameters, parse_trigger, read_new, read_update};
use crate::frame::api::ApiRequest;
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Maintainer, ReadApi, WriteApi};

const ALL: &str = "/api/v4/projects/{id}/hooks";
const ONE: &str = "/api/v4/projects/{id}/hooks/{hook_id}";
const TEST: &str = "/api/v4/projects/{id}/hooks/{hook_id}/test/{trigger}";

const RESOURCE: &str = "Project Hook";

const ID: Parameter = Parameter::path("hook_id", ParameterKind::ID, "ID of the hook.");

pub(super) const TRIGGER: Parameter = Parameter::path(
    "trigger",
    ParameterKind::Word(HookTrigger::NAMES),
    "Event that the test reports, about the newest resource of its kind.",
);

/// Body of the response to a test.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "HookTested")]
struct HookTested {
    message: &'static str,
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let hook = |status, text| ResponseSpec::json::<ProjectHookJson>(status, text);
    let taken = || ResponseSpec::refusal(409, "Another channel of the project has the name.");
    vec![
        get("listProjectHooks", ALL, list)
            .documented(TAG, "List the hooks of a project")
            .takes([PROJECT])
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<ProjectHookJson>>(
                200,
                "A page of hooks, in the order of their creation.",
            )),
        post("createProjectHook", ALL, create)
            .documented(TAG, "Create a project hook")
            .takes([PROJECT, URL.required()])
            .takes(parameters())
            .response(hook(201, "The hook."))
            .response(taken()),
        get("showProjectHook", ONE, show)
            .documented(TAG, "Get a project hook")
            .takes([PROJECT, ID])
            .response(hook(200, "The hook.")),
        put("updateProjectHook", ONE, update)
            .documented(TAG, "Update a project hook")
            .takes([PROJECT, ID, URL])
            .takes(parameters())
            .response(hook(200, "The updated hook."))
            .response(taken()),
        delete("deleteProjectHook", ONE, remove)
            .documented(TAG, "Delete a project hook")
            .takes([PROJECT, ID])
            .response(ResponseSpec::empty(
                204,
                "Deleted. Messages that wait are cancelled.",
            )),
        post("testProjectHook", TEST, test)
            .documented(TAG, "Test a project hook")
            .takes([PROJECT, ID, TRIGGER])
            .response(ResponseSpec::json::<HookTested>(
                201,
                "The message waits to be sent; the list of notification messages has the result.",
            ))
            .response(ResponseSpec::refusal(
                422,
                "The project has nothing of the kind, or the hook is turned off.",
            )),
    ]
}

async fn list(request: InProject<Maintainer, ReadApi>) -> Result<HttpResponse, Failure> {
    let paging = Paging::offset(request.params())?;
    let found = request.read(|tx, project| Ok(list_hooks(tx, project.id)?));
    let (hooks, _) = found.await?;
    let page = Page::of_all(hooks, paging);
    request.page(paging, page, ProjectHookJson::new)
}

async fn create(request: InProject<Maintainer, WriteApi>) -> Result<HttpResponse, Failure> {
    let values = read_new(request.params())?;
    let (vault, by) = (request.vault(), actor(&request));
    let created = request.write(move |tx, project| {
        create_hook(tx, &vault, project.id, &values, by).map_err(refusal)
    });
    let (hook, _) = created.await?;
    Ok(HttpResponse::Created().json(ProjectHookJson::new(hook)))
}

async fn show(request: InProject<Maintainer, ReadApi>) -> Result<HttpResponse, Failure> {
    let id = hook_id(&request)?;
    let found = request.read(move |tx, project| find_hook(tx, project.id, id).map_err(refusal));
    let (hook, _) = found.await?;
    request.json(&ProjectHookJson::new(hook))
}

async fn update(request: InProject<Maintainer, WriteApi>) -> Result<HttpResponse, Failure> {
    let (id, values) = (hook_id(&request)?, read_update(request.params())?);
    let (vault, by) = (request.vault(), actor(&request));
    let updated = request.write(move |tx, project| {
        update_hook(tx, &vault, (project.id, id), &values, by).map_err(refusal)
    });
    let (hook, _) = updated.await?;
    request.json(&ProjectHookJson::new(hook))
}

async fn remove(request: InProject<Maintainer, WriteApi>) -> Result<Deletion, Failure> {
    let (id, condition) = (hook_id(&request)?, request.precondition());
    let by = actor(&request);
    let deleted = request.write(move |tx, project| {
        let hook = delete_hook(tx, (project.id, id), by).map_err(refusal)?;
        Ok(condition.check(hook.updated_at)?)
    });
    Ok(Deletion::no_content(deleted.await?.0))
}

async fn test(request: InProject<Maintainer, WriteApi>) -> Result<HttpResponse, Failure> {
    let id = hook_id(&request)?;
    let trigger = parse_trigger(&request.segment(TRIGGER.name, RESOURCE)?)?;
    let by = actor(&request);
    let written = request
        .write(move |tx, project| test_hook(tx, (project.id, id), trigger, by).map_err(refusal));
    written.await?;
    let message = "201 Created";
    Ok(HttpResponse::Created().json(HookTested { message }))
}

fn hook_id(request: &ApiRequest) -> Result<ChannelId, ApiError> {
    Ok(ChannelId::new(request.number(ID.name, RESOURCE)?))
}

/// Returns the refusal as v4 clients expect it: a test that cannot be sent is a 422.
fn refusal(error: ChannelError) -> Failure {
    match error {
        ChannelError::NotFound => ApiError::not_found(RESOURCE).into(),
        ChannelError::Inactive => ApiError::unprocessable(&error.to_string()).into(),
        other => super::api::refusal(other),
    }
}
