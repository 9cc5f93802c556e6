//! The activity feed.

mod api;
mod batches;
mod page;
mod push;
mod push_input;
mod user_activity;
mod user_feed;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [
        api::operations(),
        push::operations(),
        user_feed::operations(),
        page::operations(),
    ]
    .concat()
}
