//! The JSON of responses.

mod deployment;
mod environment;
mod job;
mod pipeline;
mod runner;

pub use deployment::{DeployableJson, DeploymentJson};
pub use environment::{EnvironmentDetailJson, EnvironmentJson, EnvironmentSummaryJson};
pub use job::{ArtifactJson, CommitJson, CommitStatusJson, JobJson, RunnerJson};
pub use pipeline::{IllustrationJson, PipelineJson, PipelineSummaryJson, VariableJson};

pub use runner::{
    NewRunnerJson, RegistrationTokenJson, RunnerDetailJson, RunnerGroupJson, RunnerProjectJson,
    RunnerSummaryJson,
};

use api_conventions::ids::{JobId, PipelineId};
use api_conventions::time::Timestamp;

/// Base URLs for the links in responses about a project.
#[derive(Debug, Clone, Copy)]
pub struct ProjectLinks<'a> {
    /// URL of the project, without a trailing slash.
    pub project_url: &'a str,
    /// Path of the favicon.
    pub icon: &'a str,
}

impl ProjectLinks<'_> {
    /// Returns the URL of a pipeline's page.
    fn pipeline(self, id: PipelineId) -> String {
        format!("{}/-/pipelines/{id}", self.project_url)
    }

    /// Returns the URL of a job's page.
    fn job(self, id: JobId) -> String {
        format!("{}/-/jobs/{id}", self.project_url)
    }
}

/// Returns the seconds between two times; `None` if either is unknown.
#[expect(
    clippy::cast_precision_loss,
    reason = "microseconds of a job are few enough to be exact"
)]
fn seconds(from: Option<Timestamp>, to: Option<Timestamp>) -> Option<f64> {
    let micros = to?.as_micros() - from?.as_micros();
    Some(micros.max(0) as f64 / 1_000_000.0)
}
