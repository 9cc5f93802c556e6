//! Messages to users about what is assigned to them, and what mentions them.
//!
//! They go to the channels of the user that take them, or by e-mail to a user without channels.

use std::collections::{BTreeMap, BTreeSet};

use accounts::User;
use alert_intake::model::AlertSummary;
use api_conventions::access::AccessLevel;
use api_conventions::ids::{NoteId, ProjectId, UserId};
use api_conventions::reference::ProjectRef;
use api_conventions::time::Timestamp;
use notifications::flow::{MAX_CHANNELS, open_mailbox};
use notifications::model::{
    Channel, MessageContent, MessageEvent, MessageSeverity, MessageSubject, MessageSubjectKind,
    NewMessage,
};
use projects::flow::find_visible::project_access;
use projects::flow::issues::IssueActor;
use projects::rules::issues::{sees_confidential, sees_issue};
use projects::{Issue, IssueState, Project, Viewer};
use storage::StoreError;

use super::account_mail::is_reachable;
use crate::database::{ReadTransaction, WriteTransaction};

/// Largest number of users whom one text tells that it mentions them.
const MAX_MENTIONED: usize = 20;
/// Largest number of alerts of which a user hears one by one when they are assigned at once.
const MAX_SINGLE: usize = 10;

/// Subject of a message to a user.
#[derive(Debug, Clone, Copy)]
pub(super) enum UserSubject<'a> {
    /// An issue.
    Issue(&'a Issue),
    /// An alert.
    Alert(&'a AlertSummary),
}

/// A text that may mention users.
#[derive(Debug, Clone, Copy)]
pub(super) struct WrittenText<'a> {
    /// The text before the change; empty for a new one.
    pub(super) before: &'a str,
    /// The text.
    pub(super) text: &'a str,
    /// Comment that it is, with true for an internal one.
    pub(super) note: Option<(NoteId, bool)>,
}

impl WrittenText<'_> {
    /// False for a text that certainly mentions nobody.
    pub(super) fn may_mention(&self) -> bool {
        self.text.contains('@')
    }
}

impl UserSubject<'_> {
    /// Finds the project of the subject.
    ///
    /// # Errors
    /// Failures of the store.
    pub(super) fn find_project<T: ReadTransaction + ?Sized>(
        self,
        tx: &mut T,
    ) -> Result<Option<Project>, StoreError> {
        tx.find_project(&ProjectRef::Id(self.project()))
    }

    const fn project(self) -> ProjectId {
        match self {
            Self::Issue(issue) => issue.project_id,
            Self::Alert(alert) => alert.project_id,
        }
    }

    /// True if a user may read the subject, which is in this project, and the comment on it.
    ///
    /// # Errors
    /// Failures of the store.
    pub(super) fn is_read_by<T: ReadTransaction + ?Sized>(
        self,
        tx: &mut T,
        project: &Project,
        (user, is_internal): (&User, bool),
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let viewer = if user.is_admin {
            Viewer::Administrator(user.id)
        } else {
            Viewer::User(user.id)
        };
        let Some(access) = project_access(tx, viewer, project, now)? else {
            return Ok(false);
        };
        Ok(match self {
            Self::Issue(issue) => {
                sees_issue(issue, viewer, access) && (!is_internal || sees_confidential(access))
            }
            Self::Alert(_) => access.allows(AccessLevel::Developer),
        })
    }

    /// Returns the subject of messages, and what they say of it.
    fn described(self) -> (MessageSubject, MessageContent) {
        let of = |title: &str, iid| MessageContent {
            title: title.to_owned(),
            iid: Some(iid),
            ..MessageContent::default()
        };
        match self {
            Self::Issue(issue) => {
                let subject = MessageSubject {
                    kind: MessageSubjectKind::Issue,
                    id: issue.id.get(),
                };
                (subject, of(&issue.body.content.title, issue.iid.get()))
            }
            Self::Alert(alert) => {
                let content = MessageContent {
                    severity: MessageSeverity::from_number(alert.severity.number()),
                    started_at: Some(alert.started_at),
                    ..of(&alert.title, alert.iid.get())
                };
                let subject = MessageSubject {
                    kind: MessageSubjectKind::AlertOfUser,
                    id: alert.id.get(),
                };
                (subject, content)
            }
        }
    }
}

/// Writes the messages about a change of an issue: to new assignees, and to the users whom the description now mentions. The
/// author of the change gets none.
pub(super) fn announce_issue_to_users(
    tx: &mut dyn WriteTransaction,
    before: Option<&Issue>,
    after: &Issue,
    by: IssueActor,
) -> Result<(), StoreError> {
    let subject = UserSubject::Issue(after);
    let known = before.map(|issue| &issue.body.assignees);
    let mut assigned: BTreeSet<UserId> = after.body.assignees.clone();
    assigned.retain(|user| *user != by.user && known.is_none_or(|known| !known.contains(user)));
    if after.state() == IssueState::Opened {
        let ids: Vec<UserId> = assigned.iter().copied().collect();
        let users = list_reachable(tx, &ids)?;
        let news = users.iter().map(|user| UserNews::new(user, subject));
        send(
            tx,
            MessageEvent::IssueAssigned,
            &news.collect::<Vec<_>>(),
            by.now,
        )?;
    }
    let text = WrittenText {
        before: before.map_or("", description),
        text: description(after),
        note: None,
    };
    assigned.insert(by.user);
    announce_mentions(tx, subject, text, &assigned, by.now)
}

fn description(issue: &Issue) -> &str {
    issue
        .body
        .content
        .description
        .as_deref()
        .unwrap_or_default()
}

/// Writes the messages to the users whom a text mentions for the first time and who may read it, except to some.
pub(super) fn announce_mentions(
    tx: &mut dyn WriteTransaction,
    subject: UserSubject<'_>,
    text: WrittenText<'_>,
    except: &BTreeSet<UserId>,
    now: Timestamp,
) -> Result<(), StoreError> {
    if text.before == text.text || !text.may_mention() {
        return Ok(());
    }
    let known: BTreeSet<String> = markdown::mentions(text.before).into_iter().collect();
    let mut names = markdown::mentions(text.text);
    names.retain(|name| !known.contains(name));
    names.truncate(MAX_MENTIONED);
    if names.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let Some(project) = subject.find_project(tx)? else {
        return Ok(());
    };
    let is_internal = text.note.is_some_and(|(_, is_internal)| is_internal);
    let mut users = Vec::new();
    for user in tx.list_users_by_username(&names)? {
        if !is_reachable(&user) || except.contains(&user.id) {
            continue;
        }
        if subject.is_read_by(tx, &project, (&user, is_internal), now)? {
            users.push(user);
        }
    }
    let note = text.note.map(|(id, _)| (id, text.text));
    let news = users.iter().map(|user| UserNews {
        note,
        ..UserNews::new(user, subject)
    });
    send(tx, MessageEvent::Mention, &news.collect::<Vec<_>>(), now)
}

/// Writes the messages to the users to whom alerts were assigned, except by themselves. Of many alerts that are assigned to one
/// user at once, it is one message about the most severe.
pub(super) fn announce_assigned_alerts<'a>(
    tx: &mut dyn WriteTransaction,
    assigned: impl Iterator<Item = (UserId, &'a AlertSummary)>,
    by: UserId,
    now: Timestamp,
) -> Result<(), StoreError> {
    let mut alerts: BTreeMap<UserId, Vec<&AlertSummary>> = BTreeMap::new();
    for (user, alert) in assigned.filter(|(user, alert)| *user != by && alert.status.is_open()) {
        alerts.entry(user).or_default().push(alert);
    }
    let ids: Vec<UserId> = alerts.keys().copied().collect();
    let users = list_reachable(tx, &ids)?;
    let mut news = Vec::new();
    for user in &users {
        let mut of_user = alerts.remove(&user.id).unwrap_or_default();
        let mut count = None;
        if of_user.len() > MAX_SINGLE {
            count = u32::try_from(of_user.len()).ok();
            of_user.sort_by_key(|alert| alert.severity.number());
            of_user.truncate(1);
        }
        news.extend(of_user.into_iter().map(|alert| UserNews {
            count,
            ..UserNews::new(user, UserSubject::Alert(alert))
        }));
    }
    send(tx, MessageEvent::AlertAssigned, &news, now)
}

fn list_reachable(tx: &mut dyn WriteTransaction, ids: &[UserId]) -> Result<Vec<User>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut users = tx.list_users_by_id(ids)?;
    users.retain(is_reachable);
    Ok(users)
}

/// Message to one user.
#[derive(Debug, Clone, Copy)]
struct UserNews<'a> {
    user: &'a User,
    subject: UserSubject<'a>,
    /// Comment that mentions the user.
    note: Option<(NoteId, &'a str)>,
    /// Number of alerts, if there are many.
    count: Option<u32>,
}

impl<'a> UserNews<'a> {
    const fn new(user: &'a User, subject: UserSubject<'a>) -> Self {
        Self {
            user,
            subject,
            note: None,
            count: None,
        }
    }

    /// Returns the message to a channel of the user.
    fn message(&self, event: MessageEvent, channel: &Channel, at: Timestamp) -> NewMessage {
        let (subject, content) = self.subject.described();
        let content = MessageContent {
            description: self.note.map_or("", |(_, text)| text).to_owned(),
            count: self.count,
            user_id: Some(self.user.id),
            project_id: Some(self.subject.project()),
            note_id: self.note.map(|(id, _)| id),
            ..content
        };
        NewMessage {
            // What one person hears of is not for the Maintainers of the project.
            project_id: None,
            channel_id: channel.id,
            event,
            subject,
            content: content.shortened(),
            created_at: at,
            send_at: at,
        }
    }
}

/// Writes messages to the channels of users that take them. A user without channels gets e-mail.
fn send(
    tx: &mut dyn WriteTransaction,
    event: MessageEvent,
    all: &[UserNews<'_>],
    now: Timestamp,
) -> Result<(), StoreError> {
    if all.is_empty() {
        return Ok(());
    }
    let ids: BTreeSet<UserId> = all.iter().map(|news| news.user.id).collect();
    let ids: Vec<UserId> = ids.into_iter().collect();
    let channels = tx.list_user_channels(&ids, MAX_CHANNELS.saturating_mul(ids.len()))?;
    let mut messages = Vec::new();
    for news in all {
        let user = news.user;
        let mut own: Vec<Channel> = channels.clone();
        own.retain(|channel| channel.owner == user.id.into());
        if own.is_empty() {
            own.push(open_mailbox(tx, &user.email, now)?);
        } else {
            own.retain(|channel| channel.wants(event, None));
        }
        messages.extend(own.iter().map(|channel| news.message(event, channel, now)));
    }
    // All transactions wake channels in the same order.
    messages.sort_by_key(|message| message.channel_id);
    tx.insert_messages(&messages)
}
