//! Incidents of alerts: issues of the type incident, each linked to the alerts that it is about.
//!
//! Intake and people create them, and both close: an incident when the last of its open alerts recovers, and the open
//! alerts of an incident when somebody closes it.

pub(super) mod automatic;
pub(super) mod closing;
mod settings;

pub use settings::{IncidentSettingsEdit, change_settings};

use alert_intake::model::{Alert, IncidentLink, IncidentSettings, Severity};
use alert_intake::rules::incident::{IncidentSource, numbered_title};
use api_conventions::error::ApiError;
use api_conventions::ids::{AlertId, AlertIid, IssueIid, ProjectId, UserId};
use api_conventions::time::Timestamp;
use projects::flow::issues::{IssueActor, IssueError, create_issue, find_issue};
use projects::rules::quick_actions::escape_actions;
use projects::{Issue, IssueContentEdit, IssueKind, IssueSeverity, NewNote, Noteable, Project};
use storage::StoreError;

use super::issues::record;
use super::notes::{note, on_alert};
use crate::database::{ReadTransaction, WriteTransaction};
use crate::spam::ClearedEdit;

/// Names of the server for the descriptions of incidents.
#[derive(Debug, Clone, Default)]
pub struct IncidentNames {
    /// URL at which clients reach the server, without a trailing slash.
    pub base_url: String,
    /// Configured service word, in the names of fields such as `service_incident_markdown`.
    pub service_word: String,
}

/// Reason why an operation on the incident of an alert is refused. Nothing is written then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IncidentRefusal {
    /// The alert does not exist.
    #[error("the alert does not exist")]
    NoAlert,
    /// The alert already has an incident.
    #[error("An issue already exists")]
    AlreadyLinked,
    /// The issue is not an incident.
    #[error("the issue is not an incident; change its type to incident first")]
    NotAnIncident,
    /// The alert has no incident.
    #[error("the alert has no incident")]
    NotLinked,
    /// The alert changed after the time that the caller states.
    #[error("the alert was changed in the meantime")]
    Changed,
    /// The issue cannot be created or found.
    #[error(transparent)]
    Issue(#[from] IssueError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<IncidentRefusal> for ApiError {
    fn from(refusal: IncidentRefusal) -> Self {
        match refusal {
            IncidentRefusal::NoAlert => Self::not_found("Alert"),
            IncidentRefusal::NotLinked => Self::not_found("Incident"),
            IncidentRefusal::AlreadyLinked => Self::conflict(&refusal.to_string()),
            IncidentRefusal::Changed => Self::precondition_failed(),
            IncidentRefusal::NotAnIncident => Self::bad_request(&refusal.to_string()),
            IncidentRefusal::Issue(error) => error.into(),
            IncidentRefusal::Store(error) => Self::storage_failure(error.is_retryable()),
        }
    }
}

/// Returns the settings of a project for incidents, or the defaults if it never changed them.
///
/// # Errors
/// Failures of the store.
pub fn settings_of<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    project: ProjectId,
) -> Result<IncidentSettings, StoreError> {
    let stored = tx.list_incident_settings(&[project])?.pop();
    Ok(stored.unwrap_or_else(|| IncidentSettings::new(project)))
}

/// Returns the incident of an alert, if it has one. This checks no access.
///
/// # Errors
/// Failures of the store.
pub fn incident_of<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    alert: &Alert,
) -> Result<Option<Issue>, StoreError> {
    match tx.list_incident_links(&[alert.summary.id])?.pop() {
        Some(link) => tx.find_issue_by_id(link.issue_id),
        None => Ok(None),
    }
}

/// Creates an incident for an alert, in the name of `by`.
///
/// # Errors
/// See [`IncidentRefusal`].
pub fn create(
    tx: &mut dyn WriteTransaction,
    project: &Project,
    alert: AlertIid,
    names: &IncidentNames,
    by: IssueActor,
) -> Result<Issue, IncidentRefusal> {
    let alert = lock_unlinked(tx, project.id, alert)?;
    let settings = settings_of(tx, project.id)?;
    let link = link_to(project, &alert, names);
    let source = IncidentSource {
        alert: &alert,
        alerts: 1,
        link: &link,
        template: &settings.template,
        service_word: &names.service_word,
    };
    let on = [on_alert(&alert.summary)];
    Ok(open(tx, project, source, &on, by)?)
}

/// Links an alert to an existing incident of its project that `by` can see.
///
/// # Errors
/// See [`IncidentRefusal`].
pub fn link(
    tx: &mut dyn WriteTransaction,
    project: &Project,
    alert: AlertIid,
    incident: IssueIid,
    by: IssueActor,
) -> Result<Issue, IncidentRefusal> {
    let alert = lock_unlinked(tx, project.id, alert)?;
    // The incident cannot be deleted until the link is stored.
    tx.lock_issues(project.id)?;
    let issue = find_issue(tx, project.id, incident, by.viewer, by.access)?;
    if issue.body.content.kind != IssueKind::Incident {
        return Err(IncidentRefusal::NotAnIncident);
    }
    let on = on_alert(&alert.summary);
    tx.insert_incident_links(&[link_between(on, &issue)])?;
    let number = alert.summary.iid;
    note(tx, &issue, [format!("added alert ^alert#{number}")], by)?;
    let text = format!("added this alert to incident #{}", issue.iid);
    note_on_alerts(tx, &[on], &text, by.user, by.now)?;
    Ok(issue)
}

/// Removes the link between an alert and its incident, unless the alert changed in a later second than
/// `unmodified_since`. Both stay as they are.
///
/// # Errors
/// See [`IncidentRefusal`].
pub fn unlink(
    tx: &mut dyn WriteTransaction,
    project: &Project,
    alert: AlertIid,
    unmodified_since: Option<Timestamp>,
    by: IssueActor,
) -> Result<(), IncidentRefusal> {
    tx.lock_alerts(&[project.id])?;
    let found = tx.find_alert(project.id, alert)?;
    let found = found.ok_or(IncidentRefusal::NoAlert)?;
    let seconds = found.summary.updated_at.as_unix_seconds();
    if unmodified_since.is_some_and(|since| seconds > since.as_unix_seconds()) {
        return Err(IncidentRefusal::Changed);
    }
    let issue = incident_of(tx, &found)?;
    if !tx.delete_incident_link(found.summary.id)? {
        return Err(IncidentRefusal::NotLinked);
    }
    if let Some(issue) = issue {
        tx.lock_issues(project.id)?;
        note(tx, &issue, [format!("removed alert ^alert#{alert}")], by)?;
        let text = format!("removed this alert from incident #{}", issue.iid);
        note_on_alerts(tx, &[on_alert(&found.summary)], &text, by.user, by.now)?;
    }
    Ok(())
}

/// Locks an alert that has no incident.
fn lock_unlinked(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    alert: AlertIid,
) -> Result<Alert, IncidentRefusal> {
    tx.lock_alerts(&[project])?;
    let found = tx.find_alert(project, alert)?;
    let found = found.ok_or(IncidentRefusal::NoAlert)?;
    let links = tx.list_incident_links(&[found.summary.id])?;
    if links.is_empty() {
        Ok(found)
    } else {
        Err(IncidentRefusal::AlreadyLinked)
    }
}

/// Creates an incident and links these alerts, which have none, to it.
fn open(
    tx: &mut dyn WriteTransaction,
    project: &Project,
    source: IncidentSource<'_>,
    alerts: &[Noteable],
    by: IssueActor,
) -> Result<Issue, IssueError> {
    let title = source.title();
    let content = IssueContentEdit {
        title: Some(title.clone().unwrap_or_else(|| numbered_title(0))),
        description: Some(Some(escape_actions(&source.description()))),
        kind: Some(IssueKind::Incident),
        severity: Some(severity(source.alert.summary.severity)),
        ..IssueContentEdit::default()
    };
    let edit = ClearedEdit::of_alert(content).0;
    let created = create_issue(tx, project.id, edit, None, by)?.then(|issue| {
        let issue = match title {
            Some(_) => issue,
            None => number(tx, issue, by.now)?,
        };
        let links = alerts.iter().map(|on| link_between(*on, &issue));
        tx.insert_incident_links(&links.collect::<Vec<IncidentLink>>())?;
        Ok::<_, StoreError>(issue)
    })?;
    // After the links: nobody hears of an incident whose alerts are silenced.
    let (issue, _) = record(tx, created, by)?;
    let text = format!("created incident #{} for this alert", issue.iid);
    note_on_alerts(tx, alerts, &text, by.user, by.now)?;
    Ok(issue)
}

/// Names a new incident by its number, which is known only now.
fn number(
    tx: &mut dyn WriteTransaction,
    issue: Issue,
    now: Timestamp,
) -> Result<Issue, StoreError> {
    let Some(locked) = tx.lock_issue(issue.project_id, issue.iid)? else {
        return Ok(issue);
    };
    let mut body = issue.body;
    body.content.title = numbered_title(issue.iid.get());
    tx.update_issue(locked, body, now)
}

/// Returns the severity of the incident of an alert. Issues have no severity below low, except unknown.
const fn severity(of_alert: Severity) -> IssueSeverity {
    match of_alert {
        Severity::Critical => IssueSeverity::Critical,
        Severity::High => IssueSeverity::High,
        Severity::Medium => IssueSeverity::Medium,
        Severity::Low | Severity::Info => IssueSeverity::Low,
        Severity::Unknown => IssueSeverity::Unknown,
    }
}

/// Returns the absolute link to the page of an alert.
fn link_to(project: &Project, alert: &Alert, names: &IncidentNames) -> String {
    format!(
        "{}/{}/-/alert_management/{}/details",
        names.base_url,
        project.full_path.as_str(),
        alert.summary.iid
    )
}

fn link_between(on: Noteable, issue: &Issue) -> IncidentLink {
    IncidentLink {
        project_id: on.project_id,
        alert_id: AlertId::new(on.id),
        issue_id: issue.id,
    }
}

/// Writes the same system note on several alerts.
fn note_on_alerts(
    tx: &mut dyn WriteTransaction,
    alerts: &[Noteable],
    body: &str,
    author_id: UserId,
    created_at: Timestamp,
) -> Result<(), StoreError> {
    let notes: Vec<NewNote> = alerts
        .iter()
        .map(|on| NewNote {
            on: *on,
            author_id,
            body: body.to_owned(),
            system: true,
            internal: false,
            created_at,
        })
        .collect();
    tx.insert_notes(&notes).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_severity_of_an_alert_has_one_of_an_incident() {
        let severities = Severity::ALL.map(|one| severity(one).as_str());
        let expected = ["unknown", "low", "low", "medium", "high", "critical"];
        assert_eq!(severities, expected);
    }
}
