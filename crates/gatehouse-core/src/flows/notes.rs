//! Changes to notes on issues and alerts, with their entries in the feed.

use std::collections::BTreeSet;

use alert_intake::model::{Alert, AlertSummary};
use api_conventions::access::AccessLevel;
use api_conventions::ids::{AlertIid, IssueId, IssueIid, NoteId, ProjectId};
use api_conventions::time::Timestamp;
use events::{Action, Audience, EventTarget, NewEvent, TargetType};
use projects::flow::issues::{IssueActor, IssueError, find_issue};
use projects::flow::notes::{NoteError, create_note, delete_note, update_note};
use projects::rules::system_notes::{Names, system_notes};
use projects::{
    Issue, IssueBody, NewNote, Noteable, NoteableKind, ProjectAccess, ResourceNote, Viewer,
};
use storage::StoreError;

use super::hooks::events::NoteHookEvent;
use super::issues::audience;
use super::notifications::announce_note;
use super::user_messages::{UserSubject, WrittenText, announce_mentions};
use crate::database::{ReadTransaction, WriteTransaction};

/// Number of notes whose feed entries are updated at once.
const MOVED_AT_ONCE: usize = 1000;

/// A resource with notes that the caller can see.
#[derive(Debug, Clone)]
pub struct NoteTarget {
    /// The issue or alert.
    pub on: Noteable,
    title: String,
    audience: Audience,
    is_locked: bool,
}

/// Returns an issue as a target of notes.
pub fn on_issue(issue: &Issue) -> Noteable {
    Noteable {
        project_id: issue.project_id,
        kind: NoteableKind::Issue,
        id: issue.id.get(),
        iid: issue.iid.get(),
    }
}

/// Returns an alert as a target of notes.
pub fn on_alert(alert: &AlertSummary) -> Noteable {
    Noteable {
        project_id: alert.project_id,
        kind: NoteableKind::Alert,
        id: alert.id.get(),
        iid: alert.iid.get(),
    }
}

/// Finds the issue with this number, for a viewer who sees the project.
///
/// # Errors
/// As [`find_issue`].
pub fn issue_of<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    project: ProjectId,
    iid: IssueIid,
    viewer: Viewer,
    access: ProjectAccess,
) -> Result<NoteTarget, IssueError> {
    let issue = find_issue(tx, project, iid, viewer, access)?;
    Ok(NoteTarget {
        on: on_issue(&issue),
        audience: audience(&issue),
        is_locked: issue.body.content.discussion_locked,
        title: issue.body.content.title,
    })
}

/// Finds the alert with this number. The caller must be allowed to see the alerts of the project.
///
/// # Errors
/// Failures of the store.
pub fn alert_of<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    project: ProjectId,
    iid: AlertIid,
) -> Result<Option<NoteTarget>, StoreError> {
    let found = tx.find_alert(project, iid)?;
    Ok(found.map(|Alert { summary, .. }| NoteTarget {
        on: on_alert(&summary),
        title: summary.title,
        audience: Audience::Developers,
        is_locked: false,
    }))
}

/// A note to be created.
#[derive(Debug, Clone)]
pub struct NoteInput {
    /// Text of the note.
    pub body: String,
    /// True if only Reporters and up may see it.
    pub internal: bool,
    /// Creation time, if an Owner sets it.
    pub created_at: Option<Timestamp>,
}

/// Creates a note. If the discussion is locked, only members of the project may.
///
/// # Errors
/// See [`NoteError`].
pub fn create(
    tx: &mut dyn WriteTransaction,
    target: &NoteTarget,
    input: NoteInput,
    by: IssueActor,
) -> Result<ResourceNote, NoteError> {
    if target.is_locked && !by.access.allows(AccessLevel::Guest) {
        return Err(NoteError::Forbidden);
    }
    let issue = lock(tx, target.on)?;
    let is_owner = by.access.allows(AccessLevel::Owner);
    let new = NewNote {
        on: target.on,
        author_id: by.user,
        body: input.body,
        system: false,
        internal: input.internal,
        created_at: input.created_at.filter(|_| is_owner).unwrap_or(by.now),
    };
    let note = create_note(tx, new, by)?;
    tx.touch_projects(&[(target.on.project_id, by.now)])?;
    tx.insert_events(&[NewEvent {
        project_id: target.on.project_id,
        author_id: by.user,
        action: Action::Commented,
        target: Some(EventTarget {
            kind: TargetType::Note,
            id: note.id.get(),
            iid: note.id.get(),
            title: Some(target.title.clone()),
        }),
        audience: if note.internal {
            target.audience.max(Audience::Reporters)
        } else {
            target.audience
        },
        push: None,
        created_at: by.now,
    }])?;
    announce(tx, issue.as_ref(), &note, None, by)?;
    Ok(note)
}

/// Updates the text of a note. The feed shows the current text.
///
/// # Errors
/// See [`NoteError`].
pub fn update(
    tx: &mut dyn WriteTransaction,
    target: &NoteTarget,
    id: NoteId,
    body: String,
    by: IssueActor,
) -> Result<ResourceNote, NoteError> {
    let issue = lock(tx, target.on)?;
    let before = tx.find_note(target.on, id)?;
    let note = update_note(tx, target.on, id, body, by)?;
    announce(tx, issue.as_ref(), &note, before.as_ref(), by)?;
    Ok(note)
}

/// Reports a comment to hooks, and to the users whom it mentions. Comments on alerts have no form that receivers of hooks know.
fn announce(
    tx: &mut dyn WriteTransaction,
    issue: Option<&Issue>,
    note: &ResourceNote,
    before: Option<&ResourceNote>,
    by: IssueActor,
) -> Result<(), StoreError> {
    let text = WrittenText {
        before: before.map_or("", |note| &note.body),
        text: &note.body,
        note: Some((note.id, note.internal)),
    };
    let author = BTreeSet::from([by.user]);
    if let Some(issue) = issue {
        let event = NoteHookEvent {
            issue,
            note,
            is_new: before.is_none(),
            user: by.user,
            at: by.now,
        };
        announce_note(tx, event)?;
        return announce_mentions(tx, UserSubject::Issue(issue), text, &author, by.now);
    }
    if !text.may_mention() {
        return Ok(());
    }
    match tx.find_alert(note.on.project_id, AlertIid::new(note.on.iid))? {
        Some(Alert { summary, .. }) => {
            announce_mentions(tx, UserSubject::Alert(&summary), text, &author, by.now)
        }
        None => Ok(()),
    }
}

/// Deletes a note. The feed keeps its entry, without the text.
///
/// # Errors
/// See [`NoteError`].
pub fn delete(
    tx: &mut dyn WriteTransaction,
    target: &NoteTarget,
    id: NoteId,
    unmodified_since: Option<Timestamp>,
    by: IssueActor,
) -> Result<(), NoteError> {
    lock(tx, target.on)?;
    delete_note(tx, target.on, id, unmodified_since, by)
}

/// Prevents others from deleting the issue, so that no note is left without one. Returns the issue, if the note is on one.
fn lock(tx: &mut dyn WriteTransaction, on: Noteable) -> Result<Option<Issue>, NoteError> {
    if on.kind != NoteableKind::Issue {
        return Ok(None);
    }
    let is_locked = tx.lock_issues(on.project_id)?;
    let found = tx.find_issue_by_id(IssueId::new(on.id))?;
    let found = found.filter(|_| is_locked).ok_or(NoteError::Unknown)?;
    Ok(Some(found))
}

/// Writes the system notes about a change to an issue.
pub(super) fn note_changes(
    tx: &mut dyn WriteTransaction,
    before: &IssueBody,
    after: &Issue,
    by: IssueActor,
) -> Result<(), StoreError> {
    let names = names(tx, before, &after.body)?;
    note(tx, after, system_notes(before, &after.body, &names), by)
}

/// Writes system notes on an issue, which must be locked.
pub(super) fn note(
    tx: &mut dyn WriteTransaction,
    issue: &Issue,
    texts: impl IntoIterator<Item = String>,
    by: IssueActor,
) -> Result<(), StoreError> {
    let notes = texts.into_iter();
    let notes: Vec<NewNote> = notes
        .map(|body| NewNote {
            on: on_issue(issue),
            author_id: by.user,
            body,
            system: true,
            internal: false,
            created_at: by.now,
        })
        .collect();
    tx.insert_notes(&notes).map(drop)
}

fn names(
    tx: &mut dyn WriteTransaction,
    before: &IssueBody,
    after: &IssueBody,
) -> Result<Names, StoreError> {
    let labels: Vec<_> = before
        .labels
        .symmetric_difference(&after.labels)
        .copied()
        .collect();
    let users: Vec<_> = before
        .assignees
        .symmetric_difference(&after.assignees)
        .copied()
        .collect();
    let milestones: Vec<_> = after.milestone_id.into_iter().collect();
    let mut names = Names::default();
    if !labels.is_empty() {
        let labels = tx.list_labels_by_id(&labels)?.into_iter();
        names.labels = labels
            .map(|label| (label.id, label.content.title))
            .collect();
    }
    if !milestones.is_empty() && before.milestone_id != after.milestone_id {
        let milestones = tx.list_milestones_by_id(&milestones)?.into_iter();
        names.milestones = milestones.map(|one| (one.id, one.content.title)).collect();
    }
    if !users.is_empty() {
        let users = tx.list_users_by_id(&users)?.into_iter();
        names.users = users
            .map(|user| (user.id, user.username.as_str().to_owned()))
            .collect();
    }
    Ok(names)
}

/// Gives the feed entries about comments on an issue the current audience of the issue. Internal notes stay visible to
/// Reporters only.
pub(super) fn move_notes(tx: &mut dyn WriteTransaction, issue: &Issue) -> Result<(), StoreError> {
    let (on, to) = (on_issue(issue), audience(issue));
    let mut after = NoteId::new(0);
    loop {
        let all = to != Audience::Everyone;
        let ids = tx.list_comment_ids(on, all, after, MOVED_AT_ONCE)?;
        let Some(last) = ids.last() else {
            return Ok(());
        };
        after = *last;
        let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
        tx.change_audience(issue.project_id, TargetType::Note, &ids, to)?;
    }
}
