//! `/api/v4/projects/:id/alert_management/integrations`: the alert endpoints of a project.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use alert_intake::flow::integrations::{IntegrationError, MAX_GRACE_SECONDS, find, list};
use alert_intake::model::{Integration, KEY_PREFIX};
use alert_intake::payload::MAX_NESTING;
use alert_intake::rules::mapping::{SampleField, fields_of};
use alert_intake::wire::{IntegrationJson, KINDS, NewIntegrationJson, SampleFieldJson};
use api_conventions::error::ApiError;
use api_conventions::ids::IntegrationId;
use api_conventions::page::Page;
use api_conventions::paging::Paging;
use api_conventions::secret::PlainSecret;
use gatehouse_core::flows::endpoints::{
    create_endpoint, delete_endpoint, rotate_endpoint_key, update_endpoint,
};
use gatehouse_core::flows::groups::Actor;
use gatehouse_core::randomness::OsRandomness;
use projects::Project;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Pages, Parameter, ParameterKind, ResponseSpec, delete, get, post, put,
};

use super::integration_input::{
    ACTIVE, HEARTBEAT_GRACE, HEARTBEAT_INTERVAL, IGNORED_LABELS, KEY_MANAGES, LOWER_SEVERITY,
    MAPPINGS, NAME, REQUESTS_PER_MINUTE, SEVERITIES, STALE_AFTER, read_new, read_update,
};
use crate::frame::api::ApiRequest;
use crate::frame::intake_urls::endpoint_url;
use crate::frame::new_token::with_secret;
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Developer, Maintainer, ReadApi, WriteApi};

const ALL: &str = "/api/v4/projects/{id}/alert_management/integrations";
const ONE: &str = "/api/v4/projects/{id}/alert_management/integrations/{integration_id}";
const ROTATE: &str = "/api/v4/projects/{id}/alert_management/integrations/{integration_id}/rotate";
pub(super) const HEARTBEAT: &str =
    "/api/v4/projects/{id}/alert_management/integrations/{integration_id}/heartbeat";
const FIELDS: &str = "/api/v4/projects/{id}/alert_management/payload_fields";

pub(super) const TAG: &str = "alerts";
const RESOURCE: &str = "Alert endpoint";

pub(super) const ID: Parameter = Parameter::path(
    "integration_id",
    ParameterKind::ID,
    "ID of the alert endpoint.",
);

const TYPE: Parameter = Parameter::body(
    "type",
    ParameterKind::Word(&KINDS),
    "`http` for any JSON object (default), `prometheus` for Alertmanager.",
);

const GRACE: Parameter = Parameter::body(
    "grace_seconds",
    ParameterKind::Integer {
        min: 0,
        max: MAX_GRACE_SECONDS,
    },
    "Time for which the old key stays valid, in seconds (default: 0).",
);

const EXAMPLE: Parameter = Parameter::body(
    "payload_example",
    ParameterKind::Text {
        min: 2,
        max: 1_000_000,
    },
    "Payload of the sender, a JSON object as text.",
)
.example("{\"check\": {\"label\": \"Disk full\"}}");

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let fields = || {
        [
            ACTIVE,
            IGNORED_LABELS,
            SEVERITIES,
            MAPPINGS,
            LOWER_SEVERITY,
            STALE_AFTER,
            REQUESTS_PER_MINUTE,
            KEY_MANAGES,
            HEARTBEAT_INTERVAL,
            HEARTBEAT_GRACE,
        ]
    };
    let endpoint = |text| ResponseSpec::json::<IntegrationJson>(200, text);
    let with_key = |status| {
        ResponseSpec::json::<NewIntegrationJson<'_>>(
            status,
            "The alert endpoint, with its key, which is shown only once.",
        )
    };
    vec![
        get("listAlertIntegrations", ALL, list_all)
            .documented(TAG, "List the alert endpoints of a project")
            .takes([PROJECT])
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<IntegrationJson>>(
                200,
                "A page of alert endpoints, in the order of their creation.",
            )),
        post("createAlertIntegration", ALL, create)
            .documented(TAG, "Create an alert endpoint")
            .takes([PROJECT, NAME.required(), TYPE])
            .takes(fields())
            .response(with_key(201)),
        get("showAlertIntegration", ONE, show)
            .documented(TAG, "Get an alert endpoint")
            .takes([PROJECT, ID])
            .response(endpoint("The alert endpoint.")),
        put("updateAlertIntegration", ONE, update)
            .documented(TAG, "Update an alert endpoint")
            .takes([PROJECT, ID, NAME])
            .takes(fields())
            .response(endpoint("The updated alert endpoint.")),
        delete("deleteAlertIntegration", ONE, remove)
            .documented(TAG, "Delete an alert endpoint")
            .takes([PROJECT, ID])
            .response(ResponseSpec::empty(
                204,
                "Deleted. Its alerts and receipts stay.",
            )),
        post("rotateAlertIntegrationKey", ROTATE, rotate)
            .documented(TAG, "Rotate the key of an alert endpoint")
            .takes([PROJECT, ID, GRACE])
            .response(with_key(200)),
        post("listAlertPayloadFields", FIELDS, payload_fields)
            .documented(
                TAG,
                "List the fields of a sample payload that a mapping can use",
            )
            .takes([PROJECT, EXAMPLE.required()])
            .response(ResponseSpec::json::<Vec<SampleFieldJson>>(
                200,
                "The fields, at most 500.",
            )),
    ]
}

async fn list_all(request: InProject<Developer, ReadApi>) -> Result<HttpResponse, Failure> {
    let paging = Paging::offset(request.params())?;
    let found = request.read(|tx, project| Ok(list(tx, project.id)?));
    let (endpoints, project) = found.await?;
    // A project has at most 100 endpoints, so a page is a part of the whole list.
    let page = Page::of_all(endpoints, paging);
    request.page(paging, page, |endpoint| shown(&request, &project, endpoint))
}

async fn create(request: InProject<Maintainer, WriteApi>) -> Result<HttpResponse, Failure> {
    let key = new_key();
    let (new, by) = (read_new(&request, key.digest())?, actor(&request));
    let created = request.write(move |tx, project| {
        let new = new.in_project(project.id);
        create_endpoint(tx, &new, by).map_err(refusal)
    });
    let (endpoint, project) = created.await?;
    let answer = with_key(&request, StatusCode::CREATED, &project, endpoint, &key);
    Ok(answer)
}

async fn show(request: InProject<Developer, ReadApi>) -> Result<HttpResponse, Failure> {
    let id = integration_id(&request)?;
    let found = request.read(move |tx, project| find(tx, project.id, id).map_err(refusal));
    let (endpoint, project) = found.await?;
    request.json(&shown(&request, &project, endpoint))
}

async fn update(request: InProject<Maintainer, WriteApi>) -> Result<HttpResponse, Failure> {
    let id = integration_id(&request)?;
    let (update, by) = (read_update(&request)?, actor(&request));
    let updated = request.write(move |tx, project| {
        update_endpoint(tx, project.id, id, &update, by).map_err(refusal)
    });
    let (endpoint, project) = updated.await?;
    request.json(&shown(&request, &project, endpoint))
}

async fn remove(request: InProject<Maintainer, WriteApi>) -> Result<Deletion, Failure> {
    let (id, condition) = (integration_id(&request)?, request.precondition());
    let by = actor(&request);
    let deleted = request.write(move |tx, project| {
        let endpoint = delete_endpoint(tx, project.id, id, by).map_err(refusal)?;
        Ok(condition.check(endpoint.created_at)?)
    });
    Ok(Deletion::no_content(deleted.await?.0))
}

async fn rotate(request: InProject<Maintainer, WriteApi>) -> Result<HttpResponse, Failure> {
    let id = integration_id(&request)?;
    let mut read = request.params().reader();
    let grace = read.integer_within(GRACE.name, 0..=MAX_GRACE_SECONDS);
    read.finish()?;
    let (grace, key, by) = (grace.unwrap_or_default(), new_key(), actor(&request));
    let digest = key.digest();
    let rotated = request.write(move |tx, project| {
        rotate_endpoint_key(tx, project.id, id, digest, grace, by).map_err(refusal)
    });
    let (endpoint, project) = rotated.await?;
    Ok(with_key(&request, StatusCode::OK, &project, endpoint, &key))
}

async fn payload_fields(request: InProject<Developer, WriteApi>) -> Result<HttpResponse, Failure> {
    let mut read = request.params().reader();
    read.demand(&[EXAMPLE.name]);
    let sample = read.text(EXAMPLE.name).unwrap_or_default();
    read.finish()?;
    let fields = sample_fields(&sample)?
        .into_iter()
        .map(SampleFieldJson::from);
    request.read(|_, _| Ok(())).await?;
    request.json(&fields.collect::<Vec<_>>())
}

/// Returns the fields of a sample payload.
///
/// # Errors
/// 400 if it is not a JSON object.
pub(super) fn sample_fields(sample: &str) -> Result<Vec<SampleField>, ApiError> {
    let repaired = api_conventions::json::repair(sample, MAX_NESTING)?;
    let invalid = |error| api_conventions::json::refusal(&error);
    let body: serde_json::Value = serde_json::from_str(&repaired.text).map_err(invalid)?;
    if !body.is_object() {
        return Err(ApiError::malformed_body("the sample is not a JSON object"));
    }
    Ok(fields_of(&body))
}

/// Generates the key of an endpoint.
pub(super) fn new_key() -> PlainSecret {
    PlainSecret::generate(KEY_PREFIX, &OsRandomness)
}

fn with_key(
    request: &ApiRequest,
    status: StatusCode,
    project: &Project,
    endpoint: Integration,
    key: &PlainSecret,
) -> HttpResponse {
    let endpoint = shown(request, project, endpoint);
    let token = key.reveal();
    with_secret(status, &NewIntegrationJson { endpoint, token })
}

fn shown(request: &ApiRequest, project: &Project, endpoint: Integration) -> IntegrationJson {
    let url = endpoint_url(request.base_url(), &project.full_path, &endpoint);
    IntegrationJson::new(endpoint, url, request.now())
}

fn actor(request: &InProject<Maintainer, WriteApi>) -> Actor {
    Actor {
        id: request.actor_id(),
        viewer: request.viewer(),
        now: request.now(),
    }
}

pub(super) fn integration_id(request: &ApiRequest) -> Result<IntegrationId, ApiError> {
    Ok(IntegrationId::new(request.number(ID.name, RESOURCE)?))
}

pub(super) fn refusal(error: IntegrationError) -> Failure {
    match error {
        IntegrationError::Store(error) => error.into(),
        refused => ApiError::from(refused).into(),
    }
}
