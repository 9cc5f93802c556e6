//! Messages of the server about accounts, each to one address.

use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{
    Channel, ChannelKind, ChannelOwner, ChannelSettings, MessageContent, MessageEvent,
    MessageSubject, NewChannel, NewMessage,
};
use crate::store::{NotificationRepository, SaveChannel};

/// Largest number of messages to one address in an hour. Further ones wait, and are dropped when they have waited for an hour.
pub const MAILBOX_HOURLY_LIMIT: u32 = 20;

/// A message about an account, an invitation or an access token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountMessage {
    /// Address of the person.
    pub address: String,
    /// Event, one that [is about an account](MessageEvent::is_about_account).
    pub event: MessageEvent,
    /// Subject: the account, invitation or token.
    pub subject: MessageSubject,
    /// Content.
    pub content: MessageContent,
}

/// Writes a message about an account to the outbox, at `now`. Each address has its own queue, so a mail server that refuses
/// one of them does not keep the others waiting.
///
/// # Errors
/// Failures of the store.
pub fn send_to_mailbox<R: NotificationRepository + ?Sized>(
    repos: &mut R,
    message: AccountMessage,
    now: Timestamp,
) -> Result<(), StoreError> {
    let mailbox = open_mailbox(repos, &message.address, now)?;
    repos.insert_messages(&[NewMessage {
        project_id: None,
        channel_id: mailbox.id,
        event: message.event,
        subject: message.subject,
        content: message.content.shortened(),
        created_at: now,
        send_at: now,
    }])
}

/// Returns the mailbox of an address, which is created if it does not exist.
///
/// # Errors
/// Failures of the store.
pub fn open_mailbox<R: NotificationRepository + ?Sized>(
    repos: &mut R,
    address: &str,
    now: Timestamp,
) -> Result<Channel, StoreError> {
    if let Some(found) = repos.find_mailbox(address)? {
        return Ok(found);
    }
    let created = repos.insert_channel(&NewChannel {
        owner: ChannelOwner::Server,
        kind: ChannelKind::Email,
        settings: ChannelSettings {
            recipient: address.to_owned(),
            hourly_limit: MAILBOX_HOURLY_LIMIT,
            ..ChannelSettings::new(address)
        },
        secret: None,
        created_at: now,
    })?;
    match created {
        SaveChannel::Saved(channel) => Ok(*channel),
        // Another transaction was faster.
        SaveChannel::NameTaken | SaveChannel::NotFound => {
            repos.find_mailbox(address)?.ok_or_else(|| {
                StoreError::inconsistent(
                    "notification_channels",
                    0,
                    "a mailbox is taken and missing",
                )
            })
        }
    }
}
