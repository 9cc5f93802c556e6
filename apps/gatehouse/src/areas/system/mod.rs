//! The server itself: its health and its version.

mod health;
mod version;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [health::operations(), version::operations()].concat()
}
