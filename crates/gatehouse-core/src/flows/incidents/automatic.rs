//! Incidents that intake creates and closes.
//!
//! The result is the same however POSTs are grouped: an incident closes with the POST that resolves the last of its open
//! alerts, although all alerts of the group are already stored when the incidents follow.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use alert_intake::flow::receive::{AlertChange, AlertChangeKind, DeliveryOutcome};
use alert_intake::model::{IncidentSettings, Severity};
use alert_intake::rules::incident::IncidentSource;
use api_conventions::ids::{AlertId, IssueId, ProjectId};
use api_conventions::reference::ProjectRef;
use projects::{Noteable, NoteableKind, Project};
use storage::StoreError;

use super::closing::{bot_in, close_recovered, store_error};
use super::{link_to, open};
use crate::database::WriteTransaction;
use crate::flows::receive_alerts::FeedEntries;

/// Greatest number of incidents that one POST creates. A POST that opens more alerts creates one incident for all of
/// them.
const MAX_INCIDENTS_PER_POST: usize = 10;

/// Incidents that a group of POSTs may create or close.
pub(in crate::flows) struct AutomaticIncidents {
    /// Stored settings of the projects.
    settings: HashMap<ProjectId, IncidentSettings>,
    /// Projects in which incidents are created.
    projects: HashMap<ProjectId, Project>,
    /// Incidents of the alerts that the group resolves, or whose severity it raises.
    incidents: HashMap<AlertId, IssueId>,
    /// Place of the POST that resolves an alert.
    resolved_in: HashMap<AlertId, usize>,
}

impl AutomaticIncidents {
    /// Reads what incidents need, in a number of statements that does not depend on the number of alerts. `None` if the
    /// group creates and closes no incident.
    pub(in crate::flows) fn prepare(
        tx: &mut dyn WriteTransaction,
        stored: &[(&FeedEntries, &DeliveryOutcome)],
    ) -> Result<Option<Self>, StoreError> {
        let changes = || stored.iter().flat_map(|(_, outcome)| &outcome.changes);
        let mut resolved_in = HashMap::new();
        for (place, (_, outcome)) in stored.iter().enumerate() {
            let resolved = outcome.changes.iter().filter(is_resolved);
            resolved_in.extend(resolved.map(|change| (change.alert_id, place)));
        }
        let calls = changes().filter(|change| calls_for_incident(change));
        let mut ids: BTreeSet<ProjectId> = calls.map(|change| change.project_id).collect();
        let linked = changes().filter(|change| change.kind != AlertChangeKind::Opened);
        let linked: BTreeSet<AlertId> = linked.map(|change| change.alert_id).collect();
        let linked: Vec<AlertId> = linked.into_iter().collect();
        let links = if linked.is_empty() {
            Vec::new()
        } else {
            tx.list_incident_links(&linked)?
        };
        ids.extend(links.iter().map(|link| link.project_id));
        if ids.is_empty() {
            return Ok(None);
        }
        let ids: Vec<ProjectId> = ids.into_iter().collect();
        let settings = tx.list_incident_settings(&ids)?;
        let creating: BTreeSet<ProjectId> = settings
            .iter()
            .filter(|settings| settings.create_incidents)
            .map(|settings| settings.project_id)
            .collect();
        if creating.is_empty() && links.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self {
            projects: lock_projects(tx, &creating)?,
            settings: settings
                .into_iter()
                .map(|settings| (settings.project_id, settings))
                .collect(),
            incidents: links
                .iter()
                .map(|link| (link.alert_id, link.issue_id))
                .collect(),
            resolved_in,
        }))
    }

    /// Creates and closes the incidents of the POST at a place of the group, whose feed entries are written.
    pub(in crate::flows) fn follow(
        &mut self,
        tx: &mut dyn WriteTransaction,
        place: usize,
        feed: &FeedEntries,
        outcome: &DeliveryOutcome,
    ) -> Result<(), StoreError> {
        let resolved: HashSet<AlertId> = outcome
            .changes
            .iter()
            .filter(is_resolved)
            .map(|change| change.alert_id)
            .collect();
        // An alert that is resolved on arrival opens no incident, and one that has an incident gets no other.
        let mut seen = resolved;
        seen.extend(self.incidents.keys());
        let opened: Vec<&AlertChange> = outcome
            .changes
            .iter()
            .filter(|change| self.creates_for(change) && seen.insert(change.alert_id))
            .collect();
        if opened.len() > MAX_INCIDENTS_PER_POST {
            self.create(tx, feed, &opened)?;
        } else {
            for change in &opened {
                self.create(tx, feed, &[*change])?;
            }
        }
        self.close(tx, place, feed, outcome)
    }

    fn creates_for(&self, change: &AlertChange) -> bool {
        let settings = self.settings.get(&change.project_id);
        calls_for_incident(change)
            && settings
                .zip(change.severity)
                .is_some_and(|(settings, severity)| settings.creates_for(severity))
    }

    /// Creates one incident for alerts of one project.
    fn create(
        &mut self,
        tx: &mut dyn WriteTransaction,
        feed: &FeedEntries,
        alerts: &[&AlertChange],
    ) -> Result<(), StoreError> {
        // The numbers of severities increase as they get less critical, and the first of equal ones is taken.
        let worst = alerts
            .iter()
            .min_by_key(|change| change.severity.map(Severity::number));
        let Some(worst) = worst else {
            return Ok(());
        };
        let project = self.projects.get(&worst.project_id);
        let settings = self.settings.get(&worst.project_id);
        let Some((project, settings)) = project.zip(settings) else {
            return Ok(());
        };
        let Some(mut alert) = tx.find_alert(project.id, worst.iid)? else {
            return Ok(());
        };
        // A later POST of the group may have changed the alert.
        alert.summary.title.clone_from(&worst.title);
        let Some(bot) = bot_in(project, feed.author_id, worst.at) else {
            return Ok(());
        };
        let link = link_to(project, &alert, &feed.names);
        let source = IncidentSource {
            alert: &alert,
            alerts: alerts.len(),
            link: &link,
            template: &settings.template,
            service_word: &feed.names.service_word,
        };
        let on: Vec<Noteable> = alerts.iter().map(|change| on_change(change)).collect();
        let issue = open(tx, project, source, &on, bot).map_err(store_error)?;
        let linked = alerts.iter().map(|change| (change.alert_id, issue.id));
        self.incidents.extend(linked);
        Ok(())
    }

    /// Closes the incidents of which this POST resolves the last open alert.
    fn close(
        &self,
        tx: &mut dyn WriteTransaction,
        place: usize,
        feed: &FeedEntries,
        outcome: &DeliveryOutcome,
    ) -> Result<(), StoreError> {
        let mut incidents = BTreeMap::new();
        let mut now = None;
        for change in outcome.changes.iter().filter(is_resolved) {
            let settings = self.settings.get(&change.project_id);
            if settings.is_none_or(|settings| settings.close_incidents) {
                let incident = self.incidents.get(&change.alert_id);
                incidents.extend(incident.map(|id| (*id, change.project_id)));
                now = now.max(Some(change.at));
            }
        }
        if incidents.is_empty() {
            return Ok(());
        }
        // A later POST of the group resolves another alert of the incident, which is open until then.
        for (alert, resolved_in) in &self.resolved_in {
            if *resolved_in > place
                && let Some(incident) = self.incidents.get(alert)
            {
                incidents.remove(incident);
            }
        }
        match now {
            Some(now) if !incidents.is_empty() => {
                close_recovered(tx, &incidents, feed.author_id, now)
            }
            _ => Ok(()),
        }
    }
}

/// Finds projects, and locks their issues in the order of their ids.
fn lock_projects(
    tx: &mut dyn WriteTransaction,
    ids: &BTreeSet<ProjectId>,
) -> Result<HashMap<ProjectId, Project>, StoreError> {
    let mut projects = HashMap::new();
    for id in ids {
        tx.lock_issues(*id)?;
        let found = tx.find_project(&ProjectRef::Id(*id))?;
        projects.extend(found.map(|project| (*id, project)));
    }
    Ok(projects)
}

/// True if the alert is new, or more severe than before.
fn calls_for_incident(change: &AlertChange) -> bool {
    match change.kind {
        AlertChangeKind::Opened => true,
        AlertChangeKind::SeverityChanged { from } => change.severity > Some(from),
        AlertChangeKind::Resolved | AlertChangeKind::Acknowledged => false,
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "filters pass the reference of an item"
)]
fn is_resolved(change: &&AlertChange) -> bool {
    change.kind == AlertChangeKind::Resolved
}

fn on_change(change: &AlertChange) -> Noteable {
    Noteable {
        project_id: change.project_id,
        kind: NoteableKind::Alert,
        id: change.alert_id.get(),
        iid: change.iid.get(),
    }
}
