//! Repository of notification channels, and of the outbox of their messages.

mod attempt;
mod channel;
mod message;
mod outbox;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
mod queries;
mod repository;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite;

#[cfg(test)]
use attempt::notification_attempts;
#[cfg(test)]
use channel::notification_channels;
#[cfg(test)]
use message::notification_messages;

#[cfg(test)]
crate::schema::described!(
    notification_attempts,
    notification_channels,
    notification_messages,
);
