//! Events of programs: how many are stored in a second and what they take, and what lists of errors cost beside many.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::footprint::resident_kib;
use super::load::{Figures, Request, send};
use super::measure::{Subject, compare, median};
use super::servers::Running;
use super::stored::Scope;
use super::timed::{Databases, Lists, TRIES, cell, markdown};
use super::{Effort, Programs};

/// Connections that send events.
const SENDERS: u32 = 64;
/// Different bodies of each size.
const BODIES: usize = 2000;
/// The sizes of events, in bytes, each with the ratio to the floor that is aimed at.
const SIZES: [(usize, Option<f64>); 3] = [(1000, None), (8000, Some(0.35)), (50_000, None)];
/// The most bytes that an event of 8 KB may take, and the most megabytes that the server may.
const AIM_STORED: f64 = 2500.0;
const AIM_RESIDENT: f64 = 100.0;
/// Events that are stored before lists are measured, where nothing else is said.
const ROWS: [usize; 1] = [1_000_000];
/// The aim for each list, in milliseconds.
const AIM_LIST: f64 = 20.0;

const DEVELOPER: &str = "/developer/token";
const ADMINISTRATOR: &str = "/admin/token";

/// What is asked for.
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

/// What a round leaves behind.
struct Left {
    name: String,
    /// Bytes in the database for each event.
    stored: f64,
    /// Megabytes that the server holds.
    resident: f64,
    /// Whether the events are those that the aim is of.
    is_aim: bool,
}

/// Measures and prints.
///
/// # Errors
/// When something cannot be started, or an answer is a failure.
pub(crate) fn measure(programs: &Programs, effort: &Effort, scope: &Scope) -> Result<()> {
    let bodies = tempfile::tempdir()?;
    let left = RefCell::new(Vec::new());
    for (bytes, aim) in SIZES {
        let file = bodies.path().join(bytes.to_string());
        let averages = programs.seed_envelopes(&file, BODIES, bytes)?;
        intake(programs, (effort, scope), (&file, averages, aim), &left)?;
    }
    report(&left.into_inner());
    lists(programs, scope)
}

/// How many events of one size are stored in a second, on fresh data in each round.
fn intake(
    programs: &Programs,
    (effort, scope): (&Effort, &Scope),
    (file, [plain, sent], aim): (&Path, [f64; 2], Option<f64>),
    left: &RefCell<Vec<Left>>,
) -> Result<()> {
    // Held for all rounds, so that the PostgreSQL server is started once.
    let _cluster = match scope.database {
        Databases::Sqlite => None,
        Databases::Postgres | Databases::Both => Some(programs.database()?),
    };
    let floor = programs.floor()?;
    let unpack = Request::Packed {
        url: format!("{}/unpack", floor.base_url),
        file: file.to_owned(),
        key: String::new(),
    };
    let mut subjects = vec![Subject {
        name: "floor: unpacks the body and parses it",
        aim: None,
        run: Box::new(move |connections, seconds| send(&unpack, connections, seconds)),
    }];
    let kilobytes = plain / 1000.0;
    let on = |name, start: fn(&Programs) -> Result<Running>| {
        let file = file.to_owned();
        let label = format!("{name}, {kilobytes:.0} KB");
        Subject {
            name,
            aim,
            run: Box::new(move |connections, seconds| {
                let load = (connections, seconds);
                let (figures, round) = load_fresh(programs, &start(programs)?, &file, load)?;
                left.borrow_mut().push(Left {
                    name: label.clone(),
                    is_aim: aim.is_some(),
                    ..round
                });
                Ok(figures)
            }),
        }
    };
    if scope.database != Databases::Postgres {
        subjects.push(on("SQLite, synchronous=FULL", Programs::on_sqlite));
    }
    if scope.database != Databases::Sqlite {
        let name = "PostgreSQL, synchronous_commit=on";
        subjects.push(on(name, Programs::on_postgres));
    }
    let title = format!(
        "Events of {kilobytes:.1} KB, {:.1} KB as they are sent",
        sent / 1000.0
    );
    let effort = Effort {
        connections: vec![SENDERS],
        ..effort.clone()
    };
    compare(&title, &subjects, &effort)
}

/// Loads a server that has fresh data, and looks at what is left of it.
fn load_fresh(
    programs: &Programs,
    server: &Running,
    file: &Path,
    (connections, seconds): (u32, u32),
) -> Result<(Figures, Left)> {
    let administrator = Lists::of(server, ADMINISTRATOR);
    let rate = json!({ "events_per_minute": 1_000_000 });
    administrator.change("PROJECT/error_tracking/options", &rate)?;
    let request = packed(server, file.to_owned())?;
    let (events, bytes) = (stored(administrator)?, programs.stored_bytes(server)?);
    let figures = send(&request, connections, seconds)?;
    let resident = resident_kib(server.pid())? / 1000.0 * 1.024;
    let events = stored(administrator)? - events;
    let left = Left {
        name: String::new(),
        stored: (programs.stored_bytes(server)? - bytes) / events,
        resident,
        is_aim: false,
    };
    Ok((figures, left))
}

/// What sends to the address that an SDK makes of the DSN.
fn packed(server: &Running, file: PathBuf) -> Result<Request> {
    let dsn = server.text("/tracker/dsn")?;
    let (scheme, rest) = dsn.split_once("://").context("a DSN is a URL")?;
    let (key, rest) = rest.split_once('@').context("a DSN has a key")?;
    let (place, project) = rest.rsplit_once('/').context("a DSN has a project")?;
    Ok(Request::Packed {
        url: format!("{scheme}://{place}/api/{project}/envelope/"),
        file,
        key: key.to_owned(),
    })
}

/// The events that are stored, by the server's own accounting.
fn stored(administrator: Lists<'_>) -> Result<f64> {
    let tallies = administrator.json("PROJECT/error_tracking/statistics")?;
    let tallies = tallies.as_array().context("a list of numbers")?;
    let of_events = tallies
        .iter()
        .filter(|one| one["category"] == "error" && one["outcome"] == "stored");
    Ok(of_events.filter_map(|one| one["quantity"].as_f64()).sum())
}

/// Prints what the rounds left, the median of those with one name.
fn report(left: &[Left]) {
    println!("\n## What events take\n");
    println!(
        "| | KB stored for each event | aim | MB that the server holds after the load | aim |"
    );
    println!("| --- | --- | --- | --- | --- |");
    let mut names: Vec<&str> = Vec::new();
    for one in left {
        if !names.contains(&one.name.as_str()) {
            names.push(&one.name);
        }
    }
    for name in names {
        let rounds = || left.iter().filter(|one| one.name == name);
        let of = |part: fn(&Left) -> f64| median(rounds().map(part).collect());
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

/// What lists cost beside many events: a table for each database.
fn lists(programs: &Programs, scope: &Scope) -> Result<()> {
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

fn column(server: &Running) -> Result<Vec<String>> {
    let developer = Lists::of(server, DEVELOPER);
    let most = developer.json("PROJECT/error_tracking/errors?order_by=frequency&per_page=1")?;
    let often = most.pointer("/0/iid").and_then(Value::as_i64);
    let often = often.context("there is an error")?.to_string();
    let times = LISTS.iter().map(|(_, list)| {
        let list = list.replace("OFTEN", &often);
        developer.milliseconds(&format!("PROJECT/error_tracking/{list}"))
    });
    times.map(|time| time.map(cell)).collect()
}
