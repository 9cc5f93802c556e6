//! Reports of external CI systems: pipelines, jobs, environments and deployments; and a registry of runners.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! * [`flow`]: the use cases, over the repository traits.
//! * [`model`]: environments, deployments, pipelines, jobs and runners, and their filters.
//! * [`rules`]: allowed status transitions, the status of a pipeline and of a runner, and slugs.
//! * [`store`]: the repository traits.
//! * [`wire`]: the JSON of responses.
//!
//! # Invariants
//! * Every change of reported data locks the reports of the project first.
//! * For each name, a pipeline has at most one job that was not retried.
//! * A finished deployment stays finished and has a finish time.
//! * A runner of a group or of projects has at least one such place, and ends with its last one.

pub mod flow;
pub mod model;
pub mod rules;
pub mod store;
pub mod wire;
