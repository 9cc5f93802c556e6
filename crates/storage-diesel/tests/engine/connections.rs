//! Connections of a store on PostgreSQL.

use std::sync::{Arc, Barrier};

use diesel::sql_types::BigInt;
use diesel::{Connection as _, PgConnection, QueryableByName, RunQueryDsl as _};
use storage::{Store as _, StoreError};
use storage_diesel::{PostgresOptions, PostgresStore};
use test_databases::TestDatabase;

use crate::databases::migrate;

/// Name under which the server lists the connections of the store.
const NAME: &str = "counted";

#[derive(QueryableByName)]
struct ConnectionCount {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// Number of the store's connections.
fn connection_count(database: &TestDatabase) -> i64 {
    let mut connection = PgConnection::establish(database.url()).unwrap();
    let statement = format!(
        "SELECT count(*) AS count FROM pg_stat_activity \
         WHERE datname = current_database() AND application_name = '{NAME}'"
    );
    let row: ConnectionCount = diesel::sql_query(statement)
        .get_result(&mut connection)
        .unwrap();
    row.count
}

#[test]
fn a_store_opens_one_connection_and_the_others_when_they_are_needed() {
    let Some(database) = TestDatabase::prepared(migrate) else {
        return;
    };
    let separator = if database.url().contains('?') {
        '&'
    } else {
        '?'
    };
    let url = format!("{}{separator}application_name={NAME}", database.url());
    let writers = 3;
    let options = PostgresOptions {
        writers,
        ..PostgresOptions::default()
    };
    let store = PostgresStore::open(&url, options).unwrap();
    assert_eq!(connection_count(&database), 1);
    let meet = Arc::new(Barrier::new(writers));
    let together: Vec<_> = (0..writers)
        .map(|_| {
            let meet = Arc::clone(&meet);
            store.write(move |_| {
                meet.wait();
                Ok::<_, StoreError>(())
            })
        })
        .collect();
    for write in together {
        write.wait().unwrap();
    }
    assert_eq!(connection_count(&database), 3);
}
