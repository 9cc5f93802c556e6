//! `POST /api/v4/user/runners`: runners that a user creates.

use ::pipelines::flow::RunnerInput;
use ::pipelines::model::{RunnerInfo, RunnerPlace, RunnerType};
use ::pipelines::wire::NewRunnerJson;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ApiError;
use api_conventions::ids::{NamespaceId, ProjectId};
use gatehouse_core::flows::runners::create_runner;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Parameter, ParameterKind, ResponseSpec, post};

use super::fields::{TAG, read_settings, settings};
use super::view::{new_token, refused};
use crate::frame::api::{ApiRequest, AsUser};
use crate::frame::new_token::with_secret;
use crate::frame::scopes::WriteApi;

fn place() -> [Parameter; 3] {
    [
        Parameter::body(
            "runner_type",
            ParameterKind::Word(RunnerType::NAMES),
            "Kind of the runner: for the instance (administrators), a group (Owners) or a project (Maintainers).",
        )
        .required(),
        Parameter::body(
            "group_id",
            ParameterKind::ID,
            "ID of the group. Required for `group_type`.",
        ),
        Parameter::body(
            "project_id",
            ParameterKind::ID,
            "ID of the project. Required for `project_type`.",
        ),
    ]
}

/// The operation.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        post("createRunner", "/api/v4/user/runners", create)
            .documented(TAG, "Create a runner")
            .takes(place())
            .takes(settings())
            .response(ResponseSpec::json::<NewRunnerJson<'_>>(
                201,
                "The runner, with its authentication token, which is shown only once.",
            ))
            .response(ResponseSpec::refusal(400, "A value is invalid."))
            .response(ResponseSpec::refusal(
                403,
                "You do not manage the runners of this group, project or instance.",
            )),
    ]
}

async fn create(request: AsUser<WriteApi>) -> Result<HttpResponse, Failure> {
    let (secret, actor) = (new_token(), request.actor());
    let input = RunnerInput {
        place: read_place(&request)?,
        edit: read_settings(request.params())?,
        info: RunnerInfo::default(),
        digest: secret.digest(),
        creator_id: actor.id,
        now: actor.now,
    };
    let created = request.write(move |tx| create_runner(tx, &input, actor).map_err(refused));
    let body = NewRunnerJson {
        id: created.await?.id,
        token: secret.reveal(),
        token_expires_at: None,
    };
    Ok(with_secret(StatusCode::CREATED, &body))
}

/// Parses the place of the runner.
fn read_place(request: &ApiRequest) -> Result<RunnerPlace, ApiError> {
    let mut read = request.params().reader();
    read.demand(&["runner_type"]);
    let runner_type = read.word("runner_type", RunnerType::parse);
    let runner_type = read.required("runner_type", runner_type);
    let group = read.integer("group_id").map(NamespaceId::new);
    let project = read.integer("project_id").map(ProjectId::new);
    read.finish()?;
    match (runner_type.value()?, group, project) {
        (RunnerType::Instance, None, None) => Ok(RunnerPlace::Instance),
        (RunnerType::Group, Some(group), None) => Ok(RunnerPlace::Group(group)),
        (RunnerType::Project, None, Some(project)) => Ok(RunnerPlace::Project(project)),
        _ => Err(ApiError::bad_request(
            "send group_id for group_type, project_id for project_type, and neither for instance_type",
        )),
    }
}
