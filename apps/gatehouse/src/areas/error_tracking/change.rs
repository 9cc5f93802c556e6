//! Changes to errors over the API (`ERR-05`): resolve, ignore, assign, link, merge, split and delete.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::{ErrorIid, ErrorKeyId, IssueIid, UserId};
use api_conventions::params::Params;
use error_tracking::flow::change::{IgnoreDuration, StatusEdit};
use error_tracking::model::StatusName;
use error_tracking::wire::ErrorJson;
use gatehouse_core::flows::errors::{
    ErrorChangeResult, ErrorChanges, ErrorRefusal, change, delete as delete_error, merge_into,
    split_off,
};
use projects::Issue;
use projects::flow::issues::IssueActor;
use schemars::JsonSchema;
use serde::Serialize;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, MAX_ID, Operation, Parameter, ParameterKind, ResponseSpec, delete, post, put,
};

use super::TAG;
use super::errors::{ERROR, error_json, hours_of};
use super::external::{self, bad_gateway, external_project, gateway_timeout};
use super::lookup::{IID, RESOURCE, iid_of};
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Developer, Maintainer, WriteApi};

const MERGE: &str = "/api/v4/projects/{id}/error_tracking/errors/{iid}/merge";
const SPLIT: &str = "/api/v4/projects/{id}/error_tracking/errors/{iid}/grouping/{key_id}/split";

const KEY_ID: Parameter = Parameter::path("key_id", ParameterKind::ID, "The id of the key.");
const INTO: Parameter = Parameter::body(
    "into_iid",
    ParameterKind::ID,
    "The IID of the error to merge into.",
);

/// An error after a change.
#[derive(Debug, Serialize, JsonSchema)]
struct ChangedJson {
    #[serde(flatten)]
    error: ErrorJson,
    /// IID of the issue that was closed together with the error, if any.
    closed_issue_iid: Option<IssueIid>,
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        put("updateError", ERROR, update)
            .documented(TAG, "Resolve, ignore, assign or link an error")
            .takes([PROJECT, IID])
            .takes(edit_parameters())
            .response(ResponseSpec::json::<ChangedJson>(200, "The updated error."))
            .response(bad_gateway())
            .response(gateway_timeout())
            .response(ResponseSpec::refusal(
                409,
                "Another error is linked to the issue.",
            )),
        post("mergeError", MERGE, merge)
            .documented(TAG, "Merge an error into another one")
            .takes([PROJECT, IID, INTO.required()])
            .response(ResponseSpec::json::<ErrorJson>(
                200,
                "The error with the merged events.",
            )),
        post("splitError", SPLIT, split)
            .documented(TAG, "Split merged events off an error")
            .takes([PROJECT, IID, KEY_ID])
            .response(ResponseSpec::json::<ErrorJson>(
                201,
                "The error that has the split events.",
            ))
            .response(ResponseSpec::refusal(
                409,
                "The key is the only one of the error.",
            )),
        delete("deleteError", ERROR, remove)
            .documented(TAG, "Delete an error with all its events")
            .takes([PROJECT, IID])
            .response(ResponseSpec::empty(204, "Deleted.")),
    ]
}

fn edit_parameters() -> [Parameter; 8] {
    const MORE: ParameterKind = ParameterKind::Integer {
        min: 1,
        max: 1_000_000_000,
    };
    const ID_OR_NONE: ParameterKind = ParameterKind::Integer {
        min: 1,
        max: MAX_ID,
    };
    [
        Parameter::body(
            "status",
            ParameterKind::Word(StatusName::NAMES),
            "New status.",
        ),
        Parameter::body(
            "in_release",
            ParameterKind::ANY_TEXT,
            "Release in which the error is resolved.",
        ),
        Parameter::body(
            "in_next_release",
            ParameterKind::Boolean,
            "Resolve the error in the next release.",
        ),
        Parameter::body(
            "ignore_until",
            ParameterKind::Timestamp,
            "Ignore the error until this time.",
        ),
        Parameter::body(
            "ignore_count",
            MORE,
            "Ignore the error for this many more events.",
        ),
        Parameter::body(
            "ignore_user_count",
            MORE,
            "Ignore the error for this many more users.",
        ),
        Parameter::body(
            "assignee_id",
            ID_OR_NONE,
            "Id of the assignee; null to unassign.",
        ),
        Parameter::body(
            "issue_iid",
            ID_OR_NONE,
            "IID of the linked issue; null to unlink.",
        ),
    ]
}

async fn update(request: InProject<Developer, WriteApi>) -> Result<HttpResponse, Failure> {
    let iid = iid_of(&request)?;
    let edit = parse_edit(request.params())?;
    let (error, closed) = match external_project(&request).await? {
        Some(at) => external::update(&request, &at, iid, &edit).await?,
        None => update_local(&request, iid, edit).await?,
    };
    request.json(&ChangedJson {
        error,
        closed_issue_iid: closed.map(|issue| issue.iid),
    })
}

/// Updates an error stored on this server, and returns it with the issue that was closed.
async fn update_local(
    request: &InProject<Developer, WriteApi>,
    iid: ErrorIid,
    edit: ErrorChanges,
) -> Result<(ErrorJson, Option<Issue>), Failure> {
    let (viewer, user, now) = (request.viewer(), request.actor_id(), request.now());
    let changed = request.write_with(move |tx, project, access| {
        let by = IssueActor {
            viewer,
            user,
            access,
            now,
        };
        let changed = change(tx, project, iid, &edit, by).map_err(refused)?;
        let hours = hours_of(tx, std::slice::from_ref(&changed.error), now)?;
        Ok((changed, hours))
    });
    let ((changed, hours), project) = changed.await?;
    let ErrorChangeResult {
        error,
        closed_issue,
    } = changed;
    Ok((error_json(request, &project, &hours, error), closed_issue))
}

fn parse_edit(params: &Params) -> Result<ErrorChanges, ApiError> {
    let mut read = params.reader();
    let status = read.word("status", StatusName::parse);
    let in_release = read.text("in_release").filter(|text| !text.is_empty());
    let in_next_release = read.boolean("in_next_release").unwrap_or_default();
    let more = |number: Option<i64>| number.and_then(|number| u64::try_from(number).ok());
    let ignoring = IgnoreDuration {
        until: read.timestamp("ignore_until"),
        events: more(read.integer_within("ignore_count", 1..=1_000_000_000)),
        users: more(read.integer_within("ignore_user_count", 1..=1_000_000_000)),
    };
    let assignee = read.clearable_integer("assignee_id", 1..=MAX_ID);
    let issue = read.clearable_integer("issue_iid", 1..=MAX_ID);
    let resolves = in_release.is_some() || in_next_release;
    let ignores = ignoring != IgnoreDuration::default();
    if resolves && status != Some(StatusName::Resolved) {
        read.fault("status", "must be resolved if a release is given");
    }
    if ignores && status != Some(StatusName::Ignored) {
        read.fault("status", "must be ignored if an ignore limit is given");
    }
    let names = edit_parameters().map(|parameter| parameter.name);
    read.demand_one_of(&names);
    read.finish()?;
    let status = status.map(|status| match (status, in_release) {
        (StatusName::Unresolved, _) => StatusEdit::Unresolve,
        (StatusName::Resolved, Some(release)) => StatusEdit::ResolveInRelease(release),
        (StatusName::Resolved, None) if in_next_release => StatusEdit::ResolveInNextRelease,
        (StatusName::Resolved, None) => StatusEdit::Resolve,
        (StatusName::Ignored, _) => StatusEdit::Ignore(ignoring),
    });
    Ok(ErrorChanges {
        status,
        assignee: assignee.map(|id| id.map(UserId::new)),
        issue: issue.map(|iid| iid.map(IssueIid::new)),
    })
}

/// Response to a refused change.
pub(super) fn refused(refusal: ErrorRefusal) -> Failure {
    match refusal {
        ErrorRefusal::Store(error) => error.into(),
        ErrorRefusal::Issue(error) => ApiError::from(error).into(),
        ErrorRefusal::NoIssue => ApiError::not_found("Issue").into(),
        ErrorRefusal::IssueTaken => {
            ApiError::conflict(&ErrorRefusal::IssueTaken.to_string()).into()
        }
        refusal @ (ErrorRefusal::NoAssignee | ErrorRefusal::External) => {
            ApiError::bad_request(&refusal.to_string()).into()
        }
        ErrorRefusal::Merged => ApiError::moved_for_readers(&RESOURCE.to_lowercase()).into(),
        _ => ApiError::not_found(RESOURCE).into(),
    }
}

async fn merge(request: InProject<Developer, WriteApi>) -> Result<HttpResponse, Failure> {
    let from = iid_of(&request)?;
    let mut read = request.params().reader();
    let into = read.integer_within(INTO.name, 1..=MAX_ID);
    let into = read.required(INTO.name, into);
    read.finish()?;
    let into = ErrorIid::new(into.value()?);
    let (viewer, user, now) = (request.viewer(), request.actor_id(), request.now());
    let merged = request.write_with(move |tx, project, access| {
        let by = IssueActor {
            viewer,
            user,
            access,
            now,
        };
        let error = merge_into(tx, project.id, from, into, by)
            .map_err(refused)?
            .into_result()?;
        let hours = hours_of(tx, std::slice::from_ref(&error), now)?;
        Ok((error, hours))
    });
    let ((error, hours), project) = merged.await?;
    request.json(&error_json(&request, &project, &hours, error))
}

async fn split(request: InProject<Developer, WriteApi>) -> Result<HttpResponse, Failure> {
    let iid = iid_of(&request)?;
    let key = ErrorKeyId::new(request.number(KEY_ID.name, "Key")?);
    let (viewer, user, now) = (request.viewer(), request.actor_id(), request.now());
    let created = request.write_with(move |tx, project, access| {
        let by = IssueActor {
            viewer,
            user,
            access,
            now,
        };
        let error = split_off(tx, project.id, iid, key, by)
            .map_err(refused)?
            .into_result()?;
        let hours = hours_of(tx, std::slice::from_ref(&error), now)?;
        Ok((error, hours))
    });
    let ((error, hours), project) = created.await?;
    Ok(HttpResponse::Created().json(error_json(&request, &project, &hours, error)))
}

async fn remove(request: InProject<Maintainer, WriteApi>) -> Result<Deletion, Failure> {
    let (iid, condition) = (iid_of(&request)?, request.precondition());
    let (viewer, user, now) = (request.viewer(), request.actor_id(), request.now());
    let deleted = request.write_with(move |tx, project, access| {
        let by = IssueActor {
            viewer,
            user,
            access,
            now,
        };
        let error = delete_error(tx, project.id, iid, by).map_err(refused)?;
        // Nothing records when an error was resolved, ignored or assigned, so the precondition checks `last_seen`.
        Ok(condition.check(error.last_seen)?)
    });
    Ok(Deletion::no_content(deleted.await?.0))
}
