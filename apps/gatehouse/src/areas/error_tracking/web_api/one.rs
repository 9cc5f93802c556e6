//! A single error, and its events.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use error_tracking::event::Event;
use error_tracking::external::latest_event;
use error_tracking::model::{ErrorEvent, EventId, TagCount};
use error_tracking::store::{EventNeighbours, EventPosition};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Parameter, ParameterKind, ResponseSpec, get};

use super::super::errors::{DAY, hours_of};
use super::TAG;
use super::list::issue_of;
use crate::frame::scopes::{ReadApi, Reporter};
use crate::frame::tracked_error::{
    self, ERROR_ID, InNamedProject, InProjectOfError, InProjectOfEvent, ORGANIZATION, SLUG,
};

/// Path of an error.
pub(super) const ISSUE: &str = "/api/0/issues/{id}/";
pub(super) const ISSUE_BARE: &str = "/api/0/issues/{id}";

const RESOURCE: &str = "Event";
const EVENT_ID: Parameter = Parameter::path(
    "event_id",
    ParameterKind::Text { min: 1, max: 36 },
    "Event id from the SDK, or `latest` or `oldest`.",
);
/// Values shown per tag.
const VALUES: usize = 10;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("showTrackerIssue", ISSUE, show)
            .also_at(&[ISSUE_BARE])
            .documented(TAG, "Get an error")
            .takes([ERROR_ID])
            .response(ResponseSpec::json::<Map<String, Value>>(200, "The error.")),
        get(
            "showTrackerEvent",
            "/api/0/issues/{id}/events/{event_id}/",
            event,
        )
        .also_at(&["/api/0/issues/{id}/events/{event_id}"])
        .documented(TAG, "Get an event of an error")
        .takes([ERROR_ID, EVENT_ID])
        .response(ResponseSpec::json::<Map<String, Value>>(200, "The event.")),
        get(
            "showTrackerProjectEvent",
            "/api/0/projects/{organization}/{project}/events/{event_id}/",
            event_of_project,
        )
        .also_at(&["/api/0/projects/{organization}/{project}/events/{event_id}"])
        .documented(TAG, "Get an event of a project by its event id")
        .takes([ORGANIZATION, SLUG, tracked_error::EVENT_ID])
        .response(ResponseSpec::json::<Map<String, Value>>(200, "The event.")),
        get(
            "findTrackerEvent",
            "/api/0/organizations/{organization}/eventids/{event_id}/",
            event_of_organization,
        )
        .also_at(&["/api/0/organizations/{organization}/eventids/{event_id}"])
        .documented(
            TAG,
            "Get the project and the error of an event by its event id",
        )
        .takes([ORGANIZATION, tracked_error::EVENT_ID])
        .response(ResponseSpec::json::<FoundEventJson>(
            200,
            "The location of the event.",
        )),
    ]
}

/// Location of an event, as the web API has it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FoundEventJson {
    organization_slug: String,
    project_slug: String,
    /// Id of the error.
    group_id: String,
    event_id: String,
    /// The event; null if it is no longer kept.
    event: Option<Value>,
}

async fn show(request: InProjectOfError<Reporter, ReadApi>) -> Result<HttpResponse, Failure> {
    let from = request.now().plus_seconds(-DAY);
    let read = request.read(move |tx, found| {
        let mut hours = hours_of(tx, std::slice::from_ref(&found.error), from)?;
        let tags = tx.list_error_tags(found.error.id, VALUES)?;
        Ok((hours.remove(&found.error.id).unwrap_or_default(), tags))
    });
    let ((hours, tags), found) = read.await?;
    let mut json = issue_of(&request, &found.project, &found.error, &hours).to_json();
    if let Some(json) = json.as_object_mut() {
        json.insert("tags".to_owned(), tags_json(&tags, found.error.events));
    }
    request.json(&json)
}

/// Builds the tags of an error: per tag, the most frequent values and how many of them are listed.
fn tags_json(counts: &[TagCount], events: i64) -> Value {
    let tags = counts.chunk_by(|one, other| one.name == other.name);
    let tags = tags.map(|values| {
        let name = values.first().map(|count| count.name.as_str());
        let top = values.iter().map(|count| {
            json!({
                "name": count.value, "value": count.value, "count": count.events,
                "lastSeen": count.last_seen.to_string(),
            })
        });
        json!({
            "key": name, "name": name, "totalValues": events, "uniqueValues": values.len(),
            "topValues": top.collect::<Vec<Value>>(),
        })
    });
    tags.collect()
}

async fn event(request: InProjectOfError<Reporter, ReadApi>) -> Result<HttpResponse, Failure> {
    let position = match request.segment(EVENT_ID.name, RESOURCE)?.as_str() {
        "latest" => EventPosition::Latest,
        "oldest" => EventPosition::Oldest,
        id => {
            let id = EventId::parse(id).ok_or_else(|| ApiError::not_found(RESOURCE))?;
            EventPosition::WithId(id)
        }
    };
    let read = request.read(move |tx, found| {
        let event = tx.find_error_event(found.error.id, position)?;
        let event = event.ok_or_else(|| ApiError::not_found(RESOURCE))?;
        let place = tx.find_event_neighbours(found.error.id, event.summary.id)?;
        Ok((event, place))
    });
    let ((event, place), found) = read.await?;
    let mut json = latest_event(&event_with_report(&event)?, &found.error.id.to_string());
    add_neighbours(&mut json, place);
    request.json(&json)
}

async fn event_of_project(
    request: InNamedProject<Reporter, ReadApi>,
) -> Result<HttpResponse, Failure> {
    let text = request.segment(EVENT_ID.name, RESOURCE)?;
    let id = EventId::parse(&text).ok_or_else(|| ApiError::not_found(RESOURCE))?;
    let read = request.read(move |tx, project| {
        let errors = tx.list_errors_of_event(id, Some(project.id))?;
        let (_, error) = errors
            .first()
            .ok_or_else(|| ApiError::not_found(RESOURCE))?;
        let event = tx.find_error_event(*error, EventPosition::WithId(id))?;
        let event = event.ok_or_else(|| ApiError::not_found(RESOURCE))?;
        Ok((
            *error,
            tx.find_event_neighbours(*error, event.summary.id)?,
            event,
        ))
    });
    let ((error, place, event), _) = read.await?;
    let mut json = latest_event(&event_with_report(&event)?, &error.to_string());
    add_neighbours(&mut json, place);
    request.json(&json)
}

async fn event_of_organization(
    request: InProjectOfEvent<Reporter, ReadApi>,
) -> Result<HttpResponse, Failure> {
    let read = request.read(|tx, found| {
        let position = EventPosition::WithId(found.event);
        Ok(tx.find_error_event(found.of.error.id, position)?)
    });
    let (event, found) = read.await?;
    let group_id = found.of.error.id.to_string();
    let event = event.as_ref().map(event_with_report).transpose()?;
    let project = &found.of.project;
    request.json(&FoundEventJson {
        organization_slug: project.namespace.full_path.as_str().replace('/', "%2F"),
        project_slug: project.path.clone(),
        event_id: found.event.to_string(),
        event: event.map(|event| latest_event(&event, &group_id)),
        group_id,
    })
}

/// Adds the ids of the previous and the next event.
fn add_neighbours(json: &mut Value, place: EventNeighbours) {
    let around = [
        ("previousEventID", place.previous),
        ("nextEventID", place.next),
    ];
    let around = around.map(|(name, event)| {
        let id = event.map(|id| Value::from(id.to_string()));
        (name.to_owned(), id.unwrap_or_default())
    });
    if let Some(json) = json.as_object_mut() {
        json.extend(around);
    }
}

/// Returns an event with its parsed report.
fn event_with_report(event: &ErrorEvent) -> Result<Event, Failure> {
    let report = event.report();
    Ok(Event {
        id: event.summary.event_id,
        received_at: event.summary.received_at,
        occurred_at: event.summary.occurred_at,
        report: report.map_err(|error| Failure::caused(ApiError::internal(), error))?,
    })
}
