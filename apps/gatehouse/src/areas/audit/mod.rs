//! The audit log of the server, of groups, of projects and of the own account.

mod all;
mod export;
mod json;
mod list;
mod names;
mod own;
mod pages;
mod place;
mod places;
mod rows;
mod sentences;

use web_conventions::operations::Operation;

/// The operations.
pub fn operations() -> Vec<Operation> {
    [
        all::operations(),
        places::operations(),
        export::operations(),
        pages::operations(),
        own::operations(),
    ]
    .concat()
}
