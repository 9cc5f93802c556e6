//! Deploy tokens of projects and groups, for programs that fetch repositories.

mod all;
mod api;
mod form;
mod pages;
mod place;

use web_conventions::operations::Operation;

/// The operations.
pub fn operations() -> Vec<Operation> {
    [all::operations(), api::operations(), pages::operations()].concat()
}
