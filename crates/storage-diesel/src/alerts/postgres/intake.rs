//! Alert intake on PostgreSQL, in as few round trips as possible: a message that begins the transaction and takes the
//! locks, one that finds the alerts and all data that new ones will need, and one that writes.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;

use alert_intake::model::{AlertIdentity, AlertNumbers, AlertProgress, AlertRevision};
use alert_intake::search::SearchPart;
use api_conventions::ids::{AlertId, AlertIid, ProjectId};
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use storage::{StoreError, StoreErrorKind};

use super::statements::{
    AdvanceAlerts, AdvanceCounters, InsertAlerts, InsertReceipts, InsertSlices, LatestByIdentity,
    NextAlertIds, ReserveIids, ReviseAlerts,
};
use crate::alerts::rows::receipts::NewReceiptRow;
use crate::alerts::rows::{KnownAlertRow, NewAlertRow, json_list};
use crate::postgres::PgWriteTx;
use crate::transaction::Transaction as _;

const RESERVE: &str = "reserve alert numbers";

/// Values that were read early, together with the alerts.
#[derive(Default)]
pub(crate) struct ReadAhead {
    /// Projects whose counters this transaction has locked.
    locked: Vec<i64>,
    /// Next numbers of these projects, if they have been read since.
    next_iids: HashMap<i64, i64>,
    /// Ids from the sequence that are not used yet, ascending.
    /// They were allocated under the locks, so an alert that is stored later has a greater id.
    ids: VecDeque<i64>,
}

impl ReadAhead {
    /// Returns the first numbers for the new alerts of each project, if the counters of all projects are known.
    fn first_iids(&self, wanted: &[(ProjectId, i64)]) -> Option<Vec<i64>> {
        let first = |(project, _): &(ProjectId, i64)| self.next_iids.get(&project.get()).copied();
        wanted.iter().map(first).collect()
    }
}

/// Locks the counters of projects in the order of their ids, so that no two transactions wait for each other.
/// A project without a counter gets one first.
pub(crate) fn lock_alerts(tx: &mut PgWriteTx<'_>, projects: &[i64]) -> Result<(), StoreError> {
    if projects.is_empty() {
        return Ok(());
    }
    let mut rows = String::new();
    let mut ids = String::new();
    for project in projects {
        let separator = if rows.is_empty() { "" } else { "," };
        // Writing to a string cannot fail. Only numbers are written, so nothing has to be quoted.
        let _ = write!(rows, "{separator}({project},1)");
        let _ = write!(ids, "{separator}{project}");
    }
    tx.run_text(
        "lock alerts",
        &format!(
            "INSERT INTO alert_counters (project_id, next_iid) VALUES {rows} ON CONFLICT DO NOTHING; \
             SELECT FROM alert_counters WHERE project_id IN ({ids}) ORDER BY project_id FOR UPDATE"
        ),
    )?;
    tx.ahead.locked.extend(projects);
    Ok(())
}

/// Finds alerts, and reads ahead the values that [`reserve_alert_numbers`] needs.
/// It is a separate message from the locks, because a statement takes its snapshot before it waits for a lock.
pub(crate) fn latest_by_identity(
    tx: &mut PgWriteTx<'_>,
    identities: &[(ProjectId, AlertIdentity)],
) -> Result<Vec<KnownAlertRow>, StoreError> {
    type ExistingAlert = (Option<KnownAlertRow>, Option<i64>, Option<i64>, Option<i64>);
    let mut wanted = LatestByIdentity::default();
    for (project, identity) in identities {
        wanted.projects.push(project.get());
        wanted.identities.push(identity.as_bytes());
    }
    wanted.locked.clone_from(&tx.ahead.locked);
    let found: Vec<ExistingAlert> = tx.values("find alerts by identity", wanted)?;
    let mut known = Vec::with_capacity(found.len());
    for (alert, id, project, next_iid) in found {
        known.extend(alert);
        tx.ahead.ids.extend(id);
        tx.ahead.next_iids.extend(project.zip(next_iid));
    }
    tx.ahead.ids.make_contiguous().sort_unstable();
    Ok(known)
}

/// Reserves ids and numbers for new alerts.
/// Ids come from a sequence, which no transaction waits for; another node may take some in between, so they are
/// returned in runs.
pub(crate) fn reserve_alert_numbers(
    tx: &mut PgWriteTx<'_>,
    wanted: &[(ProjectId, i64)],
) -> Result<Vec<AlertNumbers>, StoreError> {
    let first_iids = match tx.ahead.first_iids(wanted) {
        Some(known) => {
            advance_counters(tx, wanted, &known)?;
            known
        }
        None => reserve_iids(tx, wanted)?,
    };
    let total: i64 = wanted.iter().map(|(_, count)| count).sum();
    let missing = total - i64::try_from(tx.ahead.ids.len()).unwrap_or(i64::MAX);
    if missing > 0 {
        let more: Vec<i64> = tx.values(RESERVE, NextAlertIds { count: missing })?;
        tx.ahead.ids.extend(more);
    }
    let mut numbers = Vec::with_capacity(wanted.len());
    for ((project_id, count), first) in wanted.iter().zip(first_iids) {
        for iid in first..first + count {
            let id = tx.ahead.ids.pop_front().ok_or_else(|| {
                StoreError::new(StoreErrorKind::Internal, RESERVE)
                    .with_detail("the sequence returned too few ids")
            })?;
            add_number(&mut numbers, *project_id, id, iid);
        }
    }
    Ok(numbers)
}

/// Extends the last run of numbers if this one continues it, or begins another one.
fn add_number(numbers: &mut Vec<AlertNumbers>, project_id: ProjectId, id: i64, iid: i64) {
    match numbers.last_mut() {
        Some(run) if run.project_id == project_id && run.first_id.get() + run.count == id => {
            run.count += 1;
        }
        _ => numbers.push(AlertNumbers {
            project_id,
            first_id: AlertId::new(id),
            first_iid: AlertIid::new(iid),
            count: 1,
        }),
    }
}

fn advance_counters(
    tx: &mut PgWriteTx<'_>,
    wanted: &[(ProjectId, i64)],
    first_iids: &[i64],
) -> Result<(), StoreError> {
    let mut columns = AdvanceCounters::default();
    for ((project, count), first) in wanted.iter().zip(first_iids) {
        tx.ahead.next_iids.insert(project.get(), first + count);
        columns.projects.push(project.get());
        columns.next_iids.push(first + count);
    }
    let bytes = size_of_val(wanted);
    tx.write_rows(RESERVE, "alert_counters", columns, bytes)
}

/// Reserves numbers of projects whose counters are not locked, and returns the first number of each.
fn reserve_iids(
    tx: &mut PgWriteTx<'_>,
    wanted: &[(ProjectId, i64)],
) -> Result<Vec<i64>, StoreError> {
    let mut counters = ReserveIids::default();
    for (project, count) in wanted {
        counters.projects.push(project.get());
        counters.counts.push(*count);
        // The value that was read ahead is no longer true.
        tx.ahead.next_iids.remove(&project.get());
    }
    let ends: Vec<(i64, i64)> = tx.values(RESERVE, counters)?;
    let ends: HashMap<i64, i64> = ends.into_iter().collect();
    let first = |(project, count): &(ProjectId, i64)| {
        let end = ends.get(&project.get());
        // Without the counter, the assigned numbers are unknown.
        let missing =
            || StoreError::new(StoreErrorKind::Internal, RESERVE).with_detail("counter is missing");
        end.map(|end| end - count).ok_or_else(missing)
    };
    wanted.iter().map(first).collect()
}

pub(crate) fn insert_alerts(
    tx: &mut PgWriteTx<'_>,
    rows: &[NewAlertRow<'_>],
) -> Result<(), StoreError> {
    let mut columns = InsertAlerts::default();
    let mut bytes = size_of_val(rows);
    for row in rows {
        columns.id.push(row.id);
        columns.project_id.push(row.project_id);
        columns.iid.push(row.iid);
        columns.integration_id.push(row.integration_id);
        columns.identity.push(row.identity.to_vec());
        columns.closed_slot.push(row.closed_slot);
        columns.source.push(row.source);
        columns.title.push(row.title.to_owned());
        columns.description.push(row.description.to_owned());
        columns.severity.push(row.severity);
        columns.status.push(row.status);
        columns.service.push(row.service.to_owned());
        columns.monitoring_tool.push(row.monitoring_tool.to_owned());
        columns.hosts.push(row.hosts.clone());
        columns
            .environment_name
            .push(row.environment_name.map(str::to_owned));
        columns.started_at.push(row.started_at);
        columns.last_started_at.push(row.last_started_at);
        columns.last_start_stated.push(row.last_start_stated);
        columns.ended_at.push(row.ended_at);
        columns.occurrences.push(row.occurrences);
        columns.deliveries.push(row.deliveries);
        columns.payload.push(row.payload.to_owned());
        columns.created_at.push(row.created_at);
        columns.updated_at.push(row.updated_at);
        columns.report_digest.push(row.report_digest);
        columns.flaps.push(row.flaps);
        columns.stale_at.push(row.stale_at);
        columns
            .latest_payload
            .push(row.latest_payload.map(str::to_owned));
        bytes += row.latest_payload.map_or(0, str::len);
        bytes += row.description.len() + row.payload.len();
    }
    tx.write_rows("insert alerts", "alerts", columns, bytes)
}

pub(crate) fn insert_receipts(
    tx: &mut PgWriteTx<'_>,
    rows: Vec<NewReceiptRow<'_>>,
) -> Result<(), StoreError> {
    let mut columns = InsertReceipts::default();
    let mut bytes = size_of_val(&rows[..]);
    for row in rows {
        columns.project_id.push(row.project_id);
        columns.integration_id.push(row.integration_id);
        columns.received_at.push(row.received_at);
        columns.body_bytes.push(row.body_bytes);
        columns.created.push(row.created);
        columns.counted.push(row.counted);
        columns.resolved.push(row.resolved);
        columns.repeated.push(row.repeated);
        columns.user_agent.push(row.user_agent.map(Cow::into_owned));
        columns.group_key.push(row.group_key.map(Cow::into_owned));
        columns.truncated_alerts.push(row.truncated_alerts);
        columns.skipped_alerts.push(row.skipped_alerts);
        bytes += row.notes.len();
        columns.notes.push(row.notes.into_owned());
        bytes += row.refusal.as_deref().map_or(0, str::len);
        columns.refusal.push(row.refusal.map(Cow::into_owned));
        columns.further_refusals.push(row.further_refusals);
    }
    tx.write_rows("insert receipts", "alert_receipts", columns, bytes)
}

pub(crate) fn advance_alerts(
    tx: &mut PgWriteTx<'_>,
    progress: &[AlertProgress],
) -> Result<(), StoreError> {
    let mut columns = AdvanceAlerts::default();
    for step in progress {
        columns.id.push(step.id.get());
        columns.occurrences.push(step.occurrences);
        columns.deliveries.push(step.deliveries);
        columns.last_started_at.push(step.last_start.at.as_micros());
        columns.last_start_stated.push(step.last_start.is_stated);
        columns.resolves.push(step.resolved_at.is_some());
        columns
            .resolved_at
            .push(step.resolved_at.map(Timestamp::as_micros));
        columns.confirms_end.push(step.confirms_end);
        columns.updated_at.push(step.updated_at.as_micros());
        columns.flaps.push(step.flaps);
        columns
            .stale_at
            .push(step.stale_at.map(Timestamp::as_micros));
    }
    let bytes = size_of_val(progress);
    tx.write_rows("update alerts", "alerts", columns, bytes)
}

pub(crate) fn revise_alerts(
    tx: &mut PgWriteTx<'_>,
    revisions: &[AlertRevision],
) -> Result<(), StoreError> {
    let mut columns = ReviseAlerts::default();
    let mut bytes = size_of_val(revisions);
    for newest in revisions {
        columns.id.push(newest.id.get());
        columns.title.push(newest.title.clone());
        columns.description.push(newest.description.clone());
        columns.service.push(newest.service.clone());
        columns.monitoring_tool.push(newest.monitoring_tool.clone());
        columns.hosts.push(json_list(&newest.hosts));
        columns
            .environment_name
            .push(newest.environment_name.clone());
        columns.severity.push(newest.severity.number());
        columns
            .reported_severity
            .push(newest.reported_severity.number());
        columns.report_digest.push(newest.report.number());
        columns.payload.push(newest.payload.clone());
        bytes += newest.description.len() + newest.payload.len();
    }
    tx.write_rows("revise alerts", "alerts", columns, bytes)
}

pub(crate) fn insert_slices(connection: &mut PgConnection, part: &SearchPart) -> QueryResult<()> {
    let mut columns = InsertSlices::default();
    for (slot, blocks) in &part.slices {
        columns.project_id.push(part.project_id.get());
        columns.part.push(part.number);
        columns.slot.push(i32::from(*slot));
        columns.blocks.push(&blocks[..]);
    }
    columns.execute(connection).map(drop)
}
