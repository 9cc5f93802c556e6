//! Environments, deployments, pipelines, jobs and runners, and their filters.

mod deployment;
mod environment;
mod job;
mod pipeline;
mod runner;
mod status;

pub use deployment::{
    Deployment, DeploymentChange, DeploymentFilter, DeploymentOrder, DeploymentStatus,
    NewDeployment, TimeRange,
};
pub use environment::{
    Environment, EnvironmentChange, EnvironmentFilter, EnvironmentName, EnvironmentState,
    EnvironmentTier, NewEnvironment,
};
pub use job::{CommitStatusFilter, Coverage, Job, JobChange, JobDetails, JobFilter, NewJob};
pub use pipeline::{
    NewPipeline, Pipeline, PipelineChange, PipelineFilter, PipelineOrder, PipelineScope,
    PipelineSource, Variable, VariableKind,
};
pub use runner::{
    ContactFilter, ContactState, NewRunner, REGISTRATION_PREFIX, RUNNER_PREFIX, RegistrationToken,
    Runner, RunnerAccess, RunnerContact, RunnerFilter, RunnerInfo, RunnerPlace, RunnerSettings,
    RunnerType, RunnersOf,
};
pub use status::CiStatus;

pub(crate) use deployment::DeploymentText;
pub(crate) use environment::EnvironmentText;
pub(crate) use job::JobText;
pub(crate) use pipeline::PipelineText;

use api_conventions::validation::failure;
use validator::ValidationError;

/// Longest name of an environment, a job or a variable, and longest external URL, in characters.
pub const MAX_NAME: u64 = 255;

/// Longest stage, ref, description and target URL of a job, in characters, that a store accepts. A host may accept
/// less.
pub const MAX_TEXT: u64 = 2048;

/// Longest value of a variable, in characters.
pub const MAX_VALUE: u64 = 10_000;

/// Most variables of a pipeline.
pub const MAX_VARIABLES: usize = 100;

/// Validates the full name of a commit: 40 or 64 hexadecimal digits.
fn is_commit(text: &str) -> Result<(), ValidationError> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if [40, 64].contains(&text.len()) && text.bytes().all(is_digit) {
        return Ok(());
    }
    Err(failure("must be 40 or 64 hexadecimal digits"))
}

/// Normalizes the name of a commit to lower case; `None` for a text that cannot be one.
pub fn commit_name(text: &str) -> Option<String> {
    let name = text.to_ascii_lowercase();
    is_commit(&name).is_ok().then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_40_or_64_hexadecimal_digits_in_any_case() {
        for (text, name) in [
            ("AB".repeat(20), Some("ab".repeat(20))),
            ("0f".repeat(32), Some("0f".repeat(32))),
            ("0f".repeat(19), None),
            ("0g".repeat(20), None),
            (String::new(), None),
        ] {
            assert_eq!(commit_name(&text), name, "{text}");
        }
    }
}
