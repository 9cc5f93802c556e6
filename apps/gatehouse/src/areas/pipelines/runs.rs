//! `/api/v4/projects/:id/pipelines`: the CI reports about a commit on a branch or tag.

use ::pipelines::flow::{WantedPipeline, create_pipeline};
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
use web_conventions::operations::{Answer, Kind, Operation, Pages, Parameter, Unbuilt, get, post};

use super::shared::{Links, People, filled, range, refused};
use crate::frame::api::ApiRequest;
use crate::frame::project::PROJECT;
use crate::frame::project_feature::{InFeature, Pipelines, SeesFeature};
use crate::frame::scopes::{Developer, Read, Write};

const TAG: &str = "pipelines";
const CREATE: &str = "/api/v4/projects/{id}/pipeline";
const PIPELINES: &str = "/api/v4/projects/{id}/pipelines";
const PIPELINE: &str = "/api/v4/projects/{id}/pipelines/{pipeline_id}";
const VARIABLES: &str = "/api/v4/projects/{id}/pipelines/{pipeline_id}/variables";
const THING: &str = "Pipeline";

pub(super) const ID: Parameter =
    Parameter::path("pipeline_id", Kind::ID, "The id of the pipeline.");
const REF: Parameter = Parameter::body(
    "ref",
    Kind::Text { min: 1, max: 2048 },
    "The branch or tag.",
);
const SHA: Parameter = Parameter::body(
    "sha",
    Kind::Matching("^([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$"),
    "The full name of the commit, if it is known.",
);
const GIVEN: Parameter = Parameter::body(
    "variables",
    Kind::Objects(&["key", "value", "variable_type"]),
    "What it is given. The type is `env_var`, or `file`.",
);

type Json = PipelineJson<UserSummary>;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        post("createPipeline", CREATE, create)
            .documented(TAG, "Make a pipeline, whose jobs are reported later")
            .takes([PROJECT, REF.required(), SHA, GIVEN])
            .answers(Answer::json::<Json>(201, "The pipeline.")),
        get("listPipelines", PIPELINES, list)
            .documented(TAG, "List the pipelines of a project")
            .takes([PROJECT])
            .takes(filters())
            .lacks([Unbuilt::Value("name"), Unbuilt::Flag("yaml_errors")])
            .paged(Pages::Offset)
            .answers(Answer::json::<Vec<PipelineSummaryJson>>(
                200,
                "A page of the pipelines.",
            )),
        get("showPipeline", PIPELINE, show)
            .documented(TAG, "Show a pipeline")
            .takes([PROJECT, ID])
            .answers(Answer::json::<Json>(200, "The pipeline.")),
        get("listPipelineVariables", VARIABLES, variables)
            .documented(TAG, "List what a pipeline was given")
            .with_secrets()
            .takes([PROJECT, ID])
            .paged(Pages::Offset)
            .answers(Answer::json::<Vec<VariableJson>>(
                200,
                "A page, in the order in which it was given.",
            )),
    ]
}

fn filters() -> [Parameter; 12] {
    let time = |name, about| Parameter::query(name, Kind::Timestamp, about);
    let word = |name, words, about| Parameter::query(name, Kind::Word(words), about);
    let text = |name, about| Parameter::query(name, Kind::ANY_TEXT, about);
    [
        word("scope", PipelineScope::NAMES, "Only those of this kind."),
        word("status", CiStatus::NAMES, "Only those that stand so."),
        word(
            "source",
            PipelineSource::NAMES,
            "Only those that this made.",
        ),
        text("ref", "Only those of this branch or tag."),
        text("sha", "Only those of this commit."),
        text("username", "Only those that this user made."),
        time(
            "updated_after",
            "Only those that changed at this time or later.",
        ),
        time(
            "updated_before",
            "Only those that changed at this time or earlier.",
        ),
        time(
            "created_after",
            "Only those that were created at this time or later.",
        ),
        time(
            "created_before",
            "Only those that were created at this time or earlier.",
        ),
        word(
            "order_by",
            PipelineOrder::NAMES,
            "By what the list is ordered.",
        ),
        word("sort", &SortOrder::NAMES, "In which direction."),
    ]
}

async fn create(request: InFeature<Pipelines, Developer, Write>) -> Result<HttpResponse, Failure> {
    let wanted = read_wanted(request.params(), request.actor())?;
    let now = request.now();
    let made = request.write(move |tx, project| {
        let made = create_pipeline(tx, project.id, &wanted, now).map_err(refused)?;
        Ok(with_people(tx, made)?)
    });
    let ((pipeline, people), project) = made.await?;
    let user = people.shown(pipeline.user_id, request.base_url());
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
fn read_wanted(params: &Params, user: UserId) -> Result<WantedPipeline, ApiError> {
    let mut read = params.reader();
    let reference = read.text(REF.name);
    let reference = read.required(REF.name, reference);
    let sha = filled(&mut read, SHA.name);
    read.finish()?;
    Ok(WantedPipeline {
        reference: reference.value()?,
        sha,
        variables: read_variables(params)?,
        user_id: Some(user),
    })
}

/// Parses the variables of a request: an array of objects, in JSON or as form fields.
fn read_variables(params: &Params) -> Result<Vec<Variable>, ApiError> {
    let invalid = || ApiError::invalid_parameters(&[format!("{} is invalid", GIVEN.name)]);
    let items = match params.get(GIVEN.name) {
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

async fn list(request: SeesFeature<Pipelines, Read>) -> Result<HttpResponse, Failure> {
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

async fn show(request: SeesFeature<Pipelines, Read>) -> Result<HttpResponse, Failure> {
    let id = pipeline_id(&request)?;
    let found = request.read(move |tx, project, _| {
        let found = find(tx, project.id, id)?;
        Ok((with_people(tx, found)?, project))
    });
    let ((pipeline, people), project) = found.await?;
    let user = people.shown(pipeline.user_id, request.base_url());
    let links = Links::new(&project, request.base_url());
    request.json(&PipelineJson::new(pipeline, user, links.get()))
}

async fn variables(
    request: InFeature<Pipelines, Developer, Read>,
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
    Ok(found.ok_or_else(|| ApiError::not_found(THING))?)
}

/// Id of the pipeline in the path.
pub(super) fn pipeline_id(request: &ApiRequest) -> Result<PipelineId, ApiError> {
    request.number(ID.name, THING).map(PipelineId::new)
}
