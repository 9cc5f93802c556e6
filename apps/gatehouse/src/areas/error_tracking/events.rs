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
use web_conventions::operations::{Operation, Pages, Parameter, ParameterKind, ResponseSpec, get};

use super::TAG;
use super::errors::{DAY, error_json, error_of_event, hours_of};
use super::external::{self, bad_gateway, external_project, gateway_timeout};
use super::lookup::{IID, NamedError, find};
use crate::frame::api::ApiRequest;
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{ReadApi, Reporter};

const EVENTS: &str = "/api/v4/projects/{id}/error_tracking/errors/{iid}/events";
const EVENT: &str = "/api/v4/projects/{id}/error_tracking/errors/{iid}/events/{event_id}";
const FILE: &str = "/api/v4/projects/{id}/error_tracking/errors/{iid}/events/{event_id}/attachments/{attachment_id}";
const COMMENTS: &str = "/api/v4/projects/{id}/error_tracking/errors/{iid}/comments";

const EVENT_BY_ID: &str = "/api/v4/projects/{id}/error_tracking/events/{event_id}";

const RESOURCE: &str = "Event";
const SDK_ID: Parameter = Parameter::path(
    "event_id",
    ParameterKind::Text { min: 1, max: 36 },
    "Event id from the SDK, with or without dashes.",
);
const EVENT_ID: Parameter = Parameter::path(
    "event_id",
    ParameterKind::Text { min: 1, max: 36 },
    "Event id from the SDK, or `latest` or `oldest`.",
);
const ATTACHMENT_ID: Parameter = Parameter::path(
    "attachment_id",
    ParameterKind::ID,
    "The id of the attachment.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listErrorEvents", EVENTS, list)
            .documented(TAG, "List the stored events of an error, newest first")
            .takes([PROJECT, IID])
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<EventJson>>(
                200,
                "A page of events.",
            )),
        get("showErrorEvent", EVENT, show)
            .documented(TAG, "Get an event with its stack traces and all its data")
            .takes([PROJECT, IID, EVENT_ID])
            .response(ResponseSpec::json::<EventDetailJson>(200, "The event."))
            .response(bad_gateway())
            .response(gateway_timeout()),
        get("findErrorEvent", EVENT_BY_ID, locate)
            .documented(TAG, "Get the error of an event by its event id")
            .takes([PROJECT, SDK_ID])
            .response(ResponseSpec::json::<EventErrorJson>(
                200,
                "The error, and the event if it is still stored.",
            )),
        get("downloadErrorAttachment", FILE, download)
            .documented(TAG, "Download an attachment of an event")
            .takes([PROJECT, IID, EVENT_ID, ATTACHMENT_ID])
            .response(ResponseSpec::empty(200, "The content of the attachment.")),
        get("listErrorComments", COMMENTS, comments)
            .documented(TAG, "List user feedback on an error, newest first")
            .takes([PROJECT, IID])
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<CommentJson>>(
                200,
                "A page of user feedback.",
            )),
    ]
}

async fn list(request: InProject<Reporter, ReadApi>) -> Result<HttpResponse, Failure> {
    let named = NamedError::of(&request)?;
    let paging = Paging::offset(request.params())?;
    let found = request.read(move |tx, project| {
        let error = named.find(tx, project.id)?;
        Ok(tx.list_error_events(error.id, paging)?)
    });
    let (page, _) = found.await?;
    request.page(paging, page, EventJson::from)
}

async fn show(request: InProject<Reporter, ReadApi>) -> Result<HttpResponse, Failure> {
    let named = NamedError::of(&request)?;
    let position = position_of(&request)?;
    if let Some(at) = external_project(&request).await? {
        return external::event(&request, &at, named.iid, position).await;
    }
    let found = request.read(move |tx, project| {
        let error = named.find(tx, project.id)?;
        let event = tx.find_error_event(error.id, position)?;
        let event = event.ok_or_else(|| ApiError::not_found(RESOURCE))?;
        let place = tx.find_event_neighbours(error.id, event.summary.id)?;
        let files = tx.list_attachments(project.id, event.summary.event_id)?;
        Ok((event, place, files))
    });
    let ((event, place, files), _) = found.await?;
    let json = EventDetailJson::new(event, place, files);
    let json = json.map_err(|error| Failure::caused(ApiError::internal(), error))?;
    request.json(&json)
}

/// Finds an error by the event id that the SDK generated.
async fn locate(request: InProject<Reporter, ReadApi>) -> Result<HttpResponse, Failure> {
    let text = request.segment(SDK_ID.name, RESOURCE)?;
    let id = EventId::parse(&text).ok_or_else(|| ApiError::not_found(RESOURCE))?;
    let from = request.now().plus_seconds(-DAY);
    let found = request.read(move |tx, project| {
        let error = error_of_event(tx, project.id, Some(&text))?;
        let error = error.ok_or_else(|| ApiError::not_found(RESOURCE))?;
        let error = find(tx, project.id, error.iid)?;
        let hours = hours_of(tx, std::slice::from_ref(&error), from)?;
        let event = tx.find_error_event(error.id, EventPosition::WithId(id))?;
        Ok((error, hours, event))
    });
    let ((error, hours, event), project) = found.await?;
    let error = error_json(&request, &project, &hours, error);
    request.json(&EventErrorJson::new(
        id,
        error,
        event.map(|event| event.summary),
    ))
}

/// Parses the event that the path names.
fn position_of(request: &ApiRequest) -> Result<EventPosition, ApiError> {
    let text = request.segment(EVENT_ID.name, RESOURCE)?;
    match text.as_str() {
        "latest" => Ok(EventPosition::Latest),
        "oldest" => Ok(EventPosition::Oldest),
        text => {
            let id = EventId::parse(text).ok_or_else(|| ApiError::not_found(RESOURCE))?;
            Ok(EventPosition::WithId(id))
        }
    }
}

/// Downloads an attachment.
/// Untrusted content is never rendered in a browser: it is always served as an untyped download.
async fn download(request: InProject<Reporter, ReadApi>) -> Result<HttpResponse, Failure> {
    const FILE: &str = "Attachment";
    let named = NamedError::of(&request)?;
    let position = position_of(&request)?;
    let id = AttachmentId::new(request.number(ATTACHMENT_ID.name, FILE)?);
    let found = request.read(move |tx, project| {
        let error = named.find(tx, project.id)?;
        let event = tx.find_error_event(error.id, position)?;
        let event = event.ok_or_else(|| ApiError::not_found(RESOURCE))?;
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

async fn comments(request: InProject<Reporter, ReadApi>) -> Result<HttpResponse, Failure> {
    let named = NamedError::of(&request)?;
    let paging = Paging::offset(request.params())?;
    let found = request.read(move |tx, project| {
        let error = named.find(tx, project.id)?;
        Ok(tx.list_error_comments(error.id, paging)?)
    });
    let (page, _) = found.await?;
    request.page(paging, page, CommentJson::from)
}
