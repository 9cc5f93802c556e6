//! Reporting, changing, deleting and listing deployments.

use api_conventions::ids::{DeploymentId, ProjectId, UserId};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use api_conventions::time::Timestamp;
use storage::{Locked, StoreErrorKind};

use super::environments::{ENVIRONMENT, find_or_make, set_state};
use super::error::{CiError, check, check_unchanged};
use crate::model::{
    Deployment, DeploymentChange, DeploymentFilter, DeploymentOrder, DeploymentStatus,
    DeploymentText, Environment, EnvironmentState, NewDeployment, commit_name,
};
use crate::rules::follows_deployment;
use crate::store::{
    DeploymentQueries, DeploymentRepository, EnvironmentRepository, PipelineRepository,
};

const DEPLOYMENT: &str = "Deployment";

/// A deployment that somebody reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedDeployment {
    /// The name of the environment, which is made where there is none.
    pub environment: String,
    /// The commit.
    pub sha: String,
    /// The branch or tag.
    pub reference: String,
    /// Whether that is a tag.
    pub tag: bool,
    /// How it stands.
    pub status: DeploymentStatus,
    /// Who reports it.
    pub user_id: Option<UserId>,
}

/// Writes a reported deployment down, and gives it with its environment. An environment in which something runs or has succeeded is
/// available.
///
/// # Errors
/// See [`CiError`].
pub fn create_deployment<R>(
    repos: &mut R,
    project: ProjectId,
    wanted: &WantedDeployment,
    now: Timestamp,
) -> Result<(Deployment, Environment), CiError>
where
    R: EnvironmentRepository + DeploymentRepository + PipelineRepository + ?Sized,
{
    let sha = commit_name(&wanted.sha);
    let text = DeploymentText {
        sha: sha.as_deref().unwrap_or_default(),
        r#ref: &wanted.reference,
    };
    check(&text)?;
    let at = repos.lock_reports(project)?;
    let environment = find_or_make(repos, &at, &wanted.environment, now)?;
    let new = NewDeployment {
        project_id: project,
        environment_id: environment.id,
        user_id: wanted.user_id,
        sha: text.sha.to_owned(),
        reference: wanted.reference.clone(),
        tag: wanted.tag,
        status: wanted.status,
        created_at: now,
        finished_at: wanted.status.is_finished().then_some(now),
    };
    let deployment = repos.insert_deployment(&at, &new)?;
    let environment = use_environment(repos, &at, environment, (new.status, now))?;
    Ok((deployment, environment))
}

/// Makes an environment available in which something runs or has succeeded.
fn use_environment<R: EnvironmentRepository + ?Sized>(
    repos: &mut R,
    at: &Locked<ProjectId>,
    environment: Environment,
    (status, now): (DeploymentStatus, Timestamp),
) -> Result<Environment, CiError> {
    match status {
        DeploymentStatus::Running | DeploymentStatus::Success => {
            set_state(repos, at, environment, EnvironmentState::Available, now)
        }
        _ => Ok(environment),
    }
}

/// Changes how a deployment stands, and gives it with its environment. The status that it has already changes nothing.
///
/// # Errors
/// See [`CiError`]: what is finished does not go back.
pub fn update_deployment<R>(
    repos: &mut R,
    (project, id): (ProjectId, DeploymentId),
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
    if !follows_deployment(deployment.status, status) {
        let (now, next) = (deployment.status.as_str(), status.as_str());
        let reason = format!("a deployment that is {now} cannot become {next}");
        return Err(CiError::Impossible(reason));
    }
    let change = DeploymentChange {
        status,
        finished_at: status.is_finished().then_some(now),
        updated_at: now,
    };
    repos.update_deployment(&at, id, change)?;
    change.apply(&mut deployment);
    let environment = use_environment(repos, &at, environment, (status, now))?;
    Ok((deployment, environment))
}

/// Deletes a deployment, unless it changed in a later second than `since`. One that runs stays, and so does the last one of an
/// environment that succeeded.
///
/// # Errors
/// See [`CiError`].
pub fn delete_deployment<R>(
    repos: &mut R,
    (project, id): (ProjectId, DeploymentId),
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

/// One page of deployments. What cannot be combined is refused in any case. Whether those that changed in a range of time must be
/// ordered by it is for the host to say: where they are not, there may be so many that the list is refused.
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

/// The refusal of too many deployments that changed in a range of time.
fn unpaired() -> CiError {
    let reason = "too many deployments changed in that time: `updated_at` filter and `updated_at` sorting must be paired";
    CiError::Impossible(reason.to_owned())
}
