//! Messages about alerts, incidents and errors, written to the outbox in the transaction of the change.

use std::collections::BTreeSet;

use alert_intake::flow::receive::{AlertChange, AlertChangeKind};
use alert_intake::model::{Alert, AlertStatus, AlertSummary};
use api_conventions::ids::{AlertId, IssueId, ProjectId};
use api_conventions::time::Timestamp;
use error_tracking::flow::collect::{ErrorChange, ErrorChangeKind};
use notifications::flow::{Announcement, SubjectChange, announce_with_hooks};
use notifications::model::{
    Channel, HookEvent, MessageContent, MessageSeverity, MessageSubject, MessageSubjectKind,
};
use projects::flow::issues::IssueActor;
use projects::{Issue, IssueKind, IssueState};
use storage::StoreError;

use super::collect_errors::severity_of;
use super::hooks::events::{IssueHookEvent, NoteHookEvent, of_alerts};
use super::silences::muted;
use crate::database::WriteTransaction;

/// Writes the messages about new errors and regressions, each with its severity. An error that opens an alert is left to the
/// message about the alert.
pub(super) fn announce_errors<'a>(
    tx: &mut dyn WriteTransaction,
    errors: impl Iterator<Item = &'a ErrorChange>,
) -> Result<(), StoreError> {
    let errors: Vec<Announcement> = errors.filter_map(of_error).collect();
    announce_all(tx, &errors)
}

/// Writes messages, except those about the beginning of what a silence hides. Hooks report the alerts among the changes.
fn announce_all(tx: &mut dyn WriteTransaction, changes: &[Announcement]) -> Result<(), StoreError> {
    let projects = changes.iter().map(|change| change.project_id).collect();
    announce_events(tx, &projects, changes, |tx, hooks| {
        of_alerts(tx, hooks, changes)
    })
}

/// Writes the messages about changes in these projects, and those about the events that hooks report. `events` is called only
/// if there are hooks.
fn announce_events(
    tx: &mut dyn WriteTransaction,
    projects: &BTreeSet<ProjectId>,
    changes: &[Announcement],
    events: impl FnOnce(
        &mut (dyn WriteTransaction + '_),
        &[Channel],
    ) -> Result<Vec<HookEvent>, StoreError>,
) -> Result<(), StoreError> {
    let muted = |tx: &mut (dyn WriteTransaction + '_)| {
        let begins = changes.iter().filter(|change| !change.is_end_or_known());
        let subjects: Vec<_> = begins.map(|it| (it.project_id, it.subject)).collect();
        let now = changes.iter().map(|change| change.at).max();
        now.map_or_else(|| Ok(BTreeSet::new()), |now| muted(tx, &subjects, now))
    };
    announce_with_hooks(tx, projects, changes, muted, events)
}

fn of_error(change: &ErrorChange) -> Option<Announcement> {
    Some(Announcement {
        project_id: change.project_id,
        subject: MessageSubject {
            kind: MessageSubjectKind::Error,
            id: change.error_id.get(),
        },
        change: match change.kind {
            ErrorChangeKind::Appeared => SubjectChange::Opened,
            ErrorChangeKind::Regressed => SubjectChange::Regressed,
            ErrorChangeKind::Unignored => return None,
        },
        content: MessageContent {
            title: change.title.clone(),
            iid: Some(change.iid.get()),
            severity: Some(severity(severity_of(change.level).number())),
            description: change.culprit.clone(),
            environment: change.environment.clone(),
            started_at: Some(change.at),
            ..MessageContent::default()
        },
        at: change.at,
    })
}

/// Title of an incident that not everybody may read, in messages to others.
const CONFIDENTIAL: &str = "(confidential)";

/// Writes the messages about changes of alerts by deliveries.
pub(super) fn announce_deliveries<'a>(
    tx: &mut dyn WriteTransaction,
    changes: impl Iterator<Item = &'a AlertChange>,
) -> Result<(), StoreError> {
    let changes: Vec<Announcement> = changes.map(of_delivery).collect();
    announce_all(tx, &changes)
}

fn of_delivery(change: &AlertChange) -> Announcement {
    Announcement {
        project_id: change.project_id,
        subject: alert_subject(change.alert_id),
        change: match change.kind {
            AlertChangeKind::Opened => SubjectChange::Opened,
            AlertChangeKind::SeverityChanged { from } => {
                SubjectChange::SeverityChanged(severity(from.number()))
            }
            AlertChangeKind::Resolved => SubjectChange::Closed,
            AlertChangeKind::Acknowledged => SubjectChange::Acknowledged,
        },
        content: MessageContent {
            title: change.title.clone(),
            iid: Some(change.iid.get()),
            severity: change.severity.map(|of_alert| severity(of_alert.number())),
            ..MessageContent::default()
        },
        at: change.at,
    }
}

/// Writes the messages about alerts that users changed, each given before and after the change.
pub(super) fn announce_edits<'a>(
    tx: &mut dyn WriteTransaction,
    edits: impl Iterator<Item = (&'a AlertSummary, &'a AlertSummary)>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let edits: Vec<Announcement> = edits
        .filter_map(|(before, after)| {
            let change = change_of(before, after)?;
            Some(of_alert(after, change, now))
        })
        .collect();
    announce_all(tx, &edits)
}

/// Returns the change that channels may report.
fn change_of(before: &AlertSummary, after: &AlertSummary) -> Option<SubjectChange> {
    match (before.status, after.status) {
        (AlertStatus::Triggered, AlertStatus::Acknowledged) => Some(SubjectChange::Acknowledged),
        (AlertStatus::Triggered | AlertStatus::Acknowledged, AlertStatus::Ignored) => {
            Some(SubjectChange::Acknowledged)
        }
        (before, AlertStatus::Resolved { .. }) if before.is_open() => Some(SubjectChange::Closed),
        (AlertStatus::Resolved { .. }, after) if after.is_open() => Some(SubjectChange::Opened),
        _ if before.severity != after.severity && after.status == AlertStatus::Triggered => {
            let from = severity(before.severity.number());
            Some(SubjectChange::SeverityChanged(from))
        }
        _ => None,
    }
}

/// Writes the messages about alerts that were resolved with their incident.
pub(super) fn announce_resolved(
    tx: &mut dyn WriteTransaction,
    resolved: &[AlertSummary],
    now: Timestamp,
) -> Result<(), StoreError> {
    let resolved: Vec<Announcement> = resolved
        .iter()
        .map(|alert| of_alert(alert, SubjectChange::Closed, now))
        .collect();
    announce_all(tx, &resolved)
}

fn of_alert(of: &AlertSummary, change: SubjectChange, now: Timestamp) -> Announcement {
    Announcement {
        project_id: of.project_id,
        subject: alert_subject(of.id),
        change,
        content: MessageContent {
            title: of.title.clone(),
            iid: Some(of.iid.get()),
            severity: Some(severity(of.severity.number())),
            ..MessageContent::default()
        },
        at: now,
    }
}

/// Writes the messages about an issue that was created (without `before`) or changed: to channels if it is an incident that
/// was opened, reopened or closed, and to hooks.
pub(super) fn announce_issue(
    tx: &mut dyn WriteTransaction,
    before: Option<&Issue>,
    after: &Issue,
    by: IssueActor,
) -> Result<(), StoreError> {
    let change = match (before.map(Issue::state), after.state()) {
        (None, _) | (Some(IssueState::Closed), IssueState::Opened) => Some(SubjectChange::Opened),
        (Some(IssueState::Opened), IssueState::Closed) => Some(SubjectChange::Closed),
        _ => None,
    };
    let change = change.filter(|_| after.body.content.kind == IssueKind::Incident);
    let change = change.map(|change| of_incident(after, change, by.now));
    let event = IssueHookEvent {
        before,
        after,
        user: by.user,
        at: by.now,
    };
    let projects = BTreeSet::from([after.project_id]);
    announce_events(tx, &projects, change.as_slice(), |tx, hooks| {
        Ok(event.of(tx, hooks)?.into_iter().collect())
    })
}

/// Writes the messages of hooks about a comment on an issue.
pub(super) fn announce_note(
    tx: &mut dyn WriteTransaction,
    event: NoteHookEvent<'_>,
) -> Result<(), StoreError> {
    let projects = BTreeSet::from([event.issue.project_id]);
    announce_events(tx, &projects, &[], |tx, hooks| {
        Ok(event.of(tx, hooks)?.into_iter().collect())
    })
}

/// Writes the messages about alerts and incidents that no silence hides any more. Incidents that are closed, and other
/// issues, send none.
pub(super) fn announce_unmuted(
    tx: &mut dyn WriteTransaction,
    alerts: &[Alert],
    incidents: &[Issue],
    now: Timestamp,
) -> Result<(), StoreError> {
    let is_open = |issue: &&Issue| issue.state() == IssueState::Opened;
    let alerts = alerts
        .iter()
        .map(|alert| of_alert(&alert.summary, SubjectChange::Unmuted, now));
    let incidents = incidents
        .iter()
        .filter(is_open)
        .map(|issue| of_incident(issue, SubjectChange::Unmuted, now));
    let changes: Vec<Announcement> = alerts.chain(incidents).collect();
    announce_all(tx, &changes)
}

fn of_incident(issue: &Issue, change: SubjectChange, now: Timestamp) -> Announcement {
    let content = &issue.body.content;
    let title = if content.confidential {
        CONFIDENTIAL
    } else {
        &content.title
    };
    let is_over = change == SubjectChange::Closed;
    Announcement {
        project_id: issue.project_id,
        subject: incident_subject(issue.id),
        change,
        content: MessageContent {
            title: title.to_owned(),
            iid: Some(issue.iid.get()),
            severity: MessageSeverity::parse(content.severity.as_str()),
            started_at: Some(issue.created_at),
            ended_at: is_over.then_some(now),
            ..MessageContent::default()
        },
        at: now,
    }
}

pub(super) const fn alert_subject(id: AlertId) -> MessageSubject {
    MessageSubject {
        kind: MessageSubjectKind::Alert,
        id: id.get(),
    }
}

pub(super) const fn incident_subject(id: IssueId) -> MessageSubject {
    MessageSubject {
        kind: MessageSubjectKind::Incident,
        id: id.get(),
    }
}

/// Returns the severity with the number that an alert's severity has in rows.
fn severity(number: i16) -> MessageSeverity {
    MessageSeverity::from_number(number).unwrap_or(MessageSeverity::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn severities_of_alerts_and_messages_have_the_same_names_and_order() {
        let of_alerts = alert_intake::model::Severity::ALL;
        for of_alert in of_alerts {
            assert_eq!(severity(of_alert.number()).as_str(), of_alert.as_str());
        }
        let numbers = of_alerts.map(|of_alert| severity(of_alert.number()));
        assert!(numbers.is_sorted());
        assert_eq!(numbers.len(), MessageSeverity::ALL.len());
    }
}
