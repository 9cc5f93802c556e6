//! Storing what POSTs brought: the heart of intake.

use api_conventions::ids::{AlertId, AlertIid, ProjectId};
use api_conventions::time::Timestamp;
use storage::{StoreError, StoreErrorKind};

use super::plan::{Identified, Plan};
use crate::model::{AlertIdentity, Delivery, NewReceipt, ReceiptCounts};
use crate::store::AlertRepository;

/// What became of one POST.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryOutcome {
    /// The alerts that it touched, each once, in the order of the body, with their titles.
    pub alerts: Vec<(AlertIid, String)>,
    /// What became of its alerts.
    pub counts: ReceiptCounts,
}

/// What happened to an alert that people want to know of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlertChangeKind {
    /// It is new.
    Opened,
    /// It is over.
    Resolved,
}

/// A change for the feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertChange {
    /// The project.
    pub project_id: ProjectId,
    /// The alert.
    pub alert_id: AlertId,
    /// Its number within the project.
    pub iid: AlertIid,
    /// Its title.
    pub title: String,
    /// What happened.
    pub kind: AlertChangeKind,
    /// When the delivery that says so came.
    pub at: Timestamp,
}

/// What became of several POSTs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// One outcome for each POST, in their order.
    pub outcomes: Vec<DeliveryOutcome>,
    /// What the feed tells of, in order.
    pub changes: Vec<AlertChange>,
}

/// Stores what POSTs brought, with a receipt for each.
///
/// The number of calls to the repository does not depend on the number of POSTs or alerts, so this is as good for
/// one POST of ten thousand alerts as for hundreds that a group commit gathered. The result is that of storing
/// the POSTs one after the other.
///
/// # Errors
/// Failures of the store. The caller rolls back then: a POST is stored whole or not at all.
pub fn receive<R: AlertRepository + ?Sized>(
    repos: &mut R,
    deliveries: &[&Delivery],
) -> Result<Received, StoreError> {
    repos.lock_alerts(&projects_of(deliveries))?;
    let mut plan = Plan::new(repos.list_latest_by_identity(&identities_of(deliveries))?);
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
    let identified = plan.identify(numbers).ok_or_else(too_few)?;
    let progress = plan.progress();
    if !progress.is_empty() {
        repos.advance_alerts(&progress)?;
    }
    let inserts = plan.inserts(&identified);
    if !inserts.is_empty() {
        repos.insert_alerts(&inserts)?;
    }
    repos.insert_receipts(&receipts(deliveries, plan.counts()))?;
    Ok(Received {
        outcomes: outcomes(&plan, &identified),
        changes: plan.changes(&identified),
    })
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

fn receipts(deliveries: &[&Delivery], counts: &[ReceiptCounts]) -> Vec<NewReceipt> {
    let receipt = |(delivery, counts): (&&Delivery, &ReceiptCounts)| NewReceipt {
        project_id: delivery.project_id,
        integration_id: delivery.integration_id,
        received_at: delivery.received_at,
        body_bytes: i64::try_from(delivery.body_bytes).unwrap_or(i64::MAX),
        counts: *counts,
        context: delivery.context.clone(),
    };
    deliveries.iter().zip(counts).map(receipt).collect()
}

fn outcomes(plan: &Plan<'_>, identified: &[Identified]) -> Vec<DeliveryOutcome> {
    let called = |place: usize| {
        identified
            .get(place)
            .map(|called| (called.iid, called.title.clone()))
    };
    plan.touched()
        .zip(plan.counts())
        .map(|(places, counts)| DeliveryOutcome {
            alerts: places.into_iter().filter_map(called).collect(),
            counts: *counts,
        })
        .collect()
}
