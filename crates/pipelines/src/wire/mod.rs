//! The JSON of answers.

mod deployment;
mod environment;
mod job;
mod pipeline;

pub use deployment::{DeployableJson, DeploymentJson};
pub use environment::{EnvironmentDetailJson, EnvironmentJson, EnvironmentSummaryJson};
pub use job::{ArtifactJson, CommitJson, CommitStatusJson, JobJson, RunnerJson};
pub use pipeline::{IllustrationJson, PipelineJson, PipelineSummaryJson, VariableJson};

use api_conventions::ids::{JobId, PipelineId};
use api_conventions::time::Timestamp;

/// Addresses that answers about a project are made of.
#[derive(Debug, Clone, Copy)]
pub struct ProjectLinks<'a> {
    /// Address of the project, with no slash at its end.
    pub project_url: &'a str,
    /// Path of the picture that browsers show in their tabs.
    pub icon: &'a str,
}

impl ProjectLinks<'_> {
    /// The page of a pipeline.
    fn pipeline(self, id: PipelineId) -> String {
        format!("{}/-/pipelines/{id}", self.project_url)
    }

    /// The page of a job.
    fn job(self, id: JobId) -> String {
        format!("{}/-/jobs/{id}", self.project_url)
    }
}

/// Seconds between two times; none where one of them is not known.
#[expect(
    clippy::cast_precision_loss,
    reason = "microseconds of a job are few enough to be exact"
)]
fn seconds(from: Option<Timestamp>, to: Option<Timestamp>) -> Option<f64> {
    let micros = to?.as_micros() - from?.as_micros();
    Some(micros.max(0) as f64 / 1_000_000.0)
}
