//! Delivery of the messages of a channel, one after the other.
//!
//! A process reserves a channel for a while, sends the oldest message, and records the outcome together with the start of
//! the next attempt. If it ends in between, another process sends the message again after the reservation.

use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{
    AttemptOutcome, AttemptReport, Channel, ChannelKind, ChannelLane, DeliveryAttempt, DueChannel,
    MessageContent, MessageEvent, MessageState, MessageSubject, NewMessage, OutboxMessage,
    shortened,
};
use crate::rules::wait_seconds;
use crate::store::NotificationRepository;

/// Seconds for which a channel is reserved for one message: more than an attempt takes. The dialog with a mail server has
/// several steps.
const fn lease_seconds(kind: ChannelKind) -> i64 {
    match kind {
        ChannelKind::Email => 90,
        _ => 30,
    }
}

/// Seconds for which a channel is reserved before its kind is known.
const CLAIM_SECONDS: i64 = 30;
/// Seconds of the period in which a channel sends a limited number of messages.
const HOUR: i64 = 60 * 60;
/// Seconds after which a message is dropped although the channel is below its limit: the receiver refused connections for
/// a day.
const MAX_AGE_SECONDS: i64 = 24 * 60 * 60;
/// Seconds between two looks at the queue of a channel that reached its limit.
const LIMIT_SECONDS: i64 = 60;

/// Seconds after its event for which a message can wait for the end of quiet hours. Delays and quiet hours of a day each
/// end well before, so only a message that its receiver refused in between is older.
const MAX_HELD_SECONDS: i64 = 4 * MAX_AGE_SECONDS;
/// Largest number of messages that one transaction delays.
const MAX_DELAYED: usize = 100;

/// A message that the caller sends now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageDelivery {
    /// Channel.
    pub channel: Channel,
    /// Message, of which this is attempt number `attempts`.
    pub message: OutboxMessage,
}

/// Reserves a channel that is due, and returns its oldest message. `None` if there is nothing to send now.
///
/// # Errors
/// Failures of the store.
pub fn claim<R: NotificationRepository + ?Sized>(
    repos: &mut R,
    due: DueChannel,
    now: Timestamp,
) -> Result<Option<MessageDelivery>, StoreError> {
    match repos.lease_channel(due, now.plus_seconds(CLAIM_SECONDS))? {
        Some(channel) => next(repos, channel, now),
        None => Ok(None),
    }
}

/// Records the outcome of an attempt, and returns the next message of the channel. `None` if there is nothing to send now.
///
/// `needs_reminder` decides whether an alert that was sent is still open and unknown to everybody. It is called once the
/// channel is locked, so an acknowledgement at the same time either is seen or cancels the reminder.
///
/// # Errors
/// Failures of the store.
pub fn finish<R: NotificationRepository + ?Sized>(
    repos: &mut R,
    delivery: &MessageDelivery,
    report: AttemptReport,
    needs_reminder: impl FnOnce(&mut R) -> Result<bool, StoreError>,
    now: Timestamp,
) -> Result<Option<MessageDelivery>, StoreError> {
    let id = delivery.channel.id;
    let message = &delivery.message;
    let channel = repos.lock_channel(id)?;
    let attempt = DeliveryAttempt {
        message_id: message.id,
        number: message.attempts,
        at: now,
        millis: report.millis,
        outcome: report.outcome,
        status: report.status,
        detail: shortened(report.detail, AttemptReport::MAX_DETAIL),
    };
    repos.insert_attempt(&attempt)?;
    let lease = delivery.channel.lane.due_at;
    if channel.as_ref().is_some_and(|now| now.lane.due_at != lease) {
        // The reservation had ended, and another process sends the message again.
        return Ok(None);
    }
    let is_active = channel.as_ref().is_some_and(|now| now.settings.is_active);
    let (state, finished_at) = match report.outcome {
        AttemptOutcome::Delivered => (MessageState::Sent, Some(now)),
        AttemptOutcome::Rejected | AttemptOutcome::Gone => (MessageState::Failed, Some(now)),
        AttemptOutcome::Failed if is_active => (MessageState::Queued, None),
        AttemptOutcome::Failed => (MessageState::ChannelOff, Some(now)),
    };
    repos.update_message(message.id, state, message.attempts, finished_at)?;
    let Some(mut channel) = channel else {
        return Ok(None);
    };
    match report.outcome {
        AttemptOutcome::Delivered => {
            channel.lane.failures = 0;
            if let Some(reminder) = reminder_of(&channel, message, now)
                && needs_reminder(repos)?
            {
                repos.insert_messages(&[reminder])?;
            }
        }
        AttemptOutcome::Rejected => (),
        AttemptOutcome::Failed => {
            channel.lane.failures = channel.lane.failures.saturating_add(1);
            let salt = message.id.get();
            let wait = wait_seconds(channel.lane.failures, report.retry_after, salt);
            return pause(repos, &mut channel, now.plus_seconds(wait.into()));
        }
        AttemptOutcome::Gone => {
            let mut settings = channel.settings.clone();
            settings.is_active = false;
            repos.update_channel(channel.owner, id, &settings, None, now)?;
            repos.close_messages(id, Timestamp::MAX, MessageState::ChannelOff, now)?;
            return rest(repos, &channel);
        }
    }
    next(repos, channel, now)
}

/// Cancels a message whose reason ended after [`claim`] or [`finish`] returned it, with a state that says why, and returns the
/// next message of the channel. The attempt that was not made does not count.
///
/// # Errors
/// Failures of the store.
pub fn skip<R: NotificationRepository + ?Sized>(
    repos: &mut R,
    delivery: &MessageDelivery,
    state: MessageState,
    now: Timestamp,
) -> Result<Option<MessageDelivery>, StoreError> {
    let channel = repos.lock_channel(delivery.channel.id)?;
    let lease = delivery.channel.lane.due_at;
    let Some(channel) = channel.filter(|channel| channel.lane.due_at == lease) else {
        return Ok(None);
    };
    let message = &delivery.message;
    let attempts = message.attempts.saturating_sub(1);
    repos.update_message(message.id, state, attempts, Some(now))?;
    next(repos, channel, now)
}

/// Starts the next attempt of a channel that this transaction locked.
fn next<R: NotificationRepository + ?Sized>(
    repos: &mut R,
    mut channel: Channel,
    now: Timestamp,
) -> Result<Option<MessageDelivery>, StoreError> {
    channel.lane.is_waiting = false;
    if !channel.settings.is_active {
        return cancel(repos, &channel, now);
    }
    if !delay_quiet(repos, &mut channel, now)? {
        return pause(repos, &mut channel, now);
    }
    let limit = usize::try_from(channel.settings.hourly_limit).unwrap_or(usize::MAX);
    let sent = repos.count_sent_messages(channel.id, now.plus_seconds(-HOUR), limit)?;
    let is_limited = sent >= limit;
    let age = if is_limited { HOUR } else { MAX_AGE_SECONDS };
    let until = oldest(&channel, now.plus_seconds(-age));
    let state = if is_limited {
        MessageState::Limited
    } else {
        MessageState::Dropped
    };
    let dropped = repos.close_messages(channel.id, until, state, now)?;
    let dropped = u32::try_from(dropped).unwrap_or(u32::MAX);
    channel.lane.dropped = channel.lane.dropped.saturating_add(dropped);
    if is_limited {
        let has_more = channel.lane.dropped > 0 || repos.find_next_message(channel.id)?.is_some();
        return if has_more {
            pause(repos, &mut channel, now.plus_seconds(LIMIT_SECONDS))
        } else {
            rest(repos, &channel)
        };
    }
    // The receiver of a hook is a program, which knows no such event; the list of messages shows what was dropped.
    if channel.kind == ChannelKind::ProjectHook {
        channel.lane.dropped = 0;
    }
    if channel.lane.dropped > 0 {
        let count = std::mem::take(&mut channel.lane.dropped);
        repos.insert_messages(&[about_dropped(&channel, count, now)])?;
    }
    let Some(mut message) = repos.find_next_message(channel.id)? else {
        return rest(repos, &channel);
    };
    if is_held(&channel, &message, now) {
        // The notice that was just written waits as well: the next look delays it.
        return pause(repos, &mut channel, now);
    }
    if message.send_at > now {
        channel.lane.is_waiting = true;
        return pause(repos, &mut channel, message.send_at);
    }
    message.state = MessageState::Sending;
    message.attempts = message.attempts.saturating_add(1);
    repos.update_message(message.id, message.state, message.attempts, None)?;
    let lease = lease_seconds(channel.kind);
    pause(repos, &mut channel, now.plus_seconds(lease))?;
    Ok(Some(MessageDelivery { channel, message }))
}

/// Delays the due messages at the head of the queue until the quiet hours of their channel end. Returns `false` if there
/// are more than one transaction delays.
fn delay_quiet<R: NotificationRepository + ?Sized>(
    repos: &mut R,
    channel: &mut Channel,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let Some((_, end)) = quiet_period(channel, now) else {
        return Ok(true);
    };
    for _ in 0..MAX_DELAYED {
        let next = repos.find_next_message(channel.id)?;
        let Some(held) = next.filter(|message| is_held(channel, message, now)) else {
            return Ok(true);
        };
        if held.created_at < now.plus_seconds(-MAX_HELD_SECONDS) {
            let state = MessageState::Dropped;
            repos.update_message(held.id, state, held.attempts, Some(now))?;
            channel.lane.dropped = channel.lane.dropped.saturating_add(1);
        } else {
            repos.delay_message(held.id, end)?;
        }
    }
    Ok(false)
}

fn quiet_period(channel: &Channel, at: Timestamp) -> Option<(Timestamp, Timestamp)> {
    channel.settings.quiet_hours?.period_at(at)
}

/// True if a message is due, and waits for the end of quiet hours.
fn is_held(channel: &Channel, message: &OutboxMessage, now: Timestamp) -> bool {
    let quiet = channel.settings.quiet_hours;
    message.send_at <= now
        && quiet.is_some_and(|quiet| {
            quiet.period_at(now).is_some()
                && !quiet.lets_pass(message.event, message.content.severity)
        })
}

/// Returns the time before which messages are too old, so that the age of those of quiet hours counts from their end.
fn oldest(channel: &Channel, at: Timestamp) -> Timestamp {
    quiet_period(channel, at).map_or(at, |(start, _)| start.plus_seconds(-1))
}

fn about_dropped(channel: &Channel, count: u32, now: Timestamp) -> NewMessage {
    NewMessage {
        project_id: channel.owner.project(),
        channel_id: channel.id,
        event: MessageEvent::MessagesDropped,
        subject: MessageSubject::NONE,
        content: MessageContent {
            count: Some(count),
            ..MessageContent::default()
        },
        created_at: now,
        send_at: now,
    }
}

/// Returns the reminder that follows a message about an alert, if the channel sends reminders.
fn reminder_of(channel: &Channel, sent: &OutboxMessage, now: Timestamp) -> Option<NewMessage> {
    let minutes = channel.settings.repeat_minutes;
    let is_about_open_alert = matches!(
        sent.event,
        MessageEvent::AlertOpened | MessageEvent::AlertReminder
    );
    let is_wanted = minutes > 0 && is_about_open_alert && channel.settings.is_active;
    is_wanted.then(|| NewMessage {
        project_id: sent.project_id,
        channel_id: sent.channel_id,
        event: MessageEvent::AlertReminder,
        subject: sent.subject,
        content: sent.content.clone(),
        created_at: now,
        send_at: now.plus_seconds(i64::from(minutes) * 60),
    })
}

/// Cancels the messages of a channel that is turned off, also one that was under way when its process ended.
fn cancel<R: NotificationRepository + ?Sized>(
    repos: &mut R,
    channel: &Channel,
    now: Timestamp,
) -> Result<Option<MessageDelivery>, StoreError> {
    let state = MessageState::ChannelOff;
    repos.close_messages(channel.id, Timestamp::MAX, state, now)?;
    if let Some(left) = repos.find_next_message(channel.id)? {
        repos.update_message(left.id, state, left.attempts, Some(now))?;
    }
    rest(repos, channel)
}

/// Leaves the channel until this time.
fn pause<R: NotificationRepository + ?Sized>(
    repos: &mut R,
    channel: &mut Channel,
    until: Timestamp,
) -> Result<Option<MessageDelivery>, StoreError> {
    channel.lane.due_at = Some(until);
    repos.set_lane(channel.id, &channel.lane)?;
    Ok(None)
}

/// Leaves the channel until it has a message.
fn rest<R: NotificationRepository + ?Sized>(
    repos: &mut R,
    channel: &Channel,
) -> Result<Option<MessageDelivery>, StoreError> {
    let lane = ChannelLane {
        due_at: None,
        is_waiting: false,
        ..channel.lane.clone()
    };
    repos.set_lane(channel.id, &lane)?;
    Ok(None)
}
