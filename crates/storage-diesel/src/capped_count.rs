//! Counts of matching rows, up to a limit.

use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::BigInt;
use diesel::{Connection, RunQueryDsl};

/// Converts a count that the database returned.
#[expect(
    clippy::expect_used,
    reason = "the database counts from zero, and an invented total would be shown to users"
)]
pub(crate) fn count_of(count: i64) -> u64 {
    u64::try_from(count).expect("a count is not negative")
}

/// `SELECT COUNT(*) FROM (…)` around a query that has a limit of its own.
#[derive(Debug, Clone, Copy, QueryId)]
pub(crate) struct CappedCount<Q>(pub(crate) Q);

impl<Q> Query for CappedCount<Q> {
    type SqlType = BigInt;
}

impl<Q, Conn: Connection> RunQueryDsl<Conn> for CappedCount<Q> {}

impl<Q: QueryFragment<DB>, DB: diesel::backend::Backend> QueryFragment<DB> for CappedCount<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("SELECT COUNT(*) FROM (");
        self.0.walk_ast(out.reborrow())?;
        out.push_sql(") AS counted");
        Ok(())
    }
}
