//! A single error, and its events.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use error_tracking::event::Event;
use error_tracking::external::latest_event;
use error_tracking::model::{ErrorEvent, EventId, TagCount};
use error_tracking::store::{EventPlace, EventPosition};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Kind, Operation, Parameter, get};

use super::super::errors::{DAY, hours_of};
use super::TAG;
use super::list::issue_of;
use crate::frame::scopes::{Read, Reporter};
use crate::frame::tracked_error::{
    self, ERROR_ID, InNamedProject, InProjectOfError, InProjectOfEvent, ORGANIZATION, SLUG,
};

/// Path of an error.
pub(super) const ISSUE: &str = "/api/0/issues/{id}/";
pub(super) const ISSUE_BARE: &str = "/api/0/issues/{id}";

const THING: &str = "Event";
const EVENT_ID: Parameter = Parameter::path(
    "event_id",
    Kind::Text { min: 1, max: 36 },
    "The id that the SDK gave the event; or `latest`, or `oldest`.",
);
/// Values shown per tag.
const VALUES: usize = 10;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("showTrackerIssue", ISSUE, show)
            .also_at(&[ISSUE_BARE])
            .documented(TAG, "Show an error")
            .takes([ERROR_ID])
            .answers(Answer::json::<Map<String, Value>>(200, "The error.")),
        get(
            "showTrackerEvent",
            "/api/0/issues/{id}/events/{event_id}/",
            event,
        )
        .also_at(&["/api/0/issues/{id}/events/{event_id}"])
        .documented(TAG, "Show an event of an error")
        .takes([ERROR_ID, EVENT_ID])
        .answers(Answer::json::<Map<String, Value>>(200, "The event.")),
        get(
            "showTrackerProjectEvent",
            "/api/0/projects/{organization}/{project}/events/{event_id}/",
            event_of_project,
        )
        .also_at(&["/api/0/projects/{organization}/{project}/events/{event_id}"])
        .documented(
            TAG,
            "Show an event of a project by the id that its SDK gave it",
        )
        .takes([ORGANIZATION, SLUG, tracked_error::EVENT_ID])
        .answers(Answer::json::<Map<String, Value>>(200, "The event.")),
        get(
            "findTrackerEvent",
            "/api/0/organizations/{organization}/eventids/{event_id}/",
            event_of_organization,
        )
        .also_at(&["/api/0/organizations/{organization}/eventids/{event_id}"])
        .documented(
            TAG,
            "Find the project and the error of an event by the id that its SDK gave it",
        )
        .takes([ORGANIZATION, tracked_error::EVENT_ID])
        .answers(Answer::json::<FoundEventJson>(200, "Where the event is.")),
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

async fn show(asked: InProjectOfError<Reporter, Read>) -> Result<HttpResponse, Failure> {
    let from = asked.now().plus_seconds(-DAY);
    let read = asked.read(move |tx, found| {
        let mut hours = hours_of(tx, std::slice::from_ref(&found.error), from)?;
        let tags = tx.list_error_tags(found.error.id, VALUES)?;
        Ok((hours.remove(&found.error.id).unwrap_or_default(), tags))
    });
    let ((hours, tags), found) = read.await?;
    let mut json = issue_of(&asked, &found.project, &found.error, &hours).to_json();
    if let Some(json) = json.as_object_mut() {
        json.insert("tags".to_owned(), tags_json(&tags, found.error.events));
    }
    asked.json(&json)
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

async fn event(asked: InProjectOfError<Reporter, Read>) -> Result<HttpResponse, Failure> {
    let position = match asked.segment(EVENT_ID.name, THING)?.as_str() {
        "latest" => EventPosition::Latest,
        "oldest" => EventPosition::Oldest,
        id => {
            let id = EventId::parse(id).ok_or_else(|| ApiError::not_found(THING))?;
            EventPosition::WithId(id)
        }
    };
    let read = asked.read(move |tx, found| {
        let event = tx.find_error_event(found.error.id, position)?;
        let event = event.ok_or_else(|| ApiError::not_found(THING))?;
        let place = tx.find_event_place(found.error.id, event.summary.id)?;
        Ok((event, place))
    });
    let ((event, place), found) = read.await?;
    let mut json = latest_event(&whole(&event)?, &found.error.id.to_string());
    add_neighbours(&mut json, place);
    asked.json(&json)
}

async fn event_of_project(asked: InNamedProject<Reporter, Read>) -> Result<HttpResponse, Failure> {
    let text = asked.segment(EVENT_ID.name, THING)?;
    let id = EventId::parse(&text).ok_or_else(|| ApiError::not_found(THING))?;
    let read = asked.read(move |tx, project| {
        let errors = tx.list_errors_of_event(id, Some(project.id))?;
        let (_, error) = errors.first().ok_or_else(|| ApiError::not_found(THING))?;
        let event = tx.find_error_event(*error, EventPosition::WithId(id))?;
        let event = event.ok_or_else(|| ApiError::not_found(THING))?;
        Ok((
            *error,
            tx.find_event_place(*error, event.summary.id)?,
            event,
        ))
    });
    let ((error, place, event), _) = read.await?;
    let mut json = latest_event(&whole(&event)?, &error.to_string());
    add_neighbours(&mut json, place);
    asked.json(&json)
}

async fn event_of_organization(
    asked: InProjectOfEvent<Reporter, Read>,
) -> Result<HttpResponse, Failure> {
    let read = asked.read(|tx, found| {
        let position = EventPosition::WithId(found.event);
        Ok(tx.find_error_event(found.of.error.id, position)?)
    });
    let (event, found) = read.await?;
    let group_id = found.of.error.id.to_string();
    let event = event.as_ref().map(whole).transpose()?;
    let project = &found.of.project;
    asked.json(&FoundEventJson {
        organization_slug: project.namespace.full_path.as_str().replace('/', "%2F"),
        project_slug: project.path.clone(),
        event_id: found.event.to_string(),
        event: event.map(|event| latest_event(&event, &group_id)),
        group_id,
    })
}

/// Adds the ids of the previous and the next event.
fn add_neighbours(json: &mut Value, place: EventPlace) {
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
fn whole(event: &ErrorEvent) -> Result<Event, Failure> {
    let report = event.report();
    Ok(Event {
        id: event.summary.event_id,
        received_at: event.summary.received_at,
        occurred_at: event.summary.occurred_at,
        report: report.map_err(|unkept| Failure::caused(ApiError::internal(), unkept))?,
    })
}
