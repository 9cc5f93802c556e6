//! Sign-in and sign-out.

mod continuation;
mod password;
mod second_factor;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [password::operations(), second_factor::operations()].concat()
}
