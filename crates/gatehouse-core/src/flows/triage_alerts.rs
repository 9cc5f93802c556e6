//! Changes of alerts by users, with their system notes and entries in the feed.

use std::collections::{BTreeMap, BTreeSet};

use accounts::UserState;
use alert_intake::flow::set_status::SetStatusError;
use alert_intake::flow::triage::{AlertEdit, triage};
use alert_intake::model::{AlertSummary, Severity};
use api_conventions::access::AccessLevel;
use api_conventions::ids::{AlertIid, ProjectId, UserId};
use api_conventions::time::Timestamp;
use events::{Action, Audience, EventTarget, NewEvent, TargetType};
use projects::NewNote;
use storage::StoreError;

use super::change_alert::{ChangeAlertError, status_note};
use super::incidents::closing::close_recovered_by_hand;
use super::notes::on_alert;
use super::notifications::announce_edits;
use super::user_messages::announce_assigned_alerts;
use crate::database::WriteTransaction;

/// Maximum number of alerts of one bulk edit.
pub const MAX_ALERTS: usize = 100;

/// User who edits alerts, and the current time.
#[derive(Debug, Clone, Copy)]
pub struct AlertEditor {
    /// The user.
    pub user: UserId,
    /// Current time.
    pub now: Timestamp,
}

/// Outcome of a bulk edit for one alert.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum AlertOutcome {
    /// The alert has the requested values, at least one of which is new.
    Updated(AlertSummary),
    /// The alert already had the requested values.
    Unchanged(AlertSummary),
    /// There is no such alert.
    NotFound,
    /// The alert was not changed, because another open alert, with this number, has its identity.
    IdentityOpen(AlertIid),
}

/// An alert before and after an edit.
struct EditedAlert {
    before: AlertSummary,
    after: AlertSummary,
}

/// Edits an alert. A system note names each change; the feed gets an entry if the alert is closed or reopened.
///
/// # Errors
/// See [`ChangeAlertError`].
pub fn edit_alert(
    tx: &mut dyn WriteTransaction,
    project_id: ProjectId,
    iid: AlertIid,
    edit: AlertEdit,
    by: AlertEditor,
) -> Result<AlertSummary, ChangeAlertError> {
    check_assignee(tx, project_id, edit, by)?;
    let (before, after) = triage(tx, project_id, iid, edit, by.now)?;
    let edited = EditedAlert {
        before: before.summary,
        after: after.summary,
    };
    record(tx, std::slice::from_ref(&edited), by)?;
    Ok(edited.after)
}

/// Edits several alerts, each completely or not at all. The outcomes are in the order of `iids`, which has no
/// duplicates.
///
/// # Errors
/// [`ChangeAlertError::Assignee`], and failures of the store. Nothing is written then.
pub fn edit_alerts(
    tx: &mut dyn WriteTransaction,
    project_id: ProjectId,
    iids: &[AlertIid],
    edit: AlertEdit,
    by: AlertEditor,
) -> Result<Vec<(AlertIid, AlertOutcome)>, ChangeAlertError> {
    check_assignee(tx, project_id, edit, by)?;
    let mut edited = Vec::new();
    let mut outcomes = Vec::with_capacity(iids.len());
    for iid in iids {
        let outcome = match triage(tx, project_id, *iid, edit, by.now) {
            Ok((before, after)) if before == after => AlertOutcome::Unchanged(after.summary),
            Ok((before, after)) => {
                let outcome = AlertOutcome::Updated(after.summary.clone());
                edited.push(EditedAlert {
                    before: before.summary,
                    after: after.summary,
                });
                outcome
            }
            Err(SetStatusError::NotFound) => AlertOutcome::NotFound,
            Err(SetStatusError::IdentityOpen(other)) => AlertOutcome::IdentityOpen(other),
            Err(error) => return Err(error.into()),
        };
        outcomes.push((*iid, outcome));
    }
    record(tx, &edited, by)?;
    Ok(outcomes)
}

/// Refuses an assignee who cannot read the alerts of the project.
fn check_assignee(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    edit: AlertEdit,
    by: AlertEditor,
) -> Result<(), ChangeAlertError> {
    let Some(Some(user)) = edit.assignee_id else {
        return Ok(());
    };
    let found = tx.list_users_by_id(&[user])?.into_iter().next();
    let found = found.filter(|user| user.state == UserState::Active);
    let found = found.ok_or(ChangeAlertError::Assignee)?;
    let role = tx.find_membership(user, project, by.now.date())?;
    if found.is_admin || role.highest() >= Some(AccessLevel::Developer) {
        return Ok(());
    }
    Err(ChangeAlertError::Assignee)
}

/// Writes the system notes, the entries in the feed and the messages, and closes the incidents of alerts that are over.
fn record(
    tx: &mut dyn WriteTransaction,
    edited: &[EditedAlert],
    by: AlertEditor,
) -> Result<(), StoreError> {
    let names = usernames(tx, edited)?;
    let notes = edited.iter().flat_map(|alert| alert.notes(&names, by));
    let notes: Vec<NewNote> = notes.collect();
    if !notes.is_empty() {
        tx.insert_notes(&notes)?;
    }
    let entries = edited.iter().filter_map(|alert| alert.entry(by));
    let entries: Vec<NewEvent> = entries.collect();
    if !entries.is_empty() {
        tx.insert_events(&entries)?;
    }
    let is_closed =
        |alert: &&EditedAlert| alert.before.status.is_open() && !alert.after.status.is_open();
    for alert in edited.iter().filter(is_closed) {
        close_recovered_by_hand(tx, alert.after.id, by.user, by.now)?;
    }
    let edits = edited.iter().map(|alert| (&alert.before, &alert.after));
    announce_edits(tx, edits, by.now)?;
    let assigned = edited.iter().filter_map(|alert| {
        let assignee = alert.after.assignee_id?;
        Some((assignee, &alert.after)).filter(|_| alert.before.assignee_id != Some(assignee))
    });
    announce_assigned_alerts(tx, assigned, by.user, by.now)
}

/// Returns the usernames that the notes mention.
fn usernames(
    tx: &mut dyn WriteTransaction,
    edited: &[EditedAlert],
) -> Result<BTreeMap<UserId, String>, StoreError> {
    let changed = edited
        .iter()
        .filter(|alert| alert.before.assignee_id != alert.after.assignee_id);
    let ids = changed.flat_map(|alert| [alert.before.assignee_id, alert.after.assignee_id]);
    let ids: BTreeSet<UserId> = ids.flatten().collect();
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let ids: Vec<UserId> = ids.into_iter().collect();
    let users = tx.list_users_by_id(&ids)?;
    Ok(users
        .into_iter()
        .map(|user| (user.id, user.username.as_str().to_owned()))
        .collect())
}

impl EditedAlert {
    /// Returns the system notes, one for each attribute that changed.
    fn notes(&self, names: &BTreeMap<UserId, String>, by: AlertEditor) -> Vec<NewNote> {
        let (before, after) = (&self.before, &self.after);
        let mut texts = Vec::new();
        let status = status_note(after.status);
        if status != status_note(before.status) {
            texts.push(status.to_owned());
        }
        if before.severity != after.severity {
            texts.push(severity_note(after.severity));
        }
        texts.extend(self.assignee_note(names));
        let note = |body| NewNote {
            on: on_alert(after),
            author_id: by.user,
            body,
            system: true,
            internal: false,
            created_at: by.now,
        };
        texts.into_iter().map(note).collect()
    }

    /// Returns the text about the assignee, if it changed. A deleted user has no name, and is left out.
    fn assignee_note(&self, names: &BTreeMap<UserId, String>) -> Option<String> {
        let (before, after) = (self.before.assignee_id, self.after.assignee_id);
        if before == after {
            return None;
        }
        let part = |word: &str, user: Option<UserId>| {
            let name = names.get(&user?)?;
            Some(format!("{word} @{name}"))
        };
        let parts = [part("assigned to", after), part("unassigned", before)];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(" and "))
    }

    /// Returns the entry in the feed if the alert was closed or reopened.
    fn entry(&self, by: AlertEditor) -> Option<NewEvent> {
        let after = &self.after;
        let action = match (self.before.status.is_open(), after.status.is_open()) {
            (true, false) => Action::Closed,
            (false, true) => Action::Reopened,
            _ => return None,
        };
        Some(NewEvent {
            project_id: after.project_id,
            author_id: by.user,
            action,
            target: Some(EventTarget {
                kind: TargetType::Alert,
                id: after.id.get(),
                iid: after.iid.get(),
                title: Some(after.title.clone()),
            }),
            audience: Audience::Developers,
            push: None,
            created_at: by.now,
        })
    }
}

/// Returns the text of the system note about a new severity.
fn severity_note(severity: Severity) -> String {
    let mut letters = severity.as_str().chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    let name: String = first.into_iter().chain(letters).collect();
    format!("changed the severity to **{name}**")
}
