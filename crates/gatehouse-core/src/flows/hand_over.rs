//! Messages to the person on call: a channel of that kind hands its messages over to the channels of a user.

use std::collections::BTreeSet;

use accounts::User;
use api_conventions::ids::{ChannelId, ProjectId, ScheduleId, UserId};
use api_conventions::time::Timestamp;
use notifications::flow::{
    ChannelError, ChannelInput, MAX_CHANNELS, MessageDelivery, finish, list_schedules,
    open_mailbox, skip,
};
use notifications::model::{
    AttemptOutcome, AttemptReport, Channel, ChannelKind, ChannelOwner, ChannelSettingsError,
    MessageEvent, MessageState, MessageSubject, NewMessage, OutboxMessage,
};
use storage::StoreError;

use super::account_mail::{OutgoingMail, is_reachable};
use super::on_call::find_on_call;
use crate::database::{ReadTransaction, WriteTransaction};

/// Hands a message over at `now`, records that as an attempt, and returns the next message of the channel.
///
/// One transaction does everything, so a server that ends in between neither loses the message nor hands it over twice.
/// `find_end` returns the state of a message that is of no use any more.
///
/// # Errors
/// Failures of the store.
pub(crate) fn hand_over(
    tx: &mut (dyn WriteTransaction + '_),
    delivery: &MessageDelivery,
    mail: OutgoingMail,
    find_end: impl Fn(&mut (dyn WriteTransaction + '_)) -> Result<Option<MessageState>, StoreError>,
    now: Timestamp,
) -> Result<Option<MessageDelivery>, StoreError> {
    // Channels of projects are locked before those of users.
    let channel = tx.lock_channel(delivery.channel.id)?;
    let lease = delivery.channel.lane.due_at;
    if channel.is_none_or(|channel| channel.lane.due_at != lease) {
        // The reservation had ended, and another process hands the message over.
        return Ok(None);
    }
    if let Some(state) = find_end(tx)? {
        return skip(tx, delivery, state, now);
    }
    let report = deliver(tx, delivery, mail, now)?;
    finish(tx, delivery, report, |tx| Ok(find_end(tx)?.is_none()), now)
}

fn report(outcome: AttemptOutcome, detail: String) -> AttemptReport {
    AttemptReport {
        outcome,
        status: None,
        detail,
        retry_after: None,
        millis: 0,
    }
}

/// Writes the message to the channels of the person on call. The end of an alert or incident goes to those that got the beginning.
fn deliver(
    tx: &mut (dyn WriteTransaction + '_),
    delivery: &MessageDelivery,
    mail: OutgoingMail,
    now: Timestamp,
) -> Result<AttemptReport, StoreError> {
    let message = &delivery.message;
    let (to, channels) = match message.event {
        MessageEvent::AlertResolved | MessageEvent::IncidentClosed => {
            let channels = informed(tx, message.subject)?;
            ("those who were informed".to_owned(), channels)
        }
        _ => {
            let Some(user) = person_on_call(tx, &delivery.channel, now)? else {
                return Ok(report(
                    AttemptOutcome::Rejected,
                    "nobody is on call".to_owned(),
                ));
            };
            let channels = channels_of(tx, &user, message, mail, now)?;
            (format!("@{}", user.username.as_str()), channels)
        }
    };
    if channels.is_empty() {
        let detail = format!("{to}: no channel takes the message");
        return Ok(report(AttemptOutcome::Rejected, detail));
    }
    let copies: Vec<NewMessage> = channels
        .iter()
        .map(|channel| copy(message, channel, now))
        .collect();
    tx.insert_messages(&copies)?;
    let names: Vec<&str> = channels
        .iter()
        .map(|channel| channel.settings.name.as_str())
        .collect();
    let detail = format!("handed over to {to}: {}", names.join(", "));
    Ok(report(AttemptOutcome::Delivered, detail))
}

/// Returns the copy of a message for a channel of a user, which may have a delay of its own.
fn copy(message: &OutboxMessage, channel: &Channel, now: Timestamp) -> NewMessage {
    let is_delayed = matches!(
        message.event,
        MessageEvent::AlertOpened | MessageEvent::AlertsOpened | MessageEvent::IncidentOpened
    );
    let minutes = if is_delayed {
        channel.settings.delay_minutes
    } else {
        0
    };
    NewMessage {
        project_id: message.project_id,
        channel_id: channel.id,
        event: message.event,
        subject: message.subject,
        content: message.content.clone(),
        created_at: now,
        send_at: now.plus_seconds(i64::from(minutes) * 60),
    }
}

fn person_on_call(
    tx: &mut (dyn WriteTransaction + '_),
    channel: &Channel,
    now: Timestamp,
) -> Result<Option<User>, StoreError> {
    let schedule = schedule_of(channel).zip(channel.owner.project());
    match schedule {
        Some((schedule, project)) => find_on_call(tx, project, schedule, now),
        None => Ok(None),
    }
}

/// Returns the channels of a person that take a message: those of the person, or the address of the account for a person
/// without channels.
fn channels_of(
    tx: &mut (dyn WriteTransaction + '_),
    user: &User,
    message: &OutboxMessage,
    mail: OutgoingMail,
    now: Timestamp,
) -> Result<Vec<Channel>, StoreError> {
    let mut channels = tx.list_user_channels(&[user.id], MAX_CHANNELS)?;
    if channels.is_empty() && mail == OutgoingMail::On && is_reachable(user) {
        return Ok(vec![open_mailbox(tx, &user.email, now)?]);
    }
    channels.retain(|channel| channel.wants(message.event, message.content.severity));
    Ok(channels)
}

/// Returns the channels of users, and mailboxes, that got a message that a subject is open.
fn informed(
    tx: &mut (dyn WriteTransaction + '_),
    subject: MessageSubject,
) -> Result<Vec<Channel>, StoreError> {
    let attempted = tx.list_attempted_messages(&[subject])?;
    let openings = attempted
        .iter()
        .filter(|message| message.event.is_opening());
    let ids: BTreeSet<ChannelId> = openings.map(|message| message.channel_id).collect();
    let mut channels = Vec::new();
    for id in ids {
        let channel = tx.lock_channel(id)?;
        channels.extend(
            channel
                .filter(|channel| channel.settings.is_active && channel.owner.project().is_none()),
        );
    }
    Ok(channels)
}

/// Returns the schedule of an on-call channel, whose recipient is the id of the schedule.
fn schedule_of(channel: &Channel) -> Option<ScheduleId> {
    let id = channel.settings.recipient.parse().ok()?;
    Some(ScheduleId::new(id)).filter(|_| channel.kind == ChannelKind::OnCall)
}

/// Replaces the name of a schedule in the recipient of an on-call channel by its id. An id is checked.
///
/// # Errors
/// [`ChannelSettingsError::Schedule`] for a schedule that the project does not have; failures of the store.
pub(super) fn resolve_schedule<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    owner: ChannelOwner,
    kind: ChannelKind,
    input: &mut ChannelInput,
) -> Result<(), ChannelError> {
    let Some(wanted) = input
        .recipient
        .as_deref()
        .filter(|_| kind == ChannelKind::OnCall)
    else {
        return Ok(());
    };
    let wanted = wanted.trim();
    let schedules = match owner {
        ChannelOwner::Project(id) => list_schedules(tx, id)?,
        ChannelOwner::User(_) | ChannelOwner::Server => Vec::new(),
    };
    let found = schedules
        .iter()
        .find(|schedule| schedule.settings.name == wanted)
        .or_else(|| schedules.iter().find(|it| it.id.to_string() == wanted));
    let found = found.ok_or(ChannelSettingsError::Schedule)?;
    input.recipient = Some(found.id.to_string());
    Ok(())
}

/// Replaces the ids of schedules in the recipients of on-call channels of a project by the names of the schedules.
///
/// # Errors
/// Failures of the store.
pub fn name_schedules<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    project: ProjectId,
    channels: &mut [Channel],
) -> Result<(), StoreError> {
    if !channels.iter().any(|one| one.kind == ChannelKind::OnCall) {
        return Ok(());
    }
    let schedules = list_schedules(tx, project)?;
    for channel in channels {
        let id = schedule_of(channel);
        let found = schedules.iter().find(|schedule| Some(schedule.id) == id);
        if let Some(schedule) = found {
            channel
                .settings
                .recipient
                .clone_from(&schedule.settings.name);
        }
    }
    Ok(())
}

/// Returns the name of the channel that hands messages over to a schedule, if there is one.
pub(super) fn find_channel_of_schedule<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    project: ProjectId,
    schedule: ScheduleId,
) -> Result<Option<String>, StoreError> {
    let channels = tx.list_channels(&[project], MAX_CHANNELS)?;
    let found = channels
        .into_iter()
        .find(|channel| schedule_of(channel) == Some(schedule));
    Ok(found.map(|channel| channel.settings.name))
}

/// Sets the address of an e-mail channel of a user to the one of the account. `None` without an active account.
pub(crate) fn address_channel<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    channel: &mut Channel,
) -> Result<Option<()>, StoreError> {
    let Some(user) = channel.owner.user() else {
        return Ok(Some(()));
    };
    let Some(user) = find_reachable(tx, user)? else {
        return Ok(None);
    };
    if channel.kind == ChannelKind::Email {
        channel.settings.recipient = user.email;
    }
    Ok(Some(()))
}

fn find_reachable<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    user: UserId,
) -> Result<Option<User>, StoreError> {
    Ok(tx.find_user(user)?.filter(is_reachable))
}
