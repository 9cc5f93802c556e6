//! Form actions on issues.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ValidationFailures;
use api_conventions::ids::IssueIid;
use gatehouse_core::database::WriteTransaction;
use gatehouse_core::flows::issues as flows;
use gatehouse_core::spam::ClearedEdit;
use projects::flow::issues::IssueEdit;
use projects::{Issue, IssueState};
use storage::StoreError;

use super::fields::Written;
use super::form::{around, show as show_form};
use super::spam::{Stop, cleared};
use super::{Refused, Sender, find, path_of, show};
use crate::areas::issues::shown::Loaded;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::field_failures::check_name;
use crate::frame::page::notice::Notice;
use crate::frame::page::project::{Account, Found, ProjectForm};
use crate::frame::scopes::Owner;

type Form = ProjectForm<Account>;

/// Creates an issue, and redirects to its page.
pub(super) async fn create(form: Form) -> Result<HttpResponse, PageFailure> {
    let (written, sender) = (Written::from_form(&form.form), Sender::of(&form)?);
    let cleared = match cleared(&form, None, &written).await? {
        Ok(cleared) => cleared,
        Err(stop) => return stopped(&form, None, &written, stop).await,
    };
    let asked = written.clone();
    let made = form.write(move |tx, found| {
        let edit = cleared.with(read(tx, &asked)?);
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

/// Changes, closes, reopens or deletes an issue.
pub(super) async fn change(form: Form) -> Result<HttpResponse, PageFailure> {
    let iid = IssueIid::new(form.number("iid")?);
    match (&*form.form.method(), form.form.text("state_event")) {
        ("delete", _) => delete(&form, iid).await,
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
    let cleared = match cleared(form, Some(iid), &written).await? {
        Ok(cleared) => cleared,
        Err(stop) => return stopped(form, Some(iid), &written, stop).await,
    };
    let asked = written.clone();
    let saved = form.write(move |tx, found| {
        let edit = read(tx, &asked)?;
        let edit = cleared.with(keep_unchanged(tx, found, iid, &asked, edit)?);
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
        let edit = ClearedEdit::of_state(state);
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

/// Deletes an issue if the user typed its number, and redirects to the list.
async fn delete(form: &Form, iid: IssueIid) -> Result<HttpResponse, PageFailure> {
    let (viewer, sender) = (form.viewer(), Sender::of(form)?);
    let typed = form.form.text("confirm").to_owned();
    let confirmed = typed.clone();
    let deleted = form.write(move |tx, found| {
        // A missing issue is reported before any problem with the form.
        find(tx, found, iid, viewer).map_err(Refused::Whole)?;
        let by = sender.in_project(found)?;
        let mut failures = ValidationFailures::default();
        check_name(&mut failures, &confirmed, &format!("#{iid}"));
        if !failures.is_empty() && found.allows::<Owner>() {
            return Err(Refused::Fields(failures));
        }
        Ok(flows::delete(tx, &found.project, iid, None, by)?)
    });
    match deleted.await? {
        (Ok(()), found) => {
            let list = format!("{}/-/issues", found.path());
            Ok(form.lead_to(&list, Notice::IssueDeleted))
        }
        (Err(refused), _) => {
            let failures = refused.into_fields().map_err(|one| form.as_seen(one))?;
            show::answer(form, StatusCode::UNPROCESSABLE_ENTITY, (&typed, &failures)).await
        }
    }
}

fn read(tx: &mut dyn WriteTransaction, written: &Written) -> Result<IssueEdit, Refused> {
    written.edit(tx)?.map_err(Refused::Fields)
}

/// Drops unchanged lists from the edit.
/// A current assignee may be blocked by now, and stays assigned until the list changes.
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

/// Answers with the form and its validation failures, if the caller may send it.
async fn refuse(
    form: &Form,
    iid: Option<IssueIid>,
    written: &Written,
    refused: Refused,
) -> Result<HttpResponse, PageFailure> {
    let failures: ValidationFailures = refused.into_fields().map_err(|one| form.as_seen(one))?;
    stopped(form, iid, written, Stop::Wrong(failures)).await
}

/// Answers with the form and the reason why it was not saved.
async fn stopped(
    form: &Form,
    iid: Option<IssueIid>,
    written: &Written,
    stop: Stop,
) -> Result<HttpResponse, PageFailure> {
    let viewer = form.viewer();
    let read = form.read(move |tx, found: &Found| {
        let issue = iid.map(|iid| find(tx, found, iid, viewer)).transpose()?;
        let milestone = issue.and_then(|issue| issue.body.milestone_id);
        Ok(around(tx, found, milestone)?)
    });
    let (around, found) = read.await?;
    show_form(form, (&found, iid), (written, &around), Some(stop))
}
