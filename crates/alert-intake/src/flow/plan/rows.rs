//! What a plan comes to once its new alerts have numbers: rows to write, answers, and what the feed tells.

use std::collections::{HashMap, HashSet};

use api_conventions::ids::{AlertId, AlertIid, ProjectId};

use super::{Change, Origin, Place, Plan, Planned, Post};
use crate::flow::receive::{AlertChange, DeliveryOutcome};
use crate::model::{Alert, AlertNumbers, AlertProgress, AlertSummary, NewAlert};
use crate::rules::transition::Reason;

/// What an alert is called.
struct Name {
    id: AlertId,
    iid: AlertIid,
    title: String,
}

/// What every alert of a plan is called.
pub(in crate::flow) struct Names(Vec<Name>);

impl Names {
    #[expect(
        clippy::expect_used,
        reason = "names are made for all alerts of a plan at once, after the last one came"
    )]
    fn of(&self, place: Place) -> &Name {
        self.0
            .get(place.0)
            .expect("every alert of a plan has a name")
    }
}

impl Plan<'_> {
    /// What every alert of the plan is called, new ones by the numbers reserved for them, in the order in which they
    /// came: also the ids, which all projects share, so that they do not tell what was written together. `None` when
    /// the numbers are too few.
    pub(in crate::flow) fn identify(&self, numbers: &[AlertNumbers]) -> Option<Names> {
        let mut ids: Vec<i64> = numbers.iter().flat_map(ids_of).collect();
        ids.sort_unstable();
        let mut ids = ids.into_iter();
        let mut numbers_of = iids_by_project(numbers);
        let mut names = Vec::with_capacity(self.alerts.len());
        for planned in &self.alerts {
            names.push(match &planned.origin {
                Origin::Stored { id, iid, title } => Name {
                    id: *id,
                    iid: *iid,
                    title: title.clone(),
                },
                Origin::New { alert, .. } => Name {
                    id: AlertId::new(ids.next()?),
                    iid: AlertIid::new(numbers_of.get_mut(&planned.project_id)?.pop()?),
                    title: alert.title.clone(),
                },
            });
        }
        Some(Names(names))
    }

    /// The alerts to insert.
    pub(in crate::flow) fn inserts(&self, names: &Names) -> Vec<NewAlert> {
        let new = self.alerts.iter().zip(&names.0);
        new.filter_map(|(planned, name)| planned.to_new(name))
            .collect()
    }

    /// What to add to alerts that are stored already.
    pub(in crate::flow) fn progress(&self) -> Vec<AlertProgress> {
        let stored = self.alerts.iter().filter(|planned| planned.deliveries > 0);
        stored
            .filter_map(|planned| match planned.origin {
                Origin::Stored { id, .. } => Some(AlertProgress {
                    id,
                    occurrences: planned.occurrences,
                    deliveries: planned.deliveries,
                    last_start: planned.known.last_start,
                    resolved_at: planned.resolved_at,
                    updated_at: planned.touched_at,
                }),
                Origin::New { .. } => None,
            })
            .collect()
    }

    /// What became of each delivery, in their order, with what its receipt says of alerts that changed nothing.
    pub(in crate::flow) fn outcomes(
        &self,
        names: &Names,
    ) -> impl Iterator<Item = (DeliveryOutcome, Vec<String>)> {
        self.posts.iter().map(|post| {
            let outcome = DeliveryOutcome {
                alerts: post.answer(names),
                counts: post.counts,
                changes: self.changes_of(&post.changes, names),
            };
            (outcome, post.notes())
        })
    }

    fn changes_of(&self, changes: &[Change], names: &Names) -> Vec<AlertChange> {
        let shown = |change: &Change| {
            let name = names.of(change.place);
            AlertChange {
                project_id: self.project_of(change.place),
                alert_id: name.id,
                iid: name.iid,
                title: name.title.clone(),
                kind: change.kind,
                at: change.at,
            }
        };
        changes.iter().map(shown).collect()
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "only `push` makes places, and nothing is taken out"
    )]
    fn project_of(&self, place: Place) -> ProjectId {
        self.alerts[place.0].project_id
    }
}

fn ids_of(numbers: &AlertNumbers) -> impl Iterator<Item = i64> + use<> {
    let first = numbers.first_id.get();
    first..first + numbers.count
}

/// For each project its numbers, the smallest last.
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

impl Post {
    /// The alerts that the POST touched, each once, in the order of the body.
    fn answer(&self, names: &Names) -> Vec<(AlertIid, String)> {
        let mut seen = HashSet::with_capacity(self.touched.len());
        self.touched
            .iter()
            .filter(|place| seen.insert(**place))
            .map(|place| {
                let name = names.of(*place);
                (name.iid, name.title.clone())
            })
            .collect()
    }

    /// Why alerts of the POST changed nothing, one sentence for each reason.
    fn notes(&self) -> Vec<String> {
        let note = |reason: Reason| {
            let count = self.reasons.iter().filter(|one| **one == reason).count();
            (count > 0).then(|| format!("{count} changed nothing: {}", reason.as_str()))
        };
        Reason::ALL.into_iter().filter_map(note).collect()
    }
}

impl Planned<'_> {
    fn to_new(&self, name: &Name) -> Option<NewAlert> {
        let Origin::New {
            delivery,
            alert,
            started_at,
        } = &self.origin
        else {
            return None;
        };
        let summary = AlertSummary {
            id: name.id,
            iid: name.iid,
            project_id: self.project_id,
            integration_id: delivery.integration_id,
            source: alert.source,
            title: name.title.clone(),
            description: alert.description.clone(),
            severity: alert.severity,
            status: self.known.status,
            service: alert.service.clone(),
            monitoring_tool: alert.monitoring_tool.clone(),
            hosts: alert.hosts.clone(),
            environment_name: alert.environment_name.clone(),
            started_at: *started_at,
            last_start: self.known.last_start,
            occurrences: self.occurrences,
            deliveries: self.deliveries,
            created_at: delivery.received_at,
            updated_at: self.touched_at,
        };
        Some(NewAlert {
            alert: Alert {
                summary,
                payload: alert.payload.clone(),
            },
            identity: alert.identity,
        })
    }
}
