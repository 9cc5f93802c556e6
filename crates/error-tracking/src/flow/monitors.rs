//! Monitors: recording of check-ins, and of those that do not come.

use api_conventions::ids::{MonitorId, ProjectId};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::collector::CollectedCheckIn;
use crate::model::EventId;
use crate::monitors::{Monitor, MonitorKey, MonitorReport, MonitorState};
use crate::store::CollectRepository;

/// Monitors of a project, counted for each environment. Check-ins of further ones are dropped.
pub const MAX_MONITORS: usize = 100;

/// Change of a monitor that opens or resolves its alert.
#[derive(Debug, Clone, PartialEq)]
pub struct MonitorChange {
    /// Key of the monitor.
    pub key: MonitorKey,
    /// Kind of change.
    pub report: MonitorReport,
    /// State of the monitor after it.
    pub state: MonitorState,
    /// Time of the change, by the server's clock.
    pub at: Timestamp,
}

/// Check-in that was recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckInOutcome {
    /// Id of the run.
    pub id: EventId,
    /// Change of the monitor, if there is one.
    pub change: Option<MonitorChange>,
}

/// Records a check-in; `None` if it is the first one of a monitor and the project has [`MAX_MONITORS`] already. The
/// caller has locked the errors of the project.
///
/// # Errors
/// Failures of the store.
pub fn record<R: CollectRepository + ?Sized>(
    repos: &mut R,
    project_id: ProjectId,
    arrived: &CollectedCheckIn,
    now: Timestamp,
) -> Result<Option<CheckInOutcome>, StoreError> {
    let check_in = &arrived.check_in;
    let key = MonitorKey {
        project_id,
        slug: check_in.slug.clone(),
        environment: check_in.environment.clone(),
    };
    let mut state = match repos.find_monitor(&key)? {
        Some(monitor) => monitor.state,
        None if repos.list_monitors(project_id)?.len() >= MAX_MONITORS => return Ok(None),
        None => MonitorState::default(),
    };
    let recorded = state.record(check_in, arrived.fallback_id, now);
    repos.put_monitor(&key, &state)?;
    let change = recorded.report.map(|report| MonitorChange {
        key,
        report,
        state,
        at: now,
    });
    Ok(Some(CheckInOutcome {
        id: recorded.id,
        change,
    }))
}

/// Applies all deadlines of a monitor that have passed at `now`, and returns the changes. A server that was down until
/// `up_since` received no check-ins before.
///
/// # Errors
/// Failures of the store.
pub fn expire<R: CollectRepository + ?Sized>(
    repos: &mut R,
    key: &MonitorKey,
    now: Timestamp,
    up_since: Timestamp,
) -> Result<Vec<MonitorChange>, StoreError> {
    repos.lock_errors(&[key.project_id])?;
    let Some(Monitor { mut state, .. }) = repos.find_monitor(key)? else {
        return Ok(Vec::new());
    };
    let mut changes = Vec::new();
    while state.due_at().is_some_and(|due| due <= now) {
        if let Some(report) = state.expire(now, up_since) {
            changes.push(MonitorChange {
                key: key.clone(),
                report,
                state: state.clone(),
                at: now,
            });
        }
    }
    repos.put_monitor(key, &state)?;
    Ok(changes)
}

/// Deletes a monitor and returns it; `None` if the project has no such monitor. Its next check-in creates it anew.
///
/// # Errors
/// Failures of the store.
pub fn delete<R: CollectRepository + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    id: MonitorId,
) -> Result<Option<Monitor>, StoreError> {
    repos.lock_errors(&[project])?;
    let mut all = repos.list_monitors(project)?.into_iter();
    let found = all.find(|monitor| monitor.id == id);
    let is_deleted = repos.delete_monitor(project, id)?;
    Ok(found.filter(|_| is_deleted))
}
