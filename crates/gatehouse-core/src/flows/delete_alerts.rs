//! Deletion of alerts that are no longer kept, with all that refers to them.

use api_conventions::ids::{AlertId, ProjectId};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::database::WriteTransaction;

/// Deletes rows that refer to alerts, at most as many as its last parameter, and returns how many.
type DeleteReferences =
    fn(&mut dyn WriteTransaction, &[AlertId], usize) -> Result<usize, StoreError>;

/// Rows that refer to alerts, by the statement that deletes them. A new kind of reference is one more line.
const REFERENCES: [DeleteReferences; 2] = [
    |tx, alerts, limit| tx.delete_notes_on_alerts(alerts, limit),
    |tx, alerts, _| delete_incident_links(tx, alerts),
];

/// Deletes the links of alerts to their incidents. An alert has at most one.
fn delete_incident_links(
    tx: &mut dyn WriteTransaction,
    alerts: &[AlertId],
) -> Result<usize, StoreError> {
    let mut deleted = 0;
    for alert in alerts {
        deleted += usize::from(tx.delete_incident_link(*alert)?);
    }
    Ok(deleted)
}

/// Deletes resolved alerts of a project whose last change was before a time: at most `limit` of them, and as many rows of
/// each kind that refer to them. Returns true if there may be more.
///
/// # Errors
/// Failures of the store.
pub fn delete_resolved_alerts(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    before: Timestamp,
    limit: usize,
) -> Result<bool, StoreError> {
    // No alert is reopened between the list and the deletion.
    tx.lock_alerts(&[project])?;
    let alerts = tx.list_resolved_before(project, before, limit)?;
    if alerts.is_empty() {
        return Ok(false);
    }
    for delete in REFERENCES {
        if delete(tx, &alerts, limit)? >= limit {
            return Ok(true);
        }
    }
    tx.delete_resolved_alerts(project, &alerts)?;
    Ok(alerts.len() >= limit)
}
