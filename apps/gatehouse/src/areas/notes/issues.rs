//! Notes on issues.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::IssueIid;
use api_conventions::paging::Paging;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::notes as flows;
use projects::flow::issues::IssueError;
use projects::flow::notes::find_note;
use projects::rules::issues::sees_confidential;
use projects::{Issue, Project, ProjectAccess, Viewer};
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Answer, Deletion, Kind, Operation, Pages, Parameter, delete, get, post, put,
};

use super::shared::{
    AskedList, BODY, ID, Loaded, TAG, listed, many, note_id, one, read_body, read_note, refused,
    written,
};
use crate::frame::api::ApiRequest;
use crate::frame::project::{PROJECT, SeesProject};
use crate::frame::project_user::{OwnOr, Seeing, UserInProject};
use crate::frame::scopes::{Maintainer, Read, Write};

const IID: Parameter = Parameter::path(
    "issue_iid",
    Kind::ID,
    "The number of the issue in its project.",
);

const NOTES: &str = "/api/v4/projects/{id}/issues/{issue_iid}/notes";
const NOTE: &str = "/api/v4/projects/{id}/issues/{issue_iid}/notes/{note_id}";

pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listIssueNotes", NOTES, list)
            .documented(TAG, "List the notes on an issue")
            .takes([PROJECT, IID])
            .takes(listed())
            .paged(Pages::Offset)
            .answers(many()),
        post("createIssueNote", NOTES, create)
            .documented(TAG, "Write a note on an issue")
            .takes([PROJECT, IID, BODY.required()])
            .takes(written())
            .answers(one(201)),
        get("showIssueNote", NOTE, show)
            .documented(TAG, "Show a note on an issue")
            .takes([PROJECT, IID, ID])
            .answers(one(200)),
        put("updateIssueNote", NOTE, update)
            .documented(
                TAG,
                "Change the text of a note on an issue: its author, or a Maintainer",
            )
            .takes([PROJECT, IID, ID, BODY.required()])
            .answers(one(200)),
        delete("deleteIssueNote", NOTE, remove)
            .documented(
                TAG,
                "Delete a note on an issue: its author, or a Maintainer",
            )
            .takes([PROJECT, IID, ID])
            .answers(Answer::empty(204, "It is gone."))
            .answers(Answer::refusal(412, "It changed meanwhile.")),
    ]
}

async fn list(asked: SeesProject<Read>) -> Result<HttpResponse, Failure> {
    let (iid, wanted) = (iid(&asked)?, AskedList::read(asked.params())?);
    let paging = Paging::offset(asked.params())?;
    let viewer = asked.viewer();
    let found = asked.read(move |tx, project, access| {
        let thing = thing(tx, &project, iid, (viewer, access))?;
        let filter = wanted.filter(thing.on, sees_confidential(access));
        let page = tx.list_notes(&filter, paging)?;
        Ok(Loaded::page(tx, page)?)
    });
    let found = found.await?;
    asked.page(paging, found.shown(asked.base_url()), |note| note)
}

async fn show(asked: SeesProject<Read>) -> Result<HttpResponse, Failure> {
    let (iid, id) = (iid(&asked)?, note_id(&asked)?);
    let viewer = asked.viewer();
    let found = asked.read(move |tx, project, access| {
        let thing = thing(tx, &project, iid, (viewer, access))?;
        let note = find_note(tx, thing.on, id, sees_confidential(access)).map_err(refused)?;
        Ok(Loaded::one(tx, note)?)
    });
    let found = found.await?;
    asked.json(&found.single(asked.base_url())?)
}

async fn create(asked: UserInProject<Seeing, Write>) -> Result<HttpResponse, Failure> {
    let (iid, wanted) = (iid(&asked)?, read_note(asked.params())?);
    let made = asked.write(move |tx, project, by| {
        let thing = thing(tx, project, iid, (by.viewer, by.access))?;
        let note = flows::create(tx, &thing, wanted.clone(), by).map_err(refused)?;
        Ok(Loaded::one(tx, note)?)
    });
    let (made, _) = made.await?;
    Ok(HttpResponse::Created().json(made.single(asked.base_url())?))
}

async fn update(asked: UserInProject<OwnOr<Maintainer>, Write>) -> Result<HttpResponse, Failure> {
    let (iid, id, body) = (iid(&asked)?, note_id(&asked)?, read_body(asked.params())?);
    let changed = asked.write(move |tx, project, by| {
        let thing = thing(tx, project, iid, (by.viewer, by.access))?;
        let note = flows::update(tx, &thing, id, body.clone(), by).map_err(refused)?;
        Ok(Loaded::one(tx, note)?)
    });
    let (changed, _) = changed.await?;
    asked.json(&changed.single(asked.base_url())?)
}

async fn remove(asked: UserInProject<OwnOr<Maintainer>, Write>) -> Result<Deletion, Failure> {
    let (iid, id, condition) = (iid(&asked)?, note_id(&asked)?, asked.precondition());
    let deleted = asked.write(move |tx, project, by| {
        let thing = thing(tx, project, iid, (by.viewer, by.access))?;
        let flow = |since| flows::delete(tx, &thing, id, since, by);
        condition.check_in(flow).map_err(refused)
    });
    Ok(Deletion::no_content(deleted.await?.0))
}

fn iid(asked: &ApiRequest) -> Result<IssueIid, ApiError> {
    asked.number(IID.name, Issue::NAME).map(IssueIid::new)
}

/// Finds the issue for a viewer who may see the project.
fn thing<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    project: &Project,
    iid: IssueIid,
    who: (Viewer, ProjectAccess),
) -> Result<flows::Thing, Failure> {
    let found = flows::issue_of(tx, project.id, iid, who);
    found.map_err(|error| match error {
        IssueError::Store(error) => error.into(),
        refusal => ApiError::from(refusal).into(),
    })
}
