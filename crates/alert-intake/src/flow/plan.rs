//! Plan of an intake transaction: the existing alerts, the effect of the deliveries on them, and the rows to write.
//!
//! Deliveries are folded in order over the existing alerts, in memory, so that one set of statements writes many
//! requests. The result equals that of writing them one after the other.

mod rows;

use std::collections::HashMap;

use api_conventions::ids::{AlertId, AlertIid, ProjectId};
use api_conventions::time::Timestamp;

use super::receive::AlertChangeKind;
use crate::model::{
    AlertIdentity, AlertStatus, Delivery, IncomingAlert, KnownAlert, ReceiptCounts,
};
use crate::rules::transition::{Known, Opening, Reason, Report, Transition, decide, first};

pub(super) use rows::Names;

/// Index of an alert in the plan. Only the plan creates places, and it never removes alerts, so a place is always
/// valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Place(usize);

/// An alert in the plan.
struct Planned<'d> {
    project_id: ProjectId,
    known: Known,
    origin: Origin<'d>,
    occurrences: i64,
    deliveries: i64,
    resolved_at: Option<Timestamp>,
    touched_at: Timestamp,
}

/// Origin of an alert in the plan: already stored, or new.
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

/// A change to report in the activity feed.
struct Change {
    place: Place,
    kind: AlertChangeKind,
    at: Timestamp,
}

/// Effect of one POST.
#[derive(Default)]
struct Post {
    /// The POST's alerts, in the order of the body.
    touched: Vec<Place>,
    counts: ReceiptCounts,
    /// Reasons why some of its alerts changed nothing.
    reasons: Vec<Reason>,
    changes: Vec<Change>,
}

/// Effects of deliveries on the existing alerts.
pub(super) struct Plan<'d> {
    latest: HashMap<(ProjectId, AlertIdentity), Place>,
    alerts: Vec<Planned<'d>>,
    posts: Vec<Post>,
}

impl<'d> Plan<'d> {
    /// Creates a plan from the stored alerts.
    pub(super) fn new(known: Vec<KnownAlert>) -> Self {
        let mut plan = Self {
            latest: HashMap::with_capacity(known.len()),
            alerts: Vec::with_capacity(known.len()),
            posts: Vec::new(),
        };
        for alert in known {
            let key = (alert.project_id, alert.identity);
            let place = plan.push(Planned {
                project_id: alert.project_id,
                known: Known {
                    status: alert.status,
                    last_start: alert.last_start,
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
            plan.latest.insert(key, place);
        }
        plan
    }

    /// Adds one delivery.
    pub(super) fn add(&mut self, delivery: &'d Delivery) {
        let mut post = Post {
            touched: Vec::with_capacity(delivery.alerts.len()),
            ..Post::default()
        };
        for alert in &delivery.alerts {
            let place = self.apply(delivery, alert, &mut post);
            post.touched.push(place);
        }
        self.posts.push(post);
    }

    fn push(&mut self, planned: Planned<'d>) -> Place {
        let place = Place(self.alerts.len());
        self.alerts.push(planned);
        place
    }

    #[expect(
        clippy::expect_used,
        reason = "only `push` makes places, and nothing is taken out"
    )]
    fn at(&mut self, place: Place) -> &mut Planned<'d> {
        self.alerts
            .get_mut(place.0)
            .expect("a place of a plan leads to an alert of it")
    }

    fn apply(
        &mut self,
        delivery: &'d Delivery,
        alert: &'d IncomingAlert,
        post: &mut Post,
    ) -> Place {
        let key = (delivery.project_id, alert.identity);
        let report = Report {
            source: alert.source,
            started_at: alert.started_at,
            resolved_at: alert.resolved_at,
            received_at: delivery.received_at,
        };
        let opening = match self.latest.get(&key).copied() {
            None => first(report),
            Some(place) => {
                let transition = decide(self.at(place).known, report);
                match self.advance(place, transition, delivery.received_at, post) {
                    Some(opening) => opening,
                    None => return place,
                }
            }
        };
        let place = self.open(delivery, alert, opening, post);
        self.latest.insert(key, place);
        place
    }

    fn open(
        &mut self,
        delivery: &'d Delivery,
        alert: &'d IncomingAlert,
        opening: Opening,
        post: &mut Post,
    ) -> Place {
        let at = delivery.received_at;
        let status =
            opening
                .ended_at
                .map_or(AlertStatus::Triggered, |ended_at| AlertStatus::Resolved {
                    ended_at,
                });
        let place = self.push(Planned {
            project_id: delivery.project_id,
            known: Known {
                status,
                last_start: opening.start,
            },
            origin: Origin::New {
                delivery,
                alert,
                started_at: opening.start.at,
            },
            occurrences: 1,
            deliveries: 1,
            resolved_at: None,
            touched_at: at,
        });
        post.tell(place, AlertChangeKind::Opened, at);
        if status.is_open() {
            post.counts.created += 1;
        } else {
            post.counts.resolved += 1;
            post.tell(place, AlertChangeKind::Resolved, at);
        }
        place
    }

    /// Applies a transition to the alert at `place`, or returns the new alert to open beside it.
    fn advance(
        &mut self,
        place: Place,
        transition: Transition,
        at: Timestamp,
        post: &mut Post,
    ) -> Option<Opening> {
        let planned = self.at(place);
        match transition {
            Transition::Open(opening) => return Some(opening),
            Transition::Count { last_start } => {
                planned.occurrences += 1;
                planned.known.last_start = last_start;
                post.counts.counted += 1;
            }
            Transition::Resolve {
                ended_at,
                unseen_start,
            } => {
                if let Some(start) = unseen_start {
                    planned.occurrences += 1;
                    planned.known.last_start = start;
                }
                planned.known.status = AlertStatus::Resolved { ended_at };
                planned.resolved_at = Some(ended_at);
                post.counts.resolved += 1;
                post.tell(place, AlertChangeKind::Resolved, at);
            }
            Transition::Repeat(reason) => {
                post.counts.repeated += 1;
                post.reasons.push(reason);
            }
        }
        planned.deliveries += 1;
        planned.touched_at = planned.touched_at.max(at);
        None
    }

    /// Returns the number of new alerts per project, which need numbers.
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
}

impl Post {
    fn tell(&mut self, place: Place, kind: AlertChangeKind, at: Timestamp) {
        self.changes.push(Change { place, kind, at });
    }
}
