//! Form actions on errors.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ApiError;
use api_conventions::ids::{ErrorIid, ErrorKeyId, IssueIid};
use api_conventions::time::Timestamp;
use error_tracking::flow::change::{Ignoring, StatusEdit};
use error_tracking::model::TrackedError;
use gatehouse_core::database::WriteTransaction;
use gatehouse_core::flows::errors::{
    ErrorRefusal, Wanted, change, delete as delete_error, merge_into, split_off,
};
use gatehouse_core::flows::issues as issue_flows;
use gatehouse_core::spam::Intent;
use projects::IssueContentEdit;
use projects::flow::issues::{Actor, IssueEdit};
use web_conventions::failure::Failure;

use super::super::change::refused;
use super::super::external::connection_of;
use super::super::named::find;
use super::event::clamped;
use super::show::answer;
use super::{DAY, HOUR, Sender, elsewhere, path_of};
use crate::frame::form::Form;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::list::Query;
use crate::frame::page::notice::Notice;
use crate::frame::page::project::{Found, Hidden, ProjectForm};
use crate::frame::scopes::{Developer, Maintainer};

pub(super) type ErrorForm = ProjectForm<Hidden<Developer>>;

/// Maximum number of errors that one form changes: a page of the list.
const MOST: usize = 100;

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
pub(super) enum Asked {
    Change(Wanted, Notice),
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
    let (edit, _) = status_edit(&form.form, form.now())
        .ok_or_else(|| PageFailure::bad_request("Choose what to do with the errors."))?;
    let iids = form.form.words("iids");
    let iids = iids.iter().take(MOST).filter_map(|iid| iid.parse().ok());
    let iids: Vec<ErrorIid> = iids.map(ErrorIid::new).collect();
    if iids.is_empty() {
        return Err(PageFailure::bad_request(
            "Tick the errors first, and then say what to do with them.",
        ));
    }
    let source = form.read(|tx, found| Ok(connection_of(tx, &found.project)?));
    if let (Some(connection), found) = source.await? {
        return elsewhere::several(&form, (&connection, &found), (edit, iids)).await;
    }
    let sender = Sender::of(&form)?;
    let wanted = Wanted {
        status: Some(edit),
        ..Wanted::default()
    };
    let changed = form.write(move |tx, found| {
        let by = sender.in_project(found)?;
        for iid in &iids {
            match change(tx, &found.project, *iid, &wanted, by) {
                // Errors that were deleted or merged in the meantime need no change.
                Ok(_) | Err(ErrorRefusal::NotFound | ErrorRefusal::Merged) => {}
                Err(refusal) => return Err(refused(refusal)),
            }
        }
        Ok::<(), Failure>(())
    });
    let (changed, _) = changed.await?;
    changed.map_err(|failure| form.as_seen(failure.into()))?;
    let list = Query::of(form.request())?.with(&[]);
    Ok(form.lead_to(&list, Notice::ErrorsChanged))
}

/// Changes, merges, splits or deletes one error.
pub(super) async fn one(form: ErrorForm) -> Result<HttpResponse, PageFailure> {
    let iid = ErrorIid::new(form.number("iid")?);
    let asked = match read(&form.form, iid, (form.now(), &form.state().base_url)) {
        Ok(asked) => asked,
        Err(problem) => {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            return answer(&form, iid, (status, Some(problem.to_owned()))).await;
        }
    };
    let source = form.read(|tx, found| Ok(connection_of(tx, &found.project)?));
    if let (Some(connection), found) = source.await? {
        return elsewhere::one(&form, (&connection, &found), (iid, asked)).await;
    }
    let sender = Sender::of(&form)?;
    let done = form.write(move |tx, found| {
        let by = sender.in_project(found)?;
        apply(tx, found, (iid, &asked), by)
    });
    match done.await? {
        (Ok((Some(iid), notice)), found) => Ok(form.lead_to(&path_of(&found, iid), notice)),
        (Ok((None, notice)), found) => {
            let list = format!("{}/-/error_tracking", found.path());
            Ok(form.lead_to(&list, notice))
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
        return answer(form, iid, (StatusCode::OK, None)).await;
    }
    let names_another = matches!(form.form.text("event"), "link" | "merge");
    let problem = match refusal.status() {
        400 | 409 | 422 => Some(refusal.sentence()),
        404 if names_another => Some("Nothing in this project has that number.".to_owned()),
        _ => None,
    };
    match problem {
        Some(problem) => {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            answer(form, iid, (status, Some(problem))).await
        }
        None => Err(form.as_seen(failure.into())),
    }
}

/// Parses the status change of a form.
fn status_edit(form: &Form, now: Timestamp) -> Option<(StatusEdit, Notice)> {
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
            let until = Ignoring {
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
fn read(
    form: &Form,
    iid: ErrorIid,
    (now, base_url): (Timestamp, &str),
) -> Result<Asked, &'static str> {
    if let Some((status, notice)) = status_edit(form, now) {
        let wanted = Wanted {
            status: Some(status),
            ..Wanted::default()
        };
        return Ok(Asked::Change(wanted, notice));
    }
    let number = |name: &str| {
        form.text(name)
            .trim()
            .trim_start_matches('#')
            .parse::<i64>()
            .ok()
    };
    let issue = |issue| {
        let wanted = Wanted {
            issue: Some(issue),
            ..Wanted::default()
        };
        Asked::Change(wanted, Notice::ErrorSaved)
    };
    match form.text("event") {
        "resolve_in" => Err("Name the release in which it is resolved."),
        "assign" => Ok(Asked::Assign(form.text("username").trim().to_owned())),
        "link" => {
            let named = number("issue").ok_or("Give the number of an issue of this project.")?;
            Ok(issue(Some(IssueIid::new(named))))
        }
        "unlink" => Ok(issue(None)),
        "open_issue" => Ok(Asked::OpenIssue(base_url.to_owned())),
        "merge" => {
            let into =
                number("into").ok_or("Give the number of the error that gets the events.")?;
            Ok(Asked::Merge(ErrorIid::new(into)))
        }
        "split" => {
            let key = number("key").ok_or("Choose what to take out of the error.")?;
            Ok(Asked::Split(ErrorKeyId::new(key)))
        }
        "delete" if number("confirm") == Some(iid.get()) => Ok(Asked::Delete),
        "delete" => Err("Write the number of the error to delete it."),
        _ => Err("The form does not say what to do with the error."),
    }
}

/// Applies an action.
/// Returns the IID of the error to redirect to, if it still exists.
fn apply(
    tx: &mut dyn WriteTransaction,
    found: &Found,
    (iid, asked): (ErrorIid, &Asked),
    by: Actor,
) -> Result<(Option<ErrorIid>, Notice), Failure> {
    let project = &found.project;
    let save = |tx: &mut dyn WriteTransaction, wanted: &Wanted, notice| {
        change(tx, project, iid, wanted, by).map_err(refused)?;
        Ok((Some(iid), notice))
    };
    match asked {
        Asked::Change(wanted, notice) => save(tx, wanted, *notice),
        Asked::Assign(username) => {
            let wanted = assigned(tx, username, by)?;
            save(tx, &wanted, Notice::ErrorSaved)
        }
        Asked::OpenIssue(base_url) => {
            let wanted = new_issue(tx, found, (iid, base_url), by)?;
            save(tx, &wanted, Notice::ErrorIssueOpened)
        }
        Asked::Merge(into) => {
            let merged = merge_into(tx, project.id, (iid, *into), by);
            let error = merged.map_err(refused)?.into_result()?;
            Ok((Some(error.iid), Notice::ErrorsMerged))
        }
        Asked::Split(key) => {
            let split = split_off(tx, project.id, (iid, *key), by);
            let error = split.map_err(refused)?.into_result()?;
            Ok((Some(error.iid), Notice::ErrorSplit))
        }
        Asked::Delete if !found.allows::<Maintainer>() => Err(ApiError::forbidden().into()),
        Asked::Delete => {
            delete_error(tx, project.id, iid, by).map_err(refused)?;
            Ok((None, Notice::ErrorDeleted))
        }
    }
}

/// Returns an edit that assigns the user with this username, the caller for `me`, and none for an empty name.
fn assigned(tx: &mut dyn WriteTransaction, username: &str, by: Actor) -> Result<Wanted, Failure> {
    let assignee = match username.trim_start_matches('@') {
        "" => None,
        "me" => Some(by.user),
        name => {
            let user = tx.find_user_by_username(name)?;
            let user =
                user.ok_or_else(|| ApiError::bad_request("There is nobody with this username."))?;
            Some(user.id)
        }
    };
    Ok(Wanted {
        assignee: Some(assignee),
        ..Wanted::default()
    })
}

/// Opens an issue about an error stored on this server.
fn new_issue(
    tx: &mut dyn WriteTransaction,
    found: &Found,
    (iid, base_url): (ErrorIid, &str),
    by: Actor,
) -> Result<Wanted, Failure> {
    let error = find(tx, found.project.id, iid)?;
    issue_about(tx, found, (&error, base_url), by)
}

/// Opens an issue about an error, wherever the error is stored.
pub(super) fn issue_about(
    tx: &mut dyn WriteTransaction,
    found: &Found,
    (error, base_url): (&TrackedError, &str),
    by: Actor,
) -> Result<Wanted, Failure> {
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
    let made = issue_flows::create(tx, &found.project, edit, None, by);
    let issue = made.map_err(|error| refused(ErrorRefusal::Issue(error)))?;
    Ok(Wanted {
        issue: Some(Some(issue.iid)),
        ..Wanted::default()
    })
}
