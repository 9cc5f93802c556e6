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
    Answer, Deletion, Kind, Operation, Pages, Parameter, delete, get, post, put,
};

use super::shared::{
    AskedList, BODY, ID, Loaded, TAG, listed, many, note_id, one, read_body, read_note, refused,
    written,
};
use crate::frame::api::ApiRequest;
use crate::frame::project::{InProject, PROJECT};
use crate::frame::project_user::{AtLeast, OwnAmong, UserInProject};
use crate::frame::scopes::{Developer, Maintainer, Read, Write};

const IID: Parameter = Parameter::path("iid", Kind::ID, "The number of the alert in its project.");

const NOTES: &str = "/api/v4/projects/{id}/alert_management_alerts/{iid}/notes";
const NOTE: &str = "/api/v4/projects/{id}/alert_management_alerts/{iid}/notes/{note_id}";

pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listAlertNotes", NOTES, list)
            .documented(TAG, "List the notes on an alert")
            .takes([PROJECT, IID])
            .takes(listed())
            .paged(Pages::Offset)
            .answers(many()),
        post("createAlertNote", NOTES, create)
            .documented(TAG, "Write a note on an alert")
            .takes([PROJECT, IID, BODY.required()])
            .takes(written())
            .answers(one(201)),
        get("showAlertNote", NOTE, show)
            .documented(TAG, "Show a note on an alert")
            .takes([PROJECT, IID, ID])
            .answers(one(200)),
        put("updateAlertNote", NOTE, update)
            .documented(
                TAG,
                "Change the text of a note on an alert: its author, or a Maintainer",
            )
            .takes([PROJECT, IID, ID, BODY.required()])
            .answers(one(200)),
        delete("deleteAlertNote", NOTE, remove)
            .documented(
                TAG,
                "Delete a note on an alert: its author, or a Maintainer",
            )
            .takes([PROJECT, IID, ID])
            .answers(Answer::empty(204, "It is gone."))
            .answers(Answer::refusal(412, "It changed meanwhile.")),
    ]
}

async fn list(asked: InProject<Developer, Read>) -> Result<HttpResponse, Failure> {
    let (iid, wanted) = (iid(&asked)?, AskedList::read(asked.params())?);
    let paging = Paging::offset(asked.params())?;
    let found = asked.read(move |tx, project| {
        let thing = thing(tx, project, iid)?;
        let filter = wanted.filter(thing.on, true);
        let page = tx.list_notes(&filter, paging)?;
        Ok(Loaded::page(tx, page)?)
    });
    let (found, _) = found.await?;
    asked.page(paging, found.shown(asked.base_url()), |note| note)
}

async fn show(asked: InProject<Developer, Read>) -> Result<HttpResponse, Failure> {
    let (iid, id) = (iid(&asked)?, note_id(&asked)?);
    let found = asked.read(move |tx, project| {
        let thing = thing(tx, project, iid)?;
        let note = find_note(tx, thing.on, id, true).map_err(refused)?;
        Ok(Loaded::one(tx, note)?)
    });
    let (found, _) = found.await?;
    asked.json(&found.single(asked.base_url())?)
}

async fn create(asked: UserInProject<AtLeast<Developer>, Write>) -> Result<HttpResponse, Failure> {
    let (iid, wanted) = (iid(&asked)?, read_note(asked.params())?);
    let made = asked.write(move |tx, project, by| {
        let thing = thing(tx, project, iid)?;
        let note = flows::create(tx, &thing, wanted.clone(), by).map_err(refused)?;
        Ok(Loaded::one(tx, note)?)
    });
    let (made, _) = made.await?;
    Ok(HttpResponse::Created().json(made.single(asked.base_url())?))
}

async fn update(
    asked: UserInProject<OwnAmong<Developer, Maintainer>, Write>,
) -> Result<HttpResponse, Failure> {
    let (iid, id, body) = (iid(&asked)?, note_id(&asked)?, read_body(asked.params())?);
    let changed = asked.write(move |tx, project, by| {
        let thing = thing(tx, project, iid)?;
        let note = flows::update(tx, &thing, id, body.clone(), by).map_err(refused)?;
        Ok(Loaded::one(tx, note)?)
    });
    let (changed, _) = changed.await?;
    asked.json(&changed.single(asked.base_url())?)
}

async fn remove(
    asked: UserInProject<OwnAmong<Developer, Maintainer>, Write>,
) -> Result<Deletion, Failure> {
    let (iid, id, condition) = (iid(&asked)?, note_id(&asked)?, asked.precondition());
    let deleted = asked.write(move |tx, project, by| {
        let thing = thing(tx, project, iid)?;
        let flow = |since| flows::delete(tx, &thing, id, since, by);
        condition.check_in(flow).map_err(refused)
    });
    Ok(Deletion::no_content(deleted.await?.0))
}

fn iid(asked: &ApiRequest) -> Result<AlertIid, ApiError> {
    asked.number(IID.name, "Alert").map(AlertIid::new)
}

fn thing<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    project: &Project,
    iid: AlertIid,
) -> Result<flows::Thing, Failure> {
    let found = flows::alert_of(tx, project.id, iid)?;
    found.ok_or_else(|| ApiError::not_found("Alert").into())
}
