//! Storing of received POSTs: the core of alert intake.

use api_conventions::error::ApiError;
use api_conventions::ids::{AlertId, AlertIid, ProjectId};
use api_conventions::time::Timestamp;
use storage::{StoreError, StoreErrorKind};

use super::idempotency::{DeliveryKeys, FirstDelivery, KeyDecision, records_to_store};
use super::plan::{AlertNames, IntakePlan};
use crate::model::{
    AlertIdentity, AlertStatus, Delivery, NewReceipt, ReceiptCounts, Severity, StatusChange,
};
use crate::store::AlertRepository;

/// Outcome of one POST.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeliveryOutcome {
    /// Alerts that the POST touched, without duplicates, in the order of the body, with their titles.
    pub alerts: Vec<(AlertIid, String)>,
    /// Counts of the POST's alerts by outcome.
    pub counts: ReceiptCounts,
    /// Changes to report in the activity feed, in order.
    pub changes: Vec<AlertChange>,
}

/// Kind of change of an alert that the feed reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlertChangeKind {
    /// The alert is new.
    Opened,
    /// The alert is resolved.
    Resolved,
    /// The sender reported that somebody works on the alert.
    Acknowledged,
    /// A report of the sender changed the severity of an open alert.
    SeverityChanged {
        /// Severity before.
        from: Severity,
    },
}

/// An alert change for the feed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AlertChange {
    /// The project.
    pub project_id: ProjectId,
    /// The alert.
    pub alert_id: AlertId,
    /// Number within the project.
    pub iid: AlertIid,
    /// Title.
    pub title: String,
    /// Kind of change.
    pub kind: AlertChangeKind,
    /// Id and number of the alert that a user resolved and that still fires, if this alert was opened for it.
    pub instead_of: Option<(AlertId, AlertIid)>,
    /// Severity of a new alert, or the changed one; `None` for other changes.
    pub severity: Option<Severity>,
    /// Time at which the delivery was received.
    pub at: Timestamp,
}

/// The key of a POST was already used with a different body. Nothing is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "this Idempotency-Key was already used with another body; send a new key with each new body"
)]
pub struct KeyReused;

impl From<KeyReused> for ApiError {
    fn from(refusal: KeyReused) -> Self {
        Self::unprocessable(&refusal.to_string())
    }
}

/// Stores POSTs with a receipt for each, and returns their outcomes in the same order.
///
/// The number of repository calls does not depend on the number of POSTs or alerts, so this works equally well for one
/// POST of twenty thousand alerts and for hundreds of POSTs in a group commit. The result equals that of storing the
/// POSTs one after the other.
///
/// A POST with the key of an earlier one, received within
/// [`RETENTION_SECONDS`](crate::model::IdempotencyRecord::RETENTION_SECONDS), is a retry: it gets the first response
/// and a receipt, and changes no alert. If its body differs from the first, it is refused and nothing is stored.
///
/// # Errors
/// Failures of the store. The caller then rolls back: a POST is stored completely or not at all.
pub fn receive<R: AlertRepository + ?Sized>(
    repos: &mut R,
    deliveries: &[&Delivery],
) -> Result<Vec<Result<DeliveryOutcome, KeyReused>>, StoreError> {
    let acknowledges = |delivery: &&Delivery| delivery.acknowledged.is_some();
    if deliveries.len() > 1 && deliveries.iter().any(acknowledges) {
        // An acknowledgement needs the alert that earlier POSTs of the group leave, and is rare.
        let one_by_one = deliveries
            .iter()
            .map(|delivery| receive(repos, &[*delivery]));
        let outcomes: Result<Vec<_>, _> = one_by_one.collect();
        return Ok(outcomes?.into_iter().flatten().collect());
    }
    repos.lock_alerts(&projects_of(deliveries))?;
    let mut keys = DeliveryKeys::of(repos, deliveries)?;
    let decisions: Vec<KeyDecision> = deliveries
        .iter()
        .enumerate()
        .map(|(index, delivery)| keys.decide(index, delivery))
        .collect();
    let fresh: Vec<&Delivery> = deliveries
        .iter()
        .zip(&decisions)
        .filter(|(_, decision)| matches!(decision, KeyDecision::Store))
        .map(|(delivery, _)| *delivery)
        .collect();
    let (plan, names) = store_alerts(repos, &fresh)?;
    let mut outcomes: Vec<(DeliveryOutcome, Vec<String>)> = plan.outcomes(&names).collect();
    if let ([delivery], [(outcome, notes)]) = (fresh.as_slice(), outcomes.as_mut_slice()) {
        acknowledge(repos, delivery, outcome, notes)?;
    }
    let mut reported = build_reports(deliveries, decisions, outcomes.into_iter());
    let receipts: Vec<NewReceipt> = reported
        .iter_mut()
        .filter_map(|reported| reported.receipt.take())
        .collect();
    if !receipts.is_empty() {
        repos.insert_receipts(&receipts)?;
    }
    let records = records_to_store(deliveries.iter().zip(&reported).filter_map(
        |(delivery, reported)| {
            let outcome = reported
                .verdict
                .as_ref()
                .ok()
                .filter(|_| reported.is_fresh)?;
            Some((*delivery, outcome.alerts.as_slice()))
        },
    ));
    if !records.is_empty() {
        repos.put_idempotency_records(&records)?;
    }
    Ok(reported
        .into_iter()
        .map(|reported| reported.verdict)
        .collect())
}

/// Acknowledges the open alert that a delivery names. An alert that is not triggered any more stays as it is, and the
/// receipt says so.
fn acknowledge<R: AlertRepository + ?Sized>(
    repos: &mut R,
    delivery: &Delivery,
    outcome: &mut DeliveryOutcome,
    notes: &mut Vec<String>,
) -> Result<(), StoreError> {
    let Some(identity) = delivery.acknowledged else {
        return Ok(());
    };
    let known = repos.list_latest_by_identity(&[(delivery.project_id, identity)])?;
    let open = known
        .into_iter()
        .find(|known| known.status == AlertStatus::Triggered);
    let Some(alert) = open else {
        notes.push(
            "it reports an acknowledgement, and no alert with its identity is triggered".to_owned(),
        );
        return Ok(());
    };
    let change = StatusChange {
        project_id: alert.project_id,
        iid: alert.iid,
        status: AlertStatus::Acknowledged,
        at: delivery.received_at,
    };
    repos.set_alert_status(&change)?;
    outcome.alerts.push((alert.iid, alert.title.clone()));
    outcome.changes.push(AlertChange {
        project_id: alert.project_id,
        alert_id: alert.id,
        iid: alert.iid,
        title: alert.title,
        kind: AlertChangeKind::Acknowledged,
        instead_of: None,
        severity: None,
        at: delivery.received_at,
    });
    notes.push("the alert is acknowledged".to_owned());
    Ok(())
}

/// Writes the alerts of deliveries; returns the plan and the names of its alerts.
fn store_alerts<'d, R: AlertRepository + ?Sized>(
    repos: &mut R,
    deliveries: &[&'d Delivery],
) -> Result<(IntakePlan<'d>, AlertNames), StoreError> {
    let identities = identities_of(deliveries);
    let known = if identities.is_empty() {
        Vec::new()
    } else {
        repos.list_latest_by_identity(&identities)?
    };
    let mut plan = IntakePlan::new(known);
    for delivery in deliveries {
        plan.add(delivery);
    }
    let wanted = plan.required_numbers();
    let numbers = if wanted.is_empty() {
        Vec::new()
    } else {
        repos.reserve_alert_numbers(&wanted)?
    };
    let too_few = || StoreError::new(StoreErrorKind::Internal, "reserve alert numbers");
    let names = plan.identify(&numbers).ok_or_else(too_few)?;
    let progress = plan.progress();
    if !progress.is_empty() {
        repos.advance_alerts(&progress)?;
    }
    let revisions = plan.revisions();
    if !revisions.is_empty() {
        repos.revise_alerts(&revisions)?;
    }
    let inserts = plan.inserts(&names);
    if !inserts.is_empty() {
        repos.insert_alerts(&inserts)?;
    }
    Ok((plan, names))
}

/// Result of one delivery: the response to its sender, and its receipt.
struct DeliveryReport {
    verdict: Result<DeliveryOutcome, KeyReused>,
    receipt: Option<NewReceipt>,
    is_fresh: bool,
}

/// Builds the result of each delivery. `fresh` yields one outcome for each delivery that is stored.
fn build_reports(
    deliveries: &[&Delivery],
    decisions: Vec<KeyDecision>,
    mut fresh: impl Iterator<Item = (DeliveryOutcome, Vec<String>)>,
) -> Vec<DeliveryReport> {
    let mut reported: Vec<DeliveryReport> = Vec::with_capacity(deliveries.len());
    for (delivery, decision) in deliveries.iter().zip(decisions) {
        reported.push(match decision {
            KeyDecision::Store => {
                let (outcome, notes) = next_outcome(&mut fresh);
                DeliveryReport {
                    receipt: Some(receipt(delivery, outcome.counts, notes)),
                    verdict: Ok(outcome),
                    is_fresh: true,
                }
            }
            KeyDecision::Replay(first) => {
                let alerts = match first {
                    FirstDelivery::Kept(alerts) => alerts,
                    FirstDelivery::Together(index) => alerts_at(&reported, index),
                };
                let outcome = retry_outcome(delivery, alerts);
                let note = "retry with a known Idempotency-Key; no changes";
                DeliveryReport {
                    receipt: Some(receipt(delivery, outcome.counts, vec![note.to_owned()])),
                    verdict: Ok(outcome),
                    is_fresh: false,
                }
            }
            KeyDecision::Refuse(refusal) => DeliveryReport {
                verdict: Err(refusal),
                receipt: None,
                is_fresh: false,
            },
        });
    }
    reported
}

#[expect(
    clippy::expect_used,
    reason = "the plan contains the stored deliveries in their order"
)]
fn next_outcome<T>(fresh: &mut impl Iterator<Item = T>) -> T {
    fresh.next().expect("each stored delivery has an outcome")
}

#[expect(
    clippy::expect_used,
    reason = "the first delivery with a key precedes its retries, and was stored"
)]
fn alerts_at(reported: &[DeliveryReport], index: usize) -> Vec<(AlertIid, String)> {
    let first = reported
        .get(index)
        .and_then(|reported| reported.verdict.as_ref().ok());
    first
        .expect("a retry follows a stored delivery")
        .alerts
        .clone()
}

fn retry_outcome(delivery: &Delivery, alerts: Vec<(AlertIid, String)>) -> DeliveryOutcome {
    DeliveryOutcome {
        alerts,
        counts: ReceiptCounts {
            repeated: count(delivery.alerts.len()),
            ..ReceiptCounts::default()
        },
        changes: Vec::new(),
    }
}

fn projects_of(deliveries: &[&Delivery]) -> Vec<ProjectId> {
    let mut projects: Vec<ProjectId> = deliveries
        .iter()
        .map(|delivery| delivery.project_id)
        .collect();
    projects.sort_unstable();
    projects.dedup();
    projects
}

fn identities_of(deliveries: &[&Delivery]) -> Vec<(ProjectId, AlertIdentity)> {
    let mut identities: Vec<(ProjectId, AlertIdentity)> = deliveries
        .iter()
        .flat_map(|delivery| {
            delivery
                .alerts
                .iter()
                .map(|alert| (delivery.project_id, alert.identity))
        })
        .collect();
    identities.sort_unstable();
    identities.dedup();
    identities
}

/// Creates the receipt of a delivery. `notes` say why some of its alerts changed nothing.
fn receipt(delivery: &Delivery, counts: ReceiptCounts, notes: Vec<String>) -> NewReceipt {
    let mut context = delivery.context.clone();
    context.notes.extend(notes);
    NewReceipt {
        project_id: delivery.project_id,
        integration_id: delivery.integration_id,
        received_at: delivery.received_at,
        body_bytes: count(delivery.body_bytes),
        counts,
        context,
        refusal: None,
    }
}

#[expect(
    clippy::expect_used,
    reason = "a body of so many bytes does not fit in memory"
)]
fn count(number: usize) -> i64 {
    i64::try_from(number).expect("the size of a body in memory fits in 63 bits")
}
