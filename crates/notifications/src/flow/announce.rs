//! Messages about what happened, written with it.

use std::collections::{BTreeMap, BTreeSet};

use api_conventions::ids::{ChannelId, ProjectId};
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::channels::MAX_CHANNELS;
use crate::model::{
    Channel, ChannelKind, HookEvent, MessageContent, MessageEvent, MessageSeverity, MessageState,
    MessageSubject, MessageSubjectKind, NewMessage, OutboxMessage,
};
use crate::store::NotificationRepository;

/// Largest number of alerts, and of errors, that a channel gets one by one. For more, it gets one message.
const MAX_SINGLE: usize = 10;

/// Change of the subject of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubjectChange {
    /// Opened, or reported for the first time.
    Opened,
    /// Reported again after the end.
    Regressed,
    /// No longer among those that nobody is to hear of: a channel that has heard of it gets a reminder if it wants reminders,
    /// and nothing otherwise.
    Unmuted,
    /// The severity changed from this one.
    SeverityChanged(MessageSeverity),
    /// Resolved or closed.
    Closed,
    /// Acknowledged or ignored: somebody knows.
    Acknowledged,
}

/// A change that channels may report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement {
    /// Project.
    pub project_id: ProjectId,
    /// Subject: an alert, an incident or an error.
    pub subject: MessageSubject,
    /// Change.
    pub change: SubjectChange,
    /// Content of the message.
    pub content: MessageContent,
    /// Time of the change.
    pub at: Timestamp,
}

impl Announcement {
    /// Returns the event of a message that the subject is open.
    const fn opening(&self) -> MessageEvent {
        match self.subject.kind {
            MessageSubjectKind::Incident => MessageEvent::IncidentOpened,
            MessageSubjectKind::Error if matches!(self.change, SubjectChange::Regressed) => {
                MessageEvent::ErrorRegressed
            }
            MessageSubjectKind::Error => MessageEvent::ErrorCreated,
            _ => MessageEvent::AlertOpened,
        }
    }

    /// Returns the event of a message that the subject is over. Errors have none.
    const fn ending(&self) -> Option<MessageEvent> {
        match self.subject.kind {
            MessageSubjectKind::Incident => Some(MessageEvent::IncidentClosed),
            MessageSubjectKind::Alert => Some(MessageEvent::AlertResolved),
            _ => None,
        }
    }

    /// True if the subject is over, or known to somebody.
    pub const fn is_end_or_known(&self) -> bool {
        matches!(
            self.change,
            SubjectChange::Closed | SubjectChange::Acknowledged
        )
    }

    /// Returns the message to a channel, which waits for some minutes.
    fn message(&self, channel: ChannelId, event: MessageEvent, minutes: u32) -> NewMessage {
        NewMessage {
            project_id: Some(self.project_id),
            channel_id: channel,
            event,
            subject: self.subject,
            content: self.content.clone().shortened(),
            created_at: self.at,
            send_at: self.at.plus_seconds(i64::from(minutes) * 60),
        }
    }

    /// True if the channel gets a message that the subject is open: it is new, or became severe enough.
    fn opens_for(&self, channel: &Channel) -> bool {
        let severity = self.content.severity;
        let wants = |severity| channel.wants(self.opening(), severity);
        match self.change {
            SubjectChange::Opened | SubjectChange::Regressed | SubjectChange::Unmuted => {
                wants(severity)
            }
            SubjectChange::SeverityChanged(from) => {
                wants(severity) && (!wants(Some(from)) || self.ends_wait(channel, from))
            }
            SubjectChange::Closed | SubjectChange::Acknowledged => false,
        }
    }

    /// True if the severity rose from one that waits in the quiet hours of a channel to one that does not, in these hours.
    fn ends_wait(&self, channel: &Channel, from: MessageSeverity) -> bool {
        channel.settings.quiet_hours.is_some_and(|quiet| {
            quiet.period_at(self.at).is_some()
                && quiet.lets_pass(self.opening(), self.content.severity)
                && !quiet.lets_pass(self.opening(), Some(from))
        })
    }
}

/// Writes the messages about changes of one transaction to the outbox, in a number of statements that does not depend on
/// the number of changes.
///
/// The end of a subject, and an acknowledgement, cancel the messages about it that wait. Channels that got a message about
/// the beginning get one about the end. A subject that begins and is over or known within the changes sends nothing.
///
/// `muted` returns the subjects whose beginning nobody is to hear of at present. It is called only if a channel might.
///
/// # Errors
/// Failures of the store.
pub fn announce<R: NotificationRepository + ?Sized>(
    repos: &mut R,
    changes: &[Announcement],
    muted: impl FnOnce(&mut R) -> Result<BTreeSet<MessageSubject>, StoreError>,
) -> Result<(), StoreError> {
    let projects = changes.iter().map(|change| change.project_id).collect();
    announce_with_hooks(repos, &projects, changes, muted, |_, _| Ok(Vec::new()))
}

/// Does the same as [`announce`], and writes the messages of hooks of these projects, which include those of the changes.
///
/// `events` returns what happened in the projects, in order. It is called, with the hooks that are active, only if there are
/// some. Hooks get every event that they report, also one that somebody knows of or that is over.
///
/// # Errors
/// Failures of the store.
pub fn announce_with_hooks<R: NotificationRepository + ?Sized>(
    repos: &mut R,
    projects: &BTreeSet<ProjectId>,
    changes: &[Announcement],
    muted: impl FnOnce(&mut R) -> Result<BTreeSet<MessageSubject>, StoreError>,
    events: impl FnOnce(&mut R, &[Channel]) -> Result<Vec<HookEvent>, StoreError>,
) -> Result<(), StoreError> {
    let projects: Vec<ProjectId> = projects.iter().copied().collect();
    if projects.is_empty() {
        return Ok(());
    }
    let limit = MAX_CHANNELS.saturating_mul(projects.len());
    let channels = repos.list_channels(&projects, limit)?.into_iter();
    let active = channels.filter(|channel| channel.settings.is_active);
    let (hooks, channels): (Vec<Channel>, Vec<Channel>) =
        active.partition(|channel| channel.kind == ChannelKind::ProjectHook);
    let mut messages = Vec::new();
    // A channel that was turned off has no messages that wait.
    if !changes.is_empty() && !channels.is_empty() {
        tell_people(repos, changes, &channels, muted, &mut messages)?;
    }
    if !hooks.is_empty() {
        for event in events(repos, &hooks)? {
            let reporting = hooks.iter().filter(|hook| {
                hook.owner == event.project_id.into()
                    && hook.reports(event.event, event.is_confidential)
            });
            messages.extend(reporting.map(|hook| event.message(hook.id)));
        }
    }
    if messages.is_empty() {
        return Ok(());
    }
    // All transactions wake channels in the same order, so that none waits for another in a circle.
    messages.sort_by_key(|message| message.channel_id);
    repos.insert_messages(&messages)
}

/// Adds the messages about changes to channels that are no hooks.
fn tell_people<R: NotificationRepository + ?Sized>(
    repos: &mut R,
    changes: &[Announcement],
    channels: &[Channel],
    muted: impl FnOnce(&mut R) -> Result<BTreeSet<MessageSubject>, StoreError>,
    messages: &mut Vec<NewMessage>,
) -> Result<(), StoreError> {
    endings(repos, changes, channels, messages)?;
    // The place of the last end or acknowledgement of each subject: openings before it are not announced.
    let known = changes.iter().enumerate();
    let known = known.filter(|(_, change)| change.is_end_or_known());
    let known: BTreeMap<MessageSubject, usize> = known
        .map(|(place, change)| (change.subject, place))
        .collect();
    let is_news = |place: usize, subject| known.get(subject).is_none_or(|last| *last < place);
    let begins = changes.iter().any(|change| !change.is_end_or_known());
    let muted = if begins {
        muted(repos)?
    } else {
        BTreeSet::new()
    };
    let heard = heard_of_unmuted(repos, changes)?;
    for channel in channels {
        let mine = changes.iter().enumerate().filter(|(place, change)| {
            channel.owner == change.project_id.into()
                && is_news(*place, &change.subject)
                && !muted.contains(&change.subject)
                && change.opens_for(channel)
        });
        let mine = mine.map(|(_, change)| change);
        let (heard, new): (Vec<&Announcement>, Vec<&Announcement>) =
            mine.partition(|change| heard.contains(&(channel.id, change.subject)));
        openings(channel, &new, messages);
        if channel.settings.repeat_minutes > 0 {
            let event = MessageEvent::AlertReminder;
            messages.extend(heard.iter().map(|it| it.message(channel.id, event, 0)));
        }
    }
    Ok(())
}

/// Cancels the messages that nobody needs any more, and adds those that tell of an end.
fn endings<R: NotificationRepository + ?Sized>(
    repos: &mut R,
    changes: &[Announcement],
    channels: &[Channel],
    messages: &mut Vec<NewMessage>,
) -> Result<(), StoreError> {
    let Some(now) = changes.iter().map(|change| change.at).max() else {
        return Ok(());
    };
    let ended: BTreeMap<MessageSubject, &Announcement> = changes
        .iter()
        .filter(|change| change.change == SubjectChange::Closed)
        .map(|change| (change.subject, change))
        .collect();
    let known = changes.iter().map(|change| (change.change, change.subject));
    let known: Vec<MessageSubject> = known
        .filter(|(change, subject)| {
            *change == SubjectChange::Acknowledged && !ended.contains_key(subject)
        })
        .map(|(_, subject)| subject)
        .collect();
    if !known.is_empty() {
        repos.close_messages_about(&known, MessageState::Acknowledged, now)?;
    }
    if ended.is_empty() {
        return Ok(());
    }
    let subjects: Vec<MessageSubject> = ended.keys().copied().collect();
    repos.close_messages_about(&subjects, MessageState::Resolved, now)?;
    let mut attempted = repos.list_attempted_messages(&subjects)?;
    attempted.sort_by_key(|message| message.id);
    // The last message of each channel about each subject.
    let last_messages: BTreeMap<(ChannelId, MessageSubject), OutboxMessage> = attempted
        .into_iter()
        .map(|message| ((message.channel_id, message.subject), message))
        .collect();
    for ((channel, subject), last) in last_messages {
        let is_active = channels.iter().any(|active| active.id == channel);
        let change = ended
            .get(&subject)
            .filter(|_| is_active && last.event.is_opening());
        messages.extend(change.and_then(|change| {
            let ending = change.ending()?;
            let mut message = change.message(channel, ending, 0);
            // Also if the clocks of two servers differ, the end follows the beginning.
            message.send_at = message.send_at.max(last.send_at);
            Some(message)
        }));
    }
    Ok(())
}

/// Returns the subjects that are not muted any more, each with the channels that have heard of its beginning.
fn heard_of_unmuted<R: NotificationRepository + ?Sized>(
    repos: &mut R,
    changes: &[Announcement],
) -> Result<BTreeSet<(ChannelId, MessageSubject)>, StoreError> {
    let unmuted = changes
        .iter()
        .filter(|change| change.change == SubjectChange::Unmuted);
    let unmuted: Vec<MessageSubject> = unmuted.map(|change| change.subject).collect();
    if unmuted.is_empty() {
        return Ok(BTreeSet::new());
    }
    let mut attempted = repos.list_attempted_messages(&unmuted)?;
    attempted.sort_by_key(|message| message.id);
    let mut heard = BTreeSet::new();
    for message in attempted {
        let key = (message.channel_id, message.subject);
        if message.event.is_opening() {
            heard.insert(key);
        } else {
            heard.remove(&key);
        }
    }
    Ok(heard)
}

/// Adds the messages that tell a channel of what is open.
fn openings(channel: &Channel, opened: &[&Announcement], messages: &mut Vec<NewMessage>) {
    let delay = channel.settings.delay_minutes;
    for (kind, many, minutes) in [
        (
            MessageSubjectKind::Alert,
            Some(MessageEvent::AlertsOpened),
            delay,
        ),
        (
            MessageSubjectKind::Error,
            Some(MessageEvent::ErrorsCreated),
            0,
        ),
        (MessageSubjectKind::Incident, None, delay),
    ] {
        let of_kind = opened.iter().filter(|change| change.subject.kind == kind);
        let of_kind: Vec<&Announcement> = of_kind.copied().collect();
        if let Some(many) = many.filter(|_| of_kind.len() > MAX_SINGLE) {
            messages.extend(summary(channel, &of_kind, many, minutes));
        } else {
            let single = of_kind
                .iter()
                .map(|change| change.message(channel.id, change.opening(), minutes));
            messages.extend(single);
        }
    }
}

/// Returns one message about many changes, which describes the most severe one.
fn summary(
    channel: &Channel,
    changes: &[&Announcement],
    event: MessageEvent,
    minutes: u32,
) -> Option<NewMessage> {
    // Of equally severe ones the first.
    let worst = changes
        .iter()
        .rev()
        .max_by_key(|change| change.content.severity)?;
    let mut message = worst.message(channel.id, event, minutes);
    message.subject = MessageSubject::NONE;
    message.content.count = u32::try_from(changes.len()).ok();
    Some(message)
}
