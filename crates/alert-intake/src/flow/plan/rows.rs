//! Results of a plan once its new alerts have numbers: rows to write, responses, and feed entries.

use std::collections::{HashMap, HashSet};

use api_conventions::ids::{AlertId, AlertIid, ProjectId};

use super::{
    AlertIndex, AlertMention, AlertOrigin, IntakePlan, PlannedAlert, PlannedChange, PostEffects,
};
use crate::flow::receive::{AlertChange, DeliveryOutcome};
use crate::model::{
    Alert, AlertNumbers, AlertProgress, AlertRevision, AlertSummary, IncomingAlert, NewAlert,
};
use crate::rules::transition::Reason;

/// Ids and title of an alert.
struct AlertName {
    id: AlertId,
    iid: AlertIid,
    title: String,
}

/// Ids and titles of all alerts of a plan.
pub(in crate::flow) struct AlertNames(Vec<AlertName>);

impl AlertNames {
    #[expect(
        clippy::expect_used,
        reason = "names are created for all alerts of a plan at once, after the last one is added"
    )]
    fn of(&self, index: AlertIndex) -> &AlertName {
        self.0
            .get(index.0)
            .expect("every alert of a plan has a name")
    }
}

impl IntakePlan<'_> {
    /// Assigns ids and iids to all alerts of the plan. New alerts get the reserved numbers in order of arrival,
    /// including the ids shared by all projects, so that the ids do not reveal which alerts were written together.
    /// Returns `None` if there are too few numbers.
    pub(in crate::flow) fn identify(&self, numbers: &[AlertNumbers]) -> Option<AlertNames> {
        let mut ids: Vec<i64> = numbers.iter().flat_map(ids_of).collect();
        ids.sort_unstable();
        let mut ids = ids.into_iter();
        let mut numbers_of = iids_by_project(numbers);
        let mut names = Vec::with_capacity(self.alerts.len());
        for planned in &self.alerts {
            names.push(match &planned.origin {
                AlertOrigin::Stored { id, iid, title } => AlertName {
                    id: *id,
                    iid: *iid,
                    title: title.clone(),
                },
                AlertOrigin::New { alert, .. } => AlertName {
                    id: AlertId::new(ids.next()?),
                    iid: AlertIid::new(numbers_of.get_mut(&planned.project_id)?.pop()?),
                    title: alert.title.clone(),
                },
            });
        }
        Some(AlertNames(names))
    }

    /// Returns the alerts to insert.
    pub(in crate::flow) fn inserts(&self, names: &AlertNames) -> Vec<NewAlert> {
        let new = self.alerts.iter().zip(&names.0);
        new.filter_map(|(planned, name)| planned.to_new(name))
            .collect()
    }

    /// Returns the updates of alerts that are already stored.
    pub(in crate::flow) fn progress(&self) -> Vec<AlertProgress> {
        let stored = self.alerts.iter().filter(|planned| planned.deliveries > 0);
        stored
            .filter_map(|planned| match planned.origin {
                AlertOrigin::Stored { id, .. } => Some(AlertProgress {
                    id,
                    occurrences: planned.occurrences,
                    deliveries: planned.deliveries,
                    flaps: planned.flaps,
                    last_start: planned.state.last_start,
                    stale_at: planned.stale_at,
                    resolved_at: planned.resolved_at,
                    confirms_end: planned.confirms_end,
                    updated_at: planned.touched_at,
                }),
                AlertOrigin::New { .. } => None,
            })
            .collect()
    }

    /// Returns the newest reports of alerts that are already stored, where they say something new.
    pub(in crate::flow) fn revisions(&self) -> Vec<AlertRevision> {
        let revision = |planned: &PlannedAlert<'_>| match planned.origin {
            AlertOrigin::Stored { id, .. } => planned.to_revision(id),
            AlertOrigin::New { .. } => None,
        };
        self.alerts.iter().filter_map(revision).collect()
    }

    /// Returns the outcome of each delivery in order, with the receipt's notes on alerts that changed nothing.
    pub(in crate::flow) fn outcomes(
        &self,
        names: &AlertNames,
    ) -> impl Iterator<Item = (DeliveryOutcome, Vec<String>)> {
        self.posts.iter().map(|post| {
            let outcome = DeliveryOutcome {
                alerts: self.answer(post, names),
                counts: post.counts,
                changes: self.changes_of(&post.changes, names),
            };
            (outcome, post.notes())
        })
    }

    fn changes_of(&self, changes: &[PlannedChange], names: &AlertNames) -> Vec<AlertChange> {
        let shown = |change: &PlannedChange| {
            let name = names.of(change.mention.index);
            AlertChange {
                project_id: self.alert_at(change.mention.index).project_id,
                alert_id: name.id,
                iid: name.iid,
                title: self.title_of(change.mention, name),
                kind: change.kind,
                instead_of: change.instead_of.map(|index| {
                    let name = names.of(index);
                    (name.id, name.iid)
                }),
                severity: change.severity,
                at: change.at,
            }
        };
        changes.iter().map(shown).collect()
    }

    /// Returns the title that an alert had when it was mentioned.
    fn title_of(&self, mention: AlertMention, name: &AlertName) -> String {
        let revisions = &self.alert_at(mention.index).revisions;
        let revised = mention
            .revisions
            .checked_sub(1)
            .and_then(|place| revisions.get(place));
        revised
            .map_or(&name.title, |revised| &revised.title)
            .clone()
    }

    /// Returns the alerts that a POST touched, without duplicates, in the order of the body.
    fn answer(&self, post: &PostEffects, names: &AlertNames) -> Vec<(AlertIid, String)> {
        let mut seen = HashSet::with_capacity(post.touched.len());
        let mentions = post.touched.iter();
        mentions
            .filter(|mention| seen.insert(mention.index))
            .map(|mention| {
                let name = names.of(mention.index);
                (name.iid, self.title_of(*mention, name))
            })
            .collect()
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "only `push` creates entries, and none is removed"
    )]
    fn alert_at(&self, index: AlertIndex) -> &PlannedAlert<'_> {
        &self.alerts[index.0]
    }
}

fn ids_of(numbers: &AlertNumbers) -> impl Iterator<Item = i64> + use<> {
    let first = numbers.first_id.get();
    first..first + numbers.count
}

/// Returns the iids of each project, smallest last.
fn iids_by_project(numbers: &[AlertNumbers]) -> HashMap<ProjectId, Vec<i64>> {
    let mut iids: HashMap<ProjectId, Vec<i64>> = HashMap::new();
    for block in numbers {
        let first = block.first_iid.get();
        iids.entry(block.project_id)
            .or_default()
            .extend(first..first + block.count);
    }
    for of_project in iids.values_mut() {
        of_project.sort_unstable_by(|one, other| other.cmp(one));
    }
    iids
}

impl PostEffects {
    /// Returns the reasons why alerts of the POST changed nothing, one sentence for each reason.
    fn notes(&self) -> Vec<String> {
        let note = |reason: Reason| {
            let count = self.reasons.iter().filter(|one| **one == reason).count();
            (count > 0).then(|| format!("{count} ignored: {}", reason.as_str()))
        };
        Reason::ALL.into_iter().filter_map(note).collect()
    }
}

impl PlannedAlert<'_> {
    fn to_new(&self, name: &AlertName) -> Option<NewAlert> {
        let AlertOrigin::New {
            delivery,
            alert: first,
            started_at,
        } = &self.origin
        else {
            return None;
        };
        let newest = self.newest();
        let alert: &IncomingAlert = newest.unwrap_or(first);
        let summary = AlertSummary {
            id: name.id,
            iid: name.iid,
            project_id: self.project_id,
            integration_id: delivery.integration_id,
            source: alert.source,
            title: alert.title.clone(),
            description: alert.description.clone(),
            severity: self.report.severity,
            status: self.state.status,
            service: alert.service.clone(),
            monitoring_tool: alert.monitoring_tool.clone(),
            hosts: self.hosts.clone(),
            environment_name: alert.environment_name.clone(),
            assignee_id: None,
            started_at: *started_at,
            last_start: self.state.last_start,
            occurrences: self.occurrences,
            deliveries: self.deliveries,
            flaps: self.flaps,
            stale_at: self.stale_at,
            created_at: delivery.received_at,
            updated_at: self.touched_at,
        };
        Some(NewAlert {
            alert: Alert {
                summary,
                payload: first.payload.clone(),
                latest_payload: newest.map(|newest| newest.payload.clone()),
            },
            identity: first.identity,
            report: self.report.digest,
        })
    }

    fn newest(&self) -> Option<&IncomingAlert> {
        self.revisions.last().copied()
    }

    /// Returns the newest report of the stored alert `id`, if one says something new.
    fn to_revision(&self, id: AlertId) -> Option<AlertRevision> {
        let alert = self.newest()?;
        Some(AlertRevision {
            id,
            title: alert.title.clone(),
            description: alert.description.clone(),
            service: alert.service.clone(),
            monitoring_tool: alert.monitoring_tool.clone(),
            hosts: self.hosts.clone(),
            environment_name: alert.environment_name.clone(),
            severity: self.report.severity,
            reported_severity: self.report.reported_severity,
            report: self.report.digest,
            payload: alert.payload.clone(),
        })
    }
}
