//! Forms for comments on an issue.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::ids::{IssueIid, NoteId};
use api_conventions::page::{OffsetPage, Total};
use askama::Template;
use gatehouse_core::flows::notes::{self as flows, NoteInput, on_issue};
use gatehouse_core::flows::{issues, notes};
use gatehouse_core::spam::ClearedEdit;
use projects::flow::notes::find_note;
use projects::rules::issues::sees_confidential;
use projects::{IssueState, ResourceNote};

use super::show::{answer, last_page};
use super::{IssueFormError, IssueFormSender, find, note_refused, path_of};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::sentences;
use crate::frame::page::notice::Notice;
use crate::frame::page::project::{Account, ProjectContext, ProjectForm, ProjectPage};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::page::timeline::{may_change, seen_notes};

type CommentPage = ProjectPage<Account>;
type CommentForm = ProjectForm<Account>;

#[derive(Template)]
#[template(path = "areas/issues/note_form.html")]
struct NoteForm {
    shell: Shell,
    action: String,
    cancel: String,
    body: String,
    wrong: Vec<String>,
}

/// Creates a comment, and closes the issue if requested, in one transaction.
pub(super) async fn create(form: CommentForm) -> Result<HttpResponse, PageFailure> {
    let iid = IssueIid::new(form.number("iid")?);
    let (sender, body) = (IssueFormSender::of(&form)?, body_of(&form));
    let internal = form.form.is_ticked("internal");
    let closes = form.form.is_ticked("close");
    let new_note = NoteInput {
        body: body.clone(),
        internal,
        created_at: None,
    };
    let created = form.write(move |tx, found| {
        let by = sender.in_project(found)?;
        let project = found.project.id;
        let issue = notes::issue_of(tx, project, iid, by.viewer, by.access)?;
        let note = flows::create(tx, &issue, new_note.clone(), by)?;
        if closes {
            let edit = ClearedEdit::of_state(IssueState::Closed);
            issues::update(tx, &found.project, iid, edit, by)?;
        }
        Ok::<ResourceNote, IssueFormError>(note)
    });
    match created.await? {
        (Ok(note), found) => lead_to_note(&form, &found, iid, note.id, closes).await,
        (Err(refused), _) => {
            let failures = refused
                .into_fields()
                .map_err(|one| form.sign_in_if_hidden(one))?;
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            answer(&form, status, &body, &failures).await
        }
    }
}

/// Redirects to a comment that was just created: on the last page of the notes if their number is known, else on the
/// first.
async fn lead_to_note(
    form: &CommentForm,
    found: &ProjectContext,
    iid: IssueIid,
    id: NoteId,
    is_closed: bool,
) -> Result<HttpResponse, PageFailure> {
    let viewer = form.viewer();
    let read = form.read(move |tx, found| {
        let issue = find(tx, found, iid, viewer)?;
        let notes = tx.list_notes(&seen_notes(on_issue(&issue), found), OffsetPage::default())?;
        Ok(notes.total)
    });
    let (total, _) = read.await?;
    let page = match total {
        Total::Exact(notes) => last_page(notes),
        Total::Beyond | Total::Uncounted | Total::Unfinished(_) => 1,
    };
    let path = path_of(found, iid);
    let at = match page {
        1 => format!("{path}#note_{id}"),
        page => format!("{path}?page={page}#note_{id}"),
    };
    let notice = if is_closed {
        Notice::IssueClosed
    } else {
        Notice::CommentCreated
    };
    Ok(form.redirect_with_notice(&at, notice))
}

/// Answers with the form for a comment, if the caller may change it.
pub(super) async fn show_edit(page: CommentPage) -> Result<HttpResponse, PageFailure> {
    let (iid, id) = ids(&page)?;
    let viewer = page.viewer();
    let read = page.read(move |tx, found| {
        let issue = find(tx, found, iid, viewer)?;
        let sees_internal = sees_confidential(found.access);
        let note = find_note(tx, on_issue(&issue), id, sees_internal).map_err(note_refused)?;
        let may = may_change(&note, viewer, found);
        Ok(may.then_some(note).ok_or_else(ApiError::forbidden)?)
    });
    let (note, found) = read.await?;
    let nothing = ValidationFailures::default();
    show_form(&page, &found, iid, id, note.body, &nothing)
}

/// Changes or deletes a comment.
pub(super) async fn change(form: CommentForm) -> Result<HttpResponse, PageFailure> {
    let (iid, id) = ids(&form)?;
    let (sender, body) = (IssueFormSender::of(&form)?, body_of(&form));
    let is_deleted = match &*form.form.method() {
        "put" => false,
        "delete" => true,
        _ => {
            let advice = "The form has no known action. Reload the page and try again.";
            return Err(PageFailure::bad_request(advice));
        }
    };
    let new_body = body.clone();
    let changed = form.write(move |tx, found| {
        let by = sender.in_project(found)?;
        let project = found.project.id;
        let issue = notes::issue_of(tx, project, iid, by.viewer, by.access)?;
        if is_deleted {
            flows::delete(tx, &issue, id, None, by)?;
        } else {
            flows::update(tx, &issue, id, new_body.clone(), by)?;
        }
        Ok::<(), IssueFormError>(())
    });
    match changed.await? {
        (Ok(()), found) if is_deleted => {
            Ok(form.redirect_with_notice(&path_of(&found, iid), Notice::CommentDeleted))
        }
        (Ok(()), found) => {
            Ok(form.redirect_with_notice(&path_of(&found, iid), Notice::CommentSaved))
        }
        (Err(refused), found) => {
            let failures = refused
                .into_fields()
                .map_err(|one| form.sign_in_if_hidden(one))?;
            show_form(&form, &found, iid, id, body, &failures)
        }
    }
}

fn show_form(
    page: &CommentPage,
    found: &ProjectContext,
    iid: IssueIid,
    id: NoteId,
    body: String,
    failures: &ValidationFailures,
) -> Result<HttpResponse, PageFailure> {
    let path = path_of(found, iid);
    let status = if failures.is_empty() {
        StatusCode::OK
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    };
    page.show_with(
        status,
        &NoteForm {
            shell: page.shell(found, Section::Issues, "Edit the comment"),
            action: format!("{path}/notes/{id}"),
            cancel: path,
            body,
            wrong: sentences("The comment", failures.of("body")),
        },
    )
}

fn ids(page: &CommentPage) -> Result<(IssueIid, NoteId), PageFailure> {
    let iid = IssueIid::new(page.number("iid")?);
    Ok((iid, NoteId::new(page.number("note_id")?)))
}

/// Returns the body with the line endings that API clients send.
fn body_of(form: &CommentForm) -> String {
    form.form.text("body").replace("\r\n", "\n")
}
