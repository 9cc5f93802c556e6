//! The repository traits of what external CI systems report.

mod deployments;
mod environments;
mod jobs;
mod pipelines;

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

storage::dyn_store! {
    /// A store of environments, deployments, pipelines and jobs, to be held behind `dyn`. Every [`Store`](storage::Store) is one
    /// whose transactions have these repository traits.
    pub trait CiStore {
        /// What a read closure of a [`CiStore`] gets.
        type Read: CiReadTx = EnvironmentQueries + DeploymentQueries + PipelineQueries + JobQueries;
        /// What a write closure of a [`CiStore`] gets.
        type Write: CiWriteTx =
            EnvironmentRepository + DeploymentRepository + PipelineRepository + JobRepository;
    }
}
