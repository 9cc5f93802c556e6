//! Notification channels of projects, and the messages that they sent.

mod api;
mod input;
mod messages;
mod pages;
mod queue;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [
        api::operations(),
        messages::operations(),
        pages::operations(),
        queue::operations(),
    ]
    .concat()
}
