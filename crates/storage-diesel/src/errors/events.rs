//! Query texts for events and their counters.

use api_conventions::ids::ErrorId;
use api_conventions::time::Timestamp;
use diesel::sql_types::{BigInt, Text};
use error_tracking::store::{CounterFilter, SessionFilter};

use crate::bulk::ComposedQuery;

/// Selects the keys of an error, in parentheses.
fn keys_of(error: ErrorId) -> String {
    format!("(SELECT id FROM error_keys WHERE error_id = {error})")
}

/// Columns of [`tags`].
pub(super) type TagColumns = (Text, Text, BigInt, BigInt);

/// Selects all tags of an error, by name, the value with the most events first.
pub(super) fn tags(error: ErrorId) -> ComposedQuery<TagColumns> {
    ComposedQuery::new(format!(
        "SELECT name, value, CAST(SUM(events) AS BIGINT), MAX(last_seen) FROM error_tags WHERE key_id IN {} \
         GROUP BY name, value ORDER BY name, 3 DESC, value",
        keys_of(error)
    ))
}

/// Selects the hourly counts of errors from a time on.
pub(super) fn hours(
    errors: &[ErrorId],
    from: Timestamp,
) -> ComposedQuery<(BigInt, BigInt, BigInt)> {
    let errors: Vec<String> = errors.iter().map(ErrorId::to_string).collect();
    ComposedQuery::new(format!(
        "SELECT k.error_id, h.hour, CAST(SUM(h.events) AS BIGINT) FROM error_keys AS k \
         JOIN error_hours AS h ON h.key_id = k.id WHERE k.error_id IN ({}) AND h.hour >= {} \
         GROUP BY k.error_id, h.hour ORDER BY k.error_id, h.hour",
        errors.join(", "),
        from.as_micros()
    ))
}

/// Selects the comments on the stored events of an error.
fn comments(what: &str, error: ErrorId) -> String {
    format!(
        "SELECT {what} FROM error_events AS e JOIN error_comments AS c \
         ON c.project_id = e.project_id AND c.event_id = e.event_id \
         WHERE e.key_id IN {} AND e.body IS NOT NULL",
        keys_of(error)
    )
}

/// Counts the comments, up to a limit.
pub(super) fn count_comments(error: ErrorId, limit: i64) -> ComposedQuery<BigInt> {
    let some = comments("1", error);
    ComposedQuery::new(format!(
        "SELECT COUNT(*) FROM ({some} LIMIT {limit}) AS found"
    ))
}

/// Selects the ids of comments in a direction.
pub(super) fn comment_ids(
    error: ErrorId,
    direction: &str,
    skip: i64,
    take: i64,
) -> ComposedQuery<BigInt> {
    let ids = comments("c.id", error);
    ComposedQuery::new(format!(
        "{ids} ORDER BY c.id {direction} LIMIT {take} OFFSET {skip}"
    ))
}

/// Columns of [`counters`].
pub(super) type CounterColumns = (
    BigInt,
    BigInt,
    diesel::sql_types::SmallInt,
    diesel::sql_types::SmallInt,
    BigInt,
);

/// Selects the accounting of some days.
pub(super) fn counters(filter: &CounterFilter) -> ComposedQuery<CounterColumns> {
    ComposedQuery::new(format!(
        "SELECT day, key_id, category, outcome, quantity FROM error_tallies \
         WHERE project_id = {} AND day BETWEEN {} AND {} ORDER BY day, key_id, category, outcome",
        filter.project_id,
        filter.from.as_days(),
        filter.to.as_days()
    ))
}

/// Columns of [`sessions`].
pub(super) type SessionColumns = (BigInt, Text, Text, BigInt, BigInt, BigInt, BigInt);

/// Selects the sessions of some days.
pub(super) fn sessions(filter: &SessionFilter, limit: i64) -> ComposedQuery<SessionColumns> {
    let mut query = ComposedQuery::new(format!(
        "SELECT day, release, environment, started, errored, crashed, abnormal FROM error_sessions \
         WHERE project_id = {} AND day BETWEEN {} AND {}",
        filter.project_id,
        filter.from.as_days(),
        filter.to.as_days()
    ));
    if let Some(release) = &filter.release {
        query.sql(" AND release = ").bind(release);
    }
    query.sql(format!(
        " ORDER BY day DESC, release, environment LIMIT {limit}"
    ));
    query
}
