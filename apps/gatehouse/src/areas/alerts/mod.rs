//! Alerts: the endpoints that receive them, and the API and pages to read and triage them.

mod api;
pub mod intake;
mod pages;
mod payloads;
mod refused;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [intake::operations(), api::operations(), pages::operations()].concat()
}
