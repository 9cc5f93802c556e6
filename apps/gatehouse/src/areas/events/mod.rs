//! The activity feed.

mod api;
mod of_person;
mod page;
mod walk;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [
        api::operations(),
        of_person::operations(),
        page::operations(),
    ]
    .concat()
}
