//! Monitors of scheduled jobs, with the alerts about runs that are missed, fail or time out.

use alert_intake::model::{
    AlertIdentity, ContentDigest, Delivery as AlertDelivery, IncomingAlert, Integration,
    ReportDigest, SenderContext, Severity, Source,
};
use api_conventions::ids::{MonitorId, ProjectId};
use api_conventions::time::Timestamp;
use error_tracking::flow::monitors::{self as rules, MonitorChange};
use error_tracking::monitors::{Monitor, MonitorKey, MonitorOutcome, MonitorReport};
use storage::StoreError;

use super::receive_alerts::{FeedEntries, store_reports};
use crate::database::WriteTransaction;

/// Monitoring tool of the alerts.
const TOOL: &str = "Monitors";

/// Opens the alert of a monitor that is due at `now`, unless a check-in arrived in the meantime. A server that was down
/// until `up_since` received none before.
///
/// # Errors
/// Failures of the store.
pub fn expire(
    tx: &mut dyn WriteTransaction,
    monitor: &MonitorKey,
    feed: &FeedEntries,
    now: Timestamp,
    up_since: Timestamp,
) -> Result<(), StoreError> {
    for change in rules::expire(tx, monitor, now, up_since)? {
        store(tx, &change, feed)?;
    }
    Ok(())
}

/// Deletes a monitor, and resolves its alert. Returns the monitor; `None` if the project has no such monitor.
///
/// # Errors
/// Failures of the store.
pub fn delete(
    tx: &mut dyn WriteTransaction,
    (project, id): (ProjectId, MonitorId),
    feed: &FeedEntries,
    now: Timestamp,
) -> Result<Option<Monitor>, StoreError> {
    let deleted = rules::delete(tx, project, id)?;
    if let Some(monitor) = &deleted
        && monitor.state.is_failing
    {
        let change = MonitorChange {
            key: monitor.key.clone(),
            report: MonitorReport::Recovered,
            state: monitor.state.clone(),
            at: now,
        };
        store(tx, &change, feed)?;
    }
    Ok(deleted)
}

/// Stores the report about a change.
fn store(
    tx: &mut dyn WriteTransaction,
    change: &MonitorChange,
    feed: &FeedEntries,
) -> Result<(), StoreError> {
    let Some(report) = alert_of(tx, change)? else {
        return Ok(());
    };
    store_reports(tx, &[report], feed).map(drop)
}

/// Returns the report that opens or resolves the alert of a monitor; `None` if the project has no endpoint to attach it
/// to.
pub(super) fn alert_of<Tx: WriteTransaction + ?Sized>(
    tx: &mut Tx,
    change: &MonitorChange,
) -> Result<Option<AlertDelivery>, StoreError> {
    let (key, state) = (&change.key, &change.state);
    let generic = Integration::GENERIC_IDENTIFIER;
    let Some(endpoint) = tx.find_integration(key.project_id, generic)? else {
        return Ok(None);
    };
    let outcome = match change.report {
        MonitorReport::Failing(outcome) => outcome,
        MonitorReport::Recovered => MonitorOutcome::Ok,
    };
    let (title, description) = match outcome {
        MonitorOutcome::Missed => ("Missed check-in", "No run of the job began in time."),
        MonitorOutcome::Failed => ("Check-in failed", "A run of the job failed."),
        MonitorOutcome::TimedOut => (
            "Check-in timed out",
            "A run of the job did not end in time.",
        ),
        MonitorOutcome::Ok => ("Check-in succeeded", "The job runs again."),
    };
    let payload = serde_json::json!({
        "monitor": key.slug,
        "environment": key.environment,
        "status": outcome.as_str(),
        "failures": state.failures,
        "last_check_in_at": state.last_check_in_at,
        "release": state.release,
    });
    let alert = IncomingAlert {
        identity: identity(key),
        source: Source::Generic,
        title: format!("{title}: {}", key.slug),
        description: description.to_owned(),
        severity: Severity::High,
        service: key.slug.clone(),
        monitoring_tool: TOOL.to_owned(),
        hosts: Vec::new(),
        environment_name: Some(key.environment.clone()),
        started_at: state.failing_since,
        resolved_at: (change.report == MonitorReport::Recovered).then_some(change.at),
        stores_end: true,
        payload: payload.to_string(),
        report: ReportDigest::default(),
    };
    let alert = alert.digested();
    Ok(Some(AlertDelivery {
        project_id: key.project_id,
        integration_id: endpoint.id,
        received_at: change.at,
        body_bytes: alert.payload.len(),
        alerts: vec![alert],
        context: SenderContext::default(),
        key: None,
        acknowledged: None,
        lowers_severity: false,
        stale_after: None,
        expiries: Vec::new(),
    }))
}

/// Returns the identity of the alerts of a monitor. It outlives the deletion of the monitor.
fn identity(key: &MonitorKey) -> AlertIdentity {
    // Slugs have no line breaks, so no two keys have the same text.
    let text = format!(
        "monitor of a job: {}\n{}\n{}",
        key.project_id, key.slug, key.environment
    );
    AlertIdentity::from_bytes(*ContentDigest::of(text.as_bytes()).as_bytes())
}
