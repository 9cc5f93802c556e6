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
    AlertIdentity, AlertStatus, Delivery, IncomingAlert, KnownAlert, ReceiptCounts, ReportState,
    Severity, Source,
};
use crate::rules::revision::{flaps_after, hosts_after, severity_after};
use crate::rules::transition::{
    AlertReport, AlertState, Opening, Reason, Transition, decide, decide_first,
};

pub(super) use rows::AlertNames;

/// Index of an alert in the plan. Only the plan creates places, and it never removes alerts, so a place is always
/// valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct AlertIndex(usize);

/// An alert with the report whose title it had at the time: the number of revisions before.
#[derive(Debug, Clone, Copy)]
struct AlertMention {
    index: AlertIndex,
    revisions: usize,
}

/// An alert in the plan.
struct PlannedAlert<'d> {
    project_id: ProjectId,
    state: AlertState,
    origin: AlertOrigin<'d>,
    occurrences: i64,
    deliveries: i64,
    resolved_at: Option<Timestamp>,
    confirms_end: bool,
    touched_at: Timestamp,
    report: ReportState,
    /// Hosts of all reports.
    hosts: Vec<String>,
    /// Reports that say something new about the open alert.
    revisions: Vec<&'d IncomingAlert>,
    stale_at: Option<Timestamp>,
    /// Flaps that are stored.
    known_flaps: i64,
    flaps: i64,
}

/// Origin of an alert in the plan: already stored, or new.
enum AlertOrigin<'d> {
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
struct PlannedChange {
    mention: AlertMention,
    /// Alert that a user resolved and that still fires, if this one was opened for it.
    instead_of: Option<AlertIndex>,
    kind: AlertChangeKind,
    /// Severity that the alert now has, if it is new or the severity changed.
    severity: Option<Severity>,
    at: Timestamp,
}

/// Effect of one POST.
#[derive(Default)]
struct PostEffects {
    /// The POST's alerts, in the order of the body.
    touched: Vec<AlertMention>,
    counts: ReceiptCounts,
    /// Reasons why some of its alerts changed nothing.
    reasons: Vec<Reason>,
    changes: Vec<PlannedChange>,
}

/// Effects of deliveries on the existing alerts.
pub(super) struct IntakePlan<'d> {
    latest: HashMap<(ProjectId, AlertIdentity), AlertIndex>,
    alerts: Vec<PlannedAlert<'d>>,
    posts: Vec<PostEffects>,
}

impl<'d> IntakePlan<'d> {
    /// Creates a plan from the stored alerts.
    pub(super) fn new(known: Vec<KnownAlert>) -> Self {
        let mut plan = Self {
            latest: HashMap::with_capacity(known.len()),
            alerts: Vec::with_capacity(known.len()),
            posts: Vec::new(),
        };
        for alert in known {
            let key = (alert.project_id, alert.identity);
            let index = plan.push(PlannedAlert {
                project_id: alert.project_id,
                state: AlertState {
                    status: alert.status,
                    last_start: alert.last_start,
                    resolved_by_hand: alert.resolved_by_hand,
                },
                origin: AlertOrigin::Stored {
                    id: alert.id,
                    iid: alert.iid,
                    title: alert.title,
                },
                occurrences: 0,
                deliveries: 0,
                resolved_at: None,
                confirms_end: false,
                touched_at: Timestamp::MIN,
                report: alert.report,
                hosts: alert.hosts,
                revisions: Vec::new(),
                stale_at: None,
                known_flaps: alert.flaps,
                flaps: 0,
            });
            plan.latest.insert(key, index);
        }
        plan
    }

    /// Adds one delivery.
    pub(super) fn add(&mut self, delivery: &'d Delivery) {
        let mut post = PostEffects {
            touched: Vec::with_capacity(delivery.alerts.len()),
            ..PostEffects::default()
        };
        for alert in &delivery.alerts {
            let index = self.apply(delivery, alert, &mut post);
            let mention = index.map(|index| self.mention(index));
            post.touched.extend(mention);
        }
        self.posts.push(post);
    }

    fn push(&mut self, planned: PlannedAlert<'d>) -> AlertIndex {
        let index = AlertIndex(self.alerts.len());
        self.alerts.push(planned);
        index
    }

    #[expect(
        clippy::expect_used,
        reason = "only `push` creates entries, and none is removed"
    )]
    fn at(&mut self, index: AlertIndex) -> &mut PlannedAlert<'d> {
        self.alerts
            .get_mut(index.0)
            .expect("each entry of a plan belongs to an alert of it")
    }

    fn mention(&mut self, index: AlertIndex) -> AlertMention {
        AlertMention {
            index,
            revisions: self.at(index).revisions.len(),
        }
    }

    /// Applies one alert of a delivery. Returns the alert of the plan that it is about; `None` if it is an end without an
    /// alert.
    fn apply(
        &mut self,
        delivery: &'d Delivery,
        alert: &'d IncomingAlert,
        post: &mut PostEffects,
    ) -> Option<AlertIndex> {
        let key = (delivery.project_id, alert.identity);
        let report = AlertReport {
            source: alert.source,
            started_at: alert.started_at,
            resolved_at: alert.resolved_at,
            received_at: delivery.received_at,
            stores_end: alert.stores_end,
        };
        let (opening, instead_of, flaps) = match self.latest.get(&key).copied() {
            None => match decide_first(report) {
                Ok(opening) => (opening, None, 0),
                Err(reason) => {
                    post.repeat(reason);
                    return None;
                }
            },
            Some(index) => {
                let before = self.at(index).state;
                let transition = decide(before, report);
                let is_again = matches!(transition, Transition::OpenAgain(_));
                let Some(opening) = self.advance(index, transition, delivery, post) else {
                    if is_newest(transition) {
                        self.revise(index, delivery, alert, post);
                    }
                    return Some(index);
                };
                let planned = self.at(index);
                let flaps = planned.known_flaps + planned.flaps;
                // An alert that a user resolved never stopped firing.
                let flaps = match before.status.ended_at().filter(|_| !is_again) {
                    Some(ended_at) => flaps_after(flaps, ended_at, opening.start.at),
                    None => flaps,
                };
                (opening, is_again.then_some(index), flaps)
            }
        };
        let index = self.open(delivery, alert, opening, post);
        self.at(index).flaps = flaps;
        if let Some(change) = post.changes.last_mut()
            && change.mention.index == index
        {
            change.instead_of = instead_of;
        }
        self.latest.insert(key, index);
        Some(index)
    }

    fn open(
        &mut self,
        delivery: &'d Delivery,
        alert: &'d IncomingAlert,
        opening: Opening,
        post: &mut PostEffects,
    ) -> AlertIndex {
        let at = delivery.received_at;
        let status =
            opening
                .ended_at
                .map_or(AlertStatus::Triggered, |ended_at| AlertStatus::Resolved {
                    ended_at,
                });
        let index = self.push(PlannedAlert {
            project_id: delivery.project_id,
            state: AlertState {
                status,
                last_start: opening.start,
                resolved_by_hand: false,
            },
            origin: AlertOrigin::New {
                delivery,
                alert,
                started_at: opening.start.at,
            },
            occurrences: 1,
            deliveries: 1,
            resolved_at: None,
            confirms_end: false,
            touched_at: at,
            report: ReportState {
                source: alert.source,
                digest: alert.report,
                severity: alert.severity,
                reported_severity: alert.severity,
            },
            hosts: alert.hosts.clone(),
            revisions: Vec::new(),
            stale_at: delivery.stale_at(),
            known_flaps: 0,
            flaps: 0,
        });
        let mention = self.mention(index);
        post.record_change(mention, AlertChangeKind::Opened, Some(alert.severity), at);
        if status.is_open() {
            post.counts.created += 1;
        } else {
            post.counts.resolved += 1;
            post.record_change(mention, AlertChangeKind::Resolved, None, at);
        }
        index
    }

    /// Shows the newest report of an open alert, if it says something new.
    fn revise(
        &mut self,
        index: AlertIndex,
        delivery: &Delivery,
        alert: &'d IncomingAlert,
        post: &mut PostEffects,
    ) {
        let planned = self.at(index);
        let before = planned.report;
        // The page reads both payloads of an alert in one format.
        if alert.source != before.source || alert.report == before.digest {
            return;
        }
        let after = severity_after(before, alert.severity, delivery.lowers_severity);
        planned.report = ReportState {
            source: before.source,
            digest: alert.report,
            severity: after.severity,
            reported_severity: after.reported,
        };
        planned.hosts = hosts_after(&planned.hosts, &alert.hosts);
        planned.revisions.push(alert);
        if after.severity != before.severity {
            let kind = AlertChangeKind::SeverityChanged {
                from: before.severity,
            };
            let mention = self.mention(index);
            let at = delivery.received_at;
            post.record_change(mention, kind, Some(after.severity), at);
        }
    }

    /// Applies a transition to the alert at `index`, or returns the new alert to open beside it.
    fn advance(
        &mut self,
        index: AlertIndex,
        transition: Transition,
        delivery: &Delivery,
        post: &mut PostEffects,
    ) -> Option<Opening> {
        let at = delivery.received_at;
        let mention = self.mention(index);
        let planned = self.at(index);
        match transition {
            Transition::Open(opening) | Transition::OpenAgain(opening) => return Some(opening),
            Transition::Confirm => {
                planned.state.resolved_by_hand = false;
                planned.confirms_end = true;
                post.repeat(Reason::LateEnd);
            }
            Transition::Count { last_start } if delivery.is_posted() => {
                // The later start is that of the occurrence: the end of either replica is then recognised.
                planned.state.last_start = last_start;
                post.repeat(Reason::OtherReplica);
            }
            Transition::Count { last_start } => {
                planned.occurrences += 1;
                // A metrics item with a later start says that the alert ended in between.
                let is_flap = planned.report.source == Source::Metrics
                    && last_start.is_stated
                    && last_start != planned.state.last_start;
                planned.flaps += i64::from(is_flap);
                planned.state.last_start = last_start;
                post.counts.counted += 1;
            }
            Transition::Resolve {
                ended_at,
                unseen_start,
            } => {
                if let Some(start) = unseen_start {
                    planned.occurrences += 1;
                    planned.flaps += 1;
                    planned.state.last_start = start;
                }
                planned.state.status = AlertStatus::Resolved { ended_at };
                planned.resolved_at = Some(ended_at);
                post.counts.resolved += 1;
                post.record_change(mention, AlertChangeKind::Resolved, None, at);
            }
            Transition::Repeat(reason) => {
                post.repeat(reason);
            }
        }
        planned.deliveries += 1;
        planned.touched_at = planned.touched_at.max(at);
        planned.stale_at = delivery.stale_at();
        None
    }

    /// Returns the number of new alerts per project, which need numbers.
    pub(super) fn required_numbers(&self) -> Vec<(ProjectId, i64)> {
        let mut wanted: Vec<(ProjectId, i64)> = Vec::new();
        for planned in self
            .alerts
            .iter()
            .filter(|planned| matches!(planned.origin, AlertOrigin::New { .. }))
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

/// True if the report behind a transition is the newest one of an open alert.
const fn is_newest(transition: Transition) -> bool {
    matches!(
        transition,
        Transition::Count { .. } | Transition::Repeat(Reason::KnownStart)
    )
}

impl PostEffects {
    fn repeat(&mut self, reason: Reason) {
        self.counts.repeated += 1;
        self.reasons.push(reason);
    }

    fn record_change(
        &mut self,
        mention: AlertMention,
        kind: AlertChangeKind,
        severity: Option<Severity>,
        at: Timestamp,
    ) {
        self.changes.push(PlannedChange {
            mention,
            instead_of: None,
            kind,
            severity,
            at,
        });
    }
}
