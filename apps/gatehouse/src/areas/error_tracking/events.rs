//! Events of an error, with their attachments and comments.

use actix_web::HttpResponse;
use actix_web::http::header::{
    CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS,
};
use api_conventions::error::ApiError;
use api_conventions::ids::AttachmentId;
use api_conventions::paging::Paging;
use error_tracking::model::EventId;
use error_tracking::store::EventPosition;
use error_tracking::wire::{CommentJson, EventDetailJson, EventErrorJson, EventJson};
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Kind, Operation, Pages, Parameter, get};

use super::TAG;
use super::errors::{DAY, error_of_event, hours_of, shown};
use super::external::{self, bad_gateway, elsewhere, gateway_timeout};
use super::named::{IID, NamedError, find};
use crate::frame::api::ApiRequest;
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Read, Reporter};

const EVENTS: &str = "/api/v4/projects/{id}/error_tracking/errors/{iid}/events";
const EVENT: &str = "/api/v4/projects/{id}/error_tracking/errors/{iid}/events/{event_id}";
const FILE: &str = "/api/v4/projects/{id}/error_tracking/errors/{iid}/events/{event_id}/attachments/{attachment_id}";
const COMMENTS: &str = "/api/v4/projects/{id}/error_tracking/errors/{iid}/comments";

const FOUND: &str = "/api/v4/projects/{id}/error_tracking/events/{event_id}";

const THING: &str = "Event";
const SDK_ID: Parameter = Parameter::path(
    "event_id",
    Kind::Text { min: 1, max: 36 },
    "The id that the SDK gave the event, with or without dashes.",
);
const EVENT_ID: Parameter = Parameter::path(
    "event_id",
    Kind::Text { min: 1, max: 36 },
    "The id that the SDK gave the event; or `latest`, or `oldest`.",
);
const ATTACHMENT_ID: Parameter =
    Parameter::path("attachment_id", Kind::ID, "The number of the file.");

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listErrorEvents", EVENTS, list)
            .documented(
                TAG,
                "List the events of an error that are kept, the latest first",
            )
            .takes([PROJECT, IID])
            .paged(Pages::Offset)
            .answers(Answer::json::<Vec<EventJson>>(200, "A page of the events.")),
        get("showErrorEvent", EVENT, show)
            .documented(
                TAG,
                "Show an event with its stack traces and all that it says",
            )
            .takes([PROJECT, IID, EVENT_ID])
            .answers(Answer::json::<EventDetailJson>(200, "The event."))
            .answers(bad_gateway())
            .answers(gateway_timeout()),
        get("findErrorEvent", FOUND, locate)
            .documented(
                TAG,
                "Find the error of an event by the id that its SDK gave it",
            )
            .takes([PROJECT, SDK_ID])
            .answers(Answer::json::<EventErrorJson>(
                200,
                "The error, and the event where it is kept.",
            )),
        get("downloadErrorAttachment", FILE, download)
            .documented(TAG, "Download a file that came with an event")
            .takes([PROJECT, IID, EVENT_ID, ATTACHMENT_ID])
            .answers(Answer::empty(200, "The bytes of the file, as they came.")),
        get("listErrorComments", COMMENTS, comments)
            .documented(
                TAG,
                "List what users of the program wrote about an error, the latest first",
            )
            .takes([PROJECT, IID])
            .paged(Pages::Offset)
            .answers(Answer::json::<Vec<CommentJson>>(
                200,
                "A page of what they wrote.",
            )),
    ]
}

async fn list(asked: InProject<Reporter, Read>) -> Result<HttpResponse, Failure> {
    let named = NamedError::of(&asked)?;
    let paging = Paging::offset(asked.params())?;
    let found = asked.read(move |tx, project| {
        let error = named.find(tx, project.id)?;
        Ok(tx.list_error_events(error.id, paging)?)
    });
    let (page, _) = found.await?;
    asked.page(paging, page, EventJson::from)
}

async fn show(asked: InProject<Reporter, Read>) -> Result<HttpResponse, Failure> {
    let named = NamedError::of(&asked)?;
    let position = position_of(&asked)?;
    if let Some(at) = elsewhere(&asked).await? {
        return external::event(&asked, &at, (named.iid, position)).await;
    }
    let found = asked.read(move |tx, project| {
        let error = named.find(tx, project.id)?;
        let event = tx.find_error_event(error.id, position)?;
        let event = event.ok_or_else(|| ApiError::not_found(THING))?;
        let place = tx.find_event_place(error.id, event.summary.id)?;
        let files = tx.list_attachments(project.id, event.summary.event_id)?;
        Ok((event, place, files))
    });
    let ((event, place, files), _) = found.await?;
    let json = EventDetailJson::new(event, place, files);
    let json = json.map_err(|unkept| Failure::caused(ApiError::internal(), unkept))?;
    asked.json(&json)
}

/// Finds an error by the event id that the SDK generated.
async fn locate(request: InProject<Reporter, Read>) -> Result<HttpResponse, Failure> {
    let text = request.segment(SDK_ID.name, THING)?;
    let id = EventId::parse(&text).ok_or_else(|| ApiError::not_found(THING))?;
    let from = request.now().plus_seconds(-DAY);
    let found = request.read(move |tx, project| {
        let error = error_of_event(tx, project.id, Some(&text))?;
        let error = error.ok_or_else(|| ApiError::not_found(THING))?;
        let error = find(tx, project.id, error.iid)?;
        let hours = hours_of(tx, std::slice::from_ref(&error), from)?;
        let event = tx.find_error_event(error.id, EventPosition::WithId(id))?;
        Ok((error, hours, event))
    });
    let ((error, hours, event), project) = found.await?;
    let error = shown(&request, &project, &hours, error);
    request.json(&EventErrorJson::new(
        id,
        error,
        event.map(|event| event.summary),
    ))
}

/// Parses the event that the path names.
fn position_of(asked: &ApiRequest) -> Result<EventPosition, ApiError> {
    let text = asked.segment(EVENT_ID.name, THING)?;
    match text.as_str() {
        "latest" => Ok(EventPosition::Latest),
        "oldest" => Ok(EventPosition::Oldest),
        text => {
            let id = EventId::parse(text).ok_or_else(|| ApiError::not_found(THING))?;
            Ok(EventPosition::WithId(id))
        }
    }
}

/// Downloads an attachment.
/// Untrusted content is never rendered in a browser: it is always served as an untyped download.
async fn download(asked: InProject<Reporter, Read>) -> Result<HttpResponse, Failure> {
    const FILE: &str = "Attachment";
    let named = NamedError::of(&asked)?;
    let position = position_of(&asked)?;
    let id = AttachmentId::new(asked.number(ATTACHMENT_ID.name, FILE)?);
    let found = asked.read(move |tx, project| {
        let error = named.find(tx, project.id)?;
        let event = tx.find_error_event(error.id, position)?;
        let event = event.ok_or_else(|| ApiError::not_found(THING))?;
        let file = tx.find_attachment(project.id, event.summary.event_id, id)?;
        Ok(file.ok_or_else(|| ApiError::not_found(FILE))?)
    });
    let ((file, bytes), _) = found.await?;
    let name = file_name(&file.filename);
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "application/octet-stream"))
        .insert_header((
            CONTENT_DISPOSITION,
            format!("attachment; filename=\"{name}\""),
        ))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((CONTENT_SECURITY_POLICY, "sandbox"))
        .body(bytes))
}

/// File name for a header: the sender's name with every character replaced that has a meaning there.
fn file_name(sent: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let name: String = sent
        .chars()
        .map(|c| if is_plain(c) { c } else { '_' })
        .take(100)
        .collect();
    let name = name.trim_start_matches('.');
    if name.is_empty() {
        "attachment".to_owned()
    } else {
        name.to_owned()
    }
}

async fn comments(asked: InProject<Reporter, Read>) -> Result<HttpResponse, Failure> {
    let named = NamedError::of(&asked)?;
    let paging = Paging::offset(asked.params())?;
    let found = asked.read(move |tx, project| {
        let error = named.find(tx, project.id)?;
        Ok(tx.list_error_comments(error.id, paging)?)
    });
    let (page, _) = found.await?;
    asked.page(paging, page, CommentJson::from)
}
