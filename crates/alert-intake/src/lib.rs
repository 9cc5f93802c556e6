//! Alert intake: payloads, identity, grouping, resolution and receipts.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! * [`model`]: alerts and their states, endpoints, deliveries, receipts.
//! * [`payload`]: parsing of a POST's bytes into a delivery.
//! * [`rules`]: identity of alerts, and the effect of a delivery on an alert.
//! * [`flow`]: one use case per module; [`flow::receive`] is the core.
//! * [`work`]: POSTs as work that a store may group.
//! * [`search`]: selection of the alerts that a search can skip.
//! * [`store`]: the repository traits that an adapter implements, and the store of alerts behind `dyn`.
//! * [`wire`]: the JSON of alerts, receipts and responses.
//!
//! # Invariants
//! * A POST is stored completely or not at all, together with its receipt.
//! * At most one alert of an identity is open; a delivery never reopens a resolved one.
//! * Retries, repeats and late reports of a metrics webhook do not change the count of occurrences, in whatever order
//!   they arrive. A generic payload counts on every arrival unless its sender gives it a key
//!   ([`payload::IdempotencyKey`]).
//! * A report that changes nothing has its reason in the receipt.
//! * An alert has at most one incident.

pub mod flow;
pub mod model;
pub mod payload;
pub mod rules;
pub mod search;
pub mod store;
pub mod wire;
pub mod work;
