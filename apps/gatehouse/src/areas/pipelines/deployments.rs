//! `/api/v4/projects/:id/deployments`: deployments to environments.

use std::collections::BTreeSet;

use ::pipelines::flow::{
    DeploymentInput, create_deployment, delete_deployment, list_deployments, update_deployment,
};
use ::pipelines::model::{
    Deployment, DeploymentFilter, DeploymentOrder, DeploymentStatus, Environment,
};
use ::pipelines::wire::DeploymentJson;
use accounts::wire::UserSummary;
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::{DeploymentId, EnvironmentId, ProjectId, UserId};
use api_conventions::page::{Page, SortOrder, Total};
use api_conventions::paging::Paging;
use api_conventions::params::Params;
use gatehouse_core::database::ReadTransaction;
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Pages, Parameter, ParameterKind, ResponseSpec, delete, get, post, put,
};

use super::shared::{People, filled, range, refused};
use crate::frame::api::ApiRequest;
use crate::frame::project::PROJECT;
use crate::frame::project_feature::{Environments, InFeature, SeesFeature};
use crate::frame::scopes::{Developer, Maintainer, ReadApi, WriteApi};

const TAG: &str = "deployments";
const DEPLOYMENTS: &str = "/api/v4/projects/{id}/deployments";
const DEPLOYMENT: &str = "/api/v4/projects/{id}/deployments/{deployment_id}";
const RESOURCE: &str = "Deployment";

const ID: Parameter = Parameter::path("deployment_id", ParameterKind::ID, "ID of the deployment.");
const ENVIRONMENT: Parameter = Parameter::body(
    "environment",
    ParameterKind::Text { min: 1, max: 255 },
    "Name of the environment. Created if it does not exist.",
);
const SHA: Parameter = Parameter::body(
    "sha",
    ParameterKind::Matching("^([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$"),
    "Full SHA of the commit.",
);
const REF: Parameter = Parameter::body(
    "ref",
    ParameterKind::Text { min: 1, max: 2048 },
    "Branch or tag.",
);
const IS_TAG: Parameter = Parameter::body("tag", ParameterKind::Boolean, "True if `ref` is a tag.");
const STATUS: Parameter = Parameter::body(
    "status",
    ParameterKind::Word(DeploymentStatus::NAMES),
    "Status of the deployment. A finished deployment cannot become unfinished again.",
);

type DeploymentResponse = DeploymentJson<UserSummary>;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let one = |status| ResponseSpec::json::<DeploymentResponse>(status, "The deployment.");
    vec![
        get("listDeployments", DEPLOYMENTS, list)
            .documented(TAG, "List the deployments of a project")
            .takes([PROJECT])
            .takes(filters())
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<DeploymentResponse>>(
                200,
                "A page of deployments.",
            )),
        get("showDeployment", DEPLOYMENT, show)
            .documented(TAG, "Get a deployment")
            .takes([PROJECT, ID])
            .response(one(200)),
        post("createDeployment", DEPLOYMENTS, create)
            .documented(TAG, "Create a deployment")
            .takes([PROJECT, ENVIRONMENT.required(), SHA.required()])
            .takes([REF.required(), IS_TAG.required(), STATUS.required()])
            .response(one(201)),
        put("updateDeployment", DEPLOYMENT, update)
            .documented(TAG, "Update the status of a deployment")
            .takes([PROJECT, ID, STATUS.required()])
            .response(one(200)),
        delete("deleteDeployment", DEPLOYMENT, remove)
            .documented(TAG, "Delete a deployment")
            .takes([PROJECT, ID])
            .response(ResponseSpec::empty(204, "Deleted.")),
    ]
}

fn filters() -> [Parameter; 8] {
    let time = |name, about| Parameter::query(name, ParameterKind::Timestamp, about);
    [
        Parameter::query(
            "order_by",
            ParameterKind::Word(DeploymentOrder::NAMES),
            "Sort column. Among deployments with the same time of the last update, the highest ID is first.",
        ),
        Parameter::query(
            "sort",
            ParameterKind::Word(&SortOrder::NAMES),
            "Sort direction.",
        ),
        Parameter::query(
            "environment",
            ParameterKind::ANY_TEXT,
            "Filter by the name of the environment.",
        ),
        Parameter::query(
            "status",
            ParameterKind::Word(DeploymentStatus::NAMES),
            "Filter by status.",
        ),
        time(
            "updated_after",
            "Only deployments updated at or after this time.",
        ),
        time(
            "updated_before",
            "Only deployments updated at or before this time.",
        ),
        time(
            "finished_after",
            "Only deployments finished at or after this time. Requires `status=success` and `order_by=finished_at`.",
        ),
        time(
            "finished_before",
            "Only deployments finished at or before this time. Requires `status=success` and `order_by=finished_at`.",
        ),
    ]
}

/// Parses the filter of a request, and the name of the environment.
/// The project is set once it is resolved.
fn read_filter(params: &Params) -> Result<(DeploymentFilter, Option<String>), ApiError> {
    let mut read = params.reader();
    let mut filter = DeploymentFilter::new(ProjectId::new(0));
    let order_by = read.word("order_by", DeploymentOrder::parse);
    filter.order_by = order_by.unwrap_or_default();
    let sort = read.word("sort", SortOrder::parse);
    filter.sort = sort.unwrap_or(SortOrder::Ascending);
    let environment = filled(&mut read, "environment");
    let status = filled(&mut read, STATUS.name);
    filter.updated = range(&mut read, ["updated_after", "updated_before"]);
    filter.finished = range(&mut read, ["finished_after", "finished_before"]);
    read.finish()?;
    if let Some(word) = status {
        let status = DeploymentStatus::parse(&word);
        let invalid = || ApiError::bad_request(&format!("The deployment status {word} is invalid"));
        filter.status = Some(status.ok_or_else(invalid)?);
    }
    Ok((filter, environment))
}

async fn list(request: SeesFeature<Environments, ReadApi>) -> Result<HttpResponse, Failure> {
    let (mut filter, environment) = read_filter(request.params())?;
    let paging = Paging::offset(request.params())?;
    let found = request.read(move |tx, project, _| {
        filter.project_id = project.id;
        if let Some(name) = environment {
            let found = tx.find_environment_by_name(project.id, &name)?;
            // An unknown environment has no deployments.
            let id = found.map_or(EnvironmentId::new(0), |found| found.id);
            filter.environment_id = Some(id);
        }
        let page = list_deployments(tx, &filter, paging).map_err(refused)?;
        Ok(DeploymentContext::page(tx, page)?)
    });
    let context = found.await?;
    request.page(paging, context.into_json(request.base_url()), |json| json)
}

/// Deployments with their environments and the users who reported them.
struct DeploymentContext {
    deployments: Page<Deployment>,
    environments: Vec<Environment>,
    people: People,
}

impl DeploymentContext {
    fn page<T: ReadTransaction + ?Sized>(
        tx: &mut T,
        deployments: Page<Deployment>,
    ) -> Result<Self, StoreError> {
        let environment_ids = deployments.items.iter().map(|one| one.environment_id);
        let environment_ids: BTreeSet<EnvironmentId> = environment_ids.collect();
        let environment_ids: Vec<EnvironmentId> = environment_ids.into_iter().collect();
        let people = deployments.items.iter().map(|one| one.user_id);
        Ok(Self {
            environments: tx.list_environments_by_id(&environment_ids)?,
            people: People::load(tx, people)?,
            deployments,
        })
    }

    fn one<T: ReadTransaction + ?Sized>(
        tx: &mut T,
        deployment: Deployment,
        environment: Environment,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            environments: vec![environment],
            people: People::load(tx, [deployment.user_id])?,
            deployments: Page {
                items: vec![deployment],
                has_next: false,
                total: Total::Exact(1),
            },
        })
    }

    fn into_json(self, base_url: &str) -> Page<DeploymentResponse> {
        let Self {
            deployments,
            environments,
            people,
        } = self;
        deployments.map(|deployment| {
            let is_its = |one: &&Environment| one.id == deployment.environment_id;
            let environment = environments.iter().find(is_its).cloned();
            let user = people.summary(deployment.user_id, base_url);
            DeploymentJson::new(deployment, environment, user)
        })
    }

    /// The JSON of a single deployment.
    fn single(self, base_url: &str) -> Result<DeploymentResponse, ApiError> {
        let one = self.into_json(base_url).items.pop();
        one.ok_or_else(|| ApiError::not_found(RESOURCE))
    }
}

async fn show(request: SeesFeature<Environments, ReadApi>) -> Result<HttpResponse, Failure> {
    let id = deployment_id(&request)?;
    let found = request.read(move |tx, project, _| {
        let found = tx.find_deployment(project.id, id)?;
        let items = found.into_iter().collect();
        let page = Page {
            items,
            has_next: false,
            total: Total::Exact(1),
        };
        Ok(DeploymentContext::page(tx, page)?)
    });
    let context = found.await?;
    request.json(&context.single(request.base_url())?)
}

async fn create(
    request: InFeature<Environments, Developer, WriteApi>,
) -> Result<HttpResponse, Failure> {
    let input = read_input(request.params(), request.actor_id())?;
    let now = request.now();
    let created = request.write(move |tx, project| {
        let (deployment, environment) =
            create_deployment(tx, project.id, &input, now).map_err(refused)?;
        Ok(DeploymentContext::one(tx, deployment, environment)?)
    });
    let (context, _) = created.await?;
    Ok(HttpResponse::Created().json(context.single(request.base_url())?))
}

/// Parses the deployment that a request reports.
fn read_input(params: &Params, user: UserId) -> Result<DeploymentInput, ApiError> {
    let mut read = params.reader();
    let environment = read.text(ENVIRONMENT.name);
    let environment = read.required(ENVIRONMENT.name, environment);
    let sha = read.text(SHA.name);
    let sha = read.required(SHA.name, sha);
    let reference = read.text(REF.name);
    let reference = read.required(REF.name, reference);
    let tag = read.boolean(IS_TAG.name);
    let tag = read.required(IS_TAG.name, tag);
    let status = read.word(STATUS.name, DeploymentStatus::parse);
    let status = read.required(STATUS.name, status);
    read.finish()?;
    Ok(DeploymentInput {
        environment: environment.value()?,
        sha: sha.value()?,
        reference: reference.value()?,
        tag: tag.value()?,
        status: status.value()?,
        user_id: Some(user),
    })
}

async fn update(
    request: InFeature<Environments, Developer, WriteApi>,
) -> Result<HttpResponse, Failure> {
    let (id, now) = (deployment_id(&request)?, request.now());
    let mut read = request.params().reader();
    let status = read.word(STATUS.name, DeploymentStatus::parse);
    let status = read.required(STATUS.name, status);
    read.finish()?;
    let status = status.value()?;
    let changed = request.write(move |tx, project| {
        let (deployment, environment) =
            update_deployment(tx, project.id, id, status, now).map_err(refused)?;
        Ok(DeploymentContext::one(tx, deployment, environment)?)
    });
    let (context, _) = changed.await?;
    request.json(&context.single(request.base_url())?)
}

async fn remove(
    request: InFeature<Environments, Maintainer, WriteApi>,
) -> Result<Deletion, Failure> {
    let (id, condition) = (deployment_id(&request)?, request.precondition());
    let deleted = request.write(move |tx, project| {
        let flow = |since| delete_deployment(tx, project.id, id, since);
        condition.check_in(flow).map_err(refused)
    });
    Ok(Deletion::no_content(deleted.await?.0))
}

fn deployment_id(request: &ApiRequest) -> Result<DeploymentId, ApiError> {
    request.number(ID.name, RESOURCE).map(DeploymentId::new)
}
