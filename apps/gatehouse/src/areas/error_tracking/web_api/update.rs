//! Changes to an error over the web API: resolve, ignore, assign.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::params::Params;
use error_tracking::flow::change::{Ignoring, StatusEdit};
use gatehouse_core::database::WriteTransaction;
use gatehouse_core::flows::errors::{Wanted, change};
use projects::flow::issues::Actor;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Body, Operation, put};

use super::super::change::refused;
use super::super::errors::{DAY, hours_of};
use super::TAG;
use super::list::issue_of;
use super::one::{ISSUE, ISSUE_BARE};
use crate::frame::scopes::{Developer, Write};
use crate::frame::tracked_error::{ERROR_ID, InProjectOfError};

/// Update of an error.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct IssueUpdate {
    /// New status of the error.
    status: Option<UpdatedStatus>,
    /// Release in which the error is resolved, or limits until which it is ignored.
    status_details: Option<StatusDetails>,
    /// Username of the new assignee, or `me`; empty for none.
    assigned_to: Option<String>,
}

/// Status of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum UpdatedStatus {
    Resolved,
    ResolvedInNextRelease,
    Unresolved,
    Ignored,
}

/// Details of a status.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct StatusDetails {
    /// True to resolve the error in the next release.
    in_next_release: bool,
    /// Release in which the error is resolved.
    in_release: Option<String>,
    /// Minutes for which the error stays ignored.
    ignore_duration: Option<u32>,
    /// Number of further events for which the error stays ignored.
    ignore_count: Option<u32>,
    /// Number of further users for which the error stays ignored.
    ignore_user_count: Option<u32>,
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        put("updateTrackerIssue", ISSUE, update)
            .also_at(&[ISSUE_BARE])
            .documented(TAG, "Resolve, ignore or assign an error")
            .takes([ERROR_ID])
            .reads(Body::json::<IssueUpdate>())
            .answers(Answer::json::<Map<String, Value>>(
                200,
                "The error as it is now.",
            )),
    ]
}

async fn update(asked: InProjectOfError<Developer, Write>) -> Result<HttpResponse, Failure> {
    let update = read(asked.params())?;
    let (viewer, user, now) = (asked.viewer(), asked.actor(), asked.now());
    let changed = asked.write_with(move |tx, found, access| {
        let by = Actor {
            viewer,
            user,
            access,
            now,
        };
        let wanted = wanted(tx, &update, by)?;
        let changed = change(tx, &found.project, found.error.iid, &wanted, by).map_err(refused)?;
        let hours = hours_of(
            tx,
            std::slice::from_ref(&changed.error),
            now.plus_seconds(-DAY),
        )?;
        Ok((changed.error, hours))
    });
    let ((error, mut hours), found) = changed.await?;
    let hours = hours.remove(&error.id).unwrap_or_default();
    asked.json(&issue_of(&asked, &found.project, &error, &hours).to_json())
}

/// Parses the body.
/// At least one field must be set.
fn read(params: &Params) -> Result<IssueUpdate, ApiError> {
    let field = |name: &str| params.get(name).cloned().unwrap_or_default();
    let whole = serde_json::json!({
        "status": field("status"), "statusDetails": field("statusDetails"), "assignedTo": field("assignedTo"),
    });
    let update: IssueUpdate =
        serde_json::from_value(whole).map_err(|fault| ApiError::bad_request(&fault.to_string()))?;
    if update.status.is_none() && update.assigned_to.is_none() {
        // A null field counts as missing.
        let nothing = Params::default();
        let mut read = nothing.reader();
        read.demand_one_of(&["status", "assignedTo"]);
        read.finish()?;
    }
    Ok(update)
}

fn wanted(
    tx: &mut dyn WriteTransaction,
    update: &IssueUpdate,
    by: Actor,
) -> Result<Wanted, Failure> {
    let details = update.status_details.clone().unwrap_or_default();
    let assignee = match update.assigned_to.as_deref() {
        None => None,
        Some("") => Some(None),
        Some("me") => Some(Some(by.user)),
        Some(name) => {
            let user = tx.find_user_by_username(name)?;
            let user = user.ok_or_else(|| ApiError::bad_request("assignedTo is unknown"))?;
            Some(Some(user.id))
        }
    };
    Ok(Wanted {
        status: update.status.map(|status| edit(status, details, by)),
        assignee,
        issue: None,
    })
}

fn edit(status: UpdatedStatus, details: StatusDetails, by: Actor) -> StatusEdit {
    let release = details.in_release.filter(|release| !release.is_empty());
    match (status, release) {
        (UpdatedStatus::Unresolved, _) => StatusEdit::Unresolve,
        (UpdatedStatus::ResolvedInNextRelease, _) => StatusEdit::ResolveInNextRelease,
        (UpdatedStatus::Resolved, Some(release)) => StatusEdit::ResolveInRelease(release),
        (UpdatedStatus::Resolved, None) if details.in_next_release => {
            StatusEdit::ResolveInNextRelease
        }
        (UpdatedStatus::Resolved, None) => StatusEdit::Resolve,
        (UpdatedStatus::Ignored, _) => {
            let minutes = details
                .ignore_duration
                .map(|minutes| i64::from(minutes) * 60);
            StatusEdit::Ignore(Ignoring {
                until: minutes.map(|seconds| by.now.plus_seconds(seconds)),
                events: details
                    .ignore_count
                    .map(u64::from)
                    .filter(|count| *count > 0),
                users: details
                    .ignore_user_count
                    .map(u64::from)
                    .filter(|count| *count > 0),
            })
        }
    }
}
