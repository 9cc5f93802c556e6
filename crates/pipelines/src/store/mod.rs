//! Repository traits of the data that external CI systems report, and of runners.

mod deployments;
mod environments;
mod jobs;
mod pipelines;
mod runners;

pub use deployments::{
    DeploymentQueries, DeploymentQueriesWrapper, DeploymentRepository, DeploymentRepositoryWrapper,
};
pub use environments::{
    EnvironmentQueries, EnvironmentQueriesWrapper, EnvironmentRepository,
    EnvironmentRepositoryWrapper, InsertEnvironment, UpdateEnvironment,
};
pub use jobs::{JobQueries, JobQueriesWrapper, JobRepository, JobRepositoryWrapper};
pub use pipelines::{
    PipelineQueries, PipelineQueriesWrapper, PipelineRepository, PipelineRepositoryWrapper,
};

pub use runners::{RunnerQueries, RunnerQueriesWrapper, RunnerRepository, RunnerRepositoryWrapper};

storage::dyn_store! {
    /// A store of environments, deployments, pipelines, jobs and runners, for use behind `dyn`. Every [`Store`](storage::Store)
    /// whose transactions have these repository traits implements it.
    pub trait CiStore {
        /// Transaction that a read closure of a [`CiStore`] gets.
        type Read: CiReadTx =
            EnvironmentQueries + DeploymentQueries + PipelineQueries + JobQueries + RunnerQueries;
        /// Transaction that a write closure of a [`CiStore`] gets.
        type Write: CiWriteTx =
            EnvironmentRepository
                + DeploymentRepository
                + PipelineRepository
                + JobRepository
                + RunnerRepository;
    }
}
