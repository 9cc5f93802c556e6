//! Repositories of the reports of external CI systems, and of runners.

mod deployment;
mod environment;
mod job;
mod plan;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
mod run;
mod runner;
mod runner_list;
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
use runner::{runner_places, runner_registration_tokens, runners};

#[cfg(test)]
crate::schema::described!(
    ci_jobs,
    deployments,
    environments,
    pipeline_variables,
    pipelines,
    runner_places,
    runner_registration_tokens,
    runners,
);
