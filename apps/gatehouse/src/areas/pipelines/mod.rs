//! Reports of external CI systems: environments, deployments, pipelines, jobs and commit statuses; and the dashboard of
//! environments with their alerts and errors.
//! Nothing is executed.

mod dashboard;
mod deployments;
mod environments;
mod jobs;
mod page;
mod runs;
mod shared;
mod statuses;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [
        environments::operations(),
        dashboard::operations(),
        deployments::operations(),
        statuses::operations(),
        runs::operations(),
        jobs::operations(),
        page::operations(),
    ]
    .concat()
}
