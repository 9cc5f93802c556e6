//! Environments, deployments, pipelines and jobs.

mod deployments;
mod environments;
mod jobs;
mod runs;

use std::collections::BTreeMap;

use api_conventions::ids::{DeploymentId, EnvironmentId, JobId, PipelineId, ProjectId};
use pipelines::model::{Deployment, Environment, Job, Pipeline, Variable};

use crate::table::Table;

/// The tables of the crate.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tables {
    environments: Table<EnvironmentId, Environment>,
    deployments: Table<DeploymentId, Deployment>,
    pipelines: Table<PipelineId, Pipeline>,
    variables: BTreeMap<PipelineId, Vec<Variable>>,
    jobs: Table<JobId, Job>,
    last_iids: BTreeMap<ProjectId, LastIids>,
}

/// The last numbers of a project.
#[derive(Debug, Clone, Copy, Default)]
struct LastIids {
    deployment: i64,
    pipeline: i64,
}

impl Tables {
    /// Deletes what was reported to a project that goes, at most `limit` rows, and gives how many went.
    fn delete_of(&mut self, project: ProjectId, limit: usize) -> usize {
        let mut left = limit;
        let jobs = |one: &Job| one.project_id == project;
        left -= self.jobs.remove_where(left, jobs).len();
        let of_project = |one: &Pipeline| one.project_id == project;
        for id in self.pipelines.remove_where(left, of_project) {
            self.variables.remove(&id);
            left -= 1;
        }
        let deployments = |one: &Deployment| one.project_id == project;
        left -= self.deployments.remove_where(left, deployments).len();
        let environments = |one: &Environment| one.project_id == project;
        left -= self.environments.remove_where(left, environments).len();
        if left > 0 && self.last_iids.remove(&project).is_some() {
            left -= 1;
        }
        limit - left
    }
}
