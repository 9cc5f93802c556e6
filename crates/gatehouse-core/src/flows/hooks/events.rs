//! Events that hooks report, as they are at this moment of the transaction of their change.

use std::collections::{BTreeMap, BTreeSet};

use accounts::User;
use alert_intake::model::{AlertStatus, AlertSummary};
use alert_intake::wire::{AlertEvent, alert_event};
use api_conventions::avatar::Avatar;
use api_conventions::ids::{AlertId, LabelId, ProjectId, UserId};
use api_conventions::reference::ProjectRef;
use api_conventions::time::Timestamp;
use notifications::flow::{Announcement, SubjectChange};
use notifications::model::{Channel, HookBody, HookEvent, MessageEvent, MessageSubjectKind};
use projects::wire::{EventParts, event_project, issue_event, note_event};
use projects::{Issue, Project, ResourceNote};
use serde_json::{Value, json};
use storage::StoreError;

use crate::database::WriteTransaction;

/// Largest number of alerts of one transaction that hooks report: a hook sends no more in an hour.
const MAX_ALERTS: usize = 1000;

/// Creation or change of an issue.
#[derive(Debug, Clone, Copy)]
pub(in crate::flows) struct IssueHookEvent<'e> {
    /// Issue before the change; `None` for a new one.
    pub(in crate::flows) before: Option<&'e Issue>,
    /// Issue after the change.
    pub(in crate::flows) after: &'e Issue,
    /// User who acts.
    pub(in crate::flows) user: UserId,
    /// Time of the change.
    pub(in crate::flows) at: Timestamp,
}

/// Creation or change of a comment on an issue.
#[derive(Debug, Clone, Copy)]
pub(in crate::flows) struct NoteHookEvent<'e> {
    /// Issue.
    pub(in crate::flows) issue: &'e Issue,
    /// Comment after the change.
    pub(in crate::flows) note: &'e ResourceNote,
    /// True for a new comment.
    pub(in crate::flows) is_new: bool,
    /// User who acts.
    pub(in crate::flows) user: UserId,
    /// Time of the change.
    pub(in crate::flows) at: Timestamp,
}

impl IssueHookEvent<'_> {
    /// True if the event is for hooks with confidential events only: what was or is confidential is part of it.
    fn is_confidential(&self) -> bool {
        let issues = self.before.into_iter().chain([self.after]);
        issues.into_iter().any(is_confidential)
    }

    /// Returns the event, if one of these hooks reports it.
    pub(in crate::flows) fn of(
        &self,
        tx: &mut dyn WriteTransaction,
        hooks: &[Channel],
    ) -> Result<Option<HookEvent>, StoreError> {
        if reports(hooks, MessageEvent::IssueHook, self.is_confidential()) {
            self.read(tx)
        } else {
            Ok(None)
        }
    }

    /// Returns the event; `None` without the project.
    pub(super) fn read(
        &self,
        tx: &mut dyn WriteTransaction,
    ) -> Result<Option<HookEvent>, StoreError> {
        let issues: Vec<&Issue> = self.before.into_iter().chain([self.after]).collect();
        let is_confidential = self.is_confidential();
        let Some(project) = tx.find_project(&ProjectRef::Id(self.after.project_id))? else {
            return Ok(None);
        };
        let parts = parts(tx, &project, &issues, self.user)?;
        let body = issue_event(&parts, self.before, self.after, is_confidential);
        Ok(Some(HookEvent {
            project_id: project.id,
            event: MessageEvent::IssueHook,
            is_confidential,
            title: self.after.body.content.title.clone(),
            iid: self.after.iid.get(),
            body: HookBody::new(body),
            at: self.at,
        }))
    }
}

impl NoteHookEvent<'_> {
    fn is_confidential(&self) -> bool {
        self.note.internal || is_confidential(self.issue)
    }

    /// Returns the event, if one of these hooks reports it.
    pub(in crate::flows) fn of(
        &self,
        tx: &mut dyn WriteTransaction,
        hooks: &[Channel],
    ) -> Result<Option<HookEvent>, StoreError> {
        if reports(hooks, MessageEvent::NoteHook, self.is_confidential()) {
            self.read(tx)
        } else {
            Ok(None)
        }
    }

    /// Returns the event; `None` without the project.
    pub(super) fn read(
        &self,
        tx: &mut dyn WriteTransaction,
    ) -> Result<Option<HookEvent>, StoreError> {
        let is_confidential = self.is_confidential();
        let Some(project) = tx.find_project(&ProjectRef::Id(self.issue.project_id))? else {
            return Ok(None);
        };
        let parts = parts(tx, &project, &[self.issue], self.user)?;
        let body = note_event(&parts, self.issue, self.note, self.is_new, is_confidential);
        Ok(Some(HookEvent {
            project_id: project.id,
            event: MessageEvent::NoteHook,
            is_confidential,
            title: self.issue.body.content.title.clone(),
            iid: self.issue.iid.get(),
            body: HookBody::new(body),
            at: self.at,
        }))
    }
}

/// Returns the events of those changes that are of alerts, if these hooks report alerts of their projects. Silences hide
/// nothing from hooks.
pub(in crate::flows) fn of_alerts(
    tx: &mut dyn WriteTransaction,
    hooks: &[Channel],
    changes: &[Announcement],
) -> Result<Vec<HookEvent>, StoreError> {
    let reports = |hook: &&Channel| hook.reports(MessageEvent::AlertHook, false);
    let owners = hooks
        .iter()
        .filter(reports)
        .map(|hook| hook.owner.project());
    let owners: BTreeSet<ProjectId> = owners.flatten().collect();
    let is_reported = |change: &&Announcement| {
        change.subject.kind == MessageSubjectKind::Alert
            && change.change != SubjectChange::Unmuted
            && owners.contains(&change.project_id)
    };
    let changes: Vec<&Announcement> = changes
        .iter()
        .filter(is_reported)
        .take(MAX_ALERTS)
        .collect();
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    let ids: BTreeSet<AlertId> = changes
        .iter()
        .map(|change| AlertId::new(change.subject.id))
        .collect();
    let ids: Vec<AlertId> = ids.into_iter().collect();
    let alerts = tx.list_alerts_with_payloads(&ids)?.into_iter();
    let alerts: BTreeMap<i64, _> = alerts
        .map(|alert| (alert.summary.id.get(), alert.summary))
        .collect();
    let mut projects = BTreeMap::new();
    for id in owners {
        let found = tx.find_project(&ProjectRef::Id(id))?;
        projects.extend(found.map(|project| {
            let json = event_project(&project);
            (id, (project, json))
        }));
    }
    let event = |change: &Announcement| {
        let alert = alerts.get(&change.subject.id)?;
        let (project, json) = projects.get(&change.project_id)?;
        let event = match change.change {
            SubjectChange::Closed => AlertEvent::Resolved(change.at),
            SubjectChange::SeverityChanged(_) => AlertEvent::Updated,
            SubjectChange::Acknowledged if alert.status == AlertStatus::Ignored => {
                AlertEvent::Ignored
            }
            SubjectChange::Acknowledged => AlertEvent::Acknowledged,
            SubjectChange::Opened | SubjectChange::Regressed | SubjectChange::Unmuted => {
                AlertEvent::Opened
            }
        };
        Some(of_alert(alert, event, (project, json), change.at))
    };
    Ok(changes.into_iter().filter_map(event).collect())
}

/// Returns the event that an alert is open; `None` without the project.
pub(super) fn read_alert(
    tx: &mut dyn WriteTransaction,
    alert: &AlertSummary,
    at: Timestamp,
) -> Result<Option<HookEvent>, StoreError> {
    let project = tx.find_project(&ProjectRef::Id(alert.project_id))?;
    Ok(project.map(|project| {
        let json = event_project(&project);
        of_alert(alert, AlertEvent::Opened, (&project, &json), at)
    }))
}

fn of_alert(
    alert: &AlertSummary,
    event: AlertEvent,
    (project, json): (&Project, &Value),
    at: Timestamp,
) -> HookEvent {
    let body = alert_event(alert, event, json, project.full_path.as_str());
    HookEvent {
        project_id: project.id,
        event: MessageEvent::AlertHook,
        is_confidential: false,
        title: alert.title.clone(),
        iid: alert.iid.get(),
        body: HookBody::new(body),
        at,
    }
}

fn reports(hooks: &[Channel], event: MessageEvent, is_confidential: bool) -> bool {
    hooks
        .iter()
        .any(|hook| hook.reports(event, is_confidential))
}

const fn is_confidential(issue: &Issue) -> bool {
    issue.body.content.confidential
}

/// Reads the users and labels of issues.
fn parts<'p>(
    tx: &mut dyn WriteTransaction,
    project: &'p Project,
    issues: &[&Issue],
    user: UserId,
) -> Result<EventParts<'p>, StoreError> {
    let assignees = issues.iter().flat_map(|issue| &issue.body.assignees);
    let users: BTreeSet<UserId> = assignees.copied().chain([user]).collect();
    let users: Vec<UserId> = users.into_iter().collect();
    let users = tx.list_users_by_id(&users)?.into_iter();
    let users: BTreeMap<UserId, Value> = users.map(|user| (user.id, event_user(&user))).collect();
    let labels = issues.iter().flat_map(|issue| &issue.body.labels);
    let labels: BTreeSet<LabelId> = labels.copied().collect();
    let labels: Vec<LabelId> = labels.into_iter().collect();
    let labels = if labels.is_empty() {
        Vec::new()
    } else {
        tx.list_labels_by_id(&labels)?
    };
    Ok(EventParts {
        project,
        user: users.get(&user).cloned().unwrap_or_default(),
        users,
        labels: labels.into_iter().map(|label| (label.id, label)).collect(),
    })
}

/// Returns the short form of a user in events. E-mail addresses are not public here.
fn event_user(user: &User) -> Value {
    json!({
        "id": user.id,
        "name": user.name,
        "username": user.username.as_str(),
        "avatar_url": Avatar::new(user.username.as_str(), &user.name).url(""),
        "email": "[REDACTED]",
    })
}
