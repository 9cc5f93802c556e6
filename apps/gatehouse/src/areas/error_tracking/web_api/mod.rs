//! The web API of the tracker, as far as its clients need it to list and change errors: `/api/0`.
//!
//! Its shapes are those of the domain crate's `external`, which reads them where we are the client of another tracker. So one
//! server can show the errors of another one.

mod list;
mod one;
mod update;

use web_conventions::operations::Operation;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    [list::operations(), one::operations(), update::operations()].concat()
}

/// What the operations are listed under in documents.
const TAG: &str = "tracker web API";
