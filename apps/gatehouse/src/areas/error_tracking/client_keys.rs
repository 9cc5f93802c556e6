//! `/api/v4/projects/:id/error_tracking/client_keys` (`ERR-02`).

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::ClientKeyId;
use api_conventions::paging::Paging;
use error_tracking::model::{ClientKey, ClientKeyChange};
use error_tracking::wire::ClientKeyJson;
use gatehouse_core::flows::error_tracking::{add_key, change_key, delete_key};
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Pages, Parameter, ParameterKind, ResponseSpec, delete, get, patch, post,
};

use super::TAG;
use crate::frame::api::ApiRequest;
use crate::frame::intake_urls::collector_url;
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Maintainer, ReadApi, WriteApi};

const KEYS: &str = "/api/v4/projects/{id}/error_tracking/client_keys";
const KEY: &str = "/api/v4/projects/{id}/error_tracking/client_keys/{key_id}";

/// Resource name in "not found" responses.
const RESOURCE: &str = "Client Key";
const KEY_ID: Parameter = Parameter::path("key_id", ParameterKind::ID, "The id of the key.");
const ACTIVE: Parameter = Parameter::body(
    "active",
    ParameterKind::Boolean,
    "True to accept events with the key.",
);
const LIMIT: Parameter = Parameter::body(
    "events_per_minute",
    ParameterKind::Integer {
        min: 1,
        max: 1_000_000,
    },
    "Events accepted per minute with the key; null for the project limit.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let key = |status, about| ResponseSpec::json::<ClientKeyJson>(status, about);
    vec![
        get("listClientKeys", KEYS, list)
            .documented(TAG, "List the client keys of a project")
            .with_secrets()
            .takes([PROJECT])
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<ClientKeyJson>>(
                200,
                "A page of keys.",
            )),
        post("createClientKey", KEYS, create)
            .documented(TAG, "Create a client key")
            .takes([PROJECT])
            .response(key(201, "The key.")),
        patch("updateClientKey", KEY, update)
            .documented(TAG, "Update a client key")
            .takes([PROJECT, KEY_ID, ACTIVE, LIMIT])
            .response(key(200, "The updated key.")),
        delete("deleteClientKey", KEY, remove)
            .documented(
                TAG,
                "Delete a client key; programs can no longer report with it",
            )
            .takes([PROJECT, KEY_ID])
            .response(key(200, "The deleted key.")),
    ]
}

async fn list(request: InProject<Maintainer, ReadApi>) -> Result<HttpResponse, Failure> {
    let paging = Paging::offset(request.params())?;
    let found = request.read(move |tx, project| Ok(tx.list_client_keys(project.id, paging)?));
    let (page, _) = found.await?;
    request.page(paging, page, |key| key_json(&request, &key))
}

async fn create(request: InProject<Maintainer, WriteApi>) -> Result<HttpResponse, Failure> {
    let (random, by) = (uuid::Uuid::new_v4().into_bytes(), request.actor());
    let created = request.write(move |tx, project| Ok(add_key(tx, project.id, random, by)?));
    let (key, _) = created.await?;
    Ok(HttpResponse::Created().json(key_json(&request, &key)))
}

async fn update(request: InProject<Maintainer, WriteApi>) -> Result<HttpResponse, Failure> {
    let id = key_id(&request)?;
    let mut read = request.params().reader();
    let active = read.boolean(ACTIVE.name).map(ClientKeyChange::Active);
    let limit = read.clearable_integer(LIMIT.name, 1..=1_000_000);
    if active.is_none() && limit.is_none() {
        read.demand_one_of(&[ACTIVE.name, LIMIT.name]);
    }
    read.finish()?;
    let limit = limit.map(|limit| limit.and_then(|limit| u32::try_from(limit).ok()));
    let limit = limit.map(ClientKeyChange::EventsPerMinute);
    let edits: Vec<ClientKeyChange> = active.into_iter().chain(limit).collect();
    let by = request.actor();
    let changed = request.write(move |tx, project| {
        let mut key = None;
        for change in &edits {
            key = change_key(tx, project.id, id, *change, by)?;
        }
        Ok(key.ok_or_else(|| ApiError::not_found(RESOURCE))?)
    });
    let (key, _) = changed.await?;
    request.json(&key_json(&request, &key))
}

async fn remove(request: InProject<Maintainer, WriteApi>) -> Result<Deletion, Failure> {
    let (id, by) = (key_id(&request)?, request.actor());
    let condition = request.precondition();
    let deleted = request.write(move |tx, project| {
        let key = delete_key(tx, project.id, id, by)?;
        let key = key.ok_or_else(|| ApiError::not_found(RESOURCE))?;
        // Nothing records when a key was enabled, disabled or limited, so the precondition checks its creation.
        Ok((condition.check(key.created_at)?, key))
    });
    let ((proof, key), _) = deleted.await?;
    let response = request.json(&key_json(&request, &key))?;
    Ok(Deletion::with(proof, response))
}

fn key_json(request: &ApiRequest, key: &ClientKey) -> ClientKeyJson {
    let word = &request.settings().naming.tracker;
    ClientKeyJson::new(key, &collector_url(request.base_url()), word)
}

fn key_id(request: &ApiRequest) -> Result<ClientKeyId, ApiError> {
    request.number(KEY_ID.name, RESOURCE).map(ClientKeyId::new)
}
