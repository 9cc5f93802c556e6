//! Repository traits of channels and of the outbox.

mod on_call;

use api_conventions::ids::{ChannelId, MessageId, ProjectId, UserId};
use api_conventions::time::Timestamp;
use storage::StoreError;

pub use on_call::{
    OnCallQueries, OnCallQueriesWrapper, OnCallReadTx, OnCallRepository, OnCallRepositoryWrapper,
    OnCallStore, OnCallWriteTx, SaveSchedule,
};

use crate::model::{
    Channel, ChannelLane, ChannelOwner, ChannelSettings, DeliveryAttempt, DueChannel,
    MessageFilter, MessageState, MessageSubject, NewChannel, NewMessage, OutboxMessage,
    SealedSecret,
};

/// Queries for channels and messages, in a transaction of either kind.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::queries]
pub trait NotificationQueries {
    /// Returns the channel of an owner with this id.
    fn find_channel(
        &mut self,
        owner: ChannelOwner,
        id: ChannelId,
    ) -> Result<Option<Channel>, StoreError>;

    /// Lists the channels of these projects in the order of their ids, at most `limit`.
    fn list_channels(
        &mut self,
        projects: &[ProjectId],
        limit: usize,
    ) -> Result<Vec<Channel>, StoreError>;

    /// Lists the channels of these users in the order of their ids, at most `limit`.
    fn list_user_channels(
        &mut self,
        users: &[UserId],
        limit: usize,
    ) -> Result<Vec<Channel>, StoreError>;

    /// Returns the mailbox of the server with this address, a channel of [`ChannelOwner::Server`].
    fn find_mailbox(&mut self, address: &str) -> Result<Option<Channel>, StoreError>;

    /// Lists the channels of any owner that are due at `now`, the one that is due for longest first, at most `limit`.
    fn list_due_channels(
        &mut self,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<DueChannel>, StoreError>;

    /// Lists the channels of any owner that will look at their queue, at most `limit`: those with the most failures first, of
    /// equal ones the one with the earliest look, then the one with the smallest id.
    fn list_waiting_channels(&mut self, limit: usize) -> Result<Vec<Channel>, StoreError>;

    /// Lists the messages that match, the newest first, at most `limit`.
    fn list_messages(
        &mut self,
        filter: &MessageFilter,
        limit: usize,
    ) -> Result<Vec<OutboxMessage>, StoreError>;

    /// Lists the messages about these subjects that are or may have been received: those with at least one attempt. The
    /// order does not matter.
    fn list_attempted_messages(
        &mut self,
        subjects: &[MessageSubject],
    ) -> Result<Vec<OutboxMessage>, StoreError>;

    /// Lists the attempts to deliver these messages, in the order of messages and numbers.
    fn list_attempts(&mut self, messages: &[MessageId])
    -> Result<Vec<DeliveryAttempt>, StoreError>;

    /// Returns the number of messages that a channel sent at `since` or later, at most `limit`.
    fn count_sent_messages(
        &mut self,
        channel: ChannelId,
        since: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Returns the number of pending messages of a channel, at most `limit`.
    fn count_pending_messages(
        &mut self,
        channel: ChannelId,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Returns the pending message of a channel with the earliest `send_at`; of equal ones the one with the smallest id.
    fn find_next_message(
        &mut self,
        channel: ChannelId,
    ) -> Result<Option<OutboxMessage>, StoreError>;
}

/// Outcome of writing the settings of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SaveChannel {
    /// The channel was written.
    Saved(Box<Channel>),
    /// Another channel of the owner has the name. Nothing was written.
    NameTaken,
    /// There is no such channel.
    NotFound,
}

/// Writes to channels and messages.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::repository(keeps(
    insert_channel,
    update_channel,
    delete_channel,
    lease_channel,
    lock_channel,
    set_lane,
    insert_messages,
    close_messages,
    close_messages_about,
    reschedule_messages,
    update_message,
    delay_message,
    insert_attempt,
    delete_messages_before,
    delete_mailboxes_before,
    delete_notifications_of
))]
pub trait NotificationRepository: NotificationQueries {
    /// Inserts a channel, unless its name is taken.
    fn insert_channel(&mut self, new: &NewChannel) -> Result<SaveChannel, StoreError>;

    /// Replaces the settings of a channel at `now`, and the secret if one is given; `Some(None)` removes it.
    fn update_channel(
        &mut self,
        owner: ChannelOwner,
        id: ChannelId,
        settings: &ChannelSettings,
        secret: Option<Option<&SealedSecret>>,
        now: Timestamp,
    ) -> Result<SaveChannel, StoreError>;

    /// Deletes a channel. Its messages stay. Returns `false` if it does not exist.
    fn delete_channel(&mut self, owner: ChannelOwner, id: ChannelId) -> Result<bool, StoreError>;

    /// Reserves a channel that is due until `until`, and returns it locked. `None` if another process reserved it in the
    /// meantime, or if it is gone.
    fn lease_channel(
        &mut self,
        due: DueChannel,
        until: Timestamp,
    ) -> Result<Option<Channel>, StoreError>;

    /// Locks and returns a channel: no other transaction changes it or its queue until this one ends.
    fn lock_channel(&mut self, id: ChannelId) -> Result<Option<Channel>, StoreError>;

    /// Sets the state of the delivery of a channel that this transaction locked.
    fn set_lane(&mut self, id: ChannelId, lane: &ChannelLane) -> Result<(), StoreError>;

    /// Inserts messages in the given order, and makes the channel of each due at the earliest `send_at` of its messages. A
    /// channel that is due keeps its time, except that one that waits for a later message becomes due earlier. A channel
    /// whose time changes waits for a message (`is_waiting`). Messages to channels that are gone are left out.
    fn insert_messages(&mut self, new: &[NewMessage]) -> Result<(), StoreError>;

    /// Sets the state of the queued messages of a channel whose `send_at` is `until` or earlier, at the time `now`.
    /// Returns their number.
    fn close_messages(
        &mut self,
        channel: ChannelId,
        until: Timestamp,
        state: MessageState,
        now: Timestamp,
    ) -> Result<usize, StoreError>;

    /// Sets the state of the queued messages about these subjects at the time `now`. No message is about
    /// [`MessageSubject::NONE`].
    fn close_messages_about(
        &mut self,
        subjects: &[MessageSubject],
        state: MessageState,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Sets the `send_at` of the queued messages of a channel that this transaction locked from one time to another. Returns
    /// their number.
    fn reschedule_messages(
        &mut self,
        channel: ChannelId,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<usize, StoreError>;

    /// Sets state, attempts and end of a message of a channel that this transaction locked.
    fn update_message(
        &mut self,
        id: MessageId,
        state: MessageState,
        attempts: u32,
        finished_at: Option<Timestamp>,
    ) -> Result<(), StoreError>;

    /// Queues a message of a channel that this transaction locked until a later `send_at`.
    fn delay_message(&mut self, id: MessageId, send_at: Timestamp) -> Result<(), StoreError>;

    /// Inserts an attempt, unless its message is gone.
    fn insert_attempt(&mut self, attempt: &DeliveryAttempt) -> Result<(), StoreError>;

    /// Deletes at most `limit` messages that ended before `time`, with their attempts. Returns their number.
    fn delete_messages_before(
        &mut self,
        time: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Deletes at most `limit` mailboxes that were created before `time` and have no messages. Returns their number.
    fn delete_mailboxes_before(
        &mut self,
        time: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Deletes at most `limit` channels and messages of a project, with the attempts of the messages. Returns their number.
    /// The deletion of the project calls it until it returns 0.
    fn delete_notifications_of(
        &mut self,
        project: ProjectId,
        limit: usize,
    ) -> Result<usize, StoreError>;
}

storage::dyn_store! {
    /// A store of channels and messages, for use behind `dyn`. Every [`Store`](storage::Store) whose transactions have
    /// these repository traits implements it.
    pub trait NotificationStore {
        /// Transaction that a read closure of a [`NotificationStore`] gets.
        type Read: NotificationReadTx = NotificationQueries;
        /// Transaction that a write closure of a [`NotificationStore`] gets.
        type Write: NotificationWriteTx = NotificationRepository;
    }
}
