//! Channels of a project or a user: creation, changes, deletion, and tests.

use api_conventions::error::ApiError;
use api_conventions::ids::ChannelId;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{
    Channel, ChannelKind, ChannelOwner, ChannelSettings, ChannelSettingsError, HookTriggers,
    MessageContent, MessageEvent, MessageState, MessageSubject, NewChannel, NewMessage, QuietHours,
    SealedSecret,
};
use crate::store::{NotificationQueries, NotificationRepository, SaveChannel};

/// Largest number of channels of a project, and of a user.
pub const MAX_CHANNELS: usize = 20;

/// Reasons to refuse a change of channels. Nothing is written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChannelError {
    /// There is no such channel.
    #[error("the channel does not exist")]
    NotFound,
    /// The owner has too many channels.
    #[error("a project or user has at most {MAX_CHANNELS} notification channels; delete one first")]
    TooMany,
    /// Another channel of the owner has the name.
    #[error("name has already been taken")]
    NameTaken,
    /// The channel is turned off.
    #[error("the channel is not active; turn it on first")]
    Inactive,
    /// A test of a project hook reports an event.
    #[error("test a project hook with POST /projects/:id/hooks/:hook_id/test/:trigger")]
    HookTest,
    /// The project has nothing that the test of a project hook could report.
    #[error("create {0} first: a test reports the newest one")]
    NothingToTest(&'static str),
    /// The settings are not valid.
    #[error(transparent)]
    Settings(#[from] ChannelSettingsError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<ChannelError> for ApiError {
    fn from(error: ChannelError) -> Self {
        match error {
            ChannelError::NotFound => Self::not_found("Notification Channel"),
            ChannelError::NameTaken => Self::conflict(&error.to_string()),
            ChannelError::Store(store) => Self::storage_failure(store.is_retryable()),
            ChannelError::NothingToTest(_) => Self::unprocessable(&error.to_string()),
            ChannelError::TooMany
            | ChannelError::Inactive
            | ChannelError::HookTest
            | ChannelError::Settings(_) => Self::bad_request(&error.to_string()),
        }
    }
}

/// New values of a channel. A value that is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChannelInput {
    /// Display name.
    pub name: Option<String>,
    /// URL of the receiver.
    pub url: Option<String>,
    /// Addresses, room id or topic.
    pub recipient: Option<String>,
    /// True if messages about alerts are sent.
    pub alert_events: Option<bool>,
    /// True if messages about incidents are sent.
    pub incident_events: Option<bool>,
    /// True if messages about errors are sent.
    pub error_events: Option<bool>,
    /// True if a channel of a user gets assignments and mentions.
    pub assignment_events: Option<bool>,
    /// Minutes for which a message that something opened waits.
    pub delay_minutes: Option<u32>,
    /// Minutes after which an alert that nobody knows of is sent again; 0 for never.
    pub repeat_minutes: Option<u32>,
    /// Lowest severity of which messages are sent.
    pub minimum_severity: Option<crate::model::MessageSeverity>,
    /// True if messages are sent.
    pub active: Option<bool>,
    /// Largest number of messages in an hour.
    pub hourly_limit: Option<u32>,
    /// Quiet hours; `Some(None)` for none.
    pub quiet_hours: Option<Option<QuietHours>>,
    /// Description of a project hook.
    pub description: Option<String>,
    /// True if a project hook reports issues that are not confidential.
    pub issue_events: Option<bool>,
    /// True if a project hook reports confidential issues.
    pub confidential_issue_events: Option<bool>,
    /// True if a project hook reports comments that are not confidential.
    pub note_events: Option<bool>,
    /// True if a project hook reports confidential comments.
    pub confidential_note_events: Option<bool>,
    /// Secret; `Some(None)` for none.
    pub secret: Option<Option<SealedSecret>>,
}

impl ChannelInput {
    /// Returns these settings with the new values.
    #[must_use]
    pub fn settings(&self, before: ChannelSettings) -> ChannelSettings {
        let name = self.name.as_deref().map(|name| name.trim().to_owned());
        let (known, confidential_notes) = (before.hook_triggers, self.confidential_note_events);
        let confidential_issues = self.confidential_issue_events;
        ChannelSettings {
            name: name.unwrap_or(before.name),
            url: self.url.clone().unwrap_or(before.url),
            recipient: self.recipient.clone().unwrap_or(before.recipient),
            alert_events: self.alert_events.unwrap_or(before.alert_events),
            incident_events: self.incident_events.unwrap_or(before.incident_events),
            error_events: self.error_events.unwrap_or(before.error_events),
            assignment_events: self.assignment_events.unwrap_or(before.assignment_events),
            delay_minutes: self.delay_minutes.unwrap_or(before.delay_minutes),
            repeat_minutes: self.repeat_minutes.unwrap_or(before.repeat_minutes),
            minimum_severity: self.minimum_severity.unwrap_or(before.minimum_severity),
            is_active: self.active.unwrap_or(before.is_active),
            hourly_limit: self.hourly_limit.unwrap_or(before.hourly_limit),
            quiet_hours: self.quiet_hours.unwrap_or(before.quiet_hours),
            description: self.description.clone().unwrap_or(before.description),
            hook_triggers: HookTriggers {
                issues: self.issue_events.unwrap_or(known.issues),
                confidential_issues: confidential_issues.unwrap_or(known.confidential_issues),
                notes: self.note_events.unwrap_or(known.notes),
                confidential_notes: confidential_notes.unwrap_or(known.confidential_notes),
            },
        }
    }
}

/// Lists the channels of an owner in the order of their creation.
///
/// # Errors
/// Failures of the store.
pub fn list_channels<R: NotificationQueries + ?Sized>(
    repos: &mut R,
    owner: ChannelOwner,
) -> Result<Vec<Channel>, StoreError> {
    match owner {
        ChannelOwner::Project(id) => repos.list_channels(&[id], MAX_CHANNELS),
        ChannelOwner::User(id) => repos.list_user_channels(&[id], MAX_CHANNELS),
        ChannelOwner::Server => Ok(Vec::new()),
    }
}

/// Returns the channel of an owner with this id.
///
/// # Errors
/// [`ChannelError::NotFound`], or failures of the store.
pub fn find_channel<R: NotificationQueries + ?Sized>(
    repos: &mut R,
    owner: ChannelOwner,
    id: ChannelId,
) -> Result<Channel, ChannelError> {
    repos.find_channel(owner, id)?.ok_or(ChannelError::NotFound)
}

/// Creates a channel, and returns it.
///
/// # Errors
/// See [`ChannelError`].
pub fn create_channel<R: NotificationRepository + ?Sized>(
    repos: &mut R,
    new: &NewChannel,
) -> Result<Channel, ChannelError> {
    check(&new.settings, new.owner, new.kind)?;
    if list_channels(repos, new.owner)?.len() >= MAX_CHANNELS {
        return Err(ChannelError::TooMany);
    }
    saved(repos.insert_channel(new)?)
}

/// Changes a channel at `now`, and returns it. A channel that is turned off cancels the messages that wait.
///
/// # Errors
/// See [`ChannelError`].
pub fn update_channel<R: NotificationRepository + ?Sized>(
    repos: &mut R,
    owner: ChannelOwner,
    id: ChannelId,
    input: &ChannelInput,
    now: Timestamp,
) -> Result<Channel, ChannelError> {
    let locked = repos.lock_channel(id)?;
    let before = locked
        .filter(|channel| channel.owner == owner)
        .ok_or(ChannelError::NotFound)?;
    let before_quiet = before.settings.quiet_hours;
    let settings = input.settings(before.settings);
    check(&settings, owner, before.kind)?;
    let channel = repos.update_channel(
        owner,
        id,
        &settings,
        input.secret.as_ref().map(Option::as_ref),
        now,
    )?;
    let channel = saved(channel)?;
    if !channel.settings.is_active {
        cancel_all(repos, id, MessageState::ChannelOff, now)?;
    } else if channel.settings.quiet_hours != before_quiet {
        release(repos, channel.clone(), before_quiet, now)?;
    }
    Ok(channel)
}

/// Refuses settings that do not fit the kind or the owner.
fn check(
    settings: &ChannelSettings,
    owner: ChannelOwner,
    kind: ChannelKind,
) -> Result<(), ChannelSettingsError> {
    if settings.assignment_events && owner.user().is_none() {
        return Err(ChannelSettingsError::NoUser);
    }
    settings.check(kind)
}

/// Makes the messages due that wait for the end of quiet hours which the channel no longer has. The next look at the queue
/// delays those that wait in the new ones.
fn release<R: NotificationRepository + ?Sized>(
    repos: &mut R,
    mut channel: Channel,
    before: Option<QuietHours>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let Some((_, end)) = before.and_then(|quiet| quiet.period_at(now)) else {
        return Ok(());
    };
    let released = repos.reschedule_messages(channel.id, end, now)?;
    // A channel that does not wait for a message looks at its queue by itself.
    if released > 0 && channel.lane.is_waiting {
        channel.lane.due_at = Some(now);
        repos.set_lane(channel.id, &channel.lane)?;
    }
    Ok(())
}

/// Deletes a channel at `now`, and cancels the messages that wait.
///
/// # Errors
/// [`ChannelError::NotFound`], or failures of the store.
pub fn delete_channel<R: NotificationRepository + ?Sized>(
    repos: &mut R,
    owner: ChannelOwner,
    id: ChannelId,
    now: Timestamp,
) -> Result<(), ChannelError> {
    if !repos.delete_channel(owner, id)? {
        return Err(ChannelError::NotFound);
    }
    Ok(cancel_pending(repos, id, now)?)
}

/// Deletes all channels of an owner at `now`, and cancels the messages that wait.
///
/// # Errors
/// Failures of the store.
pub fn delete_channels_of<R: NotificationRepository + ?Sized>(
    repos: &mut R,
    owner: ChannelOwner,
    now: Timestamp,
) -> Result<(), StoreError> {
    for channel in list_channels(repos, owner)? {
        if repos.delete_channel(owner, channel.id)? {
            cancel_pending(repos, channel.id, now)?;
        }
    }
    Ok(())
}

/// Cancels the messages of a channel that was deleted, also one that is under way.
fn cancel_pending<R: NotificationRepository + ?Sized>(
    repos: &mut R,
    id: ChannelId,
    now: Timestamp,
) -> Result<(), StoreError> {
    cancel_all(repos, id, MessageState::ChannelOff, now)?;
    if let Some(under_way) = repos.find_next_message(id)? {
        // It would stay pending for ever if its process ended. A process that continues records the outcome.
        let state = MessageState::ChannelOff;
        repos.update_message(under_way.id, state, under_way.attempts, Some(now))?;
    }
    Ok(())
}

/// Writes a test message to a channel at `now`. It is sent like any other.
///
/// # Errors
/// See [`ChannelError`].
pub fn test_channel<R: NotificationRepository + ?Sized>(
    repos: &mut R,
    owner: ChannelOwner,
    id: ChannelId,
    now: Timestamp,
) -> Result<(), ChannelError> {
    let channel = find_channel(repos, owner, id)?;
    if !channel.settings.is_active {
        return Err(ChannelError::Inactive);
    }
    if channel.kind == ChannelKind::ProjectHook {
        return Err(ChannelError::HookTest);
    }
    let message = NewMessage {
        project_id: owner.project(),
        channel_id: id,
        event: MessageEvent::Test,
        subject: MessageSubject::NONE,
        content: MessageContent::default(),
        created_at: now,
        send_at: now,
    };
    Ok(repos.insert_messages(&[message])?)
}

/// Cancels the messages of a channel of any owner that wait, at `now`. Returns `false` if there is no such channel.
///
/// # Errors
/// Failures of the store.
pub fn cancel_queue<R: NotificationRepository + ?Sized>(
    repos: &mut R,
    id: ChannelId,
    now: Timestamp,
) -> Result<bool, StoreError> {
    if repos.lock_channel(id)?.is_none() {
        return Ok(false);
    }
    cancel_all(repos, id, MessageState::Cancelled, now)?;
    Ok(true)
}

fn cancel_all<R: NotificationRepository + ?Sized>(
    repos: &mut R,
    id: ChannelId,
    state: MessageState,
    now: Timestamp,
) -> Result<(), StoreError> {
    repos
        .close_messages(id, Timestamp::MAX, state, now)
        .map(drop)
}

fn saved(outcome: SaveChannel) -> Result<Channel, ChannelError> {
    match outcome {
        SaveChannel::Saved(channel) => Ok(*channel),
        SaveChannel::NameTaken => Err(ChannelError::NameTaken),
        SaveChannel::NotFound => Err(ChannelError::NotFound),
    }
}
