//! Messages about alerts, incidents and errors, written to the outbox in the transaction of the change.

use alert_intake::flow::receive::{AlertChange, AlertChangeKind};
use alert_intake::model::{AlertStatus, AlertSummary};
use api_conventions::time::Timestamp;
use error_tracking::flow::collect::{ErrorChange, ErrorChangeKind};
use events::Action;
use notifications::flow::{Announcement, SubjectChange, announce};
use notifications::model::{MessageContent, MessageSeverity, MessageSubject, MessageSubjectKind};
use projects::{Issue, IssueKind};
use storage::StoreError;

use super::collect_errors::severity_of;
use crate::database::WriteTransaction;

/// Writes the messages about new errors and regressions, each with its severity. An error that opens an alert is left to the
/// message about the alert.
pub(super) fn announce_errors<'a>(
    tx: &mut dyn WriteTransaction,
    errors: impl Iterator<Item = &'a ErrorChange>,
) -> Result<(), StoreError> {
    let errors: Vec<Announcement> = errors.filter_map(of_error).collect();
    announce(tx, &errors)
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
    announce(tx, &changes)
}

fn of_delivery(change: &AlertChange) -> Announcement {
    Announcement {
        project_id: change.project_id,
        subject: alert(change.alert_id.get()),
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
    announce(tx, &edits)
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
    announce(tx, &resolved)
}

fn of_alert(of: &AlertSummary, change: SubjectChange, now: Timestamp) -> Announcement {
    Announcement {
        project_id: of.project_id,
        subject: alert(of.id.get()),
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

/// Writes the messages about an incident that was created, closed or reopened. Other issues send none.
pub(super) fn announce_incident(
    tx: &mut dyn WriteTransaction,
    issue: &Issue,
    action: Action,
    now: Timestamp,
) -> Result<(), StoreError> {
    let content = &issue.body.content;
    let change = match action {
        Action::Created | Action::Reopened => SubjectChange::Opened,
        Action::Closed => SubjectChange::Closed,
        _ => return Ok(()),
    };
    if content.kind != IssueKind::Incident {
        return Ok(());
    }
    let title = if content.confidential {
        CONFIDENTIAL
    } else {
        &content.title
    };
    let is_over = change == SubjectChange::Closed;
    let incident = Announcement {
        project_id: issue.project_id,
        subject: MessageSubject {
            kind: MessageSubjectKind::Incident,
            id: issue.id.get(),
        },
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
    };
    announce(tx, &[incident])
}

const fn alert(id: i64) -> MessageSubject {
    MessageSubject {
        kind: MessageSubjectKind::Alert,
        id,
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
