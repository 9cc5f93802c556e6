//! Statements that the query builder cannot express, with fixed texts, so that each is prepared once.

use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::{BigInt, Binary, Bool, Nullable, SmallInt, Text};
use diesel::sqlite::Sqlite;
use diesel::{RunQueryDsl, SqliteConnection};

/// Finds the open alert of each wanted identity, or else the one stored last: one probe of one index each.
///
/// `wanted` is a JSON array of pairs of a project and an identity in hexadecimal digits.
#[derive(Debug)]
pub(super) struct LatestByIdentity {
    pub(super) wanted: String,
}

const LATEST_BY_IDENTITY: &str = "\
SELECT a.project_id, a.identity, a.id, a.iid, a.title, a.status, a.ended_at, a.last_started_at, a.last_start_stated, a.resolved_by_hand, \
a.source, a.report_digest, a.severity, COALESCE(a.reported_severity, a.severity) AS reported_severity, a.flaps, a.hosts \
FROM (SELECT json_extract(value, '$[0]') AS project, unhex(json_extract(value, '$[1]')) AS identity \
FROM json_each(";

const LATEST_BY_IDENTITY_END: &str = ")) AS wanted CROSS JOIN alerts AS a ON a.id = (\
SELECT id FROM alerts WHERE project_id = wanted.project AND identity = wanted.identity \
ORDER BY closed_slot DESC LIMIT 1)";

impl QueryId for LatestByIdentity {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for LatestByIdentity {
    type SqlType = (
        BigInt,
        Binary,
        BigInt,
        BigInt,
        Text,
        SmallInt,
        Nullable<BigInt>,
        BigInt,
        Bool,
        Bool,
        SmallInt,
        BigInt,
        SmallInt,
        SmallInt,
        BigInt,
        Text,
    );
}

impl RunQueryDsl<SqliteConnection> for LatestByIdentity {}

impl QueryFragment<Sqlite> for LatestByIdentity {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql(LATEST_BY_IDENTITY);
        out.push_bind_param::<Text, _>(&self.wanted)?;
        out.push_sql(LATEST_BY_IDENTITY_END);
        Ok(())
    }
}
