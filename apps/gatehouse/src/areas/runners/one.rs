//! `/api/v4/runners/:id`: one runner, for those who manage it.

use ::pipelines::model::RunnerPlace;
use ::pipelines::wire::{JobJson, RegistrationTokenJson, RunnerDetailJson};
use accounts::wire::UserSummary;
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::RunnerId;
use api_conventions::page::{Page, Total};
use api_conventions::paging::Paging;
use gatehouse_core::flows::groups::Actor;
use gatehouse_core::flows::runners::{
    delete_runner, find_managed_runner, reset_registration_token, reset_runner_token,
    update_runner, with_places,
};
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Pages, Parameter, ParameterKind, ResponseSpec, delete, get, post, put,
};

use super::fields::{TAG, read_settings, settings};
use super::view::{detail, new_token, refused, with_names, with_token};
use crate::frame::api::{ApiRequest, AsAdministrator, AsUser};
use crate::frame::scopes::{ReadApi, WriteApi};

const RUNNER: &str = "/api/v4/runners/{id}";

const ID: Parameter = Parameter::path("id", ParameterKind::ID, "ID of the runner.");

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let one = |about| ResponseSpec::json::<RunnerDetailJson>(200, about);
    let token = || {
        ResponseSpec::json::<RegistrationTokenJson<'_>>(
            201,
            "The new token, which is shown only once. The previous one is invalid.",
        )
    };
    let forbidden = || ResponseSpec::refusal(403, "You do not manage this runner.");
    vec![
        get("showRunner", RUNNER, show)
            .documented(TAG, "Get a runner")
            .takes([ID])
            .response(one("The runner."))
            .response(forbidden()),
        put("updateRunner", RUNNER, update)
            .documented(TAG, "Update a runner")
            .takes([ID])
            .takes(settings())
            .response(one("The updated runner."))
            .response(forbidden()),
        delete("deleteRunner", RUNNER, remove)
            .documented(TAG, "Delete a runner")
            .takes([ID])
            .response(ResponseSpec::empty(
                204,
                "Deleted. Its token is no longer valid.",
            ))
            .response(forbidden()),
        get("listRunnerJobs", "/api/v4/runners/{id}/jobs", jobs)
            .documented(TAG, "List the jobs of a runner, of which there are none")
            .takes([ID])
            .takes(job_filters())
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<JobJson<UserSummary>>>(
                200,
                "An empty page: this server gives out no jobs.",
            ))
            .response(forbidden()),
        post(
            "resetRunnerToken",
            "/api/v4/runners/{id}/reset_authentication_token",
            reset_token,
        )
        .documented(TAG, "Reset the authentication token of a runner")
        .takes([ID])
        .response(token())
        .response(forbidden()),
        post(
            "resetInstanceRegistrationToken",
            "/api/v4/runners/reset_registration_token",
            reset_registration,
        )
        .documented(TAG, "Reset the registration token of the instance")
        .response(token()),
    ]
}

/// Filters of the jobs of a runner, of which there are none to select.
fn job_filters() -> [Parameter; 3] {
    [
        Parameter::query("status", ParameterKind::ANY_TEXT, "Filter by status."),
        Parameter::query("order_by", ParameterKind::Word(&["id"]), "Sort column."),
        Parameter::query(
            "sort",
            ParameterKind::Word(&["asc", "desc"]),
            "Sort direction.",
        ),
    ]
}

async fn show(request: AsUser<ReadApi>) -> Result<HttpResponse, Failure> {
    let (id, actor) = (runner_id(&request, ID.name)?, request.actor());
    let found = request.read(move |tx| {
        let runner = find_managed_runner(tx, actor.viewer, id, actor.now).map_err(refused)?;
        let loaded = with_places(tx, actor.viewer, runner, actor.now)?;
        with_names(tx, loaded)
    });
    let view = found.await?;
    request.json(&detail(&request, view))
}

async fn update(request: AsUser<WriteApi>) -> Result<HttpResponse, Failure> {
    let (id, actor) = (runner_id(&request, ID.name)?, request.actor());
    let edit = read_settings(request.params())?;
    let updated = request.write(move |tx| {
        let runner = update_runner(tx, id, &edit, actor).map_err(refused)?;
        let loaded = with_places(tx, actor.viewer, runner, actor.now)?;
        with_names(tx, loaded)
    });
    let view = updated.await?;
    request.json(&detail(&request, view))
}

async fn remove(request: AsUser<WriteApi>) -> Result<Deletion, Failure> {
    let (id, actor) = (runner_id(&request, ID.name)?, request.actor());
    let condition = request.precondition();
    let deleted = request.write(move |tx| {
        let runner = delete_runner(tx, id, actor).map_err(refused)?;
        Ok(condition.check(runner.created_at)?)
    });
    Ok(Deletion::no_content(deleted.await?))
}

async fn jobs(request: AsUser<ReadApi>) -> Result<HttpResponse, Failure> {
    let (id, actor) = (runner_id(&request, ID.name)?, request.actor());
    let paging = Paging::offset(request.params())?;
    let found = request
        .read(move |tx| find_managed_runner(tx, actor.viewer, id, actor.now).map_err(refused));
    found.await?;
    let page: Page<JobJson<UserSummary>> = Page {
        items: Vec::new(),
        has_next: false,
        total: Total::Exact(0),
    };
    request.page(paging, page, |job| job)
}

async fn reset_token(request: AsUser<WriteApi>) -> Result<HttpResponse, Failure> {
    let (id, actor) = (runner_id(&request, ID.name)?, request.actor());
    let secret = new_token();
    let digest = secret.digest();
    let reset =
        request.write(move |tx| reset_runner_token(tx, id, &digest, actor).map_err(refused));
    reset.await?;
    Ok(with_token(&secret))
}

async fn reset_registration(request: AsAdministrator<WriteApi>) -> Result<HttpResponse, Failure> {
    let caller = request.caller();
    let actor = Actor {
        id: caller.user.id,
        viewer: caller.viewer(),
        now: request.now(),
    };
    let vault = request.vault();
    let reset = request.write(move |tx| {
        let place = RunnerPlace::Instance;
        Ok(reset_registration_token(tx, &vault, place, actor)?)
    });
    Ok(with_token(&reset.await?))
}

/// Parses the id of a runner in the path.
pub(super) fn runner_id(request: &ApiRequest, name: &str) -> Result<RunnerId, ApiError> {
    Ok(RunnerId::new(request.number(name, "Runner")?))
}
