//! Repositories of the reports of external CI systems.

mod deployment;
mod environment;
mod job;
mod plan;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
mod run;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite;

#[cfg(test)]
use deployment::deployments;
#[cfg(test)]
use environment::environments;
#[cfg(test)]
use job::ci_jobs;
#[cfg(test)]
use run::{pipeline_variables, pipelines};

#[cfg(test)]
crate::schema::described!(
    ci_jobs,
    deployments,
    environments,
    pipeline_variables,
    pipelines,
);
