//! The audit log of the server, of groups and of projects.

mod all;
mod json;
mod list;
mod names;
mod pages;
mod place;
mod places;
mod rows;
mod sentences;

use web_conventions::operations::Operation;

/// The operations.
pub fn operations() -> Vec<Operation> {
    [all::operations(), places::operations(), pages::operations()].concat()
}
