//! Changes to errors over the API (`ERR-05`): resolve, ignore, assign, link, merge, split and delete.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::{ErrorIid, ErrorKeyId, IssueIid, UserId};
use api_conventions::params::Params;
use error_tracking::flow::change::{Ignoring, StatusEdit};
use error_tracking::model::StatusName;
use error_tracking::wire::ErrorJson;
use gatehouse_core::flows::errors::{
    Changed, ErrorRefusal, Wanted, change, delete as delete_error, merge_into, split_off,
};
use projects::Issue;
use projects::flow::issues::Actor;
use schemars::JsonSchema;
use serde::Serialize;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Answer, Deletion, Kind, MAX_ID, Operation, Parameter, delete, post, put,
};

use super::TAG;
use super::errors::{ERROR, hours_of, shown};
use super::external::{self, bad_gateway, elsewhere, gateway_timeout};
use super::named::{IID, THING, iid_of};
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Developer, Maintainer, Write};

const MERGE: &str = "/api/v4/projects/{id}/error_tracking/errors/{iid}/merge";
const SPLIT: &str = "/api/v4/projects/{id}/error_tracking/errors/{iid}/grouping/{key_id}/split";

const KEY_ID: Parameter = Parameter::path("key_id", Kind::ID, "The number of the key.");
const INTO: Parameter = Parameter::body(
    "into_iid",
    Kind::ID,
    "The number of the error that gets all events of this one.",
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
            .answers(Answer::json::<ChangedJson>(200, "The error as it is now."))
            .answers(bad_gateway())
            .answers(gateway_timeout())
            .answers(Answer::refusal(
                409,
                "Another error is linked to the issue.",
            )),
        post("mergeError", MERGE, merge)
            .documented(TAG, "Merge an error into another one")
            .takes([PROJECT, IID, INTO.required()])
            .answers(Answer::json::<ErrorJson>(
                200,
                "The error that has all events now.",
            )),
        post("splitError", SPLIT, split)
            .documented(TAG, "Take what was merged into an error out of it again")
            .takes([PROJECT, IID, KEY_ID])
            .answers(Answer::json::<ErrorJson>(
                201,
                "The error that the events are of now.",
            ))
            .answers(Answer::refusal(409, "It is the last key of the error.")),
        delete("deleteError", ERROR, remove)
            .documented(TAG, "Delete an error with all its events")
            .takes([PROJECT, IID])
            .answers(Answer::empty(204, "The error is gone.")),
    ]
}

fn edit_parameters() -> [Parameter; 8] {
    const MORE: Kind = Kind::Integer {
        min: 1,
        max: 1_000_000_000,
    };
    const ID_OR_NONE: Kind = Kind::Integer {
        min: 1,
        max: MAX_ID,
    };
    [
        Parameter::body(
            "status",
            Kind::Word(StatusName::NAMES),
            "The state that it is to have.",
        ),
        Parameter::body(
            "in_release",
            Kind::ANY_TEXT,
            "The release in which it is resolved.",
        ),
        Parameter::body(
            "in_next_release",
            Kind::Boolean,
            "Whether it is resolved in the next release.",
        ),
        Parameter::body("ignore_until", Kind::Timestamp, "Until when it is ignored."),
        Parameter::body(
            "ignore_count",
            MORE,
            "For how many more events it is ignored.",
        ),
        Parameter::body(
            "ignore_user_count",
            MORE,
            "For how many more users it is ignored.",
        ),
        Parameter::body(
            "assignee_id",
            ID_OR_NONE,
            "Who is to mend it; null for nobody.",
        ),
        Parameter::body(
            "issue_iid",
            ID_OR_NONE,
            "The issue that is about it; null for none.",
        ),
    ]
}

async fn update(asked: InProject<Developer, Write>) -> Result<HttpResponse, Failure> {
    let iid = iid_of(&asked)?;
    let wanted = read_wanted(asked.params())?;
    let (error, closed) = match elsewhere(&asked).await? {
        Some(at) => external::update(&asked, &at, (iid, &wanted)).await?,
        None => update_here(&asked, iid, wanted).await?,
    };
    asked.json(&ChangedJson {
        error,
        closed_issue_iid: closed.map(|issue| issue.iid),
    })
}

/// Updates an error stored on this server, and returns it with the issue that was closed.
async fn update_here(
    asked: &InProject<Developer, Write>,
    iid: ErrorIid,
    wanted: Wanted,
) -> Result<(ErrorJson, Option<Issue>), Failure> {
    let (viewer, user, now) = (asked.viewer(), asked.actor(), asked.now());
    let changed = asked.write_with(move |tx, project, access| {
        let by = Actor {
            viewer,
            user,
            access,
            now,
        };
        let changed = change(tx, project, iid, &wanted, by).map_err(refused)?;
        let hours = hours_of(tx, std::slice::from_ref(&changed.error), now)?;
        Ok((changed, hours))
    });
    let ((changed, hours), project) = changed.await?;
    let Changed {
        error,
        closed_issue,
    } = changed;
    Ok((shown(asked, &project, &hours, error), closed_issue))
}

fn read_wanted(params: &Params) -> Result<Wanted, ApiError> {
    let mut read = params.reader();
    let status = read.word("status", StatusName::parse);
    let in_release = read.text("in_release").filter(|text| !text.is_empty());
    let in_next_release = read.boolean("in_next_release").unwrap_or_default();
    let more = |number: Option<i64>| number.and_then(|number| u64::try_from(number).ok());
    let ignoring = Ignoring {
        until: read.timestamp("ignore_until"),
        events: more(read.integer_within("ignore_count", 1..=1_000_000_000)),
        users: more(read.integer_within("ignore_user_count", 1..=1_000_000_000)),
    };
    let assignee = read.clearable_integer("assignee_id", 1..=MAX_ID);
    let issue = read.clearable_integer("issue_iid", 1..=MAX_ID);
    let resolves = in_release.is_some() || in_next_release;
    let ignores = ignoring != Ignoring::default();
    if resolves && status != Some(StatusName::Resolved) {
        read.fault("status", "must be resolved where a release is named");
    }
    if ignores && status != Some(StatusName::Ignored) {
        read.fault("status", "must be ignored where its end is named");
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
    Ok(Wanted {
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
        refusal @ (ErrorRefusal::NoAssignee | ErrorRefusal::Elsewhere) => {
            ApiError::bad_request(&refusal.to_string()).into()
        }
        ErrorRefusal::Merged => ApiError::moved_for_readers(&THING.to_lowercase()).into(),
        _ => ApiError::not_found(THING).into(),
    }
}

async fn merge(asked: InProject<Developer, Write>) -> Result<HttpResponse, Failure> {
    let from = iid_of(&asked)?;
    let mut read = asked.params().reader();
    let into = read.integer_within(INTO.name, 1..=MAX_ID);
    let into = read.required(INTO.name, into);
    read.finish()?;
    let into = ErrorIid::new(into.value()?);
    let (viewer, user, now) = (asked.viewer(), asked.actor(), asked.now());
    let merged = asked.write_with(move |tx, project, access| {
        let by = Actor {
            viewer,
            user,
            access,
            now,
        };
        let error = merge_into(tx, project.id, (from, into), by)
            .map_err(refused)?
            .into_result()?;
        let hours = hours_of(tx, std::slice::from_ref(&error), now)?;
        Ok((error, hours))
    });
    let ((error, hours), project) = merged.await?;
    asked.json(&shown(&asked, &project, &hours, error))
}

async fn split(asked: InProject<Developer, Write>) -> Result<HttpResponse, Failure> {
    let iid = iid_of(&asked)?;
    let key = ErrorKeyId::new(asked.number(KEY_ID.name, "Key")?);
    let (viewer, user, now) = (asked.viewer(), asked.actor(), asked.now());
    let made = asked.write_with(move |tx, project, access| {
        let by = Actor {
            viewer,
            user,
            access,
            now,
        };
        let error = split_off(tx, project.id, (iid, key), by)
            .map_err(refused)?
            .into_result()?;
        let hours = hours_of(tx, std::slice::from_ref(&error), now)?;
        Ok((error, hours))
    });
    let ((error, hours), project) = made.await?;
    Ok(HttpResponse::Created().json(shown(&asked, &project, &hours, error)))
}

async fn remove(asked: InProject<Maintainer, Write>) -> Result<Deletion, Failure> {
    let (iid, condition) = (iid_of(&asked)?, asked.precondition());
    let (viewer, user, now) = (asked.viewer(), asked.actor(), asked.now());
    let deleted = asked.write_with(move |tx, project, access| {
        let by = Actor {
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
