//! Signs of life at endpoints that expect a heartbeat, and the alerts about missing ones.
//!
//! A heartbeat is expected from the first sign of life on. When none arrives for the interval and the grace of the rule, one
//! alert opens; the next sign of life resolves it. Both lock the alerts of the project first, so that a sign of life and
//! the report that it is missing cannot miss each other.

use api_conventions::error::ApiError;
use api_conventions::ids::{IntegrationId, ProjectId};
use api_conventions::time::Timestamp;
use serde_json::json;
use storage::StoreError;

use super::integrations;
use crate::model::{
    AlertIdentity, ContentDigest, Delivery, Heartbeat, HeartbeatRule, IncomingAlert, Integration,
    ReportDigest, SenderContext, Severity, Source,
};
use crate::store::{AlertQueries, AlertRepository};

/// Monitoring tool of the alerts.
pub const TOOL: &str = "Heartbeat";

/// Returns the rule of an endpoint.
///
/// # Errors
/// 422 if the endpoint expects no heartbeat.
pub fn rule_of(endpoint: &Integration) -> Result<HeartbeatRule, ApiError> {
    let missing = || {
        ApiError::unprocessable(
            "this alert endpoint expects no heartbeat; set heartbeat_interval first",
        )
    };
    endpoint.settings.heartbeat.ok_or_else(missing)
}

/// Records a sign of life. Returns the report that ends the alert if the heartbeat was missing.
///
/// # Errors
/// Failures of the store.
pub fn beat<R: AlertRepository + ?Sized>(
    repos: &mut R,
    endpoint: &Integration,
    rule: HeartbeatRule,
    now: Timestamp,
) -> Result<Option<Delivery>, StoreError> {
    let (project, id) = (endpoint.project_id, endpoint.id);
    repos.lock_alerts(&[project])?;
    let before = find(repos, project, id)?;
    if before.is_some_and(|before| before.last_at > now) {
        // The clock was read before that of a request which is stored already.
        return Ok(None);
    }
    repos.put_heartbeat(&Heartbeat::at((project, id), rule, now))?;
    let missing = before.filter(Heartbeat::is_missing);
    Ok(missing.map(|before| report(endpoint, &before, now, true)))
}

/// Reports a heartbeat as missing if it is still due at `now`. Returns the report that opens the alert.
///
/// An endpoint that is off, is deleted, or expects no heartbeat any more has no alert.
///
/// # Errors
/// Failures of the store.
pub fn expire<R: AlertRepository + ?Sized>(
    repos: &mut R,
    (project, id): (ProjectId, IntegrationId),
    now: Timestamp,
) -> Result<Option<Delivery>, StoreError> {
    repos.lock_alerts(&[project])?;
    let is_due = |it: &Heartbeat| it.due_at.is_some_and(|due| due <= now);
    let Some(due) = find(repos, project, id)?.filter(is_due) else {
        return Ok(None);
    };
    repos.put_heartbeat(&Heartbeat {
        due_at: None,
        ..due
    })?;
    let endpoints = integrations::list(repos, project)?;
    let endpoint = endpoints.into_iter().find(|endpoint| endpoint.id == id);
    let endpoint =
        endpoint.filter(|endpoint| endpoint.active && endpoint.settings.heartbeat.is_some());
    Ok(endpoint.map(|endpoint| report(&endpoint, &due, now, false)))
}

/// Returns the heartbeat of an endpoint; `None` before its first sign of life.
///
/// # Errors
/// Failures of the store.
pub fn find<R: AlertQueries + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    id: IntegrationId,
) -> Result<Option<Heartbeat>, StoreError> {
    let all = repos.list_heartbeats(project)?;
    Ok(all.into_iter().find(|one| one.integration_id == id))
}

/// Builds the report about a missing heartbeat, or about its return.
fn report(endpoint: &Integration, known: &Heartbeat, now: Timestamp, is_over: bool) -> Delivery {
    let started_at = known.last_at.plus_seconds(known.patience);
    let description = format!(
        "The last sign of life was at {}, and one is expected every {} seconds at the latest.",
        known.last_at, known.patience
    );
    let payload = json!({
        "endpoint": endpoint.name,
        "last_heartbeat": known.last_at,
        "expected_within_seconds": known.patience,
    });
    let word = Severity::Critical.as_str();
    let severity = endpoint.settings.severities.find(word);
    let alert = IncomingAlert {
        identity: identity(endpoint.project_id, endpoint.id),
        source: Source::Generic,
        title: format!("No heartbeat: {}", endpoint.name)
            .chars()
            .take(200)
            .collect(),
        description,
        severity: severity.unwrap_or(Severity::Critical),
        service: String::new(),
        monitoring_tool: TOOL.to_owned(),
        hosts: Vec::new(),
        environment_name: None,
        started_at: Some(started_at),
        resolved_at: is_over.then_some(now),
        stores_end: true,
        payload: payload.to_string(),
        report: ReportDigest::default(),
    };
    let alert = alert.digested();
    Delivery {
        project_id: endpoint.project_id,
        integration_id: endpoint.id,
        received_at: now,
        body_bytes: alert.payload.len(),
        alerts: vec![alert],
        acknowledged: None,
        lowers_severity: false,
        stale_after: None,
        expiries: Vec::new(),
        context: SenderContext::default(),
        key: None,
    }
}

/// Returns the identity of the alerts about the heartbeat of an endpoint.
fn identity(project: ProjectId, endpoint: IntegrationId) -> AlertIdentity {
    let text = format!("heartbeat of an endpoint: {project} {endpoint}");
    AlertIdentity::from_bytes(*ContentDigest::of(text.as_bytes()).as_bytes())
}
