//! Export from a PostgreSQL server and import into an empty database.

use std::collections::BTreeMap;

use diesel::connection::{CacheSize, SimpleConnection as _};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};

use super::{Column, Dialect, Import, RowSink, SnapshotTable, TransferError, listed, quoted};
use crate::migrate::{self, MigrationFile};

/// Rows that are read in one round trip.
const FETCH: usize = 64;

/// Disables time limits for this transaction only, and fixes the formats of binary values and times.
const TRANSFER_SETTINGS: &str = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; \
                       SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL bytea_output = 'hex'; \
                       SET LOCAL TIME ZONE 'UTC';";

#[derive(QueryableByName)]
struct PgJsonRow {
    #[diesel(sql_type = Text)]
    line: String,
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

/// Sequence that assigns the ids of a table.
#[derive(QueryableByName)]
struct IdSequence {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    column: String,
    #[diesel(sql_type = Text)]
    sequence: String,
}

/// Foreign key.
#[derive(QueryableByName)]
struct ForeignKey {
    #[diesel(sql_type = Text)]
    of: String,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    definition: String,
}

const SEQUENCES: &str = "SELECT table_name::text AS name, column_name::text AS \"column\", \
    pg_get_serial_sequence(quote_ident(table_name), column_name) AS sequence \
    FROM information_schema.columns WHERE table_schema = current_schema() AND is_identity = 'YES' \
    UNION ALL SELECT 'alerts', 'id', quote_ident(sequencename) FROM pg_sequences \
    WHERE schemaname = current_schema() AND sequencename = 'alert_ids' ORDER BY 1";

const FOREIGN_KEYS: &str = "SELECT conrelid::regclass::text AS \"of\", quote_ident(conname) AS name, \
    pg_get_constraintdef(oid) AS definition FROM pg_constraint \
    WHERE contype = 'f' AND connamespace = current_schema()::regnamespace ORDER BY oid";

/// Saves the foreign keys while rows are inserted in any order.
const KEPT_KEYS: &str = "CREATE TEMPORARY TABLE kept_foreign_keys ON COMMIT DROP AS ";

impl Dialect for PgConnection {
    const STEPS: &'static [MigrationFile] = migrate::POSTGRES;

    fn applied(&mut self) -> Result<Vec<String>, TransferError> {
        Ok(migrate::applied_versions(self, Self::STEPS)?)
    }

    fn migrate(&mut self, versions: &[String]) -> Result<(), TransferError> {
        Ok(migrate::apply_versions(self, Self::STEPS, versions)?)
    }

    fn tables(&mut self) -> Result<Vec<String>, TransferError> {
        // In byte order, which does not depend on any setting of the database.
        let names = "SELECT tablename::text AS line FROM pg_tables WHERE schemaname = current_schema() \
                     ORDER BY tablename::text COLLATE \"C\"";
        let names: Vec<PgJsonRow> = diesel::sql_query(names).load(self)?;
        Ok(names.into_iter().map(|name| name.line).collect())
    }

    fn columns(&mut self, table: &str) -> Result<Vec<Column>, TransferError> {
        let columns = "SELECT column_name::text AS name, data_type::text AS kind FROM information_schema.columns \
                       WHERE table_schema = current_schema() AND table_name = $1 \
                       ORDER BY column_name::text COLLATE \"C\"";
        let columns = diesel::sql_query(columns).bind::<Text, _>(table);
        Ok(columns.load(self)?)
    }

    fn key(&mut self, table: &str) -> Result<Vec<String>, TransferError> {
        let names = "SELECT attname::text AS line FROM pg_index \
                     JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey) \
                     WHERE indisprimary AND indrelid = quote_ident($1)::regclass \
                     ORDER BY array_position(indkey::int2[], attnum)";
        let names = diesel::sql_query(names).bind::<Text, _>(table);
        let names: Vec<PgJsonRow> = names.load(self)?;
        Ok(names.into_iter().map(|name| name.line).collect())
    }

    /// Returns the last ids of the sequences.
    /// A sequence is ahead of the snapshot rather than behind it, so no id is reused.
    fn last_ids(&mut self) -> Result<BTreeMap<String, i64>, TransferError> {
        let sequences: Vec<IdSequence> = diesel::sql_query(SEQUENCES).load(self)?;
        let mut ids = BTreeMap::new();
        for IdSequence { name, sequence, .. } in sequences {
            let last = format!(
                "SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS number FROM {sequence}"
            );
            let last: Number = diesel::sql_query(last).get_result(self)?;
            if last.number > 0 {
                ids.insert(name, last.number);
            }
        }
        Ok(ids)
    }

    fn each_row(
        &mut self,
        table: &str,
        columns: &[Column],
        take: &mut dyn FnMut(String) -> Result<(), TransferError>,
    ) -> Result<(), TransferError> {
        let names = listed(columns.iter().map(|column| column.name.as_str()));
        let table = quoted(table);
        self.batch_execute(&format!(
            "DECLARE exported_rows NO SCROLL CURSOR FOR \
             SELECT row_to_json(one)::text AS line FROM (SELECT {names} FROM {table}) AS one"
        ))?;
        loop {
            let rows = diesel::sql_query(format!("FETCH {FETCH} FROM exported_rows"));
            let rows: Vec<PgJsonRow> = rows.load(self)?;
            if rows.is_empty() {
                break;
            }
            for row in rows {
                take(row.line)?;
            }
        }
        Ok(self.batch_execute("CLOSE exported_rows")?)
    }

    fn clear(&mut self, tables: &[String]) -> Result<(), TransferError> {
        self.batch_execute(&format!("{KEPT_KEYS}{FOREIGN_KEYS}"))?;
        for key in kept_keys(self)? {
            self.batch_execute(&format!(
                "ALTER TABLE {} DROP CONSTRAINT {}",
                key.of, key.name
            ))?;
        }
        let tables = listed(tables.iter().map(String::as_str));
        Ok(self.batch_execute(&format!("TRUNCATE {tables}"))?)
    }

    fn insert(&mut self, table: &str, columns: &[Column], rows: &str) -> Result<(), TransferError> {
        let names = listed(columns.iter().map(|column| column.name.as_str()));
        let table = quoted(table);
        let insert = format!(
            "INSERT INTO {table} ({names}) OVERRIDING SYSTEM VALUE \
             SELECT {names} FROM json_populate_recordset(NULL::{table}, $1::json)"
        );
        diesel::sql_query(insert)
            .bind::<Text, _>(rows)
            .execute(self)?;
        Ok(())
    }

    fn complete(&mut self, tables: &[SnapshotTable]) -> Result<(), TransferError> {
        for key in kept_keys(self)? {
            let (of, name, definition) = (key.of, key.name, key.definition);
            self.batch_execute(&format!(
                "ALTER TABLE {of} ADD CONSTRAINT {name} {definition}"
            ))?;
        }
        let sequences: Vec<IdSequence> = diesel::sql_query(SEQUENCES).load(self)?;
        for sequence in sequences {
            let of = tables.iter().find(|table| table.name == sequence.name);
            let last = of.and_then(|table| table.last_id).unwrap_or(0);
            let (table, column) = (quoted(&sequence.name), quoted(&sequence.column));
            let highest = format!(
                "SELECT greatest({last}, coalesce(max({column}), 0)) AS number FROM {table}"
            );
            let highest: Number = diesel::sql_query(highest).get_result(self)?;
            if highest.number > 0 {
                let (name, number) = (sequence.sequence.replace('\'', "''"), highest.number);
                self.batch_execute(&format!("SELECT setval('{name}', {number}, true)"))?;
            }
        }
        Ok(self.batch_execute("ANALYZE")?)
    }
}

fn kept_keys(connection: &mut PgConnection) -> QueryResult<Vec<ForeignKey>> {
    diesel::sql_query("SELECT \"of\", name, definition FROM kept_foreign_keys").load(connection)
}

/// Exports the database of a connection as of one instant.
/// Writers continue in the meantime.
pub(crate) fn export_server(
    connection: &mut PgConnection,
    sink: &mut dyn RowSink,
) -> Result<(), TransferError> {
    connection
        .build_transaction()
        .repeatable_read()
        .read_only()
        .run(|connection| {
            connection.batch_execute(TRANSFER_SETTINGS)?;
            super::export(connection, sink)
        })
}

/// Fills the empty database at `url`, in one transaction: if the process ends early, nothing is left.
pub(crate) fn import_server(url: &str, import: &mut Import<'_>) -> Result<(), TransferError> {
    let mut connection = PgConnection::establish(url)?;
    // Behind a pooler, another client may have given the same name to a statement.
    connection.set_prepared_statement_cache_size(CacheSize::Disabled);
    connection.transaction(|connection| {
        connection.batch_execute(TRANSFER_SETTINGS)?;
        connection.batch_execute("SET LOCAL synchronous_commit = on;")?;
        migrate::lock_until_commit(connection)?;
        let there = Dialect::tables(connection)?;
        if !there.is_empty() {
            let place = "the database".to_owned();
            return Err(TransferError::NotEmpty(place, summary(&there)));
        }
        super::import(connection, import)?;
        Ok(migrate::apply_pending_postgres(connection)?)
    })
}

/// Summarizes names of tables: some names, and the number of the others.
fn summary(tables: &[String]) -> String {
    let shown: Vec<&str> = tables.iter().take(3).map(String::as_str).collect();
    match tables.len().saturating_sub(shown.len()) {
        0 => format!("the tables {}", shown.join(", ")),
        more => format!("the tables {} and {more} more", shown.join(", ")),
    }
}
