//! `POST /api/v4/projects/:id/events/push`: the report of a push by the server of the repository (`EVT-08`).

use accounts::flow::find_user::find_user_named;
use accounts::{User, UserState};
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::UserId;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::pushes::{Push, record_push};
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Parameter, ParameterKind, ResponseSpec, post};

use super::api::{EventContext, FeedEventJson};
use super::push_input::{CHANGE_FIELDS, CHANGES, MAX_CHANGES, USER, read_report};
use crate::frame::project::PROJECT;
use crate::frame::project_feature::{InFeature, Repository};
use crate::frame::scopes::{Developer, PushReport};

/// Response header with the number of refs in the report that are neither branches nor tags.
const IGNORED_REFS: &str = "X-Gatehouse-Ignored-Refs";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let user = Parameter::body(
        USER,
        ParameterKind::Text { min: 1, max: 255 },
        "ID or username of the user who pushed (default: the caller). Only administrators may name another user.",
    );
    let changes = Parameter::body(
        CHANGES,
        ParameterKind::ObjectList {
            fields: &CHANGE_FIELDS,
            max: MAX_CHANGES,
        },
        "Changed refs of the push, each once. Refs other than branches and tags are ignored.",
    );
    vec![
        post("reportPush", "/api/v4/projects/{id}/events/push", report)
            .documented("events", "Report a push to the repository of a project")
            .takes([PROJECT, user, changes.required()])
            .response(ResponseSpec::json::<Vec<FeedEventJson>>(
                201,
                "The events of the push, as the feed of the project shows them. The header X-Gatehouse-Ignored-Refs has \
                 the number of ignored refs.",
            ))
            .response(ResponseSpec::refusal(400, "A value is invalid."))
            .response(ResponseSpec::refusal(
                404,
                "The project or the user was not found.",
            )),
    ]
}

async fn report(
    request: InFeature<Repository, Developer, PushReport>,
) -> Result<HttpResponse, Failure> {
    let report = read_report(request.params())?;
    let ignored = report.ignored;
    let events_limit = request.settings().events.push_events_limit;
    let (caller, now) = (request.actor_id(), request.now());
    let recorded = request.write(move |tx, project| {
        let push = Push {
            project_id: project.id,
            author_id: find_author(tx, report.user.as_deref(), caller)?,
            changes: report.changes.clone(),
            events_limit,
            now,
        };
        let events = record_push(tx, &push)?;
        let context = EventContext::read(tx, &events)?;
        Ok((events, context))
    });
    let ((events, context), _) = recorded.await?;
    let show = |event| context.show(event, request.base_url());
    let shown: Vec<FeedEventJson> = events.into_iter().map(show).collect();
    let header = (IGNORED_REFS, ignored.to_string());
    Ok(HttpResponse::Created().insert_header(header).json(shown))
}

/// Finds the user who pushed: the caller, or the user whom an administrator names.
fn find_author(
    tx: &mut (dyn ReadTransaction + '_),
    name: Option<&str>,
    caller: UserId,
) -> Result<UserId, Failure> {
    let Some(name) = name else {
        return Ok(caller);
    };
    let named = find_user_named(tx, name)?.map(|user| user.id);
    if named == Some(caller) {
        return Ok(caller);
    }
    let is_administrator = |user: &User| user.is_admin && user.state == UserState::Active;
    if !tx
        .list_users_by_id(&[caller])?
        .first()
        .is_some_and(is_administrator)
    {
        let reason = "only administrators may report a push of another user";
        return Err(ApiError::forbidden_because(reason).into());
    }
    named.ok_or_else(|| ApiError::not_found("User").into())
}
