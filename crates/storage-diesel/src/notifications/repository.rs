//! Changes of channels, messages and attempts.

use ::notifications::model::{
    Channel, ChannelLane, ChannelOwner, ChannelSettings, DeliveryAttempt, DueChannel, MessageState,
    MessageSubject, NewChannel, NewMessage, SealedSecret,
};
use ::notifications::store::{NotificationRepository, SaveChannel};
use api_conventions::ids::{ChannelId, MessageId, ProjectId};
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::attempt::attempt_values;
use super::channel::{
    ChangedChannelRow, ChannelRow, NewChannelRow, notification_channels as channels, owned_by,
};
use super::message::notification_messages as messages;
use super::outbox::{self, INSERT_ATTEMPT};
use crate::bulk::Bulk;
use crate::delete_some::delete_some;
use crate::rows::DomainRow as _;
use crate::transaction::row_limit;

const UPDATE: &str = "update channel";
const INSERT: &str = "insert messages";

/// Statement that deletes messages that ended before a time, the oldest first.
fn delete_finished(time: Timestamp, limit: usize) -> String {
    format!(
        "DELETE FROM notification_messages WHERE id IN (SELECT id FROM notification_messages \
         WHERE finished_at < {} ORDER BY finished_at LIMIT {})",
        time.as_micros(),
        row_limit(limit)
    )
}

/// Statement that deletes mailboxes that were created before a time and have no messages. One that is due gets a message at
/// this moment.
fn delete_unused_mailboxes(time: Timestamp, limit: usize) -> String {
    format!(
        "DELETE FROM notification_channels WHERE due_at IS NULL AND id IN (SELECT c.id FROM notification_channels AS c \
         WHERE COALESCE(c.project_id, c.user_id) IS NULL AND c.created_at < {} AND NOT EXISTS \
         (SELECT 1 FROM notification_messages AS m WHERE m.channel_id = c.id) ORDER BY c.created_at LIMIT {})",
        time.as_micros(),
        row_limit(limit)
    )
}

#[for_each_database(dialect = crate::notifications)]
mod database {
    impl NotificationRepository for WriteTx<'_> {
        fn insert_channel(&mut self, new: &NewChannel) -> Result<SaveChannel, StoreError> {
            let insert = diesel::insert_into(channels::table)
                .values(NewChannelRow::from(new))
                .on_conflict_do_nothing()
                .returning(channels::id);
            let id: Option<i64> = self.value_if("insert channel", insert)?;
            Ok(id.map_or(SaveChannel::NameTaken, |id| {
                SaveChannel::Saved(Box::new(new.stored(ChannelId::new(id))))
            }))
        }

        fn update_channel(
            &mut self,
            owner: ChannelOwner,
            id: ChannelId,
            settings: &ChannelSettings,
            secret: Option<Option<&SealedSecret>>,
            now: Timestamp,
        ) -> Result<SaveChannel, StoreError> {
            let found = channels::table.find(id.get()).filter(owned_by(owner));
            let named = channels::table
                .filter(owned_by(owner))
                .filter(channels::name.eq(settings.name.as_str()))
                .select(channels::id);
            let named: Option<i64> = self.value_if(UPDATE, named)?;
            if named.is_some_and(|other| other != id.get()) {
                let channel = self.find::<ChannelRow>(UPDATE, found)?;
                return Ok(channel.map_or(SaveChannel::NotFound, |_| SaveChannel::NameTaken));
            }
            let secret = secret.map(|secret| {
                let bytes = secret.map(|secret| secret.0.as_slice());
                channels::secret.eq(bytes)
            });
            let update = diesel::update(found)
                .set((ChangedChannelRow::of(settings, now), secret))
                .returning(ChannelRow::as_returning());
            let row: Option<ChannelRow> = self.value_if(UPDATE, update)?;
            let channel = row.map(ChannelRow::read).transpose()?;
            Ok(channel.map_or(SaveChannel::NotFound, |channel| {
                SaveChannel::Saved(Box::new(channel))
            }))
        }

        fn delete_channel(
            &mut self,
            owner: ChannelOwner,
            id: ChannelId,
        ) -> Result<bool, StoreError> {
            let found = channels::table.find(id.get()).filter(owned_by(owner));
            self.changes("delete channel", diesel::delete(found))
        }

        fn lease_channel(
            &mut self,
            due: DueChannel,
            until: Timestamp,
        ) -> Result<Option<Channel>, StoreError> {
            let is_due = channels::due_at.eq(due.due_at.as_micros());
            let found = channels::table.find(due.id.get()).filter(is_due);
            let lease = diesel::update(found)
                .set(channels::due_at.eq(until.as_micros()))
                .returning(ChannelRow::as_returning());
            let row: Option<ChannelRow> = self.value_if("lease channel", lease)?;
            row.map(ChannelRow::read).transpose()
        }

        fn lock_channel(&mut self, id: ChannelId) -> Result<Option<Channel>, StoreError> {
            dialect::lock_channel(self, id.get())?;
            self.find::<ChannelRow>("lock channel", channels::table.find(id.get()))
        }

        fn set_lane(&mut self, id: ChannelId, lane: &ChannelLane) -> Result<(), StoreError> {
            let channel = diesel::update(channels::table.find(id.get()));
            let update = channel.set((
                channels::due_at.eq(lane.due_at.map(Timestamp::as_micros)),
                channels::is_waiting.eq(lane.is_waiting),
                channels::failures.eq(i64::from(lane.failures)),
                channels::dropped.eq(i64::from(lane.dropped)),
            ));
            self.execute("set lane of channel", update).map(drop)
        }

        fn insert_messages(&mut self, new: &[NewMessage]) -> Result<(), StoreError> {
            if new.is_empty() {
                return Ok(());
            }
            let wanted = outbox::channels_of(new);
            // Before the ids of the messages are assigned, so that the ids of a channel have the order of the commits.
            dialect::lock_and_wake(self, &wanted)?;
            self.execute(INSERT, outbox::insert(new)).map(drop)
        }

        fn close_messages(
            &mut self,
            channel: ChannelId,
            until: Timestamp,
            state: MessageState,
            now: Timestamp,
        ) -> Result<usize, StoreError> {
            let queued = messages::table
                .filter(messages::channel_id.eq(channel.get()))
                .filter(messages::finished_at.is_null())
                .filter(messages::state.eq(MessageState::Queued.number()))
                .filter(messages::send_at.le(until.as_micros()));
            let close = diesel::update(queued).set((
                messages::state.eq(state.number()),
                messages::finished_at.eq(now.as_micros()),
            ));
            self.execute("close messages of channel", close)
        }

        fn close_messages_about(
            &mut self,
            subjects: &[MessageSubject],
            state: MessageState,
            now: Timestamp,
        ) -> Result<(), StoreError> {
            if subjects.is_empty() {
                return Ok(());
            }
            dialect::lock_channels_of_queued(self, subjects)?;
            self.execute(
                "close messages about subjects",
                outbox::close(subjects, state, now),
            )
            .map(drop)
        }

        fn reschedule_messages(
            &mut self,
            channel: ChannelId,
            from: Timestamp,
            to: Timestamp,
        ) -> Result<usize, StoreError> {
            let queued = messages::table
                .filter(messages::channel_id.eq(channel.get()))
                .filter(messages::finished_at.is_null())
                .filter(messages::state.eq(MessageState::Queued.number()))
                .filter(messages::send_at.eq(from.as_micros()));
            let later = diesel::update(queued).set(messages::send_at.eq(to.as_micros()));
            self.execute("reschedule messages of channel", later)
        }

        fn update_message(
            &mut self,
            id: MessageId,
            state: MessageState,
            attempts: u32,
            finished_at: Option<Timestamp>,
        ) -> Result<(), StoreError> {
            let message = diesel::update(messages::table.find(id.get()));
            let update = message.set((
                messages::state.eq(state.number()),
                messages::attempts.eq(i64::from(attempts)),
                messages::finished_at.eq(finished_at.map(Timestamp::as_micros)),
            ));
            self.execute("update message", update).map(drop)
        }

        fn delay_message(&mut self, id: MessageId, send_at: Timestamp) -> Result<(), StoreError> {
            let message = diesel::update(messages::table.find(id.get()));
            let update = message.set((
                messages::state.eq(MessageState::Queued.number()),
                messages::send_at.eq(send_at.as_micros()),
            ));
            self.execute("delay message", update).map(drop)
        }

        fn insert_attempt(&mut self, attempt: &DeliveryAttempt) -> Result<(), StoreError> {
            let insert: Bulk = Bulk::new(&INSERT_ATTEMPT, [attempt_values(attempt)]);
            self.execute("insert attempt", insert).map(drop)
        }

        fn delete_messages_before(
            &mut self,
            time: Timestamp,
            limit: usize,
        ) -> Result<usize, StoreError> {
            let delete = diesel::sql_query(delete_finished(time, limit));
            self.execute("delete old messages", delete)
        }

        fn delete_mailboxes_before(
            &mut self,
            time: Timestamp,
            limit: usize,
        ) -> Result<usize, StoreError> {
            let delete = diesel::sql_query(delete_unused_mailboxes(time, limit));
            self.execute("delete mailboxes", delete)
        }

        fn delete_notifications_of(
            &mut self,
            project: ProjectId,
            limit: usize,
        ) -> Result<usize, StoreError> {
            let mut left = limit;
            // Channels first, as everything else locks them before their messages.
            for table in ["notification_channels", "notification_messages"] {
                if left == 0 {
                    break;
                }
                let some = delete_some(table, "id", project);
                let delete = diesel::sql_query(format!("{some}{left})"));
                left -= self.execute("delete notifications of project", delete)?;
            }
            Ok(limit - left)
        }
    }
}
