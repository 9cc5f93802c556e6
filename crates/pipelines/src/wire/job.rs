//! The JSON of a job, as the status of a commit and as a job.

use api_conventions::ids::{JobId, PipelineId};
use api_conventions::time::Timestamp;
use serde::Serialize;

use super::{PipelineSummaryJson, ProjectLinks, seconds};
use crate::model::{Coverage, Job, Pipeline};

/// The status of a commit under a name. `U` is the short form of a user, which the caller supplies.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "CommitStatus"))]
pub struct CommitStatusJson<U> {
    id: JobId,
    sha: String,
    #[serde(rename = "ref")]
    reference: String,
    status: &'static str,
    name: String,
    target_url: Option<String>,
    description: Option<String>,
    created_at: Timestamp,
    started_at: Option<Timestamp>,
    finished_at: Option<Timestamp>,
    allow_failure: bool,
    coverage: Option<f64>,
    pipeline_id: PipelineId,
    author: Option<U>,
}

impl<U> CommitStatusJson<U> {
    /// A job as a status; `author` is `None` when the account is gone.
    pub fn new(job: Job, author: Option<U>) -> Self {
        Self {
            id: job.id,
            sha: job.sha,
            reference: job.reference,
            status: job.status.as_str(),
            name: job.name,
            target_url: job.details.target_url,
            description: job.details.description,
            created_at: job.created_at,
            started_at: job.started_at,
            finished_at: job.finished_at,
            allow_failure: false,
            coverage: job.details.coverage.map(Coverage::percent),
            pipeline_id: job.pipeline_id,
            author,
        }
    }
}

/// A commit. There is no repository, so jobs have none.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "JobCommit"))]
pub struct CommitJson {
    /// Name of the commit.
    pub id: String,
}

/// A file that a job left. Jobs are not run here, so there is none.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "JobArtifact"))]
pub struct ArtifactJson {
    /// Kind of the file.
    pub file_type: String,
    /// Size in bytes.
    pub size: i64,
    /// Name of the file.
    pub filename: String,
    /// Format of the file.
    pub file_format: Option<String>,
}

/// A program that runs jobs. Jobs are not run here, so they have none.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "JobRunner"))]
pub struct RunnerJson {
    /// Id of the program.
    pub id: i64,
}

/// A job. `U` is the short form of a user, which the caller supplies. Jobs are reported and not run, so there is no runner, and there
/// are no artifacts and no logs; there is no repository, so nothing more is known of the commit than its name.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Job"))]
pub struct JobJson<U> {
    id: JobId,
    status: &'static str,
    stage: String,
    name: String,
    #[serde(rename = "ref")]
    reference: String,
    tag: bool,
    coverage: Option<f64>,
    allow_failure: bool,
    created_at: Timestamp,
    started_at: Option<Timestamp>,
    finished_at: Option<Timestamp>,
    erased_at: Option<Timestamp>,
    duration: Option<f64>,
    queued_duration: Option<f64>,
    user: Option<U>,
    commit: Option<CommitJson>,
    pipeline: Option<PipelineSummaryJson>,
    failure_reason: Option<String>,
    web_url: String,
    artifacts: Vec<ArtifactJson>,
    runner: Option<RunnerJson>,
    artifacts_expire_at: Option<Timestamp>,
    tag_list: Vec<String>,
}

impl<U> JobJson<U> {
    /// A job of a pipeline; `user` is `None` when the account is gone.
    pub fn new(
        job: Job,
        pipeline: Option<Pipeline>,
        user: Option<U>,
        links: ProjectLinks<'_>,
    ) -> Self {
        Self {
            id: job.id,
            status: job.status.as_str(),
            stage: job.stage,
            name: job.name,
            reference: job.reference,
            tag: job.tag,
            coverage: job.details.coverage.map(Coverage::percent),
            allow_failure: false,
            created_at: job.created_at,
            started_at: job.started_at,
            finished_at: job.finished_at,
            erased_at: None,
            duration: seconds(job.started_at, job.finished_at),
            queued_duration: seconds(Some(job.created_at), job.started_at),
            user,
            commit: None,
            pipeline: pipeline.map(|pipeline| PipelineSummaryJson::new(pipeline, links)),
            failure_reason: None,
            web_url: links.job(job.id),
            artifacts: Vec::new(),
            runner: None,
            artifacts_expire_at: None,
            tag_list: Vec::new(),
        }
    }
}
