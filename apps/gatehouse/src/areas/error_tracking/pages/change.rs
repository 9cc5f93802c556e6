//! Form actions on errors.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ApiError;
use api_conventions::ids::{ErrorIid, ErrorKeyId, IssueIid};
use api_conventions::time::Timestamp;
use error_tracking::flow::change::{IgnoreDuration, StatusEdit};
use error_tracking::model::TrackedError;
use gatehouse_core::database::WriteTransaction;
use gatehouse_core::flows::errors::{
    ErrorChanges, ErrorRefusal, change, delete as delete_error, merge_into, split_off,
};
use gatehouse_core::flows::issues as issue_flows;
use gatehouse_core::spam::Intent;
use projects::IssueContentEdit;
use projects::flow::issues::{IssueActor, IssueEdit};
use web_conventions::failure::Failure;

use super::super::change::refused;
use super::super::external::connection_of;
use super::super::lookup::find;
use super::event::clamped;
use super::show::answer;
use super::{DAY, ErrorFormSender, HOUR, external, path_of};
use crate::frame::form::PageForm;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::list::ListQuery;
use crate::frame::page::notice::Notice;
use crate::frame::page::project::{ProjectContext, ProjectForm, RoleOrNotFound};
use crate::frame::scopes::{Developer, Maintainer};

pub(super) type ErrorForm = ProjectForm<RoleOrNotFound<Developer>>;

/// Maximum number of errors that one form changes: a page of the list.
const MAX_ERRORS_PER_FORM: usize = 100;

/// Durations for which an error may be ignored.
pub(super) const SPANS: [(&str, &str, i64); 5] = [
    ("1h", "1 hour", HOUR),
    ("8h", "8 hours", 8 * HOUR),
    ("1d", "1 day", DAY),
    ("7d", "1 week", 7 * DAY),
    ("30d", "30 days", 30 * DAY),
];

/// Action that a form requests.
#[derive(Debug, Clone)]
pub(super) enum ErrorAction {
    Change(ErrorChanges, Notice),
    /// Opens a new issue about the error.
    /// Holds the base URL for the link in its description.
    OpenIssue(String),
    Assign(String),
    Merge(ErrorIid),
    Split(ErrorKeyId),
    Delete,
}

/// Changes all errors selected in the list, and redirects back to it.
pub(super) async fn several(form: ErrorForm) -> Result<HttpResponse, PageFailure> {
    let (status, _) = status_edit(&form.form, form.now())
        .ok_or_else(|| PageFailure::bad_request("Choose an action for the errors."))?;
    let iids = form.form.words("iids");
    let iids = iids
        .iter()
        .take(MAX_ERRORS_PER_FORM)
        .filter_map(|iid| iid.parse().ok());
    let iids: Vec<ErrorIid> = iids.map(ErrorIid::new).collect();
    if iids.is_empty() {
        return Err(PageFailure::bad_request("Select at least one error first."));
    }
    let source = form.read(|tx, found| Ok(connection_of(tx, &found.project)?));
    if let (Some(connection), found) = source.await? {
        return external::several(&form, &connection, &found, status, iids).await;
    }
    let sender = ErrorFormSender::of(&form)?;
    let edit = ErrorChanges {
        status: Some(status),
        ..ErrorChanges::default()
    };
    let changed = form.write(move |tx, found| {
        let by = sender.in_project(found)?;
        for iid in &iids {
            match change(tx, &found.project, *iid, &edit, by) {
                // Errors that were deleted or merged in the meantime need no change.
                Ok(_) | Err(ErrorRefusal::NotFound | ErrorRefusal::Merged) => {}
                Err(refusal) => return Err(refused(refusal)),
            }
        }
        Ok::<(), Failure>(())
    });
    let (changed, _) = changed.await?;
    changed.map_err(|failure| form.sign_in_if_hidden(failure.into()))?;
    let list = ListQuery::of(form.request())?.with(&[]);
    Ok(form.redirect_with_notice(&list, Notice::ErrorsChanged))
}

/// Changes, merges, splits or deletes one error.
pub(super) async fn one(form: ErrorForm) -> Result<HttpResponse, PageFailure> {
    let iid = ErrorIid::new(form.number("iid")?);
    let action = match parse_action(&form.form, iid, form.now(), &form.state().base_url) {
        Ok(action) => action,
        Err(problem) => {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            return answer(&form, iid, status, Some(problem.to_owned())).await;
        }
    };
    let source = form.read(|tx, found| Ok(connection_of(tx, &found.project)?));
    if let (Some(connection), found) = source.await? {
        return external::one(&form, &connection, &found, iid, action).await;
    }
    let sender = ErrorFormSender::of(&form)?;
    let done = form.write(move |tx, found| {
        let by = sender.in_project(found)?;
        apply(tx, found, iid, &action, by)
    });
    match done.await? {
        (Ok((Some(iid), notice)), found) => {
            Ok(form.redirect_with_notice(&path_of(&found, iid), notice))
        }
        (Ok((None, notice)), found) => {
            let list = format!("{}/-/error_tracking", found.path());
            Ok(form.redirect_with_notice(&list, notice))
        }
        (Err(failure), _) => refuse(&form, iid, failure).await,
    }
}

/// Answers with the page of the error and the problem with the form, if the user can fix it.
pub(super) async fn refuse(
    form: &ErrorForm,
    iid: ErrorIid,
    failure: Failure,
) -> Result<HttpResponse, PageFailure> {
    let refusal = failure.refusal();
    // The page of an error that was merged in the meantime redirects to the one that has its events.
    if refusal.status() == 405 {
        return answer(form, iid, StatusCode::OK, None).await;
    }
    let names_another = matches!(form.form.text("event"), "link" | "merge");
    let problem = match refusal.status() {
        400 | 409 | 422 => Some(refusal.sentence()),
        404 if names_another => {
            Some("No issue or error in this project has that number.".to_owned())
        }
        _ => None,
    };
    match problem {
        Some(problem) => {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            answer(form, iid, status, Some(problem)).await
        }
        None => Err(form.sign_in_if_hidden(failure.into())),
    }
}

/// Parses the status change of a form.
fn status_edit(form: &PageForm, now: Timestamp) -> Option<(StatusEdit, Notice)> {
    let number = |name: &str| {
        form.text(name)
            .trim()
            .parse()
            .ok()
            .filter(|number| *number > 0)
    };
    match form.text("event") {
        "resolve" => Some((StatusEdit::Resolve, Notice::ErrorResolved)),
        "resolve_next" => Some((StatusEdit::ResolveInNextRelease, Notice::ErrorResolved)),
        "resolve_in" => {
            let release = form.text("release").trim();
            let named = (!release.is_empty()).then(|| release.to_owned())?;
            Some((StatusEdit::ResolveInRelease(named), Notice::ErrorResolved))
        }
        "ignore" => {
            let span = SPANS.iter().find(|(word, ..)| *word == form.text("span"));
            let until = IgnoreDuration {
                until: span.map(|(.., seconds)| now.plus_seconds(*seconds)),
                events: number("events"),
                users: number("users"),
            };
            Some((StatusEdit::Ignore(until), Notice::ErrorIgnored))
        }
        "unresolve" => Some((StatusEdit::Unresolve, Notice::ErrorReopened)),
        _ => None,
    }
}

/// Parses the action of a form.
///
/// # Errors
/// Message about the first problem.
fn parse_action(
    form: &PageForm,
    iid: ErrorIid,
    now: Timestamp,
    base_url: &str,
) -> Result<ErrorAction, &'static str> {
    if let Some((status, notice)) = status_edit(form, now) {
        let edit = ErrorChanges {
            status: Some(status),
            ..ErrorChanges::default()
        };
        return Ok(ErrorAction::Change(edit, notice));
    }
    let number = |name: &str| {
        form.text(name)
            .trim()
            .trim_start_matches('#')
            .parse::<i64>()
            .ok()
    };
    let issue = |issue| {
        let edit = ErrorChanges {
            issue: Some(issue),
            ..ErrorChanges::default()
        };
        ErrorAction::Change(edit, Notice::ErrorSaved)
    };
    match form.text("event") {
        "resolve_in" => Err("Enter the release in which the error is resolved."),
        "assign" => Ok(ErrorAction::Assign(form.text("username").trim().to_owned())),
        "link" => {
            let named = number("issue").ok_or("Enter the number of an issue in this project.")?;
            Ok(issue(Some(IssueIid::new(named))))
        }
        "unlink" => Ok(issue(None)),
        "open_issue" => Ok(ErrorAction::OpenIssue(base_url.to_owned())),
        "merge" => {
            let into = number("into").ok_or("Enter the number of the error to merge into.")?;
            Ok(ErrorAction::Merge(ErrorIid::new(into)))
        }
        "split" => {
            let key = number("key").ok_or("Choose which events to split off.")?;
            Ok(ErrorAction::Split(ErrorKeyId::new(key)))
        }
        "delete" if number("confirm") == Some(iid.get()) => Ok(ErrorAction::Delete),
        "delete" => Err("Enter the error number to confirm the deletion."),
        _ => Err("Choose an action for the error."),
    }
}

/// Applies an action.
/// Returns the IID of the error to redirect to, if it still exists.
fn apply(
    tx: &mut dyn WriteTransaction,
    found: &ProjectContext,
    iid: ErrorIid,
    action: &ErrorAction,
    by: IssueActor,
) -> Result<(Option<ErrorIid>, Notice), Failure> {
    let project = &found.project;
    let save = |tx: &mut dyn WriteTransaction, edit: &ErrorChanges, notice| {
        change(tx, project, iid, edit, by).map_err(refused)?;
        Ok((Some(iid), notice))
    };
    match action {
        ErrorAction::Change(edit, notice) => save(tx, edit, *notice),
        ErrorAction::Assign(username) => {
            let edit = assignee_edit(tx, username, by)?;
            save(tx, &edit, Notice::ErrorSaved)
        }
        ErrorAction::OpenIssue(base_url) => {
            let edit = new_issue(tx, found, iid, base_url, by)?;
            save(tx, &edit, Notice::ErrorIssueOpened)
        }
        ErrorAction::Merge(into) => {
            let merged = merge_into(tx, project.id, iid, *into, by);
            let error = merged.map_err(refused)?.into_result()?;
            Ok((Some(error.iid), Notice::ErrorsMerged))
        }
        ErrorAction::Split(key) => {
            let split = split_off(tx, project.id, iid, *key, by);
            let error = split.map_err(refused)?.into_result()?;
            Ok((Some(error.iid), Notice::ErrorSplit))
        }
        ErrorAction::Delete if !found.allows::<Maintainer>() => Err(ApiError::forbidden().into()),
        ErrorAction::Delete => {
            delete_error(tx, project.id, iid, by).map_err(refused)?;
            Ok((None, Notice::ErrorDeleted))
        }
    }
}

/// Returns an edit that assigns the user with this username, the caller for `me`, and none for an empty name.
fn assignee_edit(
    tx: &mut dyn WriteTransaction,
    username: &str,
    by: IssueActor,
) -> Result<ErrorChanges, Failure> {
    let assignee = match username.trim_start_matches('@') {
        "" => None,
        "me" => Some(by.user),
        name => {
            let user = tx.find_user_by_username(name)?;
            let user = user.ok_or_else(|| ApiError::bad_request("No user has this username."))?;
            Some(user.id)
        }
    };
    Ok(ErrorChanges {
        assignee: Some(assignee),
        ..ErrorChanges::default()
    })
}

/// Opens an issue about an error stored on this server.
fn new_issue(
    tx: &mut dyn WriteTransaction,
    found: &ProjectContext,
    iid: ErrorIid,
    base_url: &str,
    by: IssueActor,
) -> Result<ErrorChanges, Failure> {
    let error = find(tx, found.project.id, iid)?;
    issue_about(tx, found, &error, base_url, by)
}

/// Opens an issue about an error, wherever the error is stored.
pub(super) fn issue_about(
    tx: &mut dyn WriteTransaction,
    found: &ProjectContext,
    error: &TrackedError,
    base_url: &str,
    by: IssueActor,
) -> Result<ErrorChanges, Failure> {
    let iid = error.iid;
    let page = format!("{base_url}{}", path_of(found, iid));
    let content = IssueContentEdit {
        title: Some(clamped(&error.facts.title, 250)),
        description: Some(Some(format!("See [error {iid}]({page}).\n"))),
        ..IssueContentEdit::default()
    };
    // The caller is a member, whose issues are exempt from the spam check.
    let cleared = Intent::to_create(&found.project, content, by).exempt();
    let cleared = cleared.map_err(|_| ApiError::forbidden())?;
    let edit = cleared.with(IssueEdit::default());
    let created = issue_flows::create(tx, &found.project, edit, None, by);
    let issue = created.map_err(|error| refused(ErrorRefusal::Issue(error)))?;
    Ok(ErrorChanges {
        issue: Some(Some(issue.iid)),
        ..ErrorChanges::default()
    })
}
