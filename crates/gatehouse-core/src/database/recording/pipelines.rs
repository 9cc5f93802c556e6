//! What external CI systems report.

use ::pipelines::model::{
    CiStatus, CommitStatusFilter, Deployment, DeploymentChange, DeploymentFilter, Environment,
    EnvironmentChange, EnvironmentFilter, Job, JobChange, JobFilter, NewDeployment, NewEnvironment,
    NewJob, NewPipeline, Pipeline, PipelineChange, PipelineFilter, Variable,
};
use ::pipelines::store::{
    DeploymentQueries, DeploymentRepository, EnvironmentQueries, EnvironmentRepository,
    InsertEnvironment, JobQueries, JobRepository, PipelineQueries, PipelineRepository,
    UpdateEnvironment,
};
use api_conventions::ids::{DeploymentId, EnvironmentId, JobId, PipelineId, ProjectId};
use api_conventions::page::{KeysetPage, OffsetPage, Page, Stretch};
use storage::{Locked, StoreError};

#[cfg(test)]
use super::Looking;
use super::{Recording, ends_of, nothing, recorded};

recorded! {
    queries EnvironmentQueries {
        fn find_environment(project: ProjectId, id: EnvironmentId) -> Option<Environment>;
        fn find_environment_by_name(project: ProjectId, name: &str) -> Option<Environment>;
        fn list_environments_by_id(ids: &[EnvironmentId]) -> Vec<Environment>;
        fn list_environments(filter: &EnvironmentFilter, page: OffsetPage) -> Page<Environment>;
    }
    queries DeploymentQueries {
        fn find_deployment(project: ProjectId, id: DeploymentId) -> Option<Deployment>;
        fn list_deployments(filter: &DeploymentFilter, page: OffsetPage) -> Page<Deployment>;
    }
    queries PipelineQueries {
        fn find_pipeline(project: ProjectId, id: PipelineId) -> Option<Pipeline>;
        fn find_latest_pipeline(project: ProjectId, sha: &str, reference: Option<&str>) -> Option<Pipeline>;
        fn list_pipelines_by_id(ids: &[PipelineId]) -> Vec<Pipeline>;
        fn list_pipelines(filter: &PipelineFilter, page: OffsetPage) -> Page<Pipeline>;
        fn list_pipeline_variables(pipeline: PipelineId) -> Vec<Variable>;
    }
    queries JobQueries {
        fn find_job(project: ProjectId, id: JobId) -> Option<Job>;
        fn find_current_job(pipeline: PipelineId, name: &str) -> Option<Job>;
        fn list_jobs(filter: &JobFilter, page: OffsetPage) -> Page<Job>;
        fn walk_jobs(filter: &JobFilter, beyond: Option<JobId>, page: KeysetPage) -> Stretch<Job>;
        fn list_commit_statuses(filter: &CommitStatusFilter, page: OffsetPage) -> Page<Job>;
        fn list_statuses_of(pipeline: PipelineId) -> Vec<CiStatus>;
    }
    changes EnvironmentRepository {
        fn insert_environment(at: &Locked<ProjectId>, new: &NewEnvironment) -> InsertEnvironment, ends nothing;
        fn update_environment(
            at: &Locked<ProjectId>, id: EnvironmentId, change: &EnvironmentChange,
        ) -> UpdateEnvironment, ends nothing;
        fn delete_environment(at: &Locked<ProjectId>, id: EnvironmentId) -> bool, ends nothing;
    }
    changes DeploymentRepository {
        fn insert_deployment(at: &Locked<ProjectId>, new: &NewDeployment) -> Deployment, ends nothing;
        fn update_deployment(at: &Locked<ProjectId>, id: DeploymentId, change: DeploymentChange) -> bool, ends nothing;
        fn delete_deployment(at: &Locked<ProjectId>, id: DeploymentId) -> bool, ends nothing;
    }
    changes PipelineRepository {
        fn lock_reports(project: ProjectId) -> Locked<ProjectId>, ends nothing;
        fn insert_pipeline(at: &Locked<ProjectId>, new: &NewPipeline) -> Pipeline, ends nothing;
        fn update_pipeline(at: &Locked<ProjectId>, id: PipelineId, change: &PipelineChange) -> bool, ends nothing;
        fn delete_reports_of(project: ProjectId, limit: usize) -> usize, ends nothing;
    }
    changes JobRepository {
        fn insert_job(at: &Locked<ProjectId>, new: &NewJob) -> Job, ends nothing;
        fn update_job(at: &Locked<ProjectId>, id: JobId, change: &JobChange) -> bool, ends nothing;
    }
}
