//! Storing of received POSTs: the core of alert intake.

use api_conventions::error::ApiError;
use api_conventions::ids::{AlertId, AlertIid, ProjectId};
use api_conventions::time::Timestamp;
use storage::{StoreError, StoreErrorKind};

use super::idempotency::{FirstDelivery, KeyDecision, Keys, answers_to_store};
use super::plan::{Names, Plan};
use crate::model::{AlertIdentity, Delivery, NewReceipt, ReceiptCounts};
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
    /// Time at which the delivery was received.
    pub at: Timestamp,
}

/// The key of a POST was already used with a different body. Nothing is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "this Idempotency-Key was sent with another body before; send a new key with a new body, and the same key only with the same body"
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
/// A POST with the key of an earlier one, received within [`KEPT_SECONDS`](crate::model::KeptAnswer::KEPT_SECONDS), is
/// a retry: it gets the first response and a receipt, and changes no alert. If its body differs from the first, it is
/// refused and nothing is stored.
///
/// # Errors
/// Failures of the store. The caller then rolls back: a POST is stored completely or not at all.
pub fn receive<R: AlertRepository + ?Sized>(
    repos: &mut R,
    deliveries: &[&Delivery],
) -> Result<Vec<Result<DeliveryOutcome, KeyReused>>, StoreError> {
    repos.lock_alerts(&projects_of(deliveries))?;
    let mut keys = Keys::of(repos, deliveries)?;
    let fates: Vec<KeyDecision> = deliveries
        .iter()
        .enumerate()
        .map(|(place, delivery)| keys.decide(place, delivery))
        .collect();
    let fresh: Vec<&Delivery> = deliveries
        .iter()
        .zip(&fates)
        .filter(|(_, fate)| matches!(fate, KeyDecision::Store))
        .map(|(delivery, _)| *delivery)
        .collect();
    let (plan, names) = store_alerts(repos, &fresh)?;
    let mut reported = tell(deliveries, fates, plan.outcomes(&names));
    let receipts: Vec<NewReceipt> = reported
        .iter_mut()
        .filter_map(|reported| reported.receipt.take())
        .collect();
    if !receipts.is_empty() {
        repos.insert_receipts(&receipts)?;
    }
    let kept = answers_to_store(deliveries.iter().zip(&reported).filter_map(
        |(delivery, reported)| {
            let outcome = reported
                .verdict
                .as_ref()
                .ok()
                .filter(|_| reported.is_fresh)?;
            Some((*delivery, outcome.alerts.as_slice()))
        },
    ));
    if !kept.is_empty() {
        repos.put_kept_answers(&kept)?;
    }
    Ok(reported
        .into_iter()
        .map(|reported| reported.verdict)
        .collect())
}

/// Writes the alerts of deliveries; returns the plan and the names of its alerts.
fn store_alerts<'d, R: AlertRepository + ?Sized>(
    repos: &mut R,
    deliveries: &[&'d Delivery],
) -> Result<(Plan<'d>, Names), StoreError> {
    let identities = identities_of(deliveries);
    let known = if identities.is_empty() {
        Vec::new()
    } else {
        repos.list_latest_by_identity(&identities)?
    };
    let mut plan = Plan::new(known);
    for delivery in deliveries {
        plan.add(delivery);
    }
    let wanted = plan.wanted_numbers();
    let numbers = if wanted.is_empty() {
        Vec::new()
    } else {
        repos.reserve_alert_numbers(&wanted)?
    };
    let too_few = || {
        StoreError::new(
            StoreErrorKind::Internal,
            "fewer alert numbers than asked for",
        )
    };
    let names = plan.identify(&numbers).ok_or_else(too_few)?;
    let progress = plan.progress();
    if !progress.is_empty() {
        repos.advance_alerts(&progress)?;
    }
    let inserts = plan.inserts(&names);
    if !inserts.is_empty() {
        repos.insert_alerts(&inserts)?;
    }
    Ok((plan, names))
}

/// Result of one delivery: the response to its sender, and its receipt.
struct Reported {
    verdict: Result<DeliveryOutcome, KeyReused>,
    receipt: Option<NewReceipt>,
    is_fresh: bool,
}

/// Builds the result of each delivery. `fresh` yields one outcome for each delivery that is stored.
fn tell(
    deliveries: &[&Delivery],
    fates: Vec<KeyDecision>,
    mut fresh: impl Iterator<Item = (DeliveryOutcome, Vec<String>)>,
) -> Vec<Reported> {
    let mut reported: Vec<Reported> = Vec::with_capacity(deliveries.len());
    for (delivery, fate) in deliveries.iter().zip(fates) {
        reported.push(match fate {
            KeyDecision::Store => {
                let (outcome, notes) = next_outcome(&mut fresh);
                Reported {
                    receipt: Some(receipt(delivery, outcome.counts, notes)),
                    verdict: Ok(outcome),
                    is_fresh: true,
                }
            }
            KeyDecision::Replay(first) => {
                let alerts = match first {
                    FirstDelivery::Kept(alerts) => alerts,
                    FirstDelivery::Together(place) => answer_at(&reported, place),
                };
                let outcome = retried(delivery, alerts);
                let note = "the Idempotency-Key was sent before: a retry, which changed nothing";
                Reported {
                    receipt: Some(receipt(delivery, outcome.counts, vec![note.to_owned()])),
                    verdict: Ok(outcome),
                    is_fresh: false,
                }
            }
            KeyDecision::Refuse(refusal) => Reported {
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
    reason = "the plan was made of the deliveries whose fate is to be stored, in their order"
)]
fn next_outcome<T>(fresh: &mut impl Iterator<Item = T>) -> T {
    fresh
        .next()
        .expect("each delivery that is stored has an outcome")
}

#[expect(
    clippy::expect_used,
    reason = "the first one with a key stands before its retries, and was stored"
)]
fn answer_at(reported: &[Reported], place: usize) -> Vec<(AlertIid, String)> {
    let first = reported
        .get(place)
        .and_then(|reported| reported.verdict.as_ref().ok());
    first
        .expect("a retry comes after a delivery that was stored")
        .alerts
        .clone()
}

fn retried(delivery: &Delivery, alerts: Vec<(AlertIid, String)>) -> DeliveryOutcome {
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
    reason = "no machine has the memory for a body of so many bytes"
)]
fn count(number: usize) -> i64 {
    i64::try_from(number).expect("what is in memory can be counted in 63 bits")
}
