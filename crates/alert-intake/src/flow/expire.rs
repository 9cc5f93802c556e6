//! Ends of alerts whose sender stopped reporting them, as Alertmanager's API defines them.

use std::collections::BTreeMap;

use api_conventions::ids::{IntegrationId, ProjectId};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{
    AlertExpiry, Delivery, IncomingAlert, KnownAlert, ReportDigest, SenderContext, Source,
};
use crate::store::{AlertRepository, SilenceRepository};

/// Seconds after its end at which an alert is resolved. A sender repeats an alert in time, but the report may be late.
pub const SLACK_SECONDS: i64 = 60;

/// Largest number of alerts that one transaction resolves.
pub const AT_ONCE: usize = 1_000;

/// Deletes the expiries of a project that are due at `now`, at most [`AT_ONCE`], and returns the reports that resolve the
/// alerts which are still open: one for each endpoint. The caller stores them in the same transaction.
///
/// # Errors
/// Failures of the store.
pub fn expire<R: AlertRepository + SilenceRepository + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    now: Timestamp,
) -> Result<Vec<Delivery>, StoreError> {
    // A report that arrives at the same time moves the end, or comes after it and opens the alert again.
    repos.lock_alerts(&[project])?;
    let mut due = repos.list_due_expiries(now.plus_seconds(-SLACK_SECONDS), AT_ONCE)?;
    due.retain(|expiry| expiry.project_id == project);
    if due.is_empty() {
        return Ok(Vec::new());
    }
    let identities: Vec<_> = due.iter().map(|it| (project, it.identity)).collect();
    let known = repos.list_latest_by_identity(&identities)?;
    let open = known.into_iter().filter(|known| known.status.is_open());
    let open: BTreeMap<_, KnownAlert> = open.map(|known| (known.identity, known)).collect();
    repos.delete_expiries(&identities)?;
    let mut ends: BTreeMap<IntegrationId, Vec<IncomingAlert>> = BTreeMap::new();
    for expiry in &due {
        if let Some(known) = open.get(&expiry.identity) {
            let of_endpoint = ends.entry(expiry.integration_id).or_default();
            of_endpoint.push(end_of(known, expiry));
        }
    }
    let deliveries = ends.into_iter().map(|(endpoint, alerts)| Delivery {
        project_id: project,
        integration_id: endpoint,
        received_at: now,
        body_bytes: 0,
        context: SenderContext {
            notes: vec![format!(
                "no request: {} not reported again before the announced end",
                counted(alerts.len())
            )],
            ..SenderContext::default()
        },
        alerts,
        acknowledged: None,
        lowers_severity: false,
        stale_after: None,
        expiries: Vec::new(),
        key: None,
    });
    Ok(deliveries.collect())
}

fn counted(alerts: usize) -> String {
    match alerts {
        1 => "1 alert was".to_owned(),
        more => format!("{more} alerts were"),
    }
}

/// Returns the report that resolves an alert. An end changes no text, so it has none.
fn end_of(known: &KnownAlert, expiry: &AlertExpiry) -> IncomingAlert {
    IncomingAlert {
        identity: known.identity,
        source: Source::Metrics,
        title: known.title.clone(),
        description: String::new(),
        severity: known.report.severity,
        service: String::new(),
        monitoring_tool: String::new(),
        hosts: Vec::new(),
        environment_name: None,
        started_at: None,
        resolved_at: Some(expiry.expires_at),
        stores_end: false,
        payload: String::new(),
        report: ReportDigest::default(),
    }
}
