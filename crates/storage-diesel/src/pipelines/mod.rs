//! The repository traits of what external CI systems report.

mod deployments;
mod environments;
mod jobs;
mod plan;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
mod runs;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite;

#[cfg(test)]
use deployments::deployments;
#[cfg(test)]
use environments::environments;
#[cfg(test)]
use jobs::ci_jobs;
#[cfg(test)]
use runs::{pipeline_variables, pipelines};

#[cfg(test)]
crate::schema::described!(
    ci_jobs,
    deployments,
    environments,
    pipeline_variables,
    pipelines,
);
