//! Creating, updating, deleting and listing deployments.

use api_conventions::ids::{DeploymentId, ProjectId, UserId};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use api_conventions::time::Timestamp;
use storage::{Locked, StoreErrorKind};

use super::environments::{ENVIRONMENT, find_or_create, set_state};
use super::error::{CiError, check, check_unchanged};
use crate::model::{
    Deployment, DeploymentChange, DeploymentFilter, DeploymentOrder, DeploymentStatus,
    DeploymentText, Environment, EnvironmentState, NewDeployment, commit_name,
};
use crate::rules::may_follow_deployment;
use crate::store::{
    DeploymentQueries, DeploymentRepository, EnvironmentRepository, PipelineRepository,
};

const DEPLOYMENT: &str = "Deployment";

/// Request to create a deployment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeploymentInput {
    /// Name of the environment; created if it does not exist.
    pub environment: String,
    /// The commit.
    pub sha: String,
    /// The branch or tag.
    pub reference: String,
    /// True if the reference is a tag.
    pub tag: bool,
    /// Status.
    pub status: DeploymentStatus,
    /// User who reports the deployment.
    pub user_id: Option<UserId>,
}

/// Creates a deployment and returns it with its environment. An environment with a running or successful deployment
/// becomes available.
///
/// # Errors
/// See [`CiError`].
pub fn create_deployment<R>(
    repos: &mut R,
    project: ProjectId,
    input: &DeploymentInput,
    now: Timestamp,
) -> Result<(Deployment, Environment), CiError>
where
    R: EnvironmentRepository + DeploymentRepository + PipelineRepository + ?Sized,
{
    let sha = commit_name(&input.sha);
    let text = DeploymentText {
        sha: sha.as_deref().unwrap_or_default(),
        r#ref: &input.reference,
    };
    check(&text)?;
    let at = repos.lock_reports(project)?;
    let environment = find_or_create(repos, &at, &input.environment, now)?;
    let new = NewDeployment {
        project_id: project,
        environment_id: environment.id,
        user_id: input.user_id,
        sha: text.sha.to_owned(),
        reference: input.reference.clone(),
        tag: input.tag,
        status: input.status,
        created_at: now,
        finished_at: input.status.is_finished().then_some(now),
    };
    let deployment = repos.insert_deployment(&at, &new)?;
    let environment = use_environment(repos, &at, environment, new.status, now)?;
    Ok((deployment, environment))
}

/// Makes an environment available if a deployment to it is running or succeeded.
fn use_environment<R: EnvironmentRepository + ?Sized>(
    repos: &mut R,
    at: &Locked<ProjectId>,
    environment: Environment,
    status: DeploymentStatus,
    now: Timestamp,
) -> Result<Environment, CiError> {
    match status {
        DeploymentStatus::Running | DeploymentStatus::Success => {
            set_state(repos, at, environment, EnvironmentState::Available, now)
        }
        _ => Ok(environment),
    }
}

/// Updates the status of a deployment and returns it with its environment. Setting the current status changes nothing.
///
/// # Errors
/// See [`CiError`]: a finished deployment cannot go back.
pub fn update_deployment<R>(
    repos: &mut R,
    project: ProjectId,
    id: DeploymentId,
    status: DeploymentStatus,
    now: Timestamp,
) -> Result<(Deployment, Environment), CiError>
where
    R: EnvironmentRepository + DeploymentRepository + PipelineRepository + ?Sized,
{
    let at = repos.lock_reports(project)?;
    let mut deployment = find(repos, &at, id)?;
    let environment = repos.find_environment(project, deployment.environment_id)?;
    let environment = environment.ok_or(CiError::Unknown(ENVIRONMENT))?;
    if deployment.status == status {
        return Ok((deployment, environment));
    }
    if !may_follow_deployment(deployment.status, status) {
        let (now, next) = (deployment.status.as_str(), status.as_str());
        let reason = format!("a deployment with the status {now} cannot change to {next}");
        return Err(CiError::Impossible(reason));
    }
    let change = DeploymentChange {
        status,
        finished_at: status.is_finished().then_some(now),
        updated_at: now,
    };
    repos.update_deployment(&at, id, change)?;
    change.apply(&mut deployment);
    let environment = use_environment(repos, &at, environment, status, now)?;
    Ok((deployment, environment))
}

/// Deletes a deployment unless it changed in a later second than `since`. A running deployment cannot be deleted, nor
/// can the last successful one of an environment.
///
/// # Errors
/// See [`CiError`].
pub fn delete_deployment<R>(
    repos: &mut R,
    project: ProjectId,
    id: DeploymentId,
    since: Option<Timestamp>,
) -> Result<(), CiError>
where
    R: DeploymentRepository + PipelineRepository + ?Sized,
{
    let at = repos.lock_reports(project)?;
    let deployment = find(repos, &at, id)?;
    let refused = |reason: &str| Err(CiError::Impossible(reason.to_owned()));
    if deployment.status == DeploymentStatus::Running {
        return refused("Cannot destroy running deployment");
    }
    let succeeded = DeploymentFilter {
        environment_id: Some(deployment.environment_id),
        status: Some(DeploymentStatus::Success),
        sort: SortOrder::Descending,
        ..DeploymentFilter::new(project)
    };
    let last = repos.list_deployments(&succeeded, OffsetPage::new(1, 1))?;
    if last.items.first().is_some_and(|last| last.id == id) {
        return refused("Deployment currently deployed to environment");
    }
    check_unchanged(deployment.updated_at, since)?;
    repos.delete_deployment(&at, id)?;
    Ok(())
}

fn find<R: DeploymentRepository + ?Sized>(
    repos: &mut R,
    at: &Locked<ProjectId>,
    id: DeploymentId,
) -> Result<Deployment, CiError> {
    let found = repos.find_deployment(**at, id)?;
    found.ok_or(CiError::Unknown(DEPLOYMENT))
}

/// Lists one page of deployments. Filters that cannot be combined are always refused. The host decides whether a list
/// filtered by update time must also be sorted by it; if it is not, the list is refused when too many deployments
/// match.
///
/// # Errors
/// See [`CiError`].
pub fn list_deployments<R: DeploymentQueries + ?Sized>(
    repos: &mut R,
    filter: &DeploymentFilter,
    page: OffsetPage,
) -> Result<Page<Deployment>, CiError> {
    const BOTH: &str = "Both `updated_at` filter and `finished_at` filter can not be specified";
    const FINISHED: &str = "`finished_at` filter and `finished_at` sorting must be paired";
    const SUCCESS: &str = "`finished_at` filter must be combined with `success` status filter.";
    let is_finished = !filter.finished.is_everything();
    let is_updated = !filter.updated.is_everything();
    let in_order = filter.order_by == DeploymentOrder::FinishedAt;
    let is_success = filter.status == Some(DeploymentStatus::Success);
    for (is_wrong, reason) in [
        (is_updated && is_finished, BOTH),
        (is_finished != in_order, FINISHED),
        (is_finished && !is_success, SUCCESS),
    ] {
        if is_wrong {
            return Err(CiError::Impossible(reason.to_owned()));
        }
    }
    let is_paired = filter.order_by == DeploymentOrder::UpdatedAt;
    let listed = repos.list_deployments(filter, page);
    listed.map_err(|error| match error.kind() {
        StoreErrorKind::TooMuchWork if is_updated && !is_paired => unpaired(),
        _ => error.into(),
    })
}

/// Refusal of a list with too many deployments updated in a time range.
fn unpaired() -> CiError {
    let reason = "too many deployments changed in that time: `updated_at` filter and `updated_at` sorting must be paired";
    CiError::Impossible(reason.to_owned())
}
