//! Seed of the benchmark of errors: bodies to send, many stored events, and the size of a database.
//!
//! `error_seed bodies FILE COUNT BYTES` writes COUNT envelopes of about BYTES bytes, compressed as by SDKs, each after
//! a line with its length, and prints their average length before and after compression.
//! `error_seed events DATABASE_URL PROJECT_ID COUNT` stores COUNT events as the collector does, in larger groups.
//! `error_seed size DATABASE_URL` prints the size of a database in bytes.
//! `error_seed journal DATABASE_URL` prints the bytes that a PostgreSQL server has written to its write-ahead log so far.

#![expect(
    clippy::print_stdout,
    reason = "the benchmark reads what is found from standard output"
)]

#[path = "seeding/database.rs"]
mod database;
#[path = "seeding/program.rs"]
mod program;
#[path = "seeding/scatter.rs"]
mod scatter;

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufWriter, Write as _};

use anyhow::{Context as _, Result};
use api_conventions::ids::{ClientKeyId, ProjectId};
use api_conventions::page::OffsetPage;
use api_conventions::time::{Clock as _, Timestamp};
use database::open_at;
use diesel::connection::SimpleConnection as _;
use diesel::sql_types::BigInt;
use diesel::{Connection as _, PgConnection, QueryableByName, RunQueryDsl as _, SqliteConnection};
use error_tracking::collector::RequestContext;
use error_tracking::flow::collect::store_deliveries;
use error_tracking::model::{EventDelivery, EventId, StorageLimits};
use error_tracking::scrub::ScrubSettings;
use flate2::Compression;
use flate2::write::GzEncoder;
use gatehouse_core::clock::SystemClock;
use program::{envelope, event};
use scatter::scatter;
use storage::{Lane, Pending, Store as _, StoreError};

/// Number of different errors in the bodies.
const ERRORS: u64 = 200;
/// Number of different errors among the stored events: half of the events belong to those above.
const ALL_ERRORS: u64 = 20_000;
/// Size of a stored event, in bytes.
const STORED_BYTES: usize = 2000;
/// Events per transaction.
const BATCH: i64 = 500;
/// Maximum number of pending transactions.
const MAX_PENDING: usize = 3;
/// Seconds between two stored events.
const SECONDS_BETWEEN: i64 = 2;
/// Limits that keep all events of an error.
const LIMITS: StorageLimits = StorageLimits {
    events_per_day: None,
    events_per_error: 100_000,
};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["bodies", file, count, bytes] => bodies(file, count.parse()?, bytes.parse()?),
        ["events", url, project, count] => {
            events(url, ProjectId::new(project.parse()?), count.parse()?)
        }
        ["size", url] => size(url),
        ["journal", url] => journal(url),
        _ => anyhow::bail!(
            "error_seed bodies FILE COUNT BYTES | events DATABASE_URL PROJECT_ID COUNT | size DATABASE_URL \
             | journal DATABASE_URL"
        ),
    }
}

fn bodies(file: &str, count: i64, bytes: usize) -> Result<()> {
    let mut file = BufWriter::new(File::create(file)?);
    let (mut plain, mut compressed) = (0, 0);
    for number in 1..=count {
        let error = i64::try_from(scatter(number) % ERRORS)?;
        let body = envelope(&event(number, error, bytes));
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&body)?;
        let compressed_body = encoder.finish()?;
        plain += body.len();
        compressed += compressed_body.len();
        writeln!(file, "{}", compressed_body.len())?;
        file.write_all(&compressed_body)?;
    }
    file.flush()?;
    let count = usize::try_from(count)?;
    println!("{} {}", plain / count, compressed / count);
    Ok(())
}

/// Prepares events here while the database writes the earlier ones.
fn events(url: &str, project: ProjectId, count: i64) -> Result<()> {
    let database = open_at(url)?;
    let keys: Result<_, StoreError> = database
        .read(Lane::Shared, move |tx| {
            tx.list_client_keys(project, OffsetPage::new(1, 1))
        })
        .wait();
    let key = keys?.items.first().context("the project has no key")?.id;
    let now = SystemClock.now();
    let mut running: VecDeque<Pending<(), StoreError>> = VecDeque::new();
    for first in (1..=count).step_by(usize::try_from(BATCH)?) {
        let group: Result<Vec<EventDelivery>> = (first..=count.min(first + BATCH - 1))
            .map(|number| {
                delivery(
                    number,
                    project,
                    key,
                    now.plus_seconds((number - count) * SECONDS_BETWEEN),
                )
            })
            .collect();
        let group = group?;
        running.push_back(database.write(move |tx| {
            let group: Vec<&EventDelivery> = group.iter().collect();
            store_deliveries(tx, &group).map(drop)
        }));
        if running.len() > MAX_PENDING {
            running.pop_front().map_or(Ok(()), Pending::wait)?;
        }
    }
    running.into_iter().try_for_each(Pending::wait)?;
    database.close();
    run_maintenance(url)
}

fn delivery(
    number: i64,
    project: ProjectId,
    key: ClientKeyId,
    at: Timestamp,
) -> Result<EventDelivery> {
    let mixed = scatter(number);
    let errors = if mixed.is_multiple_of(2) {
        ERRORS
    } else {
        ALL_ERRORS
    };
    let error = i64::try_from((mixed >> 8) % errors)?;
    let body = envelope(&event(number, error, STORED_BYTES));
    let generate_id = || {
        EventId::from_random(|| {
            let parts = u128::from(mixed) << 64 | u128::from(scatter(-number));
            parts.to_be_bytes()
        })
    };
    let context = RequestContext {
        received_at: at,
        peer: None,
        scrubbing: &ScrubSettings::default(),
        generate_id: &generate_id,
    };
    let collected = context.parse_envelope(&body)?;
    Ok(EventDelivery::of(
        collected,
        project,
        key,
        at,
        body.len(),
        LIMITS,
    ))
}

/// Performs the maintenance that a database does by itself some time after rows are written, as the seed of lists does.
fn run_maintenance(url: &str) -> Result<()> {
    match url.strip_prefix("sqlite:") {
        Some(path) => SqliteConnection::establish(path)?
            .batch_execute("PRAGMA busy_timeout = 60000; PRAGMA wal_checkpoint(TRUNCATE);")?,
        None => PgConnection::establish(url)?.batch_execute("VACUUM ANALYZE")?,
    }
    Ok(())
}

#[derive(QueryableByName)]
struct DatabaseSize {
    #[diesel(sql_type = BigInt)]
    bytes: i64,
}

/// Prints the size of a database. For SQLite, pages in the journal count as if they were in the file already.
fn size(url: &str) -> Result<()> {
    let of_file = "SELECT (page_count - freelist_count) * page_size AS bytes \
                   FROM pragma_page_count, pragma_freelist_count, pragma_page_size";
    let found: DatabaseSize = match url.strip_prefix("sqlite:") {
        Some(path) => {
            diesel::sql_query(of_file).get_result(&mut SqliteConnection::establish(path)?)?
        }
        None => diesel::sql_query("SELECT pg_database_size(current_database()) AS bytes")
            .get_result(&mut PgConnection::establish(url)?)?,
    };
    println!("{}", found.bytes);
    Ok(())
}

fn journal(url: &str) -> Result<()> {
    let position = "SELECT (pg_current_wal_insert_lsn() - '0/0')::BIGINT AS bytes";
    let found: DatabaseSize =
        diesel::sql_query(position).get_result(&mut PgConnection::establish(url)?)?;
    println!("{}", found.bytes);
    Ok(())
}
