//! Notes on alerts, for users who may see the alerts of the project.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::AlertIid;
use api_conventions::paging::Paging;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::notes as flows;
use projects::Project;
use projects::flow::notes::find_note;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Pages, Parameter, ParameterKind, ResponseSpec, delete, get, post, put,
};

use super::shared::{
    BODY, ID, NoteListQuery, NotesWithAuthors, TAG, list_parameters, note_id, note_parameters,
    note_response, notes_response, read_body, read_note, refused,
};
use crate::config::RequestLimit;
use crate::frame::api::ApiRequest;
use crate::frame::limits::LimitedOperation as _;
use crate::frame::project::{InProject, PROJECT};
use crate::frame::project_user::{AtLeast, RoleAndAuthorOr, UserInProject};
use crate::frame::scopes::{Developer, Maintainer, ReadApi, WriteApi};

const IID: Parameter = Parameter::path(
    "iid",
    ParameterKind::ID,
    "IID of the alert: its number within the project.",
);

const NOTES: &str = "/api/v4/projects/{id}/alert_management_alerts/{iid}/notes";
const NOTE: &str = "/api/v4/projects/{id}/alert_management_alerts/{iid}/notes/{note_id}";

pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listAlertNotes", NOTES, list)
            .documented(TAG, "List the notes on an alert")
            .takes([PROJECT, IID])
            .takes(list_parameters())
            .paged(Pages::Offset)
            .response(notes_response()),
        post("createAlertNote", NOTES, create)
            .limited_by(RequestLimit::NoteCreation)
            .documented(TAG, "Create a note on an alert")
            .takes([PROJECT, IID, BODY.required()])
            .takes(note_parameters())
            .response(note_response(201)),
        get("showAlertNote", NOTE, show)
            .documented(TAG, "Get a note on an alert")
            .takes([PROJECT, IID, ID])
            .response(note_response(200)),
        put("updateAlertNote", NOTE, update)
            .documented(
                TAG,
                "Update the text of a note on an alert (its author or a Maintainer)",
            )
            .takes([PROJECT, IID, ID, BODY.required()])
            .response(note_response(200)),
        delete("deleteAlertNote", NOTE, remove)
            .documented(
                TAG,
                "Delete a note on an alert (its author or a Maintainer)",
            )
            .takes([PROJECT, IID, ID])
            .response(ResponseSpec::empty(204, "Deleted."))
            .response(ResponseSpec::refusal(
                412,
                "The note was changed in the meantime.",
            )),
    ]
}

async fn list(request: InProject<Developer, ReadApi>) -> Result<HttpResponse, Failure> {
    let (iid, query) = (iid(&request)?, NoteListQuery::read(request.params())?);
    let paging = Paging::offset(request.params())?;
    let found = request.read(move |tx, project| {
        let target = find_target(tx, project, iid)?;
        let filter = query.filter(target.on, true);
        let page = tx.list_notes(&filter, paging)?;
        Ok(NotesWithAuthors::page(tx, page)?)
    });
    let (found, _) = found.await?;
    request.page(paging, found.into_json(request.base_url()), |note| note)
}

async fn show(request: InProject<Developer, ReadApi>) -> Result<HttpResponse, Failure> {
    let (iid, id) = (iid(&request)?, note_id(&request)?);
    let found = request.read(move |tx, project| {
        let target = find_target(tx, project, iid)?;
        let note = find_note(tx, target.on, id, true).map_err(refused)?;
        Ok(NotesWithAuthors::one(tx, note)?)
    });
    let (found, _) = found.await?;
    request.json(&found.single(request.base_url())?)
}

async fn create(
    request: UserInProject<AtLeast<Developer>, WriteApi>,
) -> Result<HttpResponse, Failure> {
    let (iid, input) = (iid(&request)?, read_note(request.params())?);
    let created = request.write(move |tx, project, by| {
        let target = find_target(tx, project, iid)?;
        let note = flows::create(tx, &target, input.clone(), by).map_err(refused)?;
        Ok(NotesWithAuthors::one(tx, note)?)
    });
    let (created, _) = created.await?;
    Ok(HttpResponse::Created().json(created.single(request.base_url())?))
}

async fn update(
    request: UserInProject<RoleAndAuthorOr<Developer, Maintainer>, WriteApi>,
) -> Result<HttpResponse, Failure> {
    let (iid, id, body) = (
        iid(&request)?,
        note_id(&request)?,
        read_body(request.params())?,
    );
    let changed = request.write(move |tx, project, by| {
        let target = find_target(tx, project, iid)?;
        let note = flows::update(tx, &target, id, body.clone(), by).map_err(refused)?;
        Ok(NotesWithAuthors::one(tx, note)?)
    });
    let (changed, _) = changed.await?;
    request.json(&changed.single(request.base_url())?)
}

async fn remove(
    request: UserInProject<RoleAndAuthorOr<Developer, Maintainer>, WriteApi>,
) -> Result<Deletion, Failure> {
    let (iid, id, condition) = (iid(&request)?, note_id(&request)?, request.precondition());
    let deleted = request.write(move |tx, project, by| {
        let target = find_target(tx, project, iid)?;
        let flow = |since| flows::delete(tx, &target, id, since, by);
        condition.check_in(flow).map_err(refused)
    });
    Ok(Deletion::no_content(deleted.await?.0))
}

fn iid(request: &ApiRequest) -> Result<AlertIid, ApiError> {
    request.number(IID.name, "Alert").map(AlertIid::new)
}

fn find_target<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    project: &Project,
    iid: AlertIid,
) -> Result<flows::NoteTarget, Failure> {
    let found = flows::alert_of(tx, project.id, iid)?;
    found.ok_or_else(|| ApiError::not_found("Alert").into())
}
