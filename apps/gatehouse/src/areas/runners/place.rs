//! Runners of projects and groups.

use ::pipelines::model::RunnerPlace;
use ::pipelines::wire::{RegistrationTokenJson, RunnerDetailJson};
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ApiError;
use api_conventions::ids::RunnerId;
use api_conventions::paging::Paging;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::runners::{
    assign_runner, list_places_for_group, list_places_for_project, reset_registration_token,
    unassign_runner, with_places,
};
use projects::{Group, Project};
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Pages, Parameter, ParameterKind, ResponseSpec, delete, get, post,
};

use super::fields::TAG;
use super::lists::{filters, page_of_runners, read_filter, respond, within};
use super::one::runner_id;
use super::view::{detail, refused, with_names, with_token};
use crate::frame::group::{GROUP, Groups};
use crate::frame::place::{In, PlaceKind};
use crate::frame::project::{InProject, PROJECT, Projects};
use crate::frame::scopes::{Maintainer, Owner, ReadApi, Role, WriteApi};

const OF_PROJECT: &str = "/api/v4/projects/{id}/runners";

const RUNNER_ID: Parameter = Parameter::path("runner_id", ParameterKind::ID, "ID of the runner.");

const ASSIGNED: Parameter =
    Parameter::body("runner_id", ParameterKind::ID, "ID of the runner.").required();

/// A kind of place that has runners.
trait HasRunners: PlaceKind {
    /// Minimum role that manages them.
    type Manager: Role;

    /// Converts the place to the owner of its runners.
    fn owner(place: &Self::Place) -> RunnerPlace;

    /// Lists the places whose runners are available here.
    ///
    /// # Errors
    /// Failures of the store.
    fn list_places(
        tx: &mut dyn ReadTransaction,
        place: &Self::Place,
    ) -> Result<Vec<RunnerPlace>, StoreError>;
}

impl HasRunners for Projects {
    type Manager = Maintainer;

    fn owner(project: &Project) -> RunnerPlace {
        RunnerPlace::Project(project.id)
    }

    fn list_places(
        tx: &mut dyn ReadTransaction,
        project: &Project,
    ) -> Result<Vec<RunnerPlace>, StoreError> {
        list_places_for_project(tx, project)
    }
}

impl HasRunners for Groups {
    type Manager = Owner;

    fn owner(group: &Group) -> RunnerPlace {
        RunnerPlace::Group(group.id)
    }

    fn list_places(
        tx: &mut dyn ReadTransaction,
        group: &Group,
    ) -> Result<Vec<RunnerPlace>, StoreError> {
        list_places_for_group(tx, group)
    }
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let token = || {
        ResponseSpec::json::<RegistrationTokenJson<'_>>(
            201,
            "The new token, which is shown only once. The previous one is invalid.",
        )
    };
    vec![
        get("listProjectRunners", OF_PROJECT, list::<Projects>)
            .documented(TAG, "List the runners that are available to a project")
            .takes([PROJECT])
            .takes(filters())
            .paged(Pages::Offset)
            .response(page_of_runners()),
        get(
            "listGroupRunners",
            "/api/v4/groups/{id}/runners",
            list::<Groups>,
        )
        .documented(TAG, "List the runners that are available to a group")
        .takes([GROUP])
        .takes(filters())
        .paged(Pages::Offset)
        .response(page_of_runners()),
        post("assignRunner", OF_PROJECT, assign)
            .documented(TAG, "Assign a runner to a project")
            .takes([PROJECT, ASSIGNED])
            .response(ResponseSpec::json::<RunnerDetailJson>(201, "The runner."))
            .response(ResponseSpec::refusal(
                403,
                "You do not manage the runner, or it is locked.",
            )),
        delete(
            "unassignRunner",
            "/api/v4/projects/{id}/runners/{runner_id}",
            unassign,
        )
        .documented(TAG, "End the assignment of a runner to a project")
        .takes([PROJECT, RUNNER_ID])
        .response(ResponseSpec::empty(204, "No longer assigned."))
        .response(ResponseSpec::refusal(
            400,
            "This is the only project of the runner.",
        )),
        post(
            "resetProjectRegistrationToken",
            "/api/v4/projects/{id}/runners/reset_registration_token",
            reset::<Projects>,
        )
        .documented(TAG, "Reset the registration token of a project")
        .takes([PROJECT])
        .response(token()),
        post(
            "resetGroupRegistrationToken",
            "/api/v4/groups/{id}/runners/reset_registration_token",
            reset::<Groups>,
        )
        .documented(TAG, "Reset the registration token of a group")
        .takes([GROUP])
        .response(token()),
    ]
}

async fn list<P: HasRunners>(request: In<P, P::Manager, ReadApi>) -> Result<HttpResponse, Failure> {
    let filter = read_filter(&request)?;
    let paging = Paging::offset(request.params())?;
    let found = request.read(move |tx, place| {
        let places = P::list_places(tx, place)?;
        Ok(tx.list_runners(&within(filter, places), paging)?)
    });
    let (page, _) = found.await?;
    respond(&request, paging, page)
}

async fn assign(request: InProject<Maintainer, WriteApi>) -> Result<HttpResponse, Failure> {
    let mut read = request.params().reader();
    let id = read.integer(ASSIGNED.name).map(RunnerId::new);
    let id = read.required(ASSIGNED.name, id);
    read.finish()?;
    let (id, actor) = (id.value()?, request.actor());
    let assigned = request.write(move |tx, project| {
        let runner = assign_runner(tx, id, project.id, actor).map_err(refused)?;
        let loaded = with_places(tx, actor.viewer, runner, actor.now)?;
        with_names(tx, loaded)
    });
    let (view, _) = assigned.await?;
    Ok(HttpResponse::build(StatusCode::CREATED).json(detail(&request, view)))
}

async fn unassign(request: InProject<Maintainer, WriteApi>) -> Result<Deletion, Failure> {
    let (id, actor) = (runner_id(&request, RUNNER_ID.name)?, request.actor());
    let condition = request.precondition();
    let ended = request.manage(move |tx, project, _| {
        let found = tx.find_runner(id)?;
        let found = found.ok_or_else(|| ApiError::not_found("Runner"))?;
        unassign_runner(tx, id, project.id, actor).map_err(refused)?;
        Ok(condition.check(found.created_at)?)
    });
    Ok(Deletion::no_content(ended.await?))
}

async fn reset<P: HasRunners>(
    request: In<P, P::Manager, WriteApi>,
) -> Result<HttpResponse, Failure> {
    let (vault, actor) = (request.vault(), request.actor());
    let reset = request.manage(move |tx, place, _| {
        Ok(reset_registration_token(
            tx,
            &vault,
            P::owner(&place),
            actor,
        )?)
    });
    Ok(with_token(&reset.await?))
}
