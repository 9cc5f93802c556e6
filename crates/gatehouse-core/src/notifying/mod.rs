//! Delivery of notifications: the domain crate `notifications` opens no connection, and this module sends its messages.

mod senders;

pub use senders::{MailSettingsError, MailTransport, MessageSenders};
