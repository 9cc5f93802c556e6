//! Queries for channels, messages and attempts.

use ::notifications::model::{
    Channel, ChannelOwner, DeliveryAttempt, DueChannel, MessageFilter, MessageScope, MessageState,
    MessageSubject, OutboxMessage,
};
use ::notifications::store::NotificationQueries;
use api_conventions::ids::{ChannelId, MessageId, ProjectId, UserId};
use api_conventions::time::Timestamp;
use diesel::dsl::sql;
use diesel::expression::SqlLiteral;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::attempt::{AttemptRow, notification_attempts as attempts};
use super::channel::{ChannelRow, notification_channels as channels, owned_by};
use super::message::{MessageRow, notification_messages as messages};
use super::outbox::{self, ATTEMPTED};
use crate::capped_count::CappedCount;
use crate::rows::{DomainRow as _, RowReader};
use crate::transaction::row_limit;

/// SQL types of the columns of a message.
type MessageColumns = diesel::dsl::SqlTypeOf<<messages::table as Table>::AllColumns>;

fn due_channel((id, due_at): (i64, Option<i64>)) -> Result<DueChannel, StoreError> {
    let row = RowReader::new("notification_channels", id);
    let due_at = row.optional_timestamp(due_at)?;
    Ok(DueChannel {
        id: ChannelId::new(id),
        due_at: row.require(due_at, "not due")?,
    })
}

/// Condition that a column has this value, and the id is below `before`, as a range of the index with this column.
///
/// With an equality instead, PostgreSQL would know that the column is constant, and might read the newest messages of all
/// projects in the order of their ids.
fn in_range(column: &str, value: i64, before: Option<MessageId>) -> SqlLiteral<Bool> {
    let before = before.map_or(i64::MAX, MessageId::get);
    sql(&format!(
        "(notification_messages.{column}, notification_messages.id) >= ({value}, 0) AND \
         (notification_messages.{column}, notification_messages.id) < ({value}, {before})"
    ))
}

/// Condition that a message was sent, with a literal as in the index of these messages.
fn sent() -> SqlLiteral<Bool> {
    let number = MessageState::Sent.number();
    sql(&format!("notification_messages.state = {number}"))
}

#[for_each_database]
mod database {
    impl ::notifications::store::NotificationQueriesWrapper for WriteTx<'_> {}

    impl NotificationQueries for ReadTx<'_> {
        fn find_channel(
            &mut self,
            owner: ChannelOwner,
            id: ChannelId,
        ) -> Result<Option<Channel>, StoreError> {
            let found = channels::table.find(id.get()).filter(owned_by(owner));
            self.find::<ChannelRow>("find channel", found)
        }

        fn list_channels(
            &mut self,
            projects: &[ProjectId],
            limit: usize,
        ) -> Result<Vec<Channel>, StoreError> {
            let projects = projects.iter().map(|id| id.get());
            // The sum keeps the planner from reading all channels in the order of their ids.
            let rows = channels::table
                .filter(channels::project_id.eq_any(projects))
                .order(sql::<BigInt>("notification_channels.id + 0"))
                .limit(row_limit(limit));
            self.list::<ChannelRow>("list channels", rows)
        }

        fn list_user_channels(
            &mut self,
            users: &[UserId],
            limit: usize,
        ) -> Result<Vec<Channel>, StoreError> {
            let users = users.iter().map(|id| id.get());
            let rows = channels::table
                .filter(channels::user_id.eq_any(users))
                .order(sql::<BigInt>("notification_channels.id + 0"))
                .limit(row_limit(limit));
            self.list::<ChannelRow>("list channels of users", rows)
        }

        fn find_mailbox(&mut self, address: &str) -> Result<Option<Channel>, StoreError> {
            let found = channels::table
                .filter(channels::name.eq(address))
                .filter(owned_by(ChannelOwner::Server));
            self.find::<ChannelRow>("find mailbox", found)
        }

        fn list_due_channels(
            &mut self,
            now: Timestamp,
            limit: usize,
        ) -> Result<Vec<DueChannel>, StoreError> {
            let due = channels::table
                .filter(channels::due_at.le(now.as_micros()))
                .order((channels::due_at, channels::id))
                .limit(row_limit(limit))
                .select((channels::id, channels::due_at));
            let due: Vec<(i64, Option<i64>)> = self.values("list due channels", due)?;
            due.into_iter().map(due_channel).collect()
        }

        fn list_waiting_channels(&mut self, limit: usize) -> Result<Vec<Channel>, StoreError> {
            let waiting = channels::table
                .filter(channels::due_at.is_not_null())
                .order((channels::failures.desc(), channels::due_at, channels::id))
                .limit(row_limit(limit));
            self.list::<ChannelRow>("list waiting channels", waiting)
        }

        fn list_messages(
            &mut self,
            filter: &MessageFilter,
            limit: usize,
        ) -> Result<Vec<OutboxMessage>, StoreError> {
            const LIST: &str = "list messages";
            let newest = messages::id.desc();
            let limit = row_limit(limit);
            match filter.scope {
                MessageScope::Project(id) => {
                    let rows = messages::table
                        .filter(in_range("project_id", id.get(), filter.before))
                        .order((messages::project_id.desc(), newest))
                        .limit(limit);
                    self.list::<MessageRow>(LIST, rows)
                }
                MessageScope::Channel(owner, id) => {
                    // The channel of a project may be deleted, but its messages have the project.
                    if owner.project().is_none() && self.find_channel(owner, id)?.is_none() {
                        return Ok(Vec::new());
                    }
                    let rows = messages::table
                        .filter(in_range("channel_id", id.get(), filter.before))
                        .order((messages::channel_id.desc(), newest))
                        .limit(limit);
                    let mut listed = self.list::<MessageRow>(LIST, rows)?;
                    let of_project = owner.project();
                    listed.retain(|one| of_project.is_none() || one.project_id == of_project);
                    Ok(listed)
                }
            }
        }

        fn list_attempted_messages(
            &mut self,
            subjects: &[MessageSubject],
        ) -> Result<Vec<OutboxMessage>, StoreError> {
            let attempted = outbox::subjects::<MessageColumns>(&ATTEMPTED, subjects);
            let rows: Vec<MessageRow> = self.values("list attempted messages", attempted)?;
            rows.into_iter().map(MessageRow::read).collect()
        }

        fn list_attempts(
            &mut self,
            messages: &[MessageId],
        ) -> Result<Vec<DeliveryAttempt>, StoreError> {
            let ids = messages.iter().map(|id| id.get());
            let rows = attempts::table
                .filter(attempts::message_id.eq_any(ids))
                .order((attempts::message_id, attempts::number));
            self.list::<AttemptRow>("list attempts", rows)
        }

        fn count_sent_messages(
            &mut self,
            channel: ChannelId,
            since: Timestamp,
            limit: usize,
        ) -> Result<usize, StoreError> {
            let sent = messages::table
                .filter(messages::channel_id.eq(channel.get()))
                .filter(sent())
                .filter(messages::finished_at.ge(since.as_micros()))
                .select(messages::id)
                .limit(row_limit(limit));
            let count: i64 = self.value("count sent messages", CappedCount(sent))?;
            Ok(usize::try_from(count).unwrap_or(limit))
        }

        fn count_pending_messages(
            &mut self,
            channel: ChannelId,
            limit: usize,
        ) -> Result<usize, StoreError> {
            let pending = messages::table
                .filter(messages::channel_id.eq(channel.get()))
                .filter(messages::finished_at.is_null())
                .select(messages::id)
                .limit(row_limit(limit));
            let count: i64 = self.value("count pending messages", CappedCount(pending))?;
            Ok(usize::try_from(count).unwrap_or(limit))
        }

        fn find_next_message(
            &mut self,
            channel: ChannelId,
        ) -> Result<Option<OutboxMessage>, StoreError> {
            let next = messages::table
                .filter(messages::channel_id.eq(channel.get()))
                .filter(messages::finished_at.is_null())
                .order((messages::send_at, messages::id))
                .limit(1);
            self.find::<MessageRow>("find next message", next)
        }
    }
}
