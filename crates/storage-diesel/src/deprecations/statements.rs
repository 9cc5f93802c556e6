//! Statements over uses, for both databases.

use ::deprecations::usage::MAX_SUMMED;
use diesel::sql_types::{BigInt, Nullable};

use super::rows::OTHERS;
use crate::bulk::ColumnKind::{Number, Small, Text as Words};
use crate::bulk::{ComposedQuery, Statement};

/// Adds to the stored uses.
/// The large number is [`MAX_USES`](::deprecations::usage::MAX_USES).
pub(super) static ADD_USES: Statement = Statement {
    columns: &[
        ("record", Words),
        ("user_id", Number),
        ("holder", Small),
        ("holder_id", Number),
        ("uses", Number),
        ("first_at", Number),
        ("last_at", Number),
    ],
    text: "INSERT INTO deprecation_uses (record, user_id, holder, holder_id, uses, first_at, last_at) \
           SELECT record, user_id, holder, holder_id, uses, first_at, last_at FROM new WHERE TRUE \
           ON CONFLICT (record, user_id, holder, holder_id) DO UPDATE SET \
           uses = CASE WHEN deprecation_uses.uses + excluded.uses > 281474976710656 THEN 281474976710656 \
           ELSE deprecation_uses.uses + excluded.uses END, \
           first_at = CASE WHEN excluded.first_at < deprecation_uses.first_at THEN excluded.first_at ELSE deprecation_uses.first_at END, \
           last_at = CASE WHEN excluded.last_at > deprecation_uses.last_at THEN excluded.last_at ELSE deprecation_uses.last_at END",
};

/// Columns of [`sum_of`]: the number of known holders, the number of all uses, and the time of the last one.
/// The latter two are null if there are no uses.
pub(super) type SumColumns = (BigInt, Nullable<BigInt>, Nullable<BigInt>);

/// Sums the uses of a record.
pub(super) fn sum_of(record: &str) -> ComposedQuery<SumColumns> {
    let mut query = ComposedQuery::new(format!(
        "SELECT COUNT(CASE WHEN holder <> {OTHERS} THEN 1 END), CAST(SUM(uses) AS BIGINT), MAX(last_at) FROM \
         (SELECT holder, uses, last_at FROM deprecation_uses WHERE record = "
    ));
    query.bind(record).sql(format!(
        " ORDER BY last_at DESC, id DESC LIMIT {MAX_SUMMED}) AS summed"
    ));
    query
}

#[cfg(test)]
mod tests {
    use ::deprecations::usage::MAX_USES;

    use super::*;

    #[test]
    fn a_count_that_is_full_is_so_in_the_statement() {
        assert_eq!(ADD_USES.text.matches(&MAX_USES.to_string()).count(), 2);
    }
}
