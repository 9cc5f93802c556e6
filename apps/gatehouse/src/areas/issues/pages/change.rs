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

use super::fields::IssueFormValues;
use super::form::{load_context, show as show_form};
use super::spam::{FormRejection, check_spam};
use super::{IssueFormError, IssueFormSender, find, path_of, show};
use crate::areas::issues::view::IssuesWithRecords;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::field_failures::check_name;
use crate::frame::page::notice::Notice;
use crate::frame::page::project::{Account, ProjectContext, ProjectForm};
use crate::frame::scopes::Owner;

type IssueForm = ProjectForm<Account>;

/// Creates an issue, and redirects to its page.
pub(super) async fn create(form: IssueForm) -> Result<HttpResponse, PageFailure> {
    let (values, sender) = (
        IssueFormValues::from_form(&form.form),
        IssueFormSender::of(&form)?,
    );
    let cleared = match check_spam(&form, None, &values).await? {
        Ok(cleared) => cleared,
        Err(rejection) => return answer_not_saved(&form, None, &values, rejection).await,
    };
    let entered = values.clone();
    let created = form.write(move |tx, found| {
        let edit = cleared.with(parse_edit(tx, &entered)?);
        let by = sender.in_project(found)?;
        Ok::<Issue, IssueFormError>(flows::create(tx, &found.project, edit, None, by)?)
    });
    match created.await? {
        (Ok(issue), found) => {
            let path = path_of(&found, issue.iid);
            Ok(form.redirect_with_notice(&path, Notice::IssueCreated))
        }
        (Err(refused), _) => refuse(&form, None, &values, refused).await,
    }
}

/// Changes, closes, reopens or deletes an issue.
pub(super) async fn change(form: IssueForm) -> Result<HttpResponse, PageFailure> {
    let iid = IssueIid::new(form.number("iid")?);
    match (&*form.form.method(), form.form.text("state_event")) {
        ("delete", _) => delete(&form, iid).await,
        ("put", "") => save(&form, iid).await,
        ("put", "close") => set_state(&form, iid, IssueState::Closed).await,
        ("put", "reopen") => set_state(&form, iid, IssueState::Opened).await,
        _ => Err(PageFailure::bad_request(
            "The form has no known action. Reload the page and try again.",
        )),
    }
}

async fn save(form: &IssueForm, iid: IssueIid) -> Result<HttpResponse, PageFailure> {
    let (values, sender) = (
        IssueFormValues::from_form(&form.form),
        IssueFormSender::of(form)?,
    );
    let cleared = match check_spam(form, Some(iid), &values).await? {
        Ok(cleared) => cleared,
        Err(rejection) => return answer_not_saved(form, Some(iid), &values, rejection).await,
    };
    let entered = values.clone();
    let saved = form.write(move |tx, found| {
        let edit = parse_edit(tx, &entered)?;
        let edit = cleared.with(keep_unchanged(tx, found, iid, &entered, edit)?);
        let by = sender.in_project(found)?;
        Ok::<Issue, IssueFormError>(flows::update(tx, &found.project, iid, edit, by)?)
    });
    match saved.await? {
        (Ok(_), found) => Ok(form.redirect_with_notice(&path_of(&found, iid), Notice::IssueSaved)),
        (Err(refused), _) => refuse(form, Some(iid), &values, refused).await,
    }
}

async fn set_state(
    form: &IssueForm,
    iid: IssueIid,
    state: IssueState,
) -> Result<HttpResponse, PageFailure> {
    let sender = IssueFormSender::of(form)?;
    let changed = form.write(move |tx, found| {
        let edit = ClearedEdit::of_state(state);
        let by = sender.in_project(found)?;
        Ok::<Issue, IssueFormError>(flows::update(tx, &found.project, iid, edit, by)?)
    });
    let notice = match state {
        IssueState::Opened => Notice::IssueReopened,
        IssueState::Closed => Notice::IssueClosed,
    };
    match changed.await? {
        (Ok(_), found) => Ok(form.redirect_with_notice(&path_of(&found, iid), notice)),
        (Err(IssueFormError::Whole(failure)), _) => Err(form.sign_in_if_hidden(failure.into())),
        (Err(refused), _) => {
            refused.into_fields()?;
            Err(PageFailure::bad_request(
                "The issue has invalid values. Edit it first.",
            ))
        }
    }
}

/// Deletes an issue if the user typed its number, and redirects to the list.
async fn delete(form: &IssueForm, iid: IssueIid) -> Result<HttpResponse, PageFailure> {
    let (viewer, sender) = (form.viewer(), IssueFormSender::of(form)?);
    let typed = form.form.text("confirm").to_owned();
    let confirmed = typed.clone();
    let deleted = form.write(move |tx, found| {
        // A missing issue is reported before any problem with the form.
        find(tx, found, iid, viewer).map_err(IssueFormError::Whole)?;
        let by = sender.in_project(found)?;
        let mut failures = ValidationFailures::default();
        check_name(&mut failures, &confirmed, &format!("#{iid}"));
        if !failures.is_empty() && found.allows::<Owner>() {
            return Err(IssueFormError::Fields(failures));
        }
        Ok(flows::delete(tx, &found.project, iid, None, by)?)
    });
    match deleted.await? {
        (Ok(()), found) => {
            let list = format!("{}/-/issues", found.path());
            Ok(form.redirect_with_notice(&list, Notice::IssueDeleted))
        }
        (Err(refused), _) => {
            let failures = refused
                .into_fields()
                .map_err(|one| form.sign_in_if_hidden(one))?;
            show::answer(form, StatusCode::UNPROCESSABLE_ENTITY, &typed, &failures).await
        }
    }
}

fn parse_edit(
    tx: &mut dyn WriteTransaction,
    values: &IssueFormValues,
) -> Result<IssueEdit, IssueFormError> {
    values.edit(tx)?.map_err(IssueFormError::Fields)
}

/// Drops unchanged lists from the edit.
/// A current assignee may be blocked by now, and stays assigned until the list changes.
fn keep_unchanged(
    tx: &mut dyn WriteTransaction,
    found: &ProjectContext,
    iid: IssueIid,
    values: &IssueFormValues,
    mut edit: IssueEdit,
) -> Result<IssueEdit, StoreError> {
    let Some(issue) = tx.find_issue(found.project.id, iid)? else {
        return Ok(edit);
    };
    let before = IssueFormValues::of(&issue, &IssuesWithRecords::one(tx, issue.clone())?);
    if before.labels == values.labels {
        edit.labels.set = None;
    }
    if before.assignees == values.assignees {
        edit.assignees = None;
    }
    Ok(edit)
}

/// Answers with the form and its validation failures, if the caller may send it.
async fn refuse(
    form: &IssueForm,
    iid: Option<IssueIid>,
    values: &IssueFormValues,
    refused: IssueFormError,
) -> Result<HttpResponse, PageFailure> {
    let failures: ValidationFailures = refused
        .into_fields()
        .map_err(|one| form.sign_in_if_hidden(one))?;
    answer_not_saved(form, iid, values, FormRejection::Invalid(failures)).await
}

/// Answers with the form and the reason why it was not saved.
async fn answer_not_saved(
    form: &IssueForm,
    iid: Option<IssueIid>,
    values: &IssueFormValues,
    rejection: FormRejection,
) -> Result<HttpResponse, PageFailure> {
    let viewer = form.viewer();
    let read = form.read(move |tx, found: &ProjectContext| {
        let issue = iid.map(|iid| find(tx, found, iid, viewer)).transpose()?;
        let milestone = issue.and_then(|issue| issue.body.milestone_id);
        Ok(load_context(tx, found, milestone)?)
    });
    let (context, found) = read.await?;
    show_form(form, &found, iid, values, &context, Some(rejection))
}
