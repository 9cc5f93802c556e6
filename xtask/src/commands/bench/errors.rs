//! Error tracking: events stored per second, disk and memory per event, and the time of error lists with many events
//! stored.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::footprint::resident_kib;
use super::load::{Figures, LoadRequest, send};
use super::measure::{Measurement, compare, median};
use super::servers::BenchServer;
use super::stored::BenchScope;
use super::timed::{Databases, ListRequests, TRIES, cell, markdown};
use super::{Effort, Programs};

/// Connections that send events.
const SENDERS: u32 = 64;
/// Distinct bodies of each size.
const BODIES: usize = 2000;
/// Event sizes in bytes, each with its target ratio to the floor.
const SIZES: [(usize, Option<f64>); 3] = [(1000, None), (8000, Some(0.35)), (50_000, None)];
/// Upper bounds for an event of 8 KB: bytes in the database, and megabytes of memory of the server.
const AIM_STORED: f64 = 2500.0;
const AIM_RESIDENT: f64 = 100.0;
/// Default number of events that are stored before lists are measured.
const ROWS: [usize; 1] = [1_000_000];
/// Target time of each list, in milliseconds.
const AIM_LIST: f64 = 20.0;

const DEVELOPER: &str = "/developer/token";
const ADMINISTRATOR: &str = "/admin/token";

/// Measured requests: the name of the table row, and the path.
const LISTS: [(&str, &str); 14] = [
    ("first page", "errors"),
    ("by first seen", "errors?order_by=first_seen"),
    ("by frequency", "errors?order_by=frequency"),
    ("by users", "errors?order_by=users"),
    (
        "page by key",
        "errors?pagination=keyset&order_by=id&sort=asc&id_after=5000",
    ),
    ("of an environment", "errors?environment=testing"),
    (
        "of an environment, by frequency",
        "errors?environment=testing&order_by=frequency",
    ),
    ("of a level", "errors?level=fatal"),
    ("of a tag", "errors?tags=tenant:tenant-7"),
    ("search with many hits", "errors?search=order"),
    ("search without a hit", "errors?search=zzqqxx"),
    ("an error", "errors/OFTEN"),
    ("its latest event", "errors/OFTEN/events/latest"),
    ("its events", "errors/OFTEN/events"),
];

/// Disk and memory use after one round.
struct RoundUsage {
    name: String,
    /// Bytes in the database per event.
    stored: f64,
    /// Resident memory of the server, in megabytes.
    resident: f64,
    /// True if the target applies to this event size.
    is_aim: bool,
}

/// Measures and prints the tables.
///
/// # Errors
/// When a program cannot be started, or a response is a failure.
pub(crate) fn measure(programs: &Programs, effort: &Effort, scope: &BenchScope) -> Result<()> {
    let bodies = tempfile::tempdir()?;
    let usage = RefCell::new(Vec::new());
    for (bytes, aim) in SIZES {
        let file = bodies.path().join(bytes.to_string());
        let averages = programs.seed_envelopes(&file, BODIES, bytes)?;
        intake(programs, effort, scope, &file, averages, aim, &usage)?;
    }
    report(&usage.into_inner());
    lists(programs, scope)
}

/// Measures how many events of one size are stored per second, on fresh data in each round.
fn intake(
    programs: &Programs,
    effort: &Effort,
    scope: &BenchScope,
    file: &Path,
    [plain, compressed]: [f64; 2],
    aim: Option<f64>,
    usage: &RefCell<Vec<RoundUsage>>,
) -> Result<()> {
    // Held for all rounds, so that the PostgreSQL server is started once.
    let _cluster = match scope.database {
        Databases::Sqlite => None,
        Databases::Postgres | Databases::Both => Some(programs.database()?),
    };
    let floor = programs.floor()?;
    let unpack = LoadRequest::Packed {
        url: format!("{}/unpack", floor.base_url),
        file: file.to_owned(),
        key: String::new(),
    };
    let mut measurements = vec![Measurement {
        name: "floor: decompresses and parses the body",
        aim: None,
        run: Box::new(move |connections, seconds| send(&unpack, connections, seconds)),
    }];
    let kilobytes = plain / 1000.0;
    let on = |name, start: fn(&Programs) -> Result<BenchServer>| {
        let file = file.to_owned();
        let label = format!("{name}, {kilobytes:.0} KB");
        Measurement {
            name,
            aim,
            run: Box::new(move |connections, seconds| {
                let server = start(programs)?;
                let (figures, round) = load_fresh(programs, &server, &file, connections, seconds)?;
                usage.borrow_mut().push(RoundUsage {
                    name: label.clone(),
                    is_aim: aim.is_some(),
                    ..round
                });
                Ok(figures)
            }),
        }
    };
    if scope.database != Databases::Postgres {
        measurements.push(on("SQLite, synchronous=FULL", Programs::on_sqlite));
    }
    if scope.database != Databases::Sqlite {
        let name = "PostgreSQL, synchronous_commit=on";
        measurements.push(on(name, Programs::on_postgres));
    }
    let title = format!(
        "Events of {kilobytes:.1} KB, {:.1} KB compressed",
        compressed / 1000.0
    );
    let effort = Effort {
        connections: vec![SENDERS],
        ..effort.clone()
    };
    compare(&title, &measurements, &effort)
}

/// Loads a server that has fresh data, and measures its disk and memory use.
fn load_fresh(
    programs: &Programs,
    server: &BenchServer,
    file: &Path,
    connections: u32,
    seconds: u32,
) -> Result<(Figures, RoundUsage)> {
    let administrator = ListRequests::of(server, ADMINISTRATOR);
    let rate = json!({ "events_per_minute": 1_000_000 });
    administrator.change("PATCH", "PROJECT/error_tracking/options", &rate)?;
    let request = packed(server, file.to_owned())?;
    let (events, bytes) = (stored(administrator)?, programs.stored_bytes(server)?);
    let figures = send(&request, connections, seconds)?;
    let resident = resident_kib(server.pid())? / 1000.0 * 1.024;
    let events = stored(administrator)? - events;
    let usage = RoundUsage {
        name: String::new(),
        stored: (programs.stored_bytes(server)? - bytes) / events,
        resident,
        is_aim: false,
    };
    Ok((figures, usage))
}

/// Builds the request that sends envelopes to the address that an SDK derives from the DSN.
fn packed(server: &BenchServer, file: PathBuf) -> Result<LoadRequest> {
    let dsn = server.text("/tracker/dsn")?;
    let (scheme, rest) = dsn.split_once("://").context("a DSN is a URL")?;
    let (key, rest) = rest.split_once('@').context("a DSN has a key")?;
    let (place, project) = rest.rsplit_once('/').context("a DSN has a project")?;
    Ok(LoadRequest::Packed {
        url: format!("{scheme}://{place}/api/{project}/envelope/"),
        file,
        key: key.to_owned(),
    })
}

/// Number of stored events according to the server's own statistics.
fn stored(administrator: ListRequests<'_>) -> Result<f64> {
    let tallies = administrator.json("PROJECT/error_tracking/statistics")?;
    let tallies = tallies.as_array().context("a list of numbers")?;
    let of_events = tallies
        .iter()
        .filter(|one| one["category"] == "error" && one["outcome"] == "stored");
    Ok(of_events.filter_map(|one| one["quantity"].as_f64()).sum())
}

/// Prints disk and memory use per event size, as the median of the rounds.
fn report(usage: &[RoundUsage]) {
    println!("\n## Disk and memory by event\n");
    println!("| | KB on disk per event | aim | memory after the load, MB | aim |");
    println!("| --- | --- | --- | --- | --- |");
    let mut names: Vec<&str> = Vec::new();
    for one in usage {
        if !names.contains(&one.name.as_str()) {
            names.push(&one.name);
        }
    }
    for name in names {
        let rounds = || usage.iter().filter(|one| one.name == name);
        let of = |part: fn(&RoundUsage) -> f64| median(rounds().map(part).collect());
        let is_aim = rounds().any(|one| one.is_aim);
        let aim = |aim: String| if is_aim { aim } else { String::new() };
        println!(
            "| {name} | {:.2} | {} | {:.1} | {} |",
            of(|one| one.stored) / 1000.0,
            aim(format!("{:.1}", AIM_STORED / 1000.0)),
            of(|one| one.resident),
            aim(format!("{AIM_RESIDENT:.0}")),
        );
    }
}

/// Measures lists with many events stored, and prints a table for each database.
fn lists(programs: &Programs, scope: &BenchScope) -> Result<()> {
    let rows = scope.rows_or(&ROWS);
    scope.database.each(programs, |name, start| {
        let mut columns = Vec::new();
        for stored in rows {
            let server = start()?;
            programs.seed_events(&server, *stored)?;
            columns.push(column(&server)?);
        }
        println!("\n## Errors by stored events, {name}\n");
        println!("medians of {TRIES} requests, ms; the aim is {AIM_LIST:.0}\n");
        let heads: Vec<String> = rows.iter().map(usize::to_string).collect();
        let names = LISTS.iter().map(|(name, _)| (*name).to_owned());
        print!("{}", markdown("list", &heads, names, &columns));
        Ok(())
    })
}

fn column(server: &BenchServer) -> Result<Vec<String>> {
    let developer = ListRequests::of(server, DEVELOPER);
    let most = developer.json("PROJECT/error_tracking/errors?order_by=frequency&per_page=1")?;
    let often = most.pointer("/0/iid").and_then(Value::as_i64);
    let often = often.context("the project has an error")?.to_string();
    let times = LISTS.iter().map(|(_, list)| {
        let list = list.replace("OFTEN", &often);
        developer.milliseconds(&format!("PROJECT/error_tracking/{list}"))
    });
    times.map(|time| time.map(cell)).collect()
}
