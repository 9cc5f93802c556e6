//! PostgreSQL specifics of reports.

use storage::StoreError;

use crate::postgres::PgWriteTx;

/// Locks the counters of a project.
/// A project without counters gets them first.
pub(super) fn lock_reports(tx: &mut PgWriteTx<'_>, project: i64) -> Result<(), StoreError> {
    tx.run_text(
        "lock reports",
        &format!(
            "INSERT INTO ci_counters (project_id, last_deployment, last_pipeline) VALUES ({project}, 0, 0) ON CONFLICT DO NOTHING; \
             SELECT FROM ci_counters WHERE project_id = {project} FOR UPDATE"
        ),
    )
}

/// Locks runners, in the order of their ids.
pub(super) fn lock_runners(tx: &mut PgWriteTx<'_>, ids: &[i64]) -> Result<(), StoreError> {
    if ids.is_empty() {
        return Ok(());
    }
    let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
    let ids = ids.join(", ");
    tx.run_text(
        "lock runners",
        &format!("SELECT FROM runners WHERE id IN ({ids}) ORDER BY id FOR UPDATE"),
    )
}

/// Function that returns the position of a text in another one, or 0.
pub(super) const POSITION: &str = "strpos";
