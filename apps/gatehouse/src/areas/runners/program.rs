//! Operations of the programs themselves, with a registration token or the authentication token of the runner.

use ::pipelines::flow::RunnerInput;
use ::pipelines::model::{Runner, RunnerInfo, RunnerPlace};
use ::pipelines::wire::NewRunnerJson;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ApiError;
use api_conventions::ids::UserId;
use api_conventions::secret::PlainSecret;
use gatehouse_core::flows::runners::{delete_runner_by_token, register_runner};
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Parameter, ParameterKind, Precondition, ResponseSpec, delete, post,
};

use super::fields::{TAG, TOKEN, facts, read_facts, read_settings, settings};
use super::view::{new_token, refused};
use crate::frame::api::AsCaller;
use crate::frame::new_token::with_secret;
use crate::frame::scopes::AnyScope;

/// Registration token. Optional here, because releases without registration tokens ignore it.
const REGISTRATION_TOKEN: Parameter = Parameter::body(
    "token",
    ParameterKind::Text { min: 1, max: 255 },
    "Registration token of the instance, a group or a project. Required.",
)
.example("ghrr_abc");

const SYSTEM_ID: Parameter = Parameter::body(
    "system_id",
    ParameterKind::Text { min: 0, max: 255 },
    "Accepted and ignored.",
);

const LAST_UPDATE: Parameter = Parameter::body(
    "last_update",
    ParameterKind::Text { min: 0, max: 255 },
    "Accepted and ignored: there are never jobs.",
);

fn session() -> [Parameter; 3] {
    [
        "session[url]",
        "session[certificate]",
        "session[authorization]",
    ]
    .map(|name| {
        let about = "Accepted and ignored: this server executes no jobs.";
        Parameter::body(name, ParameterKind::ANY_TEXT, about)
    })
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let wrong = || ResponseSpec::refusal(403, "The token is wrong.");
    let token = |status, about| ResponseSpec::json::<NewRunnerJson<'_>>(status, about);
    vec![
        post("registerRunner", "/api/v4/runners", register)
            .documented(TAG, "Register a runner with a registration token")
            .takes([REGISTRATION_TOKEN])
            .takes(settings())
            .takes(facts())
            .response(token(
                201,
                "The runner, with its authentication token, which is shown only once.",
            ))
            .response(ResponseSpec::refusal(400, "A value is invalid."))
            .response(wrong()),
        delete("deleteRunnerByToken", "/api/v4/runners", remove)
            .documented(TAG, "Delete the runner with an authentication token")
            .takes([TOKEN, SYSTEM_ID])
            .response(ResponseSpec::empty(204, "Deleted."))
            .response(wrong()),
        post("verifyRunner", "/api/v4/runners/verify", verify)
            .documented(TAG, "Check the authentication token of a runner")
            .takes([TOKEN, SYSTEM_ID])
            .takes(facts())
            .response(token(200, "The token is valid."))
            .response(wrong()),
        post("requestJob", "/api/v4/jobs/request", request_job)
            .documented(TAG, "Request a job, of which there are none")
            .takes([TOKEN, SYSTEM_ID, LAST_UPDATE])
            .takes(facts())
            .takes(session())
            .response(ResponseSpec::empty(204, "There are no jobs."))
            .response(wrong()),
    ]
}

async fn register(request: AsCaller<AnyScope>) -> Result<HttpResponse, Failure> {
    let registration = token_of(
        &request,
        "send the registration token of a group or project; releases from 17.0 on have none, so \
                               create the runner with POST /user/runners",
    )?;
    let secret = new_token();
    let input = RunnerInput {
        place: RunnerPlace::Instance,
        edit: read_settings(request.params())?,
        info: read_facts(request.params())?,
        digest: secret.digest(),
        creator_id: UserId::new(0),
        now: request.now(),
    };
    let digest = registration.digest();
    let registered = request.write(move |tx| register_runner(tx, &digest, &input).map_err(refused));
    let runner = registered.await?.ok_or_else(ApiError::forbidden)?;
    Ok(respond(StatusCode::CREATED, &runner, &secret))
}

async fn remove(request: AsCaller<AnyScope>) -> Result<Deletion, Failure> {
    let (token, now) = (required_token(&request)?, request.now());
    let (digest, condition) = (token.digest(), request.precondition());
    let deleted = request.write(move |tx| {
        let found = tx.find_runner_by_digest(&digest)?;
        let found = found.ok_or_else(ApiError::forbidden)?;
        let proof = Precondition::check(condition, found.created_at)?;
        delete_runner_by_token(tx, &digest, now)?;
        Ok(proof)
    });
    Ok(Deletion::no_content(deleted.await?))
}

async fn verify(request: AsCaller<AnyScope>) -> Result<HttpResponse, Failure> {
    let token = required_token(&request)?;
    let runner = contact(&request, &token).await?;
    Ok(respond(StatusCode::OK, &runner, &token))
}

async fn request_job(request: AsCaller<AnyScope>) -> Result<HttpResponse, Failure> {
    let token = required_token(&request)?;
    contact(&request, &token).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Finds the runner with a token and records the contact in memory.
async fn contact(request: &AsCaller<AnyScope>, token: &PlainSecret) -> Result<Runner, Failure> {
    let info: RunnerInfo = read_facts(request.params())?;
    let digest = token.digest();
    let found = request.read(move |tx| Ok(tx.find_runner_by_digest(&digest)?));
    let runner = found.await?.ok_or_else(ApiError::forbidden)?;
    request.runner_contacts().note(&runner, info, request.now());
    Ok(runner)
}

fn required_token(request: &AsCaller<AnyScope>) -> Result<PlainSecret, ApiError> {
    token_of(request, "send the authentication token of the runner")
}

/// Parses the token; `hint` says which one to send.
fn token_of(request: &AsCaller<AnyScope>, hint: &str) -> Result<PlainSecret, ApiError> {
    let mut read = request.params().reader();
    let token = read.text("token").filter(|token| !token.is_empty());
    read.finish()?;
    let missing = || ApiError::bad_request(&format!("token is missing: {hint}"));
    token.map(PlainSecret::new).ok_or_else(missing)
}

fn respond(status: StatusCode, runner: &Runner, secret: &PlainSecret) -> HttpResponse {
    let body = NewRunnerJson {
        id: runner.id,
        token: secret.reveal(),
        token_expires_at: None,
    };
    with_secret(status, &body)
}
