//! The JSON of a job, as a commit status and as a job.

use api_conventions::ids::{JobId, PipelineId};
use api_conventions::time::Timestamp;
use serde::Serialize;

use super::{PipelineSummaryJson, ProjectLinks, seconds};
use crate::model::{Coverage, Job, Pipeline};

/// Named status of a commit. `U` is the short form of a user, supplied by the caller.
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
    /// Creates the JSON of a job as a commit status; `author` is `None` if the account was deleted.
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

/// Commit of a job. Always null: there is no repository.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "JobCommit"))]
pub struct CommitJson {
    /// Full name (SHA) of the commit.
    pub id: String,
}

/// Artifact of a job. Jobs do not run here, so there are none.
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

/// Runner of a job. Jobs do not run here, so they have none.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "JobRunner"))]
pub struct RunnerJson {
    /// Id of the runner.
    pub id: i64,
}

/// Job. `U` is the short form of a user, supplied by the caller. Jobs are reported and do not run here, so there are no
/// runners, artifacts or logs; there is no repository, so only the SHA of the commit is known.
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
    /// Creates the JSON of a job of a pipeline; `user` is `None` if the account was deleted.
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
