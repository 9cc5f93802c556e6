//! Closing of incidents with their alerts, and of alerts with their incident.

use std::collections::{BTreeMap, BTreeSet};

use accounts::UserKind;
use alert_intake::model::{AlertStatus, AlertSummary, StatusChange};
use api_conventions::access::AccessLevel;
use api_conventions::ids::{AlertId, IssueId, ProjectId, UserId};
use api_conventions::reference::ProjectRef;
use api_conventions::time::Timestamp;
use events::{Action, Audience, EventTarget, NewEvent, TargetType};
use projects::flow::issues::{IssueActor, IssueError};
use projects::{
    Issue, IssueKind, IssueState, Membership, Noteable, Project, ProjectAccess, Viewer,
};
use storage::{StoreError, StoreErrorKind};

use super::note_on_alerts;
use crate::database::WriteTransaction;
use crate::flows::issues::update_with_error;
use crate::flows::notes::on_alert;
use crate::flows::notifications::announce_resolved;
use crate::spam::ClearedEdit;

/// Number of alerts of an incident that are resolved at once.
const RESOLVED_AT_ONCE: usize = 1000;

/// Returns the alert bot as an actor in a project.
pub(super) fn bot_in(project: &Project, bot: UserId, now: Timestamp) -> Option<IssueActor> {
    let viewer = Viewer::Administrator(bot);
    let access = ProjectAccess::decide(viewer, Membership::default(), project.visibility)?;
    Some(IssueActor {
        viewer,
        user: bot,
        access,
        now,
    })
}

/// Closes the incident of an alert that `actor` resolved, if it was the last open one. The alert bot closes it.
pub(in crate::flows) fn close_recovered_by_hand(
    tx: &mut dyn WriteTransaction,
    alert: AlertId,
    actor: UserId,
    now: Timestamp,
) -> Result<(), StoreError> {
    let links = tx.list_incident_links(&[alert])?;
    let incidents: BTreeMap<IssueId, ProjectId> = links
        .iter()
        .map(|link| (link.issue_id, link.project_id))
        .collect();
    if incidents.is_empty() {
        return Ok(());
    }
    let bot = tx.find_bot(UserKind::AlertBot)?;
    let author = bot.map_or(actor, |bot| bot.id);
    let projects: Vec<ProjectId> = incidents.values().copied().collect();
    let settings = tx.list_incident_settings(&projects)?;
    let keeps_open = settings.iter().any(|settings| !settings.close_incidents);
    if keeps_open {
        return Ok(());
    }
    close_recovered(tx, &incidents, author, now)
}

/// Closes those of some incidents that have no triggered or acknowledged alert. A linked error stays as it is: its lock
/// would have to precede those of the alerts, and a recovery says nothing about it.
pub(super) fn close_recovered(
    tx: &mut dyn WriteTransaction,
    incidents: &BTreeMap<IssueId, ProjectId>,
    author: UserId,
    now: Timestamp,
) -> Result<(), StoreError> {
    let ids: Vec<IssueId> = incidents.keys().copied().collect();
    let open: BTreeSet<IssueId> = tx
        .list_incidents_with_open_alerts(&ids)?
        .into_iter()
        .collect();
    for (incident, project) in incidents {
        if !open.contains(incident) {
            close(tx, *incident, *project, author, now)?;
        }
    }
    Ok(())
}

fn close(
    tx: &mut dyn WriteTransaction,
    incident: IssueId,
    project: ProjectId,
    author: UserId,
    now: Timestamp,
) -> Result<(), StoreError> {
    let Some(issue) = tx.find_issue_by_id(incident)? else {
        return Ok(());
    };
    let is_open_incident =
        issue.state() == IssueState::Opened && issue.body.content.kind == IssueKind::Incident;
    let project = tx.find_project(&ProjectRef::Id(project))?;
    let bot = project.and_then(|project| Some((bot_in(&project, author, now)?, project)));
    let Some((bot, project)) = bot.filter(|_| is_open_incident) else {
        return Ok(());
    };
    let edit = ClearedEdit::of_state(IssueState::Closed);
    match update_with_error(tx, &project, issue.iid, edit, None, bot) {
        // Somebody else deleted it in the meantime.
        Ok(_) | Err(IssueError::Unknown) => Ok(()),
        Err(error) => Err(store_error(error)),
    }
}

/// Returns the failure of the store behind an error of an operation that cannot be refused.
pub(super) fn store_error(error: IssueError) -> StoreError {
    match error {
        IssueError::Store(error) => error,
        other => StoreError::new(StoreErrorKind::Internal, "change an incident").with_source(other),
    }
}

/// Locks the alerts of an incident that is about to close, before the issue is locked.
pub(in crate::flows) fn lock_for_closing(
    tx: &mut dyn WriteTransaction,
    issue: Option<&Issue>,
) -> Result<(), StoreError> {
    let incident = issue.filter(|issue| issue.body.content.kind == IssueKind::Incident);
    incident.map_or(Ok(()), |issue| tx.lock_alerts(&[issue.project_id]))
}

/// Resolves the triggered and acknowledged alerts of a closed incident, in the name of the user who closed it, if the
/// user is a Reporter or higher. Ignored alerts stay ignored.
pub(in crate::flows) fn resolve_alerts(
    tx: &mut dyn WriteTransaction,
    issue: &Issue,
    by: IssueActor,
) -> Result<(), StoreError> {
    if issue.body.content.kind != IssueKind::Incident || !by.access.allows(AccessLevel::Reporter) {
        return Ok(());
    }
    let mut after = AlertId::new(0);
    loop {
        let alerts = tx.list_alerts_of_incident_after(issue.id, after, RESOLVED_AT_ONCE)?;
        let Some(last) = alerts.last() else {
            return Ok(());
        };
        after = last.id;
        let is_open = |alert: &AlertSummary| {
            matches!(
                alert.status,
                AlertStatus::Triggered | AlertStatus::Acknowledged
            )
        };
        let open: Vec<AlertSummary> = alerts.into_iter().filter(is_open).collect();
        if !open.is_empty() {
            resolve(tx, &open, issue, by)?;
        }
    }
}

fn resolve(
    tx: &mut dyn WriteTransaction,
    open: &[AlertSummary],
    issue: &Issue,
    by: IssueActor,
) -> Result<(), StoreError> {
    // As for any alert that a user resolves, the next report that it still fires opens another one.
    for alert in open {
        tx.set_alert_status(&StatusChange {
            project_id: alert.project_id,
            iid: alert.iid,
            status: AlertStatus::Resolved { ended_at: by.now },
            at: by.now,
        })?;
    }
    let on: Vec<Noteable> = open.iter().map(on_alert).collect();
    let text = format!(
        "changed the status to **Resolved** by closing incident #{}",
        issue.iid
    );
    note_on_alerts(tx, &on, &text, by.user, by.now)?;
    let entries: Vec<NewEvent> = open
        .iter()
        .map(|alert| NewEvent {
            project_id: alert.project_id,
            author_id: by.user,
            action: Action::Closed,
            target: Some(EventTarget {
                kind: TargetType::Alert,
                id: alert.id.get(),
                iid: alert.iid.get(),
                title: Some(alert.title.clone()),
            }),
            audience: Audience::Developers,
            push: None,
            created_at: by.now,
        })
        .collect();
    tx.insert_events(&entries)?;
    announce_resolved(tx, open, by.now)
}
