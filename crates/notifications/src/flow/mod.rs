//! Use cases, over the repository traits.

mod announce;
mod channels;
mod deliver;

pub use announce::{Announcement, SubjectChange, announce};
pub use channels::{
    ChannelError, ChannelInput, MAX_CHANNELS, create_channel, delete_channel, find_channel,
    list_channels, test_channel, update_channel,
};
pub use deliver::{MessageDelivery, claim, finish};
