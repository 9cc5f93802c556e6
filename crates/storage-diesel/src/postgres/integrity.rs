//! Integrity check: reads everything once.

use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};

use crate::error::OpenError;

/// Selects the tables of this database that are not the server's own.
const TABLES: &str = "SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name \
    FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1";

/// Selects the indexes that the server does not use, because creating or rebuilding them was interrupted.
const INVALID_INDEXES: &str = "SELECT indexrelid::regclass::text AS name \
    FROM pg_index WHERE NOT (indisvalid AND indisready) ORDER BY 1";

#[derive(QueryableByName)]
struct PgObjectName {
    #[diesel(sql_type = Text)]
    name: String,
}

#[derive(QueryableByName)]
struct PgRowCount {
    #[diesel(sql_type = BigInt)]
    #[expect(dead_code, reason = "the rows are only read to check them")]
    rows: i64,
}

/// Begins the read of one table.
/// It has no time limit and reads the table rather than indexes; none of these settings outlives the transaction,
/// because another client may use the connection next.
const BEGIN: &str = "BEGIN READ ONLY; SET LOCAL statement_timeout = 0; SET LOCAL enable_indexscan = off; \
    SET LOCAL enable_indexonlyscan = off; SET LOCAL enable_bitmapscan = off";

/// Returns the integrity errors of the tables and the indexes.
pub(super) fn integrity_errors(connection: &mut PgConnection) -> Result<Vec<String>, OpenError> {
    let tables: Vec<PgObjectName> = diesel::sql_query(TABLES).load(connection)?;
    let mut found = Vec::new();
    for PgObjectName { name } in tables {
        // The conversion to text reads every value, also long ones that the server stores out of line.
        let whole = format!("SELECT count(row::text) AS rows FROM {name} AS row");
        connection.batch_execute(BEGIN)?;
        let read: QueryResult<PgRowCount> = diesel::sql_query(whole).get_result(connection);
        connection.batch_execute("ROLLBACK")?;
        if let Err(error) = read {
            found.push(format!("table {name} cannot be read: {error}"));
        }
    }
    let indexes: Vec<PgObjectName> = diesel::sql_query(INVALID_INDEXES).load(connection)?;
    let invalid =
        |index: PgObjectName| format!("index {} is invalid; rebuild it with REINDEX", index.name);
    found.extend(indexes.into_iter().map(invalid));
    Ok(found)
}
