//! Sample environments, deployments, pipelines and jobs.

use ::pipelines::model::{
    CiStatus, Deployment, DeploymentStatus, Environment, EnvironmentTier, Job, JobDetails,
    NewDeployment, NewEnvironment, NewJob, NewPipeline, Pipeline, PipelineSource,
};
use ::pipelines::store::{CiWriteTx, InsertEnvironment};
use api_conventions::ids::{EnvironmentId, PipelineId, ProjectId, UserId};
use storage::{StoreError, StoreErrorKind};

use crate::samples::timestamp;

/// SHA of the commit with this number.
pub(crate) fn commit(number: u32) -> String {
    format!("{number:040x}")
}

/// The environment with this number.
pub(crate) fn environment(project_id: ProjectId, number: u32) -> NewEnvironment {
    NewEnvironment {
        project_id,
        name: format!("review/{number}"),
        slug: format!("review-{number}"),
        external_url: Some(format!("https://{number}.example")),
        tier: EnvironmentTier::Development,
        created_at: timestamp(number.into()),
    }
}

/// The deployment with this number. Its environment is set when it is inserted.
pub(crate) fn deployment(project_id: ProjectId, number: u32) -> NewDeployment {
    NewDeployment {
        project_id,
        environment_id: EnvironmentId::new(0),
        user_id: Some(UserId::new(7)),
        sha: commit(number),
        reference: "main".to_owned(),
        tag: false,
        status: DeploymentStatus::Created,
        created_at: timestamp(number.into()),
        finished_at: None,
    }
}

/// The pipeline with this number.
pub(crate) fn pipeline(project_id: ProjectId, number: u32) -> NewPipeline {
    NewPipeline {
        project_id,
        sha: Some(commit(number)),
        reference: "main".to_owned(),
        tag: false,
        source: PipelineSource::External,
        user_id: Some(UserId::new(7)),
        created_at: timestamp(number.into()),
        variables: Vec::new(),
    }
}

/// The job with this number. Its pipeline is set when it is inserted.
pub(crate) fn job(project_id: ProjectId, number: u32) -> NewJob {
    NewJob {
        project_id,
        pipeline_id: PipelineId::new(0),
        sha: commit(1),
        reference: "main".to_owned(),
        tag: false,
        name: format!("job {number}"),
        stage: "external".to_owned(),
        status: CiStatus::Pending,
        details: JobDetails::default(),
        user_id: Some(UserId::new(7)),
        created_at: timestamp(number.into()),
        started_at: None,
        finished_at: None,
    }
}

/// Inserts an environment whose name and slug are not taken.
pub(crate) fn insert_environment(
    tx: &mut dyn CiWriteTx,
    new: &NewEnvironment,
) -> Result<Environment, StoreError> {
    let at = tx.lock_reports(new.project_id)?;
    match tx.insert_environment(&at, new)? {
        InsertEnvironment::Inserted(environment) => Ok(environment),
        taken => {
            let error = StoreError::new(StoreErrorKind::Internal, "insert environment");
            Err(error.with_detail(format!("rejected: {taken:?}")))
        }
    }
}

/// Inserts a deployment, to the first environment unless it names one.
pub(crate) fn insert_deployment(
    tx: &mut dyn CiWriteTx,
    new: &NewDeployment,
) -> Result<Deployment, StoreError> {
    let mut new = new.clone();
    if new.environment_id.get() == 0 {
        let first = environment(new.project_id, 1);
        let found = tx.find_environment_by_name(new.project_id, &first.name)?;
        new.environment_id = match found {
            Some(found) => found.id,
            None => insert_environment(tx, &first)?.id,
        };
    }
    let at = tx.lock_reports(new.project_id)?;
    tx.insert_deployment(&at, &new)
}

/// Inserts a pipeline.
pub(crate) fn insert_pipeline(
    tx: &mut dyn CiWriteTx,
    new: &NewPipeline,
) -> Result<Pipeline, StoreError> {
    let at = tx.lock_reports(new.project_id)?;
    tx.insert_pipeline(&at, new)
}

/// Inserts a job, into the first pipeline unless it names one.
pub(crate) fn insert_job(tx: &mut dyn CiWriteTx, new: &NewJob) -> Result<Job, StoreError> {
    let mut new = new.clone();
    if new.pipeline_id.get() == 0 {
        let found = tx.find_latest_pipeline(new.project_id, &commit(1), None)?;
        new.pipeline_id = match found {
            Some(found) => found.id,
            None => insert_pipeline(tx, &pipeline(new.project_id, 1))?.id,
        };
    }
    let at = tx.lock_reports(new.project_id)?;
    tx.insert_job(&at, &new)
}
