//! Sign-in, sign-out, and registration with an invitation.

mod continuation;
mod forgotten_password;
mod invitation;
mod new_password;
mod password;
mod second_factor;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [
        password::operations(),
        second_factor::operations(),
        invitation::operations(),
        forgotten_password::operations(),
    ]
    .concat()
}
