//! Repositories of notification channels, of the outbox of their messages, and of on-call schedules.

mod attempt;
mod channel;
mod message;
mod on_call;
mod outbox;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
mod queries;
mod repository;
mod schedule;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite;

#[cfg(test)]
use attempt::notification_attempts;
#[cfg(test)]
use channel::notification_channels;
#[cfg(test)]
use message::notification_messages;
#[cfg(test)]
use schedule::{on_call_overrides, on_call_schedules};

#[cfg(test)]
crate::schema::described!(
    notification_attempts,
    notification_channels,
    notification_messages,
    on_call_overrides,
    on_call_schedules,
);
