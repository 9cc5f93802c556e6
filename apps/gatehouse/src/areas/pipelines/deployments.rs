//! `/api/v4/projects/:id/deployments`: deployments to environments.

use std::collections::BTreeSet;

use ::pipelines::flow::{
    WantedDeployment, create_deployment, delete_deployment, list_deployments, update_deployment,
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
    Answer, Deletion, Kind, Operation, Pages, Parameter, delete, get, post, put,
};

use super::shared::{People, filled, range, refused};
use crate::frame::api::ApiRequest;
use crate::frame::project::PROJECT;
use crate::frame::project_feature::{Environments, InFeature, SeesFeature};
use crate::frame::scopes::{Developer, Maintainer, Read, Write};

const TAG: &str = "deployments";
const DEPLOYMENTS: &str = "/api/v4/projects/{id}/deployments";
const DEPLOYMENT: &str = "/api/v4/projects/{id}/deployments/{deployment_id}";
const THING: &str = "Deployment";

const ID: Parameter = Parameter::path("deployment_id", Kind::ID, "The id of the deployment.");
const ENVIRONMENT: Parameter = Parameter::body(
    "environment",
    Kind::Text { min: 1, max: 255 },
    "The name of the environment, which is made where there is none.",
);
const SHA: Parameter = Parameter::body(
    "sha",
    Kind::Matching("^([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$"),
    "The full name of the commit.",
);
const REF: Parameter = Parameter::body(
    "ref",
    Kind::Text { min: 1, max: 2048 },
    "The branch or tag.",
);
const IS_TAG: Parameter = Parameter::body("tag", Kind::Boolean, "Whether that is a tag.");
const STATUS: Parameter = Parameter::body(
    "status",
    Kind::Word(DeploymentStatus::NAMES),
    "How it stands. What is over does not go back.",
);

type Json = DeploymentJson<UserSummary>;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let one = |status| Answer::json::<Json>(status, "The deployment.");
    vec![
        get("listDeployments", DEPLOYMENTS, list)
            .documented(TAG, "List the deployments of a project")
            .takes([PROJECT])
            .takes(filters())
            .paged(Pages::Offset)
            .answers(Answer::json::<Vec<Json>>(200, "A page of the deployments.")),
        get("showDeployment", DEPLOYMENT, show)
            .documented(TAG, "Show a deployment")
            .takes([PROJECT, ID])
            .answers(one(200)),
        post("createDeployment", DEPLOYMENTS, create)
            .documented(TAG, "Report a deployment")
            .takes([PROJECT, ENVIRONMENT.required(), SHA.required()])
            .takes([REF.required(), IS_TAG.required(), STATUS.required()])
            .answers(one(201)),
        put("updateDeployment", DEPLOYMENT, update)
            .documented(TAG, "Report how a deployment stands now")
            .takes([PROJECT, ID, STATUS.required()])
            .answers(one(200)),
        delete("deleteDeployment", DEPLOYMENT, remove)
            .documented(TAG, "Delete a deployment")
            .takes([PROJECT, ID])
            .answers(Answer::empty(204, "It is gone.")),
    ]
}

fn filters() -> [Parameter; 8] {
    let time = |name, about| Parameter::query(name, Kind::Timestamp, about);
    [
        Parameter::query(
            "order_by",
            Kind::Word(DeploymentOrder::NAMES),
            "By what the list is ordered. Where it is the time of the last change, the highest id is first among equals.",
        ),
        Parameter::query("sort", Kind::Word(&SortOrder::NAMES), "In which direction."),
        Parameter::query(
            "environment",
            Kind::ANY_TEXT,
            "Only those to the environment of this name.",
        ),
        Parameter::query(
            "status",
            Kind::Word(DeploymentStatus::NAMES),
            "Only those that stand so.",
        ),
        time(
            "updated_after",
            "Only those that changed at this time or later.",
        ),
        time(
            "updated_before",
            "Only those that changed at this time or earlier.",
        ),
        time(
            "finished_after",
            "Only those that were over at this time or later. It needs `status=success` and `order_by=finished_at`.",
        ),
        time("finished_before", "The same, at this time or earlier."),
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

async fn list(request: SeesFeature<Environments, Read>) -> Result<HttpResponse, Failure> {
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
        Ok(Loaded::page(tx, page)?)
    });
    let loaded = found.await?;
    request.page(paging, loaded.shown(request.base_url()), |json| json)
}

/// Deployments with their environments and the users who reported them.
struct Loaded {
    deployments: Page<Deployment>,
    environments: Vec<Environment>,
    people: People,
}

impl Loaded {
    fn page<T: ReadTransaction + ?Sized>(
        tx: &mut T,
        deployments: Page<Deployment>,
    ) -> Result<Self, StoreError> {
        let went_to = deployments.items.iter().map(|one| one.environment_id);
        let went_to: BTreeSet<EnvironmentId> = went_to.collect();
        let went_to: Vec<EnvironmentId> = went_to.into_iter().collect();
        let people = deployments.items.iter().map(|one| one.user_id);
        Ok(Self {
            environments: tx.list_environments_by_id(&went_to)?,
            people: People::load(tx, people)?,
            deployments,
        })
    }

    fn one<T: ReadTransaction + ?Sized>(
        tx: &mut T,
        (deployment, environment): (Deployment, Environment),
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

    fn shown(self, base_url: &str) -> Page<Json> {
        let Self {
            deployments,
            environments,
            people,
        } = self;
        deployments.map(|deployment| {
            let went_to = |one: &&Environment| one.id == deployment.environment_id;
            let environment = environments.iter().find(went_to).cloned();
            let user = people.shown(deployment.user_id, base_url);
            DeploymentJson::new(deployment, environment, user)
        })
    }

    /// The JSON of a single deployment.
    fn single(self, base_url: &str) -> Result<Json, ApiError> {
        let one = self.shown(base_url).items.pop();
        one.ok_or_else(|| ApiError::not_found(THING))
    }
}

async fn show(request: SeesFeature<Environments, Read>) -> Result<HttpResponse, Failure> {
    let id = deployment_id(&request)?;
    let found = request.read(move |tx, project, _| {
        let found = tx.find_deployment(project.id, id)?;
        let items = found.into_iter().collect();
        let page = Page {
            items,
            has_next: false,
            total: Total::Exact(1),
        };
        Ok(Loaded::page(tx, page)?)
    });
    let loaded = found.await?;
    request.json(&loaded.single(request.base_url())?)
}

async fn create(
    request: InFeature<Environments, Developer, Write>,
) -> Result<HttpResponse, Failure> {
    let wanted = read_wanted(request.params(), request.actor())?;
    let now = request.now();
    let made = request.write(move |tx, project| {
        let made = create_deployment(tx, project.id, &wanted, now).map_err(refused)?;
        Ok(Loaded::one(tx, made)?)
    });
    let (loaded, _) = made.await?;
    Ok(HttpResponse::Created().json(loaded.single(request.base_url())?))
}

/// Parses the deployment that a request reports.
fn read_wanted(params: &Params, user: UserId) -> Result<WantedDeployment, ApiError> {
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
    Ok(WantedDeployment {
        environment: environment.value()?,
        sha: sha.value()?,
        reference: reference.value()?,
        tag: tag.value()?,
        status: status.value()?,
        user_id: Some(user),
    })
}

async fn update(
    request: InFeature<Environments, Developer, Write>,
) -> Result<HttpResponse, Failure> {
    let (id, now) = (deployment_id(&request)?, request.now());
    let mut read = request.params().reader();
    let status = read.word(STATUS.name, DeploymentStatus::parse);
    let status = read.required(STATUS.name, status);
    read.finish()?;
    let status = status.value()?;
    let changed = request.write(move |tx, project| {
        let changed = update_deployment(tx, (project.id, id), status, now).map_err(refused)?;
        Ok(Loaded::one(tx, changed)?)
    });
    let (loaded, _) = changed.await?;
    request.json(&loaded.single(request.base_url())?)
}

async fn remove(request: InFeature<Environments, Maintainer, Write>) -> Result<Deletion, Failure> {
    let (id, condition) = (deployment_id(&request)?, request.precondition());
    let deleted = request.write(move |tx, project| {
        let flow = |since| delete_deployment(tx, (project.id, id), since);
        condition.check_in(flow).map_err(refused)
    });
    Ok(Deletion::no_content(deleted.await?.0))
}

fn deployment_id(request: &ApiRequest) -> Result<DeploymentId, ApiError> {
    request.number(ID.name, THING).map(DeploymentId::new)
}
