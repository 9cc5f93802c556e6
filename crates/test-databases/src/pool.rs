//! Databases that tests use one after the other.
//!
//! A copy of the template costs the server a tenth of a second or more, and the first connection to it nearly as much
//! again. Emptying a copy costs a tenth of that. A copy that cannot be reset to the state of the template is dropped.

use std::fmt;
use std::sync::Mutex;

use diesel::connection::SimpleConnection as _;
use diesel::sql_types::Bool;
use diesel::{Connection as _, PgConnection, QueryResult, QueryableByName, RunQueryDsl as _};

use crate::database::{exists, with_database};

/// Statements with which a template records its rows, its sequences and the shape of its tables, so that copies can be
/// reset to them.
pub(crate) const SNAPSHOT_STATEMENTS: &str = "
    CREATE SCHEMA pristine;
    CREATE FUNCTION pristine.shape() RETURNS TEXT LANGUAGE sql AS $$
        SELECT md5(string_agg(concat_ws(' ', class.oid, relname, relkind, relnatts, relchecks, relacl, indisvalid), ','
                ORDER BY class.oid))
            || (SELECT count(*) FROM pg_trigger) || ' ' || (SELECT count(*) FROM pg_constraint)
        FROM pg_class AS class LEFT JOIN pg_index ON indexrelid = class.oid
        WHERE relnamespace = 'public'::regnamespace
    $$;
    CREATE FUNCTION pristine.reset() RETURNS BOOLEAN LANGUAGE plpgsql AS $$
        DECLARE named RECORD;
        BEGIN
            IF pristine.shape() <> (SELECT shape FROM pristine.remembered) OR EXISTS (
                SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
                    AND pg_relation_size(oid) > 1000000
            ) THEN
                RETURN FALSE;
            END IF;
            SET LOCAL session_replication_role = replica;
            FOR named IN SELECT relname AS name FROM pg_class
                WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0
            LOOP
                EXECUTE format('DELETE FROM public.%I', named.name);
            END LOOP;
            FOR named IN SELECT substr(relname, 6) AS name FROM pg_class
                WHERE relnamespace = 'pristine'::regnamespace AND relname LIKE 'rows\\_%'
            LOOP
                EXECUTE format(
                    'INSERT INTO public.%I OVERRIDING SYSTEM VALUE SELECT * FROM pristine.%I', named.name, 'rows_' || named.name
                );
            END LOOP;
            PERFORM setval(format('public.%I', name)::regclass, value, is_called) FROM pristine.sequences;
            RETURN TRUE;
        END
    $$;
    CREATE TABLE pristine.sequences (name TEXT, value BIGINT, is_called BOOLEAN);
    DO $$
        DECLARE named RECORD; has_rows BOOLEAN;
        BEGIN
            FOR named IN SELECT relname AS name, relkind AS kind FROM pg_class
                WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'S')
            LOOP
                IF named.kind = 'S' THEN
                    EXECUTE format(
                        'INSERT INTO pristine.sequences SELECT %L, last_value, is_called FROM public.%I', named.name, named.name
                    );
                    CONTINUE;
                END IF;
                EXECUTE format('SELECT EXISTS (SELECT FROM public.%I)', named.name) INTO has_rows;
                IF has_rows THEN
                    EXECUTE format('CREATE TABLE pristine.%I AS TABLE public.%I', 'rows_' || named.name, named.name);
                END IF;
            END LOOP;
        END
    $$;
    CREATE TABLE pristine.remembered AS SELECT pristine.shape() AS shape;
";

/// The claim to one of the databases of a template. It is released when the value is dropped, or the process ends.
pub(crate) struct DatabaseClaim {
    /// The connection that holds the lock.
    holder: Mutex<PgConnection>,
}

impl Drop for DatabaseClaim {
    fn drop(&mut self) {
        // The server releases the lock of a closed connection a little later, and the next test would not get it.
        if let Ok(holder) = self.holder.get_mut() {
            let _ = holder.batch_execute("SELECT pg_advisory_unlock_all()");
        }
    }
}

impl fmt::Debug for DatabaseClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Claim")
    }
}

#[derive(QueryableByName)]
struct BoolRow {
    #[diesel(sql_type = Bool)]
    yes: bool,
}

/// Claims a database with the content of the template for as long as the connection `holder` is open.
pub(crate) fn claim(
    mut holder: PgConnection,
    admin: &str,
    template: &str,
) -> (String, DatabaseClaim) {
    let mut numbers = 0..;
    let name = loop {
        let number: i32 = numbers.next().expect("fewer than 2^31 tests run at a time");
        let lock = format!("SELECT pg_try_advisory_lock(hashtext('{template}'), {number}) AS yes");
        if query_bool(&mut holder, &lock).unwrap_or_else(|error| panic!("{lock}: {error}")) {
            break format!("{template}_{number}");
        }
    };
    if !exists(&mut holder, &name) || !is_reset(&mut holder, &with_database(admin, &name), &name) {
        for statement in [
            format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"),
            format!("CREATE DATABASE {name} TEMPLATE {template}"),
        ] {
            let done = holder.batch_execute(&statement);
            done.unwrap_or_else(|error| panic!("{statement}: {error}"));
        }
    }
    let claim = DatabaseClaim {
        holder: Mutex::new(holder),
    };
    (name, claim)
}

/// Resets a database to the state of its template. False if that fails.
fn is_reset(admin: &mut PgConnection, url: &str, name: &str) -> bool {
    // The process that used it may have been killed before the server noticed.
    let end =
        format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'");
    let is_cleared = admin
        .batch_execute(&format!("{end}; ALTER DATABASE {name} RESET ALL"))
        .is_ok();
    let reset = PgConnection::establish(url)
        .map(|mut connection| query_bool(&mut connection, "SELECT pristine.reset() AS yes"));
    is_cleared && matches!(reset, Ok(Ok(true)))
}

fn query_bool(connection: &mut PgConnection, question: &str) -> QueryResult<bool> {
    diesel::sql_query(question)
        .get_result(connection)
        .map(|row: BoolRow| row.yes)
}
