//! Messages to people and programs about alerts and incidents.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! * [`model`]: channels, messages and attempts.
//! * [`flow`]: the use cases, over the repository traits.
//! * [`rules`]: waits after failures, and the meaning of a response.
//! * [`formats`]: the bodies that the kinds of channels receive.
//! * [`store`]: the repository traits.
//! * [`wire`]: the JSON of an API.
//!
//! # Invariants
//! * A message is written in the transaction of its cause.
//! * A channel has at most one message under way, the oldest one.
//! * A message keeps one key in all attempts.

pub mod flow;
pub mod formats;
pub mod model;
pub mod rules;
pub mod store;
pub mod wire;
