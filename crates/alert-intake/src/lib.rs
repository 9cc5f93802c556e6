//! Alert intake: payloads, identity, grouping, resolution and receipts.
//!
//! * [`model`]: alerts and their states, endpoints, deliveries, receipts.
//! * [`store`]: the repository traits that an adapter implements.

pub mod model;
pub mod store;
