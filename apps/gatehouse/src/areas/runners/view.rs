//! Responses about runners, in the form of the request's release.

use ::pipelines::flow::CiError;
use ::pipelines::model::{RUNNER_PREFIX, Runner};
use ::pipelines::rules::StatusForm;
use ::pipelines::wire::{
    RegistrationTokenJson, RunnerDetailJson, RunnerGroupJson, RunnerProjectJson, RunnerSummaryJson,
};
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ApiError;
use api_conventions::secret::PlainSecret;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::runners::{RunnerAndPlaces, RunnerError};
use gatehouse_core::randomness::OsRandomness;
use projects::FullNames;
use projects::flow::full_names::full_names;
use web_conventions::failure::Failure;

use crate::frame::api::ApiRequest;
use crate::frame::new_token::with_secret;
use crate::state::Behaviour;

/// Runner with its places and their full names.
pub(super) type RunnerView = (RunnerAndPlaces, FullNames);

/// Generates an authentication token.
pub(super) fn new_token() -> PlainSecret {
    PlainSecret::generate(RUNNER_PREFIX, &OsRandomness)
}

/// Form of the status in the response.
pub(super) fn form_of(request: &ApiRequest) -> StatusForm {
    if request.has(Behaviour::PausedStatusOfRunners) {
        StatusForm::WithPaused
    } else {
        StatusForm::ContactOnly
    }
}

/// Creates the JSON of a runner in a list, with its last contact from memory.
pub(super) fn summary(request: &ApiRequest, mut runner: Runner) -> RunnerSummaryJson {
    request.runner_contacts().update(&mut runner);
    RunnerSummaryJson::new(&runner, form_of(request), request.now())
}

/// Loads the full names of the projects of a runner.
pub(super) fn with_names(
    tx: &mut (dyn ReadTransaction + '_),
    loaded: RunnerAndPlaces,
) -> Result<RunnerView, Failure> {
    let names = full_names(tx, &loaded.projects)?;
    Ok((loaded, names))
}

/// Creates the JSON of a runner with its details, with its last contact from memory.
pub(super) fn detail(request: &ApiRequest, view: RunnerView) -> RunnerDetailJson {
    let (
        RunnerAndPlaces {
            mut runner,
            projects,
            groups,
        },
        names,
    ) = view;
    request.runner_contacts().update(&mut runner);
    let mut json = RunnerDetailJson::new(runner, form_of(request), request.now());
    for project in projects {
        json.projects.push(RunnerProjectJson {
            id: project.id,
            name_with_namespace: names.of_project(&project),
            path_with_namespace: project.full_path.as_str().to_owned(),
            path: project.path.as_str().to_owned(),
            name: project.name,
        });
    }
    for group in groups {
        json.groups.push(RunnerGroupJson {
            id: group.id,
            web_url: format!("{}/groups/{}", request.base_url(), group.full_path.as_str()),
            name: group.content.name,
        });
    }
    json
}

/// Responds with a new token, which no cache may store.
pub(super) fn with_token(secret: &PlainSecret) -> HttpResponse {
    let body = RegistrationTokenJson {
        token: secret.reveal(),
        token_expires_at: None,
    };
    with_secret(StatusCode::CREATED, &body)
}

/// Converts an error of a flow to the failure of the request.
pub(super) fn refused(error: RunnerError) -> Failure {
    match error {
        RunnerError::Runner(CiError::Store(error)) => error.into(),
        refusal => ApiError::from(refusal).into(),
    }
}
