//! Use cases, over the repository traits.

mod announce;
mod channels;
mod deliver;
mod mailboxes;
mod on_call;

pub use announce::{Announcement, SubjectChange, announce, announce_with_hooks};
pub use channels::{
    ChannelError, ChannelInput, MAX_CHANNELS, cancel_queue, create_channel, delete_channel,
    delete_channels_of, find_channel, list_channels, test_channel, update_channel,
};
pub use deliver::{MessageDelivery, claim, finish, skip};
pub use mailboxes::{AccountMessage, MAILBOX_HOURLY_LIMIT, open_mailbox, send_to_mailbox};
pub use on_call::{
    MAX_SCHEDULES, ScheduleError, ScheduleInput, create_override, create_schedule, delete_override,
    delete_schedule, find_schedule, list_overrides, list_schedules, update_schedule,
};
