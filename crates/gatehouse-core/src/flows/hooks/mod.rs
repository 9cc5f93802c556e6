//! Hooks of projects: channels that report the events of a project as v4 clients expect them.
//!
//! The caller must check that the actor may configure channels.

pub(super) mod events;

use alert_intake::model::AlertFilter;
use api_conventions::ids::{ChannelId, ProjectId};
use api_conventions::page::OffsetPage;
use notifications::flow::{self, ChannelError};
use notifications::model::{Channel, ChannelKind, HookEvent};
use projects::{IssueFilter, IssueScope, NoteActivity, NoteFilter};
use storage::StoreError;
use url::Url;

use self::events::{IssueHookEvent, NoteHookEvent, read_alert};
use super::channels::{ChannelValues, create_channel, delete_channel, update_channel};
use super::groups::Actor;
use super::notes::on_issue;
use crate::database::{ReadTransaction, WriteTransaction};
use crate::vault::Vault;

/// Number of the newest issues in which a test looks for a comment.
const MAX_ISSUES: u64 = 20;

api_conventions::named! {
    /// Event that a test of a hook reports.
    pub enum HookTrigger {
        /// The newest issue that is not confidential.
        Issues = 0, "issues_events";
        /// The newest confidential issue.
        ConfidentialIssues = 1, "confidential_issues_events";
        /// The newest comment on one of the newest issues.
        Notes = 2, "note_events";
        /// The newest alert.
        Alerts = 3, "alert_events";
    }
}

/// Lists the hooks of a project in the order of their creation.
///
/// # Errors
/// Failures of the store.
pub fn list_hooks<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    project: ProjectId,
) -> Result<Vec<Channel>, StoreError> {
    let mut hooks = flow::list_channels(tx, project.into())?;
    hooks.retain(|channel| channel.kind == ChannelKind::ProjectHook);
    Ok(hooks)
}

/// Returns the hook of a project with this id.
///
/// # Errors
/// [`ChannelError::NotFound`] also for a channel of another kind; failures of the store.
pub fn find_hook<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    project: ProjectId,
    id: ChannelId,
) -> Result<Channel, ChannelError> {
    let channel = flow::find_channel(tx, project.into(), id)?;
    let hook = Some(channel).filter(|channel| channel.kind == ChannelKind::ProjectHook);
    hook.ok_or(ChannelError::NotFound)
}

/// Creates a hook. Without a name it is named after the host of its URL.
///
/// # Errors
/// See [`ChannelError`].
pub fn create_hook(
    tx: &mut dyn WriteTransaction,
    vault: &Vault,
    project: ProjectId,
    values: &ChannelValues,
    actor: Actor,
) -> Result<Channel, ChannelError> {
    let mut values = values.clone();
    if values.input.name.is_none() {
        values.input.name = Some(free_name(tx, project, values.input.url.as_deref())?);
    }
    let kind = ChannelKind::ProjectHook;
    let (created, _) = create_channel(tx, vault, project.into(), kind, &values, actor)?;
    Ok(created)
}

/// Returns the host of a URL, with a number if another channel of the project has that name.
fn free_name(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    url: Option<&str>,
) -> Result<String, StoreError> {
    let url = url.and_then(|url| Url::parse(url).ok());
    let host = url.as_ref().and_then(Url::host_str).unwrap_or("Hook");
    let host: String = host.chars().take(200).collect();
    let channels = flow::list_channels(tx, project.into())?;
    let is_free = |name: &String| channels.iter().all(|other| other.settings.name != *name);
    // One of as many names as there are channels, and one more, is free.
    let numbered = (2..channels.len() + 3).map(|number| format!("{host} {number}"));
    let mut names = std::iter::once(host.clone()).chain(numbered);
    Ok(names.find(is_free).unwrap_or(host))
}

/// Changes a hook, and returns it. With another URL, a hook loses its token unless a new one is given: the token is for the
/// receiver at the old URL.
///
/// # Errors
/// See [`ChannelError`].
pub fn update_hook(
    tx: &mut dyn WriteTransaction,
    vault: &Vault,
    (project, id): (ProjectId, ChannelId),
    values: &ChannelValues,
    actor: Actor,
) -> Result<Channel, ChannelError> {
    find_hook(tx, project, id)?;
    update_channel(tx, vault, (project.into(), id), values, actor)
}

/// Deletes a hook, and returns it.
///
/// # Errors
/// See [`ChannelError`].
pub fn delete_hook(
    tx: &mut dyn WriteTransaction,
    (project, id): (ProjectId, ChannelId),
    actor: Actor,
) -> Result<Channel, ChannelError> {
    find_hook(tx, project, id)?;
    delete_channel(tx, (project.into(), id), actor)
}

/// Writes an event about something that exists to a hook, whether or not the hook reports such events.
///
/// # Errors
/// [`ChannelError::NothingToTest`] if the project has nothing of the kind. See [`ChannelError`].
pub fn test_hook(
    tx: &mut dyn WriteTransaction,
    (project, id): (ProjectId, ChannelId),
    trigger: HookTrigger,
    actor: Actor,
) -> Result<Channel, ChannelError> {
    let hook = find_hook(tx, project, id)?;
    if !hook.settings.is_active {
        return Err(ChannelError::Inactive);
    }
    let (event, missing) = match trigger {
        HookTrigger::Issues => (newest_issue(tx, project, false, actor)?, "an issue"),
        HookTrigger::ConfidentialIssues => (
            newest_issue(tx, project, true, actor)?,
            "a confidential issue",
        ),
        HookTrigger::Notes => (newest_note(tx, project, actor)?, "a comment on an issue"),
        HookTrigger::Alerts => (newest_alert(tx, project, actor)?, "an alert"),
    };
    let event = event.ok_or(ChannelError::NothingToTest(missing))?;
    tx.insert_messages(&[event.message(hook.id)])?;
    Ok(hook)
}

fn newest_issue(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    confidential: bool,
    actor: Actor,
) -> Result<Option<HookEvent>, StoreError> {
    let filter = IssueFilter {
        confidential: Some(confidential),
        ..issues_of(project, actor)
    };
    let issues = tx.list_issues(&filter, actor.now.date(), OffsetPage::new(1, 1))?;
    let Some(after) = issues.items.first() else {
        return Ok(None);
    };
    let event = IssueHookEvent {
        before: None,
        after,
        user: actor.id,
        at: actor.now,
    };
    event.read(tx)
}

fn newest_note(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    actor: Actor,
) -> Result<Option<HookEvent>, StoreError> {
    let filter = IssueFilter {
        confidential: Some(false),
        ..issues_of(project, actor)
    };
    let page = OffsetPage::new(1, MAX_ISSUES);
    let issues = tx.list_issues(&filter, actor.now.date(), page)?;
    for issue in issues.items.iter().filter(|it| it.user_notes_count > 0) {
        let filter = NoteFilter {
            activity: NoteActivity::Comments,
            ..NoteFilter::new(on_issue(issue), false)
        };
        let notes = tx.list_notes(&filter, OffsetPage::new(1, 1))?;
        if let Some(note) = notes.items.first() {
            let event = NoteHookEvent {
                issue,
                note,
                is_new: true,
                user: actor.id,
                at: actor.now,
            };
            return event.read(tx);
        }
    }
    Ok(None)
}

fn newest_alert(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    actor: Actor,
) -> Result<Option<HookEvent>, StoreError> {
    let alerts = tx.list_alerts(&AlertFilter::new(project), OffsetPage::new(1, 1))?;
    match alerts.items.first() {
        Some(alert) => read_alert(tx, alert, actor.now),
        None => Ok(None),
    }
}

fn issues_of(project: ProjectId, actor: Actor) -> IssueFilter {
    let scope = IssueScope::Project {
        id: project,
        sees_confidential: true,
    };
    IssueFilter::new(scope, actor.viewer)
}
