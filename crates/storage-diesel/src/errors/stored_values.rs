//! Times and accounting counters, as stored in rows.

use api_conventions::ids::{ClientKeyId, ProjectId};
use api_conventions::time::{CalendarDate, Timestamp};
use error_tracking::model::{CounterKey, Outcome, OutcomeCounter};
use error_tracking::protocol::item::Category;
use storage::StoreError;

/// Reads a stored day.
pub(super) fn day(table: &'static str, days: i64) -> Result<CalendarDate, StoreError> {
    let day = i32::try_from(days).ok().and_then(CalendarDate::from_days);
    day.ok_or_else(|| StoreError::inconsistent(table, days, "date out of range"))
}

/// Reads a stored time.
pub(super) fn time(table: &'static str, micros: i64) -> Result<Timestamp, StoreError> {
    let wrong = || StoreError::inconsistent(table, micros, "timestamp out of range");
    Timestamp::from_micros(micros).ok_or_else(wrong)
}

/// Reads a stored counter of the accounting.
pub(super) fn counter(
    project_id: ProjectId,
    (days, key, category, outcome, quantity): (i64, i64, i16, i16, i64),
) -> Result<OutcomeCounter, StoreError> {
    let wrong = || StoreError::inconsistent("error_tallies", key, "unknown category or outcome");
    Ok(OutcomeCounter {
        of: CounterKey {
            project_id,
            day: day("error_tallies", days)?,
            key_id: ClientKeyId::new(key),
            category: Category::from_number(category).ok_or_else(wrong)?,
            outcome: Outcome::from_number(outcome).ok_or_else(wrong)?,
        },
        quantity,
    })
}
