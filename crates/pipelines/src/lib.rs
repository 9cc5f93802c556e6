//! What external CI systems report: pipelines, jobs, environments and deployments.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! * [`flow`]: the use cases, over the repository traits.
//! * [`model`]: environments, deployments, pipelines and jobs, and their filters.
//! * [`rules`]: which status may follow which, the status of a pipeline, and slugs.
//! * [`store`]: the repository traits.
//! * [`wire`]: the JSON of answers.
//!
//! # Invariants
//! * Whatever changes what was reported to a project locks the reports of the project first.
//! * A pipeline has at most one job of a name that was not retried.
//! * A deployment that is finished stays so, and has a time at which it was.

pub mod flow;
pub mod model;
pub mod rules;
pub mod store;
pub mod wire;
