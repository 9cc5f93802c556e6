//! The server itself: its health, its version, and the home page.

mod expiring_tokens;
mod health;
mod home;
mod version;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [
        health::operations(),
        version::operations(),
        home::operations(),
    ]
    .concat()
}
