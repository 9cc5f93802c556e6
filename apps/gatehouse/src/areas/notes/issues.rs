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
    Deletion, Operation, Pages, Parameter, ParameterKind, ResponseSpec, delete, get, post, put,
};

use super::shared::{
    BODY, ID, NoteListQuery, NotesWithAuthors, TAG, list_parameters, note_id, note_parameters,
    note_response, notes_response, read_body, read_note, refused,
};
use crate::config::RequestLimit;
use crate::frame::api::ApiRequest;
use crate::frame::limits::LimitedOperation as _;
use crate::frame::project::{PROJECT, SeesProject};
use crate::frame::project_user::{AuthorOr, CanViewProject, UserInProject};
use crate::frame::scopes::{Maintainer, ReadApi, WriteApi};

const IID: Parameter = Parameter::path(
    "issue_iid",
    ParameterKind::ID,
    "IID of the issue: its number within the project.",
);

const NOTES: &str = "/api/v4/projects/{id}/issues/{issue_iid}/notes";
const NOTE: &str = "/api/v4/projects/{id}/issues/{issue_iid}/notes/{note_id}";

pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listIssueNotes", NOTES, list)
            .documented(TAG, "List the notes on an issue")
            .takes([PROJECT, IID])
            .takes(list_parameters())
            .paged(Pages::Offset)
            .response(notes_response()),
        post("createIssueNote", NOTES, create)
            .limited_by(RequestLimit::NoteCreation)
            .documented(TAG, "Create a note on an issue")
            .takes([PROJECT, IID, BODY.required()])
            .takes(note_parameters())
            .response(note_response(201)),
        get("showIssueNote", NOTE, show)
            .documented(TAG, "Get a note on an issue")
            .takes([PROJECT, IID, ID])
            .response(note_response(200)),
        put("updateIssueNote", NOTE, update)
            .documented(
                TAG,
                "Update the text of a note on an issue (its author or a Maintainer)",
            )
            .takes([PROJECT, IID, ID, BODY.required()])
            .response(note_response(200)),
        delete("deleteIssueNote", NOTE, remove)
            .documented(
                TAG,
                "Delete a note on an issue (its author or a Maintainer)",
            )
            .takes([PROJECT, IID, ID])
            .response(ResponseSpec::empty(204, "Deleted."))
            .response(ResponseSpec::refusal(
                412,
                "The note was changed in the meantime.",
            )),
    ]
}

async fn list(request: SeesProject<ReadApi>) -> Result<HttpResponse, Failure> {
    let (iid, query) = (iid(&request)?, NoteListQuery::read(request.params())?);
    let paging = Paging::offset(request.params())?;
    let viewer = request.viewer();
    let found = request.read(move |tx, project, access| {
        let target = find_target(tx, &project, iid, viewer, access)?;
        let filter = query.filter(target.on, sees_confidential(access));
        let page = tx.list_notes(&filter, paging)?;
        Ok(NotesWithAuthors::page(tx, page)?)
    });
    let found = found.await?;
    request.page(paging, found.into_json(request.base_url()), |note| note)
}

async fn show(request: SeesProject<ReadApi>) -> Result<HttpResponse, Failure> {
    let (iid, id) = (iid(&request)?, note_id(&request)?);
    let viewer = request.viewer();
    let found = request.read(move |tx, project, access| {
        let target = find_target(tx, &project, iid, viewer, access)?;
        let note = find_note(tx, target.on, id, sees_confidential(access)).map_err(refused)?;
        Ok(NotesWithAuthors::one(tx, note)?)
    });
    let found = found.await?;
    request.json(&found.single(request.base_url())?)
}

async fn create(request: UserInProject<CanViewProject, WriteApi>) -> Result<HttpResponse, Failure> {
    let (iid, input) = (iid(&request)?, read_note(request.params())?);
    let created = request.write(move |tx, project, by| {
        let target = find_target(tx, project, iid, by.viewer, by.access)?;
        let note = flows::create(tx, &target, input.clone(), by).map_err(refused)?;
        Ok(NotesWithAuthors::one(tx, note)?)
    });
    let (created, _) = created.await?;
    Ok(HttpResponse::Created().json(created.single(request.base_url())?))
}

async fn update(
    request: UserInProject<AuthorOr<Maintainer>, WriteApi>,
) -> Result<HttpResponse, Failure> {
    let (iid, id, body) = (
        iid(&request)?,
        note_id(&request)?,
        read_body(request.params())?,
    );
    let changed = request.write(move |tx, project, by| {
        let target = find_target(tx, project, iid, by.viewer, by.access)?;
        let note = flows::update(tx, &target, id, body.clone(), by).map_err(refused)?;
        Ok(NotesWithAuthors::one(tx, note)?)
    });
    let (changed, _) = changed.await?;
    request.json(&changed.single(request.base_url())?)
}

async fn remove(
    request: UserInProject<AuthorOr<Maintainer>, WriteApi>,
) -> Result<Deletion, Failure> {
    let (iid, id, condition) = (iid(&request)?, note_id(&request)?, request.precondition());
    let deleted = request.write(move |tx, project, by| {
        let target = find_target(tx, project, iid, by.viewer, by.access)?;
        let flow = |since| flows::delete(tx, &target, id, since, by);
        condition.check_in(flow).map_err(refused)
    });
    Ok(Deletion::no_content(deleted.await?.0))
}

fn iid(request: &ApiRequest) -> Result<IssueIid, ApiError> {
    request.number(IID.name, Issue::NAME).map(IssueIid::new)
}

/// Finds the issue for a viewer who may see the project.
fn find_target<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    project: &Project,
    iid: IssueIid,
    viewer: Viewer,
    access: ProjectAccess,
) -> Result<flows::NoteTarget, Failure> {
    let found = flows::issue_of(tx, project.id, iid, viewer, access);
    found.map_err(|error| match error {
        IssueError::Store(error) => error.into(),
        refusal => ApiError::from(refusal).into(),
    })
}
