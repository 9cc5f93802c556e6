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
    Answer, Deletion, Kind, Operation, Pages, Parameter, delete, get, patch, post,
};

use super::TAG;
use crate::frame::api::ApiRequest;
use crate::frame::intake_urls::collector_url;
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Maintainer, Read, Write};

const KEYS: &str = "/api/v4/projects/{id}/error_tracking/client_keys";
const KEY: &str = "/api/v4/projects/{id}/error_tracking/client_keys/{key_id}";

/// Resource name in "not found" responses.
const THING: &str = "Client Key";
const KEY_ID: Parameter = Parameter::path("key_id", Kind::ID, "The number of the key.");
const ACTIVE: Parameter = Parameter::body("active", Kind::Boolean, "Whether the key is taken.");
const LIMIT: Parameter = Parameter::body(
    "events_per_minute",
    Kind::Integer {
        min: 1,
        max: 1_000_000,
    },
    "Events in a minute that are taken with the key; null for as many as the project may send.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let key = |status, about| Answer::json::<ClientKeyJson>(status, about);
    vec![
        get("listClientKeys", KEYS, list)
            .documented(TAG, "List the client keys of a project")
            .with_secrets()
            .takes([PROJECT])
            .paged(Pages::Offset)
            .answers(Answer::json::<Vec<ClientKeyJson>>(
                200,
                "A page of the keys.",
            )),
        post("createClientKey", KEYS, create)
            .documented(TAG, "Make a client key")
            .takes([PROJECT])
            .answers(key(201, "The key.")),
        patch("updateClientKey", KEY, update)
            .documented(TAG, "Switch a client key on or off, or limit it")
            .takes([PROJECT, KEY_ID, ACTIVE, LIMIT])
            .answers(key(200, "The key as it is now.")),
        delete("deleteClientKey", KEY, remove)
            .documented(
                TAG,
                "Delete a client key: no program reports with it any more",
            )
            .takes([PROJECT, KEY_ID])
            .answers(key(200, "The key as it was.")),
    ]
}

async fn list(asked: InProject<Maintainer, Read>) -> Result<HttpResponse, Failure> {
    let paging = Paging::offset(asked.params())?;
    let found = asked.read(move |tx, project| Ok(tx.list_client_keys(project.id, paging)?));
    let (page, _) = found.await?;
    asked.page(paging, page, |key| shown(&asked, &key))
}

async fn create(asked: InProject<Maintainer, Write>) -> Result<HttpResponse, Failure> {
    let (random, by) = (uuid::Uuid::new_v4().into_bytes(), asked.by());
    let made = asked.write(move |tx, project| Ok(add_key(tx, project.id, random, by)?));
    let (key, _) = made.await?;
    Ok(HttpResponse::Created().json(shown(&asked, &key)))
}

async fn update(asked: InProject<Maintainer, Write>) -> Result<HttpResponse, Failure> {
    let id = key_id(&asked)?;
    let mut read = asked.params().reader();
    let active = read.boolean(ACTIVE.name).map(ClientKeyChange::Active);
    let limit = read.clearable_integer(LIMIT.name, 1..=1_000_000);
    if active.is_none() && limit.is_none() {
        read.demand_one_of(&[ACTIVE.name, LIMIT.name]);
    }
    read.finish()?;
    let limit = limit.map(|limit| limit.and_then(|limit| u32::try_from(limit).ok()));
    let limit = limit.map(ClientKeyChange::EventsPerMinute);
    let wanted: Vec<ClientKeyChange> = active.into_iter().chain(limit).collect();
    let by = asked.by();
    let changed = asked.write(move |tx, project| {
        let mut key = None;
        for change in &wanted {
            key = change_key(tx, (project.id, id), *change, by)?;
        }
        Ok(key.ok_or_else(|| ApiError::not_found(THING))?)
    });
    let (key, _) = changed.await?;
    asked.json(&shown(&asked, &key))
}

async fn remove(request: InProject<Maintainer, Write>) -> Result<Deletion, Failure> {
    let (id, by) = (key_id(&request)?, request.by());
    let condition = request.precondition();
    let deleted = request.write(move |tx, project| {
        let key = delete_key(tx, project.id, id, by)?;
        let key = key.ok_or_else(|| ApiError::not_found(THING))?;
        // Nothing records when a key was enabled, disabled or limited, so the precondition checks its creation.
        Ok((condition.check(key.created_at)?, key))
    });
    let ((proof, key), _) = deleted.await?;
    let response = request.json(&shown(&request, &key))?;
    Ok(Deletion::with(proof, response))
}

fn shown(asked: &ApiRequest, key: &ClientKey) -> ClientKeyJson {
    let word = &asked.settings().naming.tracker;
    ClientKeyJson::new(key, &collector_url(asked.base_url()), word)
}

fn key_id(asked: &ApiRequest) -> Result<ClientKeyId, ApiError> {
    asked.number(KEY_ID.name, THING).map(ClientKeyId::new)
}
