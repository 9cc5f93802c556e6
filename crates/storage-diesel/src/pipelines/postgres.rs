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
