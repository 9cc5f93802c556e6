//! Notification channels and hooks of projects, the messages that they sent, and on-call schedules.

mod api;
mod hook_input;
mod hooks;
mod input;
mod messages;
mod on_call;
mod pages;
mod personal;
mod queue;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [
        api::operations(),
        hooks::operations(),
        messages::operations(),
        on_call::operations(),
        pages::operations(),
        personal::operations(),
        queue::operations(),
    ]
    .concat()
}
