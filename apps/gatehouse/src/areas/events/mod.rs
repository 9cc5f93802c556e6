//! The activity feed.

mod api;
mod page;
mod user_activity;
mod user_feed;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [
        api::operations(),
        user_feed::operations(),
        page::operations(),
    ]
    .concat()
}
