//! What the web API does about an error: resolved, ignored, assigned.

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

/// What is asked for.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct IssueUpdate {
    /// The state that the error is to have.
    status: Option<UpdatedStatus>,
    /// Since when it is resolved, or for how long it is ignored.
    status_details: Option<StatusDetails>,
    /// Who is to mend it: a username, and nothing for nobody.
    assigned_to: Option<String>,
}

/// A state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum UpdatedStatus {
    Resolved,
    ResolvedInNextRelease,
    Unresolved,
    Ignored,
}

/// What a state depends on.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct StatusDetails {
    /// Whether it is resolved in the next release.
    in_next_release: bool,
    /// The release in which it is resolved.
    in_release: Option<String>,
    /// Minutes for which it is ignored.
    ignore_duration: Option<u32>,
    /// Events until which it is ignored.
    ignore_count: Option<u32>,
    /// Users until which it is ignored.
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

/// What a body asks for. It says one thing at least.
fn read(params: &Params) -> Result<IssueUpdate, ApiError> {
    let field = |name: &str| params.get(name).cloned().unwrap_or_default();
    let whole = serde_json::json!({
        "status": field("status"), "statusDetails": field("statusDetails"), "assignedTo": field("assignedTo"),
    });
    let update: IssueUpdate =
        serde_json::from_value(whole).map_err(|fault| ApiError::bad_request(&fault.to_string()))?;
    if update.status.is_none() && update.assigned_to.is_none() {
        // A field that is null says nothing, as if it was not there.
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
