//! Web API of the tracker at `/api/0`, as far as its clients need it to list and change errors.
//!
//! The JSON has the shapes of the domain crate's `external` module, which parses it when Gatehouse is the client of
//! another tracker. So one server can show the errors of another.

mod list;
mod one;
mod update;

use web_conventions::operations::Operation;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    [list::operations(), one::operations(), update::operations()].concat()
}

/// Tag of the operations in API documents.
const TAG: &str = "tracker web API";
