//! What the forms about issues do.

use actix_web::HttpResponse;
use api_conventions::error::ValidationFailures;
use api_conventions::ids::IssueIid;
use gatehouse_core::database::WriteTransaction;
use gatehouse_core::flows::issues as flows;
use projects::flow::issues::IssueEdit;
use projects::{Issue, IssueState};
use storage::StoreError;

use super::fields::Written;
use super::form::{around, show};
use super::{Refused, Sender, find, path_of};
use crate::areas::issues::shown::Loaded;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::notice::Notice;
use crate::frame::page::project::{Account, Found, ProjectForm};

type Form = ProjectForm<Account>;

/// Makes an issue, and leads to its page.
pub(super) async fn create(form: Form) -> Result<HttpResponse, PageFailure> {
    let (written, sender) = (Written::from_form(&form.form), Sender::of(&form)?);
    let asked = written.clone();
    let made = form.write(move |tx, found| {
        let edit = read(tx, &asked)?;
        let by = sender.in_project(found)?;
        Ok::<Issue, Refused>(flows::create(tx, &found.project, edit, None, by)?)
    });
    match made.await? {
        (Ok(issue), found) => {
            let path = path_of(&found, issue.iid);
            Ok(form.lead_to(&path, Notice::IssueCreated))
        }
        (Err(refused), _) => refuse(&form, None, &written, refused).await,
    }
}

/// Changes, closes or reopens an issue.
pub(super) async fn change(form: Form) -> Result<HttpResponse, PageFailure> {
    let iid = IssueIid::new(form.number("iid")?);
    match (&*form.form.method(), form.form.text("state_event")) {
        ("put", "") => save(&form, iid).await,
        ("put", "close") => set_state(&form, iid, IssueState::Closed).await,
        ("put", "reopen") => set_state(&form, iid, IssueState::Opened).await,
        _ => Err(PageFailure::bad_request(
            "The form does not say what to do with the issue.",
        )),
    }
}

async fn save(form: &Form, iid: IssueIid) -> Result<HttpResponse, PageFailure> {
    let (written, sender) = (Written::from_form(&form.form), Sender::of(form)?);
    let asked = written.clone();
    let saved = form.write(move |tx, found| {
        let edit = read(tx, &asked)?;
        let edit = keep_unchanged(tx, found, iid, &asked, edit)?;
        let by = sender.in_project(found)?;
        Ok::<Issue, Refused>(flows::update(tx, &found.project, iid, edit, by)?)
    });
    match saved.await? {
        (Ok(_), found) => Ok(form.lead_to(&path_of(&found, iid), Notice::IssueSaved)),
        (Err(refused), _) => refuse(form, Some(iid), &written, refused).await,
    }
}

async fn set_state(
    form: &Form,
    iid: IssueIid,
    state: IssueState,
) -> Result<HttpResponse, PageFailure> {
    let sender = Sender::of(form)?;
    let changed = form.write(move |tx, found| {
        let edit = IssueEdit {
            state: Some(state),
            ..IssueEdit::default()
        };
        let by = sender.in_project(found)?;
        Ok::<Issue, Refused>(flows::update(tx, &found.project, iid, edit, by)?)
    });
    let notice = match state {
        IssueState::Opened => Notice::IssueReopened,
        IssueState::Closed => Notice::IssueClosed,
    };
    match changed.await? {
        (Ok(_), found) => Ok(form.lead_to(&path_of(&found, iid), notice)),
        (Err(Refused::Whole(failure)), _) => Err(form.as_seen(failure.into())),
        (Err(refused), _) => {
            refused.into_fields()?;
            Err(PageFailure::bad_request(
                "The issue is not valid as it is. Edit it first.",
            ))
        }
    }
}

fn read(tx: &mut dyn WriteTransaction, written: &Written) -> Result<IssueEdit, Refused> {
    written.edit(tx)?.map_err(Refused::Fields)
}

/// The edit without the lists that say what they said before: somebody who is assigned may be blocked by now, and stays
/// assigned until somebody says otherwise.
fn keep_unchanged(
    tx: &mut dyn WriteTransaction,
    found: &Found,
    iid: IssueIid,
    written: &Written,
    mut edit: IssueEdit,
) -> Result<IssueEdit, StoreError> {
    let Some(issue) = tx.find_issue(found.project.id, iid)? else {
        return Ok(edit);
    };
    let before = Written::of(&issue, &Loaded::one(tx, issue.clone())?);
    if before.labels == written.labels {
        edit.labels.set = None;
    }
    if before.assignees == written.assignees {
        edit.assignees = None;
    }
    Ok(edit)
}

/// Answers with the form and what is wrong with it, to those who may send it.
async fn refuse(
    form: &Form,
    iid: Option<IssueIid>,
    written: &Written,
    refused: Refused,
) -> Result<HttpResponse, PageFailure> {
    let failures: ValidationFailures = refused.into_fields().map_err(|one| form.as_seen(one))?;
    let viewer = form.viewer();
    let read = form.read(move |tx, found: &Found| {
        let issue = iid.map(|iid| find(tx, found, iid, viewer)).transpose()?;
        let milestone = issue.and_then(|issue| issue.body.milestone_id);
        Ok(around(tx, found, milestone)?)
    });
    let (around, found) = read.await?;
    show(form, (&found, iid), (written, &around), &failures)
}
