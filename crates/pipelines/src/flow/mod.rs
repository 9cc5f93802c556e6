//! Use cases, over the repository traits.

mod deployments;
mod environments;
mod error;
mod pipelines;
mod runners;
mod statuses;

pub use deployments::{
    DeploymentInput, create_deployment, delete_deployment, list_deployments, update_deployment,
};
pub use environments::{
    EnvironmentEdit, create_environment, delete_environment, stop_environment, update_environment,
};
pub use error::CiError;
pub use pipelines::{PipelineInput, create_pipeline};
pub use runners::{
    MAX_RUNNERS, RunnerEdit, RunnerInput, assign_runner, create_runner, unassign_runner,
    update_runner,
};
pub use statuses::{ReportedStatus, set_commit_status};
