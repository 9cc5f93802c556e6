//! Creating, updating, stopping and deleting environments.

use api_conventions::ids::{EnvironmentId, ProjectId};
use api_conventions::time::Timestamp;
use storage::{Locked, StoreError, StoreErrorKind};

use super::error::{CiError, check, check_unchanged};
use crate::model::{
    Environment, EnvironmentChange, EnvironmentState, EnvironmentText, EnvironmentTier,
    NewEnvironment,
};
use crate::rules::{slug_of, tier_of};
use crate::store::{
    EnvironmentRepository, InsertEnvironment, PipelineRepository, UpdateEnvironment,
};

/// Resource name of an environment in refusals.
pub(super) const ENVIRONMENT: &str = "Environment";
/// Number of slugs to try. Two names with the same hash suffix are hard to find; this many are never found.
const ATTEMPTS: u32 = 8;

/// Request to create or update an environment. Fields that are `None` keep their value, or get the default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnvironmentEdit {
    /// The name.
    pub name: Option<String>,
    /// URL at which the deployment can be reached; `Some(None)` clears it.
    pub external_url: Option<Option<String>>,
    /// Deployment tier.
    pub tier: Option<EnvironmentTier>,
}

/// Creates an environment.
///
/// # Errors
/// See [`CiError`].
pub fn create_environment<R>(
    repos: &mut R,
    project: ProjectId,
    input: &EnvironmentEdit,
    now: Timestamp,
) -> Result<Environment, CiError>
where
    R: EnvironmentRepository + PipelineRepository + ?Sized,
{
    let name = input.name.as_deref().unwrap_or_default();
    let external_url = input.external_url.clone().flatten();
    let text = EnvironmentText {
        name,
        external_url: external_url.as_deref(),
    };
    check(&text)?;
    let at = repos.lock_reports(project)?;
    let mut new = NewEnvironment {
        project_id: project,
        name: name.to_owned(),
        slug: String::new(),
        external_url,
        tier: input.tier.unwrap_or_else(|| tier_of(name)),
        created_at: now,
    };
    insert(repos, &at, &mut new)
}

/// Inserts an environment with the first free slug.
fn insert<R: EnvironmentRepository + ?Sized>(
    repos: &mut R,
    at: &Locked<ProjectId>,
    new: &mut NewEnvironment,
) -> Result<Environment, CiError> {
    for attempt in 0..ATTEMPTS {
        new.slug = slug_of(&new.name, attempt);
        match repos.insert_environment(at, new)? {
            InsertEnvironment::Inserted(environment) => return Ok(environment),
            InsertEnvironment::NameTaken => return Err(name_taken()),
            InsertEnvironment::SlugTaken => {}
        }
    }
    let error = StoreError::new(StoreErrorKind::Conflict, "insert environment");
    Err(error.with_detail("no slug is free").into())
}

fn name_taken() -> CiError {
    CiError::of("name", "has already been taken")
}

/// Returns the environment of this name; creates it if the project has none.
pub(super) fn find_or_create<R: EnvironmentRepository + ?Sized>(
    repos: &mut R,
    at: &Locked<ProjectId>,
    name: &str,
    now: Timestamp,
) -> Result<Environment, CiError> {
    if let Some(found) = repos.find_environment_by_name(**at, name)? {
        return Ok(found);
    }
    let text = EnvironmentText {
        name,
        external_url: None,
    };
    check(&text)?;
    let mut new = NewEnvironment {
        project_id: **at,
        name: name.to_owned(),
        slug: String::new(),
        external_url: None,
        tier: tier_of(name),
        created_at: now,
    };
    insert(repos, at, &mut new)
}

/// Updates an environment and returns the updated one. The slug never changes.
///
/// # Errors
/// See [`CiError`].
pub fn update_environment<R>(
    repos: &mut R,
    project: ProjectId,
    id: EnvironmentId,
    edit: &EnvironmentEdit,
    now: Timestamp,
) -> Result<Environment, CiError>
where
    R: EnvironmentRepository + PipelineRepository + ?Sized,
{
    let at = repos.lock_reports(project)?;
    let found = find(repos, &at, id)?;
    let mut change = EnvironmentChange::of(&found, now);
    if let Some(name) = &edit.name {
        change.name.clone_from(name);
    }
    if let Some(external_url) = &edit.external_url {
        change.external_url.clone_from(external_url);
    }
    change.tier = edit.tier.unwrap_or(change.tier);
    let text = EnvironmentText {
        name: &change.name,
        external_url: change.external_url.as_deref(),
    };
    check(&text)?;
    save(repos, &at, found, &change)
}

/// Stops an environment and returns the updated one. A stopped environment stays unchanged.
///
/// # Errors
/// See [`CiError`].
pub fn stop_environment<R>(
    repos: &mut R,
    project: ProjectId,
    id: EnvironmentId,
    now: Timestamp,
) -> Result<Environment, CiError>
where
    R: EnvironmentRepository + PipelineRepository + ?Sized,
{
    let at = repos.lock_reports(project)?;
    let found = find(repos, &at, id)?;
    set_state(repos, &at, found, EnvironmentState::Stopped, now)
}

/// Sets the state of an environment unless it already has that state.
pub(super) fn set_state<R: EnvironmentRepository + ?Sized>(
    repos: &mut R,
    at: &Locked<ProjectId>,
    found: Environment,
    state: EnvironmentState,
    now: Timestamp,
) -> Result<Environment, CiError> {
    if found.state == state {
        return Ok(found);
    }
    let change = EnvironmentChange {
        state,
        ..EnvironmentChange::of(&found, now)
    };
    save(repos, at, found, &change)
}

/// Deletes a stopped environment with its deployments, unless it changed in a later second than `since`.
///
/// # Errors
/// See [`CiError`]: [`CiError::NotStopped`] if the environment is available.
pub fn delete_environment<R>(
    repos: &mut R,
    project: ProjectId,
    id: EnvironmentId,
    since: Option<Timestamp>,
) -> Result<(), CiError>
where
    R: EnvironmentRepository + PipelineRepository + ?Sized,
{
    let at = repos.lock_reports(project)?;
    let found = find(repos, &at, id)?;
    if found.state != EnvironmentState::Stopped {
        return Err(CiError::NotStopped);
    }
    check_unchanged(found.updated_at, since)?;
    repos.delete_environment(&at, id)?;
    Ok(())
}

fn find<R: EnvironmentRepository + ?Sized>(
    repos: &mut R,
    at: &Locked<ProjectId>,
    id: EnvironmentId,
) -> Result<Environment, CiError> {
    let found = repos.find_environment(**at, id)?;
    found.ok_or(CiError::Unknown(ENVIRONMENT))
}

fn save<R: EnvironmentRepository + ?Sized>(
    repos: &mut R,
    at: &Locked<ProjectId>,
    mut environment: Environment,
    change: &EnvironmentChange,
) -> Result<Environment, CiError> {
    match repos.update_environment(at, environment.id, change)? {
        UpdateEnvironment::Updated => {
            change.apply(&mut environment);
            Ok(environment)
        }
        UpdateEnvironment::NotFound => Err(CiError::Unknown(ENVIRONMENT)),
        UpdateEnvironment::NameTaken => Err(name_taken()),
    }
}
