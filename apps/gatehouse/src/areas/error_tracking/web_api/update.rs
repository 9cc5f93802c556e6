//! Changes to an error over the web API: resolve, ignore, assign.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::params::Params;
use error_tracking::flow::change::{IgnoreDuration, StatusEdit};
use gatehouse_core::database::WriteTransaction;
use gatehouse_core::flows::errors::{ErrorChanges, change};
use projects::flow::issues::IssueActor;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use web_conventions::failure::Failure;
use web_conventions::operations::{Body, Operation, ResponseSpec, put};

use super::super::change::refused;
use super::super::errors::{DAY, hours_of};
use super::TAG;
use super::list::issue_of;
use super::one::{ISSUE, ISSUE_BARE};
use crate::frame::scopes::{Developer, WriteApi};
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
            .response(ResponseSpec::json::<Map<String, Value>>(
                200,
                "The updated error.",
            )),
    ]
}

async fn update(request: InProjectOfError<Developer, WriteApi>) -> Result<HttpResponse, Failure> {
    let update = parse_body(request.params())?;
    let (viewer, user, now) = (request.viewer(), request.actor_id(), request.now());
    let changed = request.write_with(move |tx, found, access| {
        let by = IssueActor {
            viewer,
            user,
            access,
            now,
        };
        let edit = error_edit(tx, &update, by)?;
        let changed = change(tx, &found.project, found.error.iid, &edit, by).map_err(refused)?;
        let hours = hours_of(
            tx,
            std::slice::from_ref(&changed.error),
            now.plus_seconds(-DAY),
        )?;
        Ok((changed.error, hours))
    });
    let ((error, mut hours), found) = changed.await?;
    let hours = hours.remove(&error.id).unwrap_or_default();
    request.json(&issue_of(&request, &found.project, &error, &hours).to_json())
}

/// Parses the body.
/// At least one field must be set.
fn parse_body(params: &Params) -> Result<IssueUpdate, ApiError> {
    let field = |name: &str| params.get(name).cloned().unwrap_or_default();
    let body = serde_json::json!({
        "status": field("status"), "statusDetails": field("statusDetails"), "assignedTo": field("assignedTo"),
    });
    let update: IssueUpdate =
        serde_json::from_value(body).map_err(|fault| ApiError::bad_request(&fault.to_string()))?;
    if update.status.is_none() && update.assigned_to.is_none() {
        // A null field counts as missing.
        let nothing = Params::default();
        let mut read = nothing.reader();
        read.demand_one_of(&["status", "assignedTo"]);
        read.finish()?;
    }
    Ok(update)
}

fn error_edit(
    tx: &mut dyn WriteTransaction,
    update: &IssueUpdate,
    by: IssueActor,
) -> Result<ErrorChanges, Failure> {
    let details = update.status_details.clone().unwrap_or_default();
    let assignee = match update.assigned_to.as_deref() {
        None => None,
        Some("") => Some(None),
        Some("me") => Some(Some(by.user)),
        Some(name) => {
            let user = tx.find_user_by_username(name)?;
            let user =
                user.ok_or_else(|| ApiError::bad_request("assignedTo is not a known user"))?;
            Some(Some(user.id))
        }
    };
    Ok(ErrorChanges {
        status: update.status.map(|status| status_edit(status, details, by)),
        assignee,
        issue: None,
    })
}

fn status_edit(status: UpdatedStatus, details: StatusDetails, by: IssueActor) -> StatusEdit {
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
            StatusEdit::Ignore(IgnoreDuration {
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
