//! The plan of an intake transaction: what is known, what deliveries make of it, and what is to be written.
//!
//! Deliveries are folded in their order over what is known, in memory, so that one set of statements writes what
//! many requests brought, and the result is that of writing them one after the other.

use std::collections::HashMap;

use api_conventions::ids::{AlertId, AlertIid, ProjectId};
use api_conventions::time::Timestamp;

use super::receive::{AlertChange, AlertChangeKind};
use crate::model::{
    Alert, AlertIdentity, AlertNumbers, AlertProgress, AlertStatus, AlertSummary, Delivery,
    IncomingAlert, KnownAlert, NewAlert, ReceiptCounts,
};
use crate::rules::transition::{Known, Report, Transition, decide};

/// Where an alert of the plan is: its place in [`Plan::alerts`].
type Place = usize;

/// An alert as the plan sees it.
struct Planned<'d> {
    project_id: ProjectId,
    known: Known,
    origin: Origin<'d>,
    occurrences: i64,
    deliveries: i64,
    resolved_at: Option<Timestamp>,
    touched_at: Timestamp,
}

/// Whether an alert is in the store already.
enum Origin<'d> {
    Stored {
        id: AlertId,
        iid: AlertIid,
        title: String,
    },
    New {
        delivery: &'d Delivery,
        alert: &'d IncomingAlert,
        started_at: Timestamp,
    },
}

/// A change that the feed tells of.
struct Change {
    place: Place,
    kind: AlertChangeKind,
    at: Timestamp,
}

/// What deliveries make of what is known.
pub(super) struct Plan<'d> {
    latest: HashMap<(ProjectId, AlertIdentity), Place>,
    alerts: Vec<Planned<'d>>,
    changes: Vec<Change>,
    touched: Vec<Vec<Place>>,
    counts: Vec<ReceiptCounts>,
}

/// What an alert ended up as, for the answers and the feed.
#[derive(Clone)]
pub(super) struct Identified {
    pub(super) id: AlertId,
    pub(super) iid: AlertIid,
    pub(super) title: String,
}

impl<'d> Plan<'d> {
    /// Starts from what is stored.
    pub(super) fn new(known: Vec<KnownAlert>) -> Self {
        let mut plan = Self {
            latest: HashMap::with_capacity(known.len()),
            alerts: Vec::with_capacity(known.len()),
            changes: Vec::new(),
            touched: Vec::new(),
            counts: Vec::new(),
        };
        for alert in known {
            plan.latest
                .insert((alert.project_id, alert.identity), plan.alerts.len());
            plan.alerts.push(Planned {
                project_id: alert.project_id,
                known: Known {
                    status: alert.status,
                    last_started_at: alert.last_started_at,
                },
                origin: Origin::Stored {
                    id: alert.id,
                    iid: alert.iid,
                    title: alert.title,
                },
                occurrences: 0,
                deliveries: 0,
                resolved_at: None,
                touched_at: Timestamp::MIN,
            });
        }
        plan
    }

    /// Folds one delivery in.
    pub(super) fn add(&mut self, delivery: &'d Delivery) {
        let mut counts = ReceiptCounts::default();
        let mut touched = Vec::with_capacity(delivery.alerts.len());
        for alert in &delivery.alerts {
            let place = self.apply(delivery, alert, &mut counts);
            touched.push(place);
        }
        self.touched.push(touched);
        self.counts.push(counts);
    }

    fn apply(
        &mut self,
        delivery: &'d Delivery,
        alert: &'d IncomingAlert,
        counts: &mut ReceiptCounts,
    ) -> Place {
        let key = (delivery.project_id, alert.identity);
        let place = self.latest.get(&key).copied();
        let known = place
            .and_then(|place| self.alerts.get(place))
            .map(|planned| planned.known);
        let report = Report {
            started_at: alert.started_at,
            resolved_at: alert.resolved_at,
            received_at: delivery.received_at,
        };
        let transition = decide(known, report);
        let opened = match transition {
            Transition::Open { started_at } => {
                counts.created += 1;
                Some((started_at, AlertStatus::Triggered))
            }
            Transition::OpenResolved {
                started_at,
                ended_at,
            } => {
                counts.resolved += 1;
                Some((started_at, AlertStatus::Resolved { ended_at }))
            }
            Transition::Count { .. } => {
                counts.counted += 1;
                None
            }
            Transition::Resolve { .. } => {
                counts.resolved += 1;
                None
            }
            Transition::Repeat => {
                counts.repeated += 1;
                None
            }
        };
        match (opened, place) {
            (Some((started_at, status)), _) => {
                let place = self.open(delivery, alert, started_at, status);
                self.latest.insert(key, place);
                place
            }
            (None, Some(place)) => {
                self.advance(place, transition, delivery.received_at);
                place
            }
            // Without an alert every transition opens one.
            (None, None) => 0,
        }
    }

    fn open(
        &mut self,
        delivery: &'d Delivery,
        alert: &'d IncomingAlert,
        started_at: Timestamp,
        status: AlertStatus,
    ) -> Place {
        let place = self.alerts.len();
        let at = delivery.received_at;
        self.alerts.push(Planned {
            project_id: delivery.project_id,
            known: Known {
                status,
                last_started_at: started_at,
            },
            origin: Origin::New {
                delivery,
                alert,
                started_at,
            },
            occurrences: 1,
            deliveries: 1,
            resolved_at: None,
            touched_at: at,
        });
        self.changes.push(Change {
            place,
            kind: AlertChangeKind::Opened,
            at,
        });
        if !status.is_open() {
            self.changes.push(Change {
                place,
                kind: AlertChangeKind::Resolved,
                at,
            });
        }
        place
    }

    fn advance(&mut self, place: Place, transition: Transition, at: Timestamp) {
        let Some(planned) = self.alerts.get_mut(place) else {
            return;
        };
        planned.deliveries += 1;
        planned.touched_at = planned.touched_at.max(at);
        match transition {
            Transition::Count { started_at } => {
                planned.occurrences += 1;
                planned.known.last_started_at = started_at;
            }
            Transition::Resolve {
                ended_at,
                unseen_start,
            } => {
                if let Some(started_at) = unseen_start {
                    planned.occurrences += 1;
                    planned.known.last_started_at = started_at;
                }
                planned.known.status = AlertStatus::Resolved { ended_at };
                planned.resolved_at = Some(ended_at);
                self.changes.push(Change {
                    place,
                    kind: AlertChangeKind::Resolved,
                    at,
                });
            }
            Transition::Open { .. } | Transition::OpenResolved { .. } | Transition::Repeat => {}
        }
    }

    /// How many new alerts each project needs numbers for.
    pub(super) fn wanted_numbers(&self) -> Vec<(ProjectId, i64)> {
        let mut wanted: Vec<(ProjectId, i64)> = Vec::new();
        for planned in self
            .alerts
            .iter()
            .filter(|planned| matches!(planned.origin, Origin::New { .. }))
        {
            match wanted
                .iter_mut()
                .find(|(project, _)| *project == planned.project_id)
            {
                Some((_, count)) => *count += 1,
                None => wanted.push((planned.project_id, 1)),
            }
        }
        wanted
    }

    /// What every alert of the plan is called, new ones by the numbers reserved for them, in the order in which
    /// they came. `None` when the numbers are too few.
    pub(super) fn identify(&self, mut numbers: Vec<AlertNumbers>) -> Option<Vec<Identified>> {
        let mut identified = Vec::with_capacity(self.alerts.len());
        for planned in &self.alerts {
            identified.push(match &planned.origin {
                Origin::Stored { id, iid, title } => Identified {
                    id: *id,
                    iid: *iid,
                    title: title.clone(),
                },
                Origin::New { alert, .. } => {
                    let mine = numbers
                        .iter_mut()
                        .find(|block| block.project_id == planned.project_id && block.count > 0)?;
                    let (id, iid) = (mine.first_id, mine.first_iid);
                    mine.first_id = AlertId::new(id.get() + 1);
                    mine.first_iid = AlertIid::new(iid.get() + 1);
                    mine.count -= 1;
                    Identified {
                        id,
                        iid,
                        title: alert.title.clone(),
                    }
                }
            });
        }
        Some(identified)
    }

    /// The alerts to insert.
    pub(super) fn inserts(&self, identified: &[Identified]) -> Vec<NewAlert> {
        let new = self.alerts.iter().zip(identified);
        new.filter_map(|(planned, called)| planned.to_new(called))
            .collect()
    }

    /// What to add to alerts that are stored already.
    pub(super) fn progress(&self) -> Vec<AlertProgress> {
        let stored = self.alerts.iter().filter(|planned| planned.deliveries > 0);
        stored
            .filter_map(|planned| match planned.origin {
                Origin::Stored { id, .. } => Some(AlertProgress {
                    id,
                    occurrences: planned.occurrences,
                    deliveries: planned.deliveries,
                    last_started_at: planned.known.last_started_at,
                    resolved_at: planned.resolved_at,
                    updated_at: planned.touched_at,
                }),
                Origin::New { .. } => None,
            })
            .collect()
    }

    /// The numbers for the receipts, in the order of the deliveries.
    pub(super) fn counts(&self) -> &[ReceiptCounts] {
        &self.counts
    }

    /// For each delivery the places of the alerts that it touched, each once, in the order of the body.
    pub(super) fn touched(&self) -> impl Iterator<Item = Vec<Place>> {
        self.touched.iter().map(|places| {
            let mut seen = std::collections::HashSet::with_capacity(places.len());
            places
                .iter()
                .copied()
                .filter(|place| seen.insert(*place))
                .collect()
        })
    }

    /// What the feed tells of, in order.
    pub(super) fn changes(&self, identified: &[Identified]) -> Vec<AlertChange> {
        let change = |change: &Change| {
            let called = identified.get(change.place)?;
            Some(AlertChange {
                project_id: self.alerts.get(change.place)?.project_id,
                alert_id: called.id,
                iid: called.iid,
                title: called.title.clone(),
                kind: change.kind,
                at: change.at,
            })
        };
        self.changes.iter().filter_map(change).collect()
    }
}

impl Planned<'_> {
    fn to_new(&self, called: &Identified) -> Option<NewAlert> {
        let Origin::New {
            delivery,
            alert,
            started_at,
        } = &self.origin
        else {
            return None;
        };
        let summary = AlertSummary {
            id: called.id,
            iid: called.iid,
            project_id: self.project_id,
            integration_id: delivery.integration_id,
            source: alert.source,
            title: called.title.clone(),
            description: alert.description.clone(),
            severity: alert.severity,
            status: self.known.status,
            service: alert.service.clone(),
            monitoring_tool: alert.monitoring_tool.clone(),
            hosts: alert.hosts.clone(),
            environment_name: alert.environment_name.clone(),
            started_at: *started_at,
            last_started_at: self.known.last_started_at,
            occurrences: self.occurrences,
            deliveries: self.deliveries,
            created_at: delivery.received_at,
            updated_at: self.touched_at,
        };
        let alert = Alert {
            summary,
            payload: alert.payload.clone(),
        };
        let identity = self.identity()?;
        Some(NewAlert { alert, identity })
    }

    fn identity(&self) -> Option<AlertIdentity> {
        match &self.origin {
            Origin::New { alert, .. } => Some(alert.identity),
            Origin::Stored { .. } => None,
        }
    }
}
