//! Runners: who manages them, and changes to them with their entries in the audit log (`DEPR-05`).

mod access;
mod log;
mod registration;

pub use access::{
    RunnerAndPlaces, find_managed_runner, list_own_places, list_places_for_group,
    list_places_for_project, manages_place, with_places,
};

pub use registration::{find_registration_secret, reset_registration_token};

use accounts::AuditEventName;
use api_conventions::error::ApiError;
use api_conventions::ids::{ProjectId, RunnerId};
use api_conventions::reference::{NamespaceRef, ProjectRef};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use pipelines::flow::{CiError, RunnerEdit, RunnerInput, create_runner as insert_runner};
use pipelines::flow::{
    assign_runner as assign, unassign_runner as unassign, update_runner as update,
};
use pipelines::model::{Runner, RunnerPlace};
use projects::Viewer;
use storage::StoreError;

use self::log::{RunnerEvent, audited_places};
use super::groups::Actor;
use crate::database::WriteTransaction;

/// Reasons to refuse a request about runners. Nothing is stored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunnerError {
    /// The caller does not manage the runner or the place.
    #[error("not a manager of the runner")]
    NotManager,
    /// The caller may not do this; the text says why.
    #[error("{0}")]
    Forbidden(&'static str),
    /// The runner or its settings do not allow it.
    #[error(transparent)]
    Runner(#[from] CiError),
}

impl From<StoreError> for RunnerError {
    fn from(error: StoreError) -> Self {
        Self::Runner(error.into())
    }
}

impl From<RunnerError> for ApiError {
    fn from(error: RunnerError) -> Self {
        match error {
            RunnerError::NotManager => Self::forbidden(),
            RunnerError::Forbidden(reason) => Self::forbidden_because(reason),
            RunnerError::Runner(error) => error.into(),
        }
    }
}

/// Creates a runner in a place that its creator manages.
///
/// # Errors
/// See [`RunnerError`].
pub fn create_runner(
    tx: &mut dyn WriteTransaction,
    input: &RunnerInput,
    actor: Actor,
) -> Result<Runner, RunnerError> {
    if !manages_place(tx, actor.viewer, input.place, actor.now)? {
        return Err(RunnerError::NotManager);
    }
    let runner = insert_runner(tx, input)?;
    let event = RunnerEvent::of(AuditEventName::RunnerCreated, &runner, Some(actor.id));
    event.record(tx, &[input.place], actor.now)?;
    Ok(runner)
}

/// Registers a runner with a registration token; `input.place` and `input.creator_id` are replaced by those of the token.
/// `None` if there is no such token.
///
/// # Errors
/// See [`RunnerError`].
pub fn register_runner(
    tx: &mut dyn WriteTransaction,
    token: &SecretDigest,
    input: &RunnerInput,
) -> Result<Option<Runner>, RunnerError> {
    let Some(token) = tx.find_registration_token(token)? else {
        return Ok(None);
    };
    let exists = match token.place {
        RunnerPlace::Instance => true,
        RunnerPlace::Group(id) => tx.find_group(&NamespaceRef::Id(id))?.is_some(),
        RunnerPlace::Project(id) => tx.find_project(&ProjectRef::Id(id))?.is_some(),
    };
    if !exists {
        return Ok(None);
    }
    let input = RunnerInput {
        place: token.place,
        creator_id: token.creator_id,
        ..input.clone()
    };
    let runner = insert_runner(tx, &input)?;
    let event = RunnerEvent::of(AuditEventName::RunnerCreated, &runner, None);
    event.record(tx, &[token.place], input.now)?;
    Ok(Some(runner))
}

/// Updates a runner that the actor manages.
///
/// # Errors
/// See [`RunnerError`].
pub fn update_runner(
    tx: &mut dyn WriteTransaction,
    id: RunnerId,
    edit: &RunnerEdit,
    actor: Actor,
) -> Result<Runner, RunnerError> {
    find_managed_runner(tx, actor.viewer, id, actor.now)?;
    let (before, after) = update(tx, id, edit)?;
    if before != after {
        let event = RunnerEvent::of(AuditEventName::RunnerUpdated, &after, Some(actor.id));
        let places = audited_places(tx, &after)?;
        event.record(tx, &places, actor.now)?;
    }
    Ok(after)
}

/// Replaces the authentication token of a runner that the actor manages. The previous one is invalid from then on.
///
/// # Errors
/// See [`RunnerError`].
pub fn reset_runner_token(
    tx: &mut dyn WriteTransaction,
    id: RunnerId,
    digest: &SecretDigest,
    actor: Actor,
) -> Result<(), RunnerError> {
    let runner = find_managed_runner(tx, actor.viewer, id, actor.now)?;
    tx.replace_runner_token(id, digest)?;
    let event = RunnerEvent::of(AuditEventName::RunnerTokenReset, &runner, Some(actor.id));
    let places = audited_places(tx, &runner)?;
    Ok(event.record(tx, &places, actor.now)?)
}

/// Deletes a runner that the actor manages. One of several projects is deleted by administrators only. Returns it.
///
/// # Errors
/// See [`RunnerError`].
pub fn delete_runner(
    tx: &mut dyn WriteTransaction,
    id: RunnerId,
    actor: Actor,
) -> Result<Runner, RunnerError> {
    let runner = find_managed_runner(tx, actor.viewer, id, actor.now)?;
    let places = audited_places(tx, &runner)?;
    if places.len() > 1 && !matches!(actor.viewer, Viewer::Administrator(_)) {
        let reason =
            "the runner is assigned to several projects; remove it from your project instead";
        return Err(RunnerError::Forbidden(reason));
    }
    tx.delete_runner(id)?;
    let event = RunnerEvent::of(AuditEventName::RunnerDeleted, &runner, Some(actor.id));
    event.record(tx, &places, actor.now)?;
    Ok(runner)
}

/// Deletes the runner with this authentication token, by which it acts itself. Returns `false` if there is none.
///
/// # Errors
/// Failures of the store.
pub fn delete_runner_by_token(
    tx: &mut dyn WriteTransaction,
    digest: &SecretDigest,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let Some(runner) = tx.find_runner_by_digest(digest)? else {
        return Ok(false);
    };
    let places = audited_places(tx, &runner)?;
    tx.delete_runner(runner.id)?;
    let event = RunnerEvent::of(AuditEventName::RunnerDeleted, &runner, None);
    event.record(tx, &places, now)?;
    Ok(true)
}

/// Assigns a runner that the actor manages to a project. A locked one is assigned by administrators only.
///
/// # Errors
/// See [`RunnerError`].
pub fn assign_runner(
    tx: &mut dyn WriteTransaction,
    id: RunnerId,
    project: ProjectId,
    actor: Actor,
) -> Result<Runner, RunnerError> {
    let runner = find_managed_runner(tx, actor.viewer, id, actor.now)?;
    if runner.settings.locked && !matches!(actor.viewer, Viewer::Administrator(_)) {
        return Err(RunnerError::Forbidden("the runner is locked"));
    }
    let runner = assign(tx, id, project)?;
    let event = RunnerEvent::of(AuditEventName::RunnerAssigned, &runner, Some(actor.id));
    event.record(tx, &[RunnerPlace::Project(project)], actor.now)?;
    Ok(runner)
}

/// Ends the assignment of a runner to a project.
///
/// # Errors
/// See [`RunnerError`].
pub fn unassign_runner(
    tx: &mut dyn WriteTransaction,
    id: RunnerId,
    project: ProjectId,
    actor: Actor,
) -> Result<(), RunnerError> {
    let runner = unassign(tx, id, project)?;
    let event = RunnerEvent::of(AuditEventName::RunnerUnassigned, &runner, Some(actor.id));
    event.record(tx, &[RunnerPlace::Project(project)], actor.now)?;
    Ok(())
}
