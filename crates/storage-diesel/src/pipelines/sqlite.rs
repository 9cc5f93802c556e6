//! SQLite specifics of reports.

use storage::StoreError;

use crate::sqlite::SqliteWriteTx;

/// Does nothing: there is one writer, so nothing else changes reports in the meantime.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the other database does some work here"
)]
pub(super) fn lock_reports(_: &mut SqliteWriteTx<'_>, _: i64) -> Result<(), StoreError> {
    Ok(())
}

/// Does nothing: there is one writer, so nothing else changes runners in the meantime.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the other database does some work here"
)]
pub(super) fn lock_runners(_: &mut SqliteWriteTx<'_>, _: &[i64]) -> Result<(), StoreError> {
    Ok(())
}

/// Function that returns the position of a text in another one, or 0.
pub(super) const POSITION: &str = "instr";
