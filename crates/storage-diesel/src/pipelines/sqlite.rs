//! What SQLite does in its own way for reports.

use storage::StoreError;

use crate::sqlite::SqliteWriteTx;

/// There is one writer, so nothing else changes reports meanwhile.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the other database has something to do here"
)]
pub(super) fn lock_reports(_: &mut SqliteWriteTx<'_>, _: i64) -> Result<(), StoreError> {
    Ok(())
}
