//! Making, changing, stopping and deleting environments.

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

/// What a refusal calls an environment.
pub(super) const ENVIRONMENT: &str = "Environment";
/// How often another slug is tried. Two names whose marks are the same are hard to find; this many are not found.
const ATTEMPTS: u32 = 8;

/// What somebody wants of an environment. What is `None` stays as it is, or is as usual.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnvironmentEdit {
    /// The name.
    pub name: Option<String>,
    /// Where what is deployed there can be reached; `Some(None)` takes the address away.
    pub external_url: Option<Option<String>>,
    /// What it is for.
    pub tier: Option<EnvironmentTier>,
}

/// Makes an environment.
///
/// # Errors
/// See [`CiError`].
pub fn create_environment<R>(
    repos: &mut R,
    project: ProjectId,
    wanted: &EnvironmentEdit,
    now: Timestamp,
) -> Result<Environment, CiError>
where
    R: EnvironmentRepository + PipelineRepository + ?Sized,
{
    let name = wanted.name.as_deref().unwrap_or_default();
    let external_url = wanted.external_url.clone().flatten();
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
        tier: wanted.tier.unwrap_or_else(|| tier_of(name)),
        created_at: now,
    };
    insert(repos, &at, &mut new)
}

/// Inserts an environment with the first slug that is free.
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

/// The environment of a name, which is made where the project has none.
pub(super) fn find_or_make<R: EnvironmentRepository + ?Sized>(
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

/// Changes an environment, and gives it as it is then. Its slug stays.
///
/// # Errors
/// See [`CiError`].
pub fn update_environment<R>(
    repos: &mut R,
    (project, id): (ProjectId, EnvironmentId),
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

/// Stops an environment, and gives it as it is then. One that was stopped stays as it is.
///
/// # Errors
/// See [`CiError`].
pub fn stop_environment<R>(
    repos: &mut R,
    (project, id): (ProjectId, EnvironmentId),
    now: Timestamp,
) -> Result<Environment, CiError>
where
    R: EnvironmentRepository + PipelineRepository + ?Sized,
{
    let at = repos.lock_reports(project)?;
    let found = find(repos, &at, id)?;
    set_state(repos, &at, found, EnvironmentState::Stopped, now)
}

/// Sets the state of an environment, where it has another one.
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

/// Deletes an environment that was stopped, with its deployments; unless it changed in a later second than `since`.
///
/// # Errors
/// See [`CiError`]: [`CiError::NotStopped`] for one that is in use.
pub fn delete_environment<R>(
    repos: &mut R,
    (project, id): (ProjectId, EnvironmentId),
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
