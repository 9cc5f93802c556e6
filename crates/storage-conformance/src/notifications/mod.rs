//! `M`: promises of a store about notification channels, and the outbox of their messages.

mod attempts;
mod channels;
mod closing;
mod deletion;
mod lanes;
mod outbox;
mod owners;
mod stored_channel;
mod stored_message;
mod subjects;

pub use stored_channel::StoredChannel;
pub use stored_message::StoredMessage;

use ::notifications::model::{
    Channel, ChannelKind, ChannelSettings, MessageContent, MessageEvent, MessageFilter,
    MessageScope, MessageState, MessageSubject, MessageSubjectKind, NewChannel, NewMessage,
    OutboxMessage,
};
use ::notifications::store::{NotificationQueries, NotificationWriteTx, SaveChannel};
use api_conventions::ids::{ChannelId, MessageId, ProjectId};
use storage::{StoreError, StoreExt as _};

use crate::areas::Notifications;
use crate::samples::{timestamp, unexpected_conflict};
use crate::suite::suite;

suite! {
    $
    /// Tests that a [`Harness`](crate::Harness)'s store keeps the promises of the repositories of `notifications`.
    notifications_suite = notifications::cases for Notifications;
    channels {
        m07_a_change_keeps_the_secret_and_the_delivery_of_a_channel,
        m08_a_taken_name_is_refused_and_changes_nothing,
        m09_channels_of_several_projects_are_listed_in_the_order_of_their_ids,
    }
    owners {
        m64_channels_of_users_are_theirs_alone,
        m65_the_server_has_one_mailbox_for_an_address,
        m66_mailboxes_without_messages_are_deleted,
    }
    lanes {
        m20_the_channel_that_is_due_for_longest_comes_first,
        m21_a_channel_that_is_due_is_leased_once,
        m22_a_lane_is_set_for_one_channel,
        m23_racing_changes_of_locked_channels_are_all_kept,
        m24_no_message_misses_a_channel_that_goes_to_rest,
        m25_channels_with_a_queue_are_listed_with_the_most_failures_first,
    }
    outbox {
        m33_messages_are_listed_the_newest_first_up_to_an_id,
        m34_messages_make_their_channels_due_unless_they_are,
        m35_messages_to_channels_that_are_gone_are_left_out,
        m36_the_earliest_pending_message_is_next,
        m37_an_update_of_a_message_sets_state_attempts_and_end,
        m44_a_delayed_message_is_queued_until_its_new_time,
        m46_queued_messages_of_one_time_are_moved_to_another,
        m38_sent_messages_are_counted_since_a_time_up_to_a_limit,
        m39_thousands_of_messages_are_inserted_at_once,
        m45_pending_messages_are_counted_up_to_a_limit,
    }
    closing {
        m40_queued_messages_of_a_channel_are_closed_up_to_a_time,
        m41_queued_messages_about_subjects_are_closed,
        m42_messages_about_thousands_of_subjects_are_closed_at_once,
    }
    subjects {
        m43_messages_that_were_attempted_are_found_by_their_subjects,
    }
    attempts {
        m50_attempts_come_back_in_the_order_of_messages_and_numbers,
        m51_an_attempt_has_a_number_of_its_own_and_a_message,
    }
    deletion {
        m60_messages_that_ended_before_a_time_are_deleted_with_their_attempts,
        m61_a_deleted_channel_leaves_its_messages,
        m62_a_project_that_goes_takes_its_notifications_step_by_step,
        m63_notifications_outlive_the_store needs Durable,
    }
    [StoredChannel] {
        m01_a_channel_comes_back_as_it_was_written = clauses::comes_back,
        m02_a_channel_is_not_found_in_another_project = clauses::absence,
        m03_a_refused_write_leaves_no_channel = clauses::rollback,
        m04_a_channel_is_changed_in_its_project_only = clauses::changes,
        m05_a_channel_is_deleted_once = clauses::deleted_once,
        m06_one_of_many_racing_channels_gets_the_name = clauses::unique,
    }
    [StoredMessage] {
        m30_a_message_comes_back_as_it_was_written = clauses::comes_back,
        m31_a_message_is_not_found_in_another_channel = clauses::absence,
        m32_a_refused_write_leaves_no_message = clauses::rollback,
    }
}

/// A webhook with this name.
pub(crate) fn channel(project_id: ProjectId, name: &str) -> NewChannel {
    NewChannel {
        owner: project_id.into(),
        kind: ChannelKind::Webhook,
        settings: ChannelSettings::new(name),
        secret: None,
        created_at: timestamp(0),
    }
}

fn insert_channel(
    tx: &mut (dyn NotificationWriteTx + '_),
    new: &NewChannel,
) -> Result<Channel, StoreError> {
    match tx.insert_channel(new)? {
        SaveChannel::Saved(channel) => Ok(*channel),
        SaveChannel::NameTaken | SaveChannel::NotFound => {
            Err(unexpected_conflict("insert channel", &new.settings.name))
        }
    }
}

/// Inserts channels with these names, and returns their ids.
fn insert_channels<const N: usize>(
    store: &Notifications,
    new: [(ProjectId, &'static str); N],
) -> [ChannelId; N] {
    let inserted = store.change(move |tx| {
        let mut ids = Vec::new();
        for (project, name) in new {
            ids.push(insert_channel(tx, &channel(project, name))?.id);
        }
        Ok(ids)
    });
    inserted.wait().unwrap().try_into().unwrap()
}

const fn alert(id: i64) -> MessageSubject {
    MessageSubject {
        kind: MessageSubjectKind::Alert,
        id,
    }
}

const fn incident(id: i64) -> MessageSubject {
    MessageSubject {
        kind: MessageSubjectKind::Incident,
        id,
    }
}

const fn error(id: i64) -> MessageSubject {
    MessageSubject {
        kind: MessageSubjectKind::Error,
        id,
    }
}

/// A message to a channel at a second, about the alert with the same number.
fn message(project_id: ProjectId, channel_id: ChannelId, second: i64) -> NewMessage {
    NewMessage {
        project_id: Some(project_id),
        channel_id,
        event: MessageEvent::AlertOpened,
        subject: alert(second),
        content: MessageContent::default(),
        created_at: timestamp(second),
        send_at: timestamp(second),
    }
}

/// Inserts messages, and returns their ids in the given order.
fn insert_messages(
    tx: &mut (dyn NotificationWriteTx + '_),
    project: ProjectId,
    new: &[NewMessage],
) -> Result<Vec<MessageId>, StoreError> {
    tx.insert_messages(new)?;
    let mut listed = list(tx, project, new.len())?;
    listed.reverse();
    Ok(listed.into_iter().map(|message| message.id).collect())
}

/// Lists the messages of a project, the newest first.
fn list<Tx: NotificationQueries + ?Sized>(
    tx: &mut Tx,
    project_id: ProjectId,
    limit: usize,
) -> Result<Vec<OutboxMessage>, StoreError> {
    let filter = MessageFilter {
        scope: MessageScope::Project(project_id),
        before: None,
    };
    tx.list_messages(&filter, limit)
}

/// Sets states of messages, those of which an attempt ended with one attempt, and those that ended at this second.
fn set_states(
    tx: &mut (dyn NotificationWriteTx + '_),
    states: &[(MessageId, MessageState)],
    second: i64,
) -> Result<(), StoreError> {
    for (id, state) in states {
        let end = (!state.is_pending()).then(|| timestamp(second));
        tx.update_message(*id, *state, 1, end)?;
    }
    Ok(())
}

/// Returns the states of the messages of a project, the oldest first.
fn states<Tx: NotificationQueries + ?Sized>(
    tx: &mut Tx,
    project: ProjectId,
) -> Result<Vec<MessageState>, StoreError> {
    let mut listed = list(tx, project, 100)?;
    listed.reverse();
    Ok(listed.into_iter().map(|message| message.state).collect())
}
