//! `/api/v4/projects/:id/environments`: targets of deployments.

use ::pipelines::flow::{
    EnvironmentEdit, create_environment, delete_environment, stop_environment, update_environment,
};
use ::pipelines::model::{
    Deployment, DeploymentFilter, DeploymentStatus, Environment, EnvironmentFilter,
    EnvironmentName, EnvironmentState, EnvironmentTier,
};
use ::pipelines::wire::{DeploymentJson, EnvironmentDetailJson, EnvironmentJson};
use accounts::wire::UserSummary;
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::{EnvironmentId, ProjectId};
use api_conventions::page::{OffsetPage, SortOrder};
use api_conventions::paging::Paging;
use api_conventions::params::{ParamReader, Params};
use gatehouse_core::database::ReadTransaction;
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Pages, Parameter, ParameterKind, ResponseSpec, delete, get, post, put,
};

use super::shared::{People, filled, refused};
use crate::frame::api::ApiRequest;
use crate::frame::project::PROJECT;
use crate::frame::project_feature::{Environments, InFeature, SeesFeature};
use crate::frame::scopes::{Developer, Maintainer, ReadApi, WriteApi};

const TAG: &str = "environments";
const ENVIRONMENTS: &str = "/api/v4/projects/{id}/environments";
const ENVIRONMENT: &str = "/api/v4/projects/{id}/environments/{environment_id}";
const STOP: &str = "/api/v4/projects/{id}/environments/{environment_id}/stop";
const RESOURCE: &str = "Environment";

const ID: Parameter = Parameter::path(
    "environment_id",
    ParameterKind::ID,
    "ID of the environment.",
);
const NAME: Parameter = Parameter::body(
    "name",
    ParameterKind::Text { min: 1, max: 255 },
    "Name, unique in the project: letters, digits, spaces and `-_/${}.`.",
);
const EXTERNAL_URL: Parameter = Parameter::body(
    "external_url",
    ParameterKind::Text { min: 0, max: 255 },
    "URL of the deployed application. Send an empty value to clear it.",
);
const TIER: Parameter = Parameter::body(
    "tier",
    ParameterKind::Word(EnvironmentTier::NAMES),
    "Tier of the environment (default: derived from the name).",
);

type EnvironmentResponse = EnvironmentDetailJson<UserSummary>;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let one = |status| ResponseSpec::json::<EnvironmentJson>(status, "The environment.");
    vec![
        get("listEnvironments", ENVIRONMENTS, list)
            .documented(TAG, "List the environments of a project")
            .takes([PROJECT])
            .takes(filters())
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<EnvironmentJson>>(
                200,
                "A page of environments, oldest first.",
            )),
        get("showEnvironment", ENVIRONMENT, show)
            .documented(TAG, "Get an environment")
            .takes([PROJECT, ID])
            .response(ResponseSpec::json::<EnvironmentResponse>(
                200,
                "The environment, with its last successful deployment.",
            )),
        post("createEnvironment", ENVIRONMENTS, create)
            .documented(TAG, "Create an environment")
            .takes([PROJECT, NAME.required(), EXTERNAL_URL, TIER])
            .response(one(201)),
        put("updateEnvironment", ENVIRONMENT, update)
            .documented(TAG, "Update an environment")
            .takes([PROJECT, ID, NAME, EXTERNAL_URL, TIER])
            .response(one(200)),
        post("stopEnvironment", STOP, stop)
            .documented(TAG, "Stop an environment")
            .takes([PROJECT, ID])
            .response(one(200)),
        delete("deleteEnvironment", ENVIRONMENT, remove)
            .documented(TAG, "Delete a stopped environment")
            .takes([PROJECT, ID])
            .response(ResponseSpec::empty(204, "Deleted, with its deployments.")),
    ]
}

fn filters() -> [Parameter; 3] {
    [
        Parameter::query(
            "name",
            ParameterKind::ANY_TEXT,
            "Filter by exact name. Cannot be combined with `search`.",
        ),
        Parameter::query(
            "search",
            ParameterKind::ANY_TEXT,
            "Text to search for in names. Cannot be combined with `name`.",
        ),
        Parameter::query(
            "states",
            ParameterKind::Word(EnvironmentState::NAMES),
            "Filter by state.",
        ),
    ]
}

async fn list(request: SeesFeature<Environments, ReadApi>) -> Result<HttpResponse, Failure> {
    let filter = read_filter(request.params())?;
    let paging = Paging::offset(request.params())?;
    let found = request.read(move |tx, project, _| {
        let filter = EnvironmentFilter {
            project_id: project.id,
            ..filter
        };
        Ok(tx.list_environments(&filter, paging)?)
    });
    let page = found.await?;
    request.page(paging, page, EnvironmentJson::from)
}

/// Parses the filter of a request.
/// The project is set once it is resolved.
fn read_filter(params: &Params) -> Result<EnvironmentFilter, ApiError> {
    let mut read = params.reader();
    let mut filter = EnvironmentFilter::new(ProjectId::new(0));
    let name = filled(&mut read, "name").map(EnvironmentName::Is);
    let search = filled(&mut read, "search").map(EnvironmentName::Holds);
    if name.is_some() && search.is_some() {
        read.fault("name, search", "are mutually exclusive");
    }
    filter.name = name.or(search);
    filter.state = read.word("states", EnvironmentState::parse);
    read.finish()?;
    Ok(filter)
}

async fn show(request: SeesFeature<Environments, ReadApi>) -> Result<HttpResponse, Failure> {
    let id = environment_id(&request)?;
    let found = request.read(move |tx, project, _| {
        let found = tx.find_environment(project.id, id)?;
        let environment = found.ok_or_else(|| ApiError::not_found(RESOURCE))?;
        let last = last_deployment(tx, &environment)?;
        let people = People::load(tx, last.iter().map(|one| one.user_id))?;
        Ok((environment, last, people))
    });
    let (environment, last, people) = found.await?;
    let last = last.map(|one| {
        let user = people.summary(one.user_id, request.base_url());
        DeploymentJson::new(one, Some(environment.clone()), user)
    });
    request.json(&EnvironmentResponse::new(environment, last))
}

/// Returns the newest successful deployment to an environment, which clients call the last one.
fn last_deployment(
    tx: &mut dyn ReadTransaction,
    environment: &Environment,
) -> Result<Option<Deployment>, StoreError> {
    let filter = DeploymentFilter {
        environment_id: Some(environment.id),
        status: Some(DeploymentStatus::Success),
        sort: SortOrder::Descending,
        ..DeploymentFilter::new(environment.project_id)
    };
    let newest = tx.list_deployments(&filter, OffsetPage::new(1, 1))?;
    Ok(newest.items.into_iter().next())
}

async fn create(
    request: InFeature<Environments, Developer, WriteApi>,
) -> Result<HttpResponse, Failure> {
    let mut read = request.params().reader();
    let edit = read_edit(&mut read);
    read.demand(&[NAME.name]);
    read.finish()?;
    let now = request.now();
    let created = request
        .write(move |tx, project| create_environment(tx, project.id, &edit, now).map_err(refused));
    let (environment, _) = created.await?;
    Ok(HttpResponse::Created().json(EnvironmentJson::from(environment)))
}

async fn update(
    request: InFeature<Environments, Developer, WriteApi>,
) -> Result<HttpResponse, Failure> {
    let id = environment_id(&request)?;
    let mut read = request.params().reader();
    let edit = read_edit(&mut read);
    read.finish()?;
    let now = request.now();
    let changed = request.write(move |tx, project| {
        update_environment(tx, project.id, id, &edit, now).map_err(refused)
    });
    let (environment, _) = changed.await?;
    request.json(&EnvironmentJson::from(environment))
}

/// Parses the edit of an environment.
fn read_edit(read: &mut ParamReader<'_>) -> EnvironmentEdit {
    let external_url = filled(read, EXTERNAL_URL.name);
    EnvironmentEdit {
        name: read.text(NAME.name),
        external_url: read.is_given(EXTERNAL_URL.name).then_some(external_url),
        tier: read.word(TIER.name, EnvironmentTier::parse),
    }
}

async fn stop(
    request: InFeature<Environments, Developer, WriteApi>,
) -> Result<HttpResponse, Failure> {
    let (id, now) = (environment_id(&request)?, request.now());
    let stopped = request
        .write(move |tx, project| stop_environment(tx, project.id, id, now).map_err(refused));
    let (environment, _) = stopped.await?;
    request.json(&EnvironmentJson::from(environment))
}

async fn remove(
    request: InFeature<Environments, Maintainer, WriteApi>,
) -> Result<Deletion, Failure> {
    let (id, condition) = (environment_id(&request)?, request.precondition());
    let deleted = request.write(move |tx, project| {
        let flow = |since| delete_environment(tx, project.id, id, since);
        condition.check_in(flow).map_err(refused)
    });
    Ok(Deletion::no_content(deleted.await?.0))
}

fn environment_id(request: &ApiRequest) -> Result<EnvironmentId, ApiError> {
    request.number(ID.name, RESOURCE).map(EnvironmentId::new)
}
