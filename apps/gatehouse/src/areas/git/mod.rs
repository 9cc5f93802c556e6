//! `/-/git/access`: the check of a Git client's credentials for a Git server, or for a proxy in front of one (`AUTH-07`).

mod access;
mod address;

use web_conventions::operations::Operation;

/// The operations.
pub fn operations() -> Vec<Operation> {
    access::operations()
}
