//! Alert intake: payloads, identity, grouping, resolution and receipts.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! * [`model`]: alerts and their states, endpoints, deliveries, receipts.
//! * [`payload`]: from the bytes of a POST to a delivery.
//! * [`rules`]: what makes two payloads the same alert, and what a delivery does to it.
//! * [`flow`]: one use case per module; [`flow::receive`] is the heart.
//! * [`work`]: POSTs as work that a store may group.
//! * [`search`]: which alerts a search need not read.
//! * [`store`]: the repository traits that an adapter implements, and the store of alerts behind `dyn`.
//! * [`wire`]: the JSON of alerts, receipts and answers.
//!
//! # Invariants
//! * A POST is stored whole or not at all, together with its receipt.
//! * At most one alert of an identity is open; a resolved one is never opened by a delivery.
//! * Retries, repeats and late news of a metrics webhook change no count of occurrences, in whatever order they come.
//!   A generic payload counts each time it comes, unless its sender calls it by a key ([`payload::IdempotencyKey`]).
//! * What changes nothing says why in its receipt.

pub mod flow;
pub mod model;
pub mod payload;
pub mod rules;
pub mod search;
pub mod store;
pub mod wire;
pub mod work;
