//! `/api/v4/projects/:id/pipelines`: the CI reports about a commit on a branch or tag.

use ::pipelines::flow::{PipelineInput, create_pipeline};
use ::pipelines::model::{
    CiStatus, Pipeline, PipelineFilter, PipelineOrder, PipelineScope, PipelineSource, Variable,
    VariableKind, commit_name,
};
use ::pipelines::wire::{PipelineJson, PipelineSummaryJson, VariableJson};
use accounts::wire::UserSummary;
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::{PipelineId, ProjectId, UserId};
use api_conventions::page::{Page, SortOrder, Total};
use api_conventions::paging::Paging;
use api_conventions::params::Params;
use gatehouse_core::database::ReadTransaction;
use serde_json::Value;
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Operation, Pages, Parameter, ParameterKind, ResponseSpec, UnsupportedFilter, get, post,
};

use super::shared::{Links, People, filled, range, refused};
use crate::frame::api::ApiRequest;
use crate::frame::project::PROJECT;
use crate::frame::project_feature::{InFeature, Pipelines, SeesFeature};
use crate::frame::scopes::{Developer, ReadApi, WriteApi};

const TAG: &str = "pipelines";
const CREATE: &str = "/api/v4/projects/{id}/pipeline";
const PIPELINES: &str = "/api/v4/projects/{id}/pipelines";
const PIPELINE: &str = "/api/v4/projects/{id}/pipelines/{pipeline_id}";
const VARIABLES: &str = "/api/v4/projects/{id}/pipelines/{pipeline_id}/variables";
const RESOURCE: &str = "Pipeline";

pub(super) const ID: Parameter =
    Parameter::path("pipeline_id", ParameterKind::ID, "ID of the pipeline.");
const REF: Parameter = Parameter::body(
    "ref",
    ParameterKind::Text { min: 1, max: 2048 },
    "Branch or tag.",
);
const SHA: Parameter = Parameter::body(
    "sha",
    ParameterKind::Matching("^([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$"),
    "Full SHA of the commit, if known.",
);
const VARIABLES_FIELD: Parameter = Parameter::body(
    "variables",
    ParameterKind::Objects(&["key", "value", "variable_type"]),
    "Variables of the pipeline. `variable_type` is `env_var` or `file`.",
);

type PipelineResponse = PipelineJson<UserSummary>;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        post("createPipeline", CREATE, create)
            .documented(TAG, "Create a pipeline, whose jobs are reported later")
            .takes([PROJECT, REF.required(), SHA, VARIABLES_FIELD])
            .response(ResponseSpec::json::<PipelineResponse>(201, "The pipeline.")),
        get("listPipelines", PIPELINES, list)
            .documented(TAG, "List the pipelines of a project")
            .takes([PROJECT])
            .takes(filters())
            .without_filters([
                UnsupportedFilter::Value("name"),
                UnsupportedFilter::Flag("yaml_errors"),
            ])
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<PipelineSummaryJson>>(
                200,
                "A page of pipelines.",
            )),
        get("showPipeline", PIPELINE, show)
            .documented(TAG, "Get a pipeline")
            .takes([PROJECT, ID])
            .response(ResponseSpec::json::<PipelineResponse>(200, "The pipeline.")),
        get("listPipelineVariables", VARIABLES, variables)
            .documented(TAG, "List the variables of a pipeline")
            .with_secrets()
            .takes([PROJECT, ID])
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<VariableJson>>(
                200,
                "A page of variables, in the order of the request that created the pipeline.",
            )),
    ]
}

fn filters() -> [Parameter; 12] {
    let time = |name, about| Parameter::query(name, ParameterKind::Timestamp, about);
    let word = |name, words, about| Parameter::query(name, ParameterKind::Word(words), about);
    let text = |name, about| Parameter::query(name, ParameterKind::ANY_TEXT, about);
    [
        word("scope", PipelineScope::NAMES, "Filter by scope."),
        word("status", CiStatus::NAMES, "Filter by status."),
        word("source", PipelineSource::NAMES, "Filter by source."),
        text("ref", "Filter by branch or tag."),
        text("sha", "Filter by the SHA of the commit."),
        text("username", "Filter by the username of the creator."),
        time(
            "updated_after",
            "Only pipelines updated at or after this time.",
        ),
        time(
            "updated_before",
            "Only pipelines updated at or before this time.",
        ),
        time(
            "created_after",
            "Only pipelines created at or after this time.",
        ),
        time(
            "created_before",
            "Only pipelines created at or before this time.",
        ),
        word("order_by", PipelineOrder::NAMES, "Sort column."),
        word("sort", &SortOrder::NAMES, "Sort direction."),
    ]
}

async fn create(
    request: InFeature<Pipelines, Developer, WriteApi>,
) -> Result<HttpResponse, Failure> {
    let input = read_input(request.params(), request.actor_id())?;
    let now = request.now();
    let created = request.write(move |tx, project| {
        let created = create_pipeline(tx, project.id, &input, now).map_err(refused)?;
        Ok(with_people(tx, created)?)
    });
    let ((pipeline, people), project) = created.await?;
    let user = people.summary(pipeline.user_id, request.base_url());
    let links = Links::new(&project, request.base_url());
    Ok(HttpResponse::Created().json(PipelineJson::new(pipeline, user, links.get())))
}

/// Loads the user who created a pipeline.
fn with_people<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    pipeline: Pipeline,
) -> Result<(Pipeline, People), StoreError> {
    let people = People::load(tx, [pipeline.user_id])?;
    Ok((pipeline, people))
}

/// Parses the pipeline to create.
fn read_input(params: &Params, user: UserId) -> Result<PipelineInput, ApiError> {
    let mut read = params.reader();
    let reference = read.text(REF.name);
    let reference = read.required(REF.name, reference);
    let sha = filled(&mut read, SHA.name);
    read.finish()?;
    Ok(PipelineInput {
        reference: reference.value()?,
        sha,
        variables: read_variables(params)?,
        user_id: Some(user),
    })
}

/// Parses the variables of a request: an array of objects, in JSON or as form fields.
fn read_variables(params: &Params) -> Result<Vec<Variable>, ApiError> {
    let invalid =
        || ApiError::invalid_parameters(&[format!("{} is invalid", VARIABLES_FIELD.name)]);
    let items = match params.get(VARIABLES_FIELD.name) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(_) => return Err(invalid()),
    };
    let variable = |item: &Value| {
        let item = Params::from_json(item.to_string().as_bytes()).map_err(|_| invalid())?;
        let mut read = item.reader();
        let variable = Variable {
            key: read.text("key").unwrap_or_default(),
            value: read.text("value").unwrap_or_default(),
            kind: read
                .word("variable_type", VariableKind::parse)
                .unwrap_or_default(),
        };
        read.finish()?;
        Ok(variable)
    };
    items.iter().map(variable).collect()
}

async fn list(request: SeesFeature<Pipelines, ReadApi>) -> Result<HttpResponse, Failure> {
    let (mut filter, username) = read_filter(request.params())?;
    let paging = Paging::offset(request.params())?;
    let found = request.read(move |tx, project, _| {
        filter.project_id = project.id;
        if let Some(username) = username {
            let user = tx.find_user_by_username(&username)?;
            // An unknown username matches no pipeline.
            filter.user_id = Some(user.map_or(UserId::new(0), |user| user.id));
        }
        Ok((tx.list_pipelines(&filter, paging)?, project))
    });
    let (page, project) = found.await?;
    let links = Links::new(&project, request.base_url());
    request.page(paging, page, |one| {
        PipelineSummaryJson::new(one, links.get())
    })
}

/// Parses the filter of a request, and the name of the user.
/// The project is set once it is resolved.
fn read_filter(params: &Params) -> Result<(PipelineFilter, Option<String>), ApiError> {
    let mut read = params.reader();
    let mut filter = PipelineFilter::new(ProjectId::new(0));
    filter.scope = read.word("scope", PipelineScope::parse);
    filter.status = read.word("status", CiStatus::parse);
    filter.source = read.word("source", PipelineSource::parse);
    filter.reference = filled(&mut read, "ref");
    let sha = filled(&mut read, SHA.name);
    // Text that is not a commit SHA matches nothing.
    filter.sha = sha.map(|sha| commit_name(&sha).unwrap_or_default());
    filter.updated = range(&mut read, ["updated_after", "updated_before"]);
    filter.created = range(&mut read, ["created_after", "created_before"]);
    let order_by = read.word("order_by", PipelineOrder::parse);
    filter.order_by = order_by.unwrap_or_default();
    filter.sort = read.word("sort", SortOrder::parse).unwrap_or_default();
    let username = filled(&mut read, "username");
    read.finish()?;
    Ok((filter, username))
}

async fn show(request: SeesFeature<Pipelines, ReadApi>) -> Result<HttpResponse, Failure> {
    let id = pipeline_id(&request)?;
    let found = request.read(move |tx, project, _| {
        let found = find(tx, project.id, id)?;
        Ok((with_people(tx, found)?, project))
    });
    let ((pipeline, people), project) = found.await?;
    let user = people.summary(pipeline.user_id, request.base_url());
    let links = Links::new(&project, request.base_url());
    request.json(&PipelineJson::new(pipeline, user, links.get()))
}

async fn variables(
    request: InFeature<Pipelines, Developer, ReadApi>,
) -> Result<HttpResponse, Failure> {
    let (id, paging) = (pipeline_id(&request)?, Paging::offset(request.params())?);
    let found = request.read(move |tx, project| {
        let pipeline = find(tx, project.id, id)?;
        Ok(tx.list_pipeline_variables(pipeline.id)?)
    });
    let (all, _) = found.await?;
    // A pipeline has few variables, so they are all read at once.
    let total = u64::try_from(all.len()).unwrap_or(u64::MAX);
    let skipped = usize::try_from(paging.offset()).unwrap_or(usize::MAX);
    let (mut rest, size) = (all.into_iter().skip(skipped), paging.per_page().into());
    let page = Page {
        items: rest.by_ref().take(size).collect(),
        has_next: rest.next().is_some(),
        total: Total::Exact(total),
    };
    request.page(paging, page, VariableJson::from)
}

/// Finds a pipeline of a project by id.
///
/// # Errors
/// 404 if there is no such pipeline; failures of the store.
pub(super) fn find<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    project: ProjectId,
    id: PipelineId,
) -> Result<Pipeline, Failure> {
    let found = tx.find_pipeline(project, id)?;
    Ok(found.ok_or_else(|| ApiError::not_found(RESOURCE))?)
}

/// Id of the pipeline in the path.
pub(super) fn pipeline_id(request: &ApiRequest) -> Result<PipelineId, ApiError> {
    request.number(ID.name, RESOURCE).map(PipelineId::new)
}
