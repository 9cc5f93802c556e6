//! Silences, with the messages that they hold back and those that follow their end, and with entries in the audit log.
//!
//! A silence hides alerts from channels, and from nobody else. When it begins, messages about the alerts that wait are
//! cancelled; when it ends, the channels that have not heard of an alert that still fires hear of it.

use std::collections::{BTreeMap, BTreeSet};

use accounts::{AuditDetails, AuditEntity, AuditEventName, NewAuditEntry};
use alert_intake::flow::active_silences::ActiveSilences;
use alert_intake::flow::silences::{self, SilenceError, WantedSilence};
use alert_intake::model::{
    Alert, OpenAlertFilter, OpenAlertPosition, OpenStatus, Silence, SilenceState,
};
use api_conventions::ids::{AlertId, IssueId, ProjectId, SilenceId, UserId};
use api_conventions::time::Timestamp;
use notifications::model::{MessageState, MessageSubject, MessageSubjectKind};
use storage::StoreError;

use super::notifications::{alert_subject, announce_unmuted, incident_subject};
use crate::database::{ReadTransaction, WriteTransaction};

/// Open alerts of a project that one step reads.
const AT_ONCE: usize = 500;
/// Largest number of open alerts of a project that are examined: the most severe ones.
pub const MAX_COMPARED: usize = 10_000;
/// Alerts of an incident that are compared with silences.
const MAX_OF_INCIDENT: usize = 100;

/// Author and time of a change of a silence.
#[derive(Debug, Clone)]
pub struct SilenceEditor {
    /// User; `None` for a program with the key of an endpoint.
    pub id: Option<UserId>,
    /// Username, or the name of the key.
    pub name: String,
    /// Current time.
    pub now: Timestamp,
}

/// Stores a silence of a project.
///
/// # Errors
/// See [`SilenceError`].
pub fn put_silence(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    wanted: WantedSilence,
    by: &SilenceEditor,
) -> Result<Silence, SilenceError> {
    let (now, updated) = (by.now, wanted.id);
    tx.lock_alerts(&[project])?;
    let stored = silences::put(tx, project, wanted, now)?;
    let event = if updated == Some(stored.silence.id) {
        AuditEventName::SilenceUpdated
    } else {
        AuditEventName::SilenceCreated
    };
    let replaced = stored.replaced.as_ref().map(|replaced| replaced.id);
    record(tx, event, &stored.silence, replaced, by)?;
    let changed = stored.replaced.iter().chain([&stored.silence]);
    let changed = changed.filter(|silence| silence.state(now) == SilenceState::Active);
    follow(tx, project, changed.cloned().collect(), now)?;
    Ok(stored.silence)
}

/// Ends a silence of a project. One that is over stays as it is.
///
/// # Errors
/// See [`SilenceError`].
pub fn end_silence(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    id: SilenceId,
    by: &SilenceEditor,
) -> Result<(), SilenceError> {
    let now = by.now;
    tx.lock_alerts(&[project])?;
    let Some(ended) = silences::end(tx, project, id, now)? else {
        return Ok(());
    };
    record(tx, AuditEventName::SilenceEnded, &ended, None, by)?;
    if ended.state(now) == SilenceState::Active {
        follow(tx, project, vec![ended], now)?;
    }
    Ok(())
}

/// Records a change of a silence in the audit log of its project, with the silence that it replaces.
fn record(
    tx: &mut dyn WriteTransaction,
    event_name: AuditEventName,
    silence: &Silence,
    replaced: Option<SilenceId>,
    by: &SilenceEditor,
) -> Result<(), StoreError> {
    let content = &silence.content;
    let matchers: Vec<String> = content.matchers.iter().map(ToString::to_string).collect();
    let (id, matchers) = (silence.id.to_string(), matchers.join(", "));
    let [starts_at, ends_at] = [content.starts_at, content.ends_at].map(|time| time.to_string());
    let replaced = replaced.map(|id| id.to_string());
    let mut fields = vec![
        ("silence_id", id.as_str()),
        ("matchers", matchers.as_str()),
        ("starts_at", starts_at.as_str()),
        ("ends_at", ends_at.as_str()),
        ("comment", content.comment.as_str()),
    ];
    fields.extend(replaced.as_deref().map(|id| ("replaced_silence_id", id)));
    if by.id.is_none() {
        fields.push(("key", by.name.as_str()));
    }
    tx.insert_audit_entries(&[NewAuditEntry {
        author_id: by.id,
        entity: AuditEntity::Project(content.project_id),
        event_name,
        target: None,
        details: AuditDetails::new(&fields),
        created_at: by.now,
        impersonator_id: None,
    }])
}

/// Lets a silence that is due begin or end.
///
/// # Errors
/// Failures of the store.
pub fn advance_silence(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    id: SilenceId,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.lock_alerts(&[project])?;
    match silences::advance(tx, project, id, now)? {
        Some(changed) => follow(tx, project, vec![changed], now),
        None => Ok(()),
    }
}

/// Returns the subjects of these that nobody is to hear of at `now`: alerts that a silence hides, and incidents whose open
/// alerts are all hidden.
pub(super) fn muted(
    tx: &mut dyn WriteTransaction,
    subjects: &[(ProjectId, MessageSubject)],
    now: Timestamp,
) -> Result<BTreeSet<MessageSubject>, StoreError> {
    let projects: BTreeSet<ProjectId> = subjects.iter().map(|(project, _)| *project).collect();
    let projects: Vec<ProjectId> = projects.into_iter().collect();
    let silences = ActiveSilences::of_projects(tx, &projects, now)?;
    if silences.is_empty() {
        return Ok(BTreeSet::new());
    }
    let of_kind = |kind| {
        let subjects = subjects.iter().map(|(_, subject)| *subject);
        subjects.filter(move |subject| subject.kind == kind)
    };
    let alerts: Vec<AlertId> = of_kind(MessageSubjectKind::Alert)
        .map(|subject| AlertId::new(subject.id))
        .collect();
    let mut muted = BTreeSet::new();
    let alerts = tx.list_alerts_with_payloads(&alerts)?;
    let hidden = alerts.iter().filter(|alert| silences.hides(alert));
    muted.extend(hidden.map(|alert| alert_subject(alert.summary.id)));
    for incident in of_kind(MessageSubjectKind::Incident) {
        if hides_incident(tx, &silences, IssueId::new(incident.id))? {
            muted.insert(incident);
        }
    }
    Ok(muted)
}

/// True if a silence hides an alert.
///
/// # Errors
/// Failures of the store.
pub(super) fn is_silenced<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    alert: &Alert,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let silences = ActiveSilences::of_projects(tx, &[alert.summary.project_id], now)?;
    Ok(silences.hides(alert))
}

/// Lists the open alerts of a project with their payloads that `keeps` accepts, the most severe first. At most
/// [`MAX_COMPARED`] are examined.
///
/// # Errors
/// Failures of the store.
pub fn list_open_reports<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    project: ProjectId,
    status: Option<OpenStatus>,
    keeps: impl Fn(&Alert) -> bool,
) -> Result<Vec<Alert>, StoreError> {
    let mut filter = OpenAlertFilter {
        projects: vec![project],
        status,
        ..OpenAlertFilter::default()
    };
    let (mut kept, mut examined) = (Vec::new(), 0);
    while examined < MAX_COMPARED {
        let page = tx.list_open_alerts(&filter, AT_ONCE)?;
        let Some(last) = page.last() else { break };
        filter.after = Some(OpenAlertPosition::of(last));
        examined += page.len();
        let ids: Vec<AlertId> = page.iter().map(|alert| alert.id).collect();
        let mut alerts = tx.list_alerts_with_payloads(&ids)?;
        alerts.sort_by_key(|alert| OpenAlertPosition::of(&alert.summary));
        kept.extend(alerts.into_iter().filter(&keeps));
        if ids.len() < AT_ONCE {
            break;
        }
    }
    Ok(kept)
}

/// Holds back the messages about alerts that silences hide since they changed, and announces those that none hides any more.
fn follow(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    changed: Vec<Silence>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let changed = ActiveSilences::compiled(changed);
    if changed.is_empty() {
        return Ok(());
    }
    let news = Some(OpenStatus::Triggered);
    let touched = list_open_reports(tx, project, news, |alert| changed.hides(alert))?;
    if touched.is_empty() {
        return Ok(());
    }
    let silences = ActiveSilences::of_projects(tx, &[project], now)?;
    let (hidden, audible): (Vec<Alert>, Vec<Alert>) =
        touched.into_iter().partition(|alert| silences.hides(alert));
    let mut muted: Vec<MessageSubject> = hidden
        .iter()
        .map(|alert| alert_subject(alert.summary.id))
        .collect();
    let mut unmuted = Vec::new();
    for (incident, is_audible) in incidents_of(tx, &hidden, &audible)? {
        if hides_incident(tx, &silences, incident)? {
            muted.push(incident_subject(incident));
        } else if is_audible {
            unmuted.extend(tx.find_issue_by_id(incident)?);
        }
    }
    if !muted.is_empty() {
        tx.close_messages_about(&muted, MessageState::Silenced, now)?;
    }
    announce_unmuted(tx, &audible, &unmuted, now)
}

/// Returns the incidents of alerts, each with true if one of its alerts is audible.
fn incidents_of(
    tx: &mut dyn WriteTransaction,
    hidden: &[Alert],
    audible: &[Alert],
) -> Result<BTreeMap<IssueId, bool>, StoreError> {
    let heard: BTreeSet<AlertId> = audible.iter().map(|alert| alert.summary.id).collect();
    let ids = hidden.iter().chain(audible).map(|alert| alert.summary.id);
    let ids: Vec<AlertId> = ids.collect();
    let mut incidents = BTreeMap::new();
    for link in tx.list_incident_links(&ids)? {
        *incidents.entry(link.issue_id).or_default() |= heard.contains(&link.alert_id);
    }
    Ok(incidents)
}

/// True if an incident has open alerts, and silences hide all of them.
fn hides_incident(
    tx: &mut dyn WriteTransaction,
    silences: &ActiveSilences,
    incident: IssueId,
) -> Result<bool, StoreError> {
    let first = AlertId::new(0);
    let mut alerts = tx.list_alerts_of_incident_after(incident, first, MAX_OF_INCIDENT)?;
    alerts.retain(|alert| alert.status.is_open());
    let ids: Vec<AlertId> = alerts.iter().map(|alert| alert.id).collect();
    let alerts = tx.list_alerts_with_payloads(&ids)?;
    Ok(!alerts.is_empty() && alerts.iter().all(|alert| silences.hides(alert)))
}
