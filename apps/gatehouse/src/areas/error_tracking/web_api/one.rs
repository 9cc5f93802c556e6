//! One error, and its events.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use error_tracking::event::Event;
use error_tracking::external::latest_event;
use error_tracking::model::{ErrorEvent, EventId, TagCount};
use error_tracking::store::{EventPlace, EventPosition};
use serde_json::{Map, Value, json};
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Kind, Operation, Parameter, get};

use super::super::errors::{DAY, hours_of};
use super::TAG;
use super::list::issue_of;
use crate::frame::scopes::{Read, Reporter};
use crate::frame::tracked_error::{ERROR_ID, InProjectOfError};

/// The address of an error.
pub(super) const ISSUE: &str = "/api/0/issues/{id}/";
pub(super) const ISSUE_BARE: &str = "/api/0/issues/{id}";

const THING: &str = "Event";
const EVENT_ID: Parameter = Parameter::path(
    "event_id",
    Kind::Text { min: 1, max: 36 },
    "The id that the SDK gave the event; or `latest`, or `oldest`.",
);
/// Values of each tag that are shown.
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
    ]
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

/// The tags of an error: how many values each has, as far as they are shown, and which.
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

/// Adds the events around an event.
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

/// The event with its report.
fn whole(event: &ErrorEvent) -> Result<Event, Failure> {
    let report = event.report();
    Ok(Event {
        id: event.summary.event_id,
        received_at: event.summary.received_at,
        occurred_at: event.summary.occurred_at,
        report: report.map_err(|unkept| Failure::caused(ApiError::internal(), unkept))?,
    })
}
