//! The JSON of answers.

mod deployment;
mod environment;
mod job;
mod pipeline;

pub use deployment::DeploymentJson;
pub use environment::{EnvironmentJson, EnvironmentSummaryJson};
pub use job::{CommitStatusJson, JobJson};
pub use pipeline::{PipelineJson, PipelineSummaryJson, VariableJson};

use api_conventions::time::Timestamp;

/// Seconds between two times; none where one of them is not known.
#[expect(
    clippy::cast_precision_loss,
    reason = "microseconds of a job are few enough to be exact"
)]
fn seconds(from: Option<Timestamp>, to: Option<Timestamp>) -> Option<f64> {
    let micros = to?.as_micros() - from?.as_micros();
    Some(micros.max(0) as f64 / 1_000_000.0)
}
