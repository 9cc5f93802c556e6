//! The activity feed, and the home page with the work that waits for somebody.

mod api;
mod atom;
mod batches;
mod calendar;
mod home;
mod page;
mod push;
mod push_input;
mod stream;
mod user_activity;
mod user_feed;

use web_conventions::operations::Operation;

pub use self::stream::StreamReader;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [
        api::operations(),
        push::operations(),
        user_feed::operations(),
        stream::operations(),
        page::operations(),
        home::operations(),
        atom::operations(),
        calendar::operations(),
    ]
    .concat()
}
