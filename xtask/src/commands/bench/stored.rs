//! What stored rows cost: intake of single alerts and pages of lists, by the number of alerts that a project has.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::footprint::get;
use super::load::{Request, send};
use super::measure::median;
use super::servers::Running;
use super::{Effort, Programs};

/// Alerts that a project has before anything is measured.
const STORED: [usize; 3] = [10_000, 100_000, 1_000_000];
/// Connections that send alerts.
const SENDERS: u32 = 16;
/// Requests of which each time is the median.
const TRIES: usize = 9;
/// How long a list, or the preparation of all alerts for searches, may take before something is wrong.
const PATIENCE: Duration = Duration::from_mins(20);

/// The lists that are asked for, each with the query that asks for it.
const LISTS: [(&str, &str); 9] = [
    ("first page", "alert_management_alerts"),
    ("page 500", "alert_management_alerts?page=500"),
    (
        "page 400 of a status",
        "alert_management_alerts?status=triggered&page=400",
    ),
    (
        "status with few hits",
        "alert_management_alerts?status=acknowledged",
    ),
    (
        "its last page",
        "alert_management_alerts?status=acknowledged&per_page=1&page=LAST",
    ),
    (
        "search without a hit",
        "alert_management_alerts?search=zzqqxx",
    ),
    (
        "search with few hits",
        "alert_management_alerts?search=since%2077%20checks",
    ),
    (
        "search with many hits",
        "alert_management_alerts?search=runbook",
    ),
    ("feed, action without a hit", "events?action=updated"),
];

/// Measures and prints a table for each database: a column for each number of stored alerts.
///
/// # Errors
/// When something cannot be started, or an answer is a failure.
pub(crate) fn measure(programs: &Programs, effort: &Effort) -> Result<()> {
    // Held for the whole run, so that the PostgreSQL server is started once.
    let _cluster = programs.database()?;
    table("SQLite", || programs.on_sqlite(), programs, effort)?;
    table("PostgreSQL", || programs.on_postgres(), programs, effort)
}

fn table(
    name: &str,
    start: impl Fn() -> Result<Running>,
    programs: &Programs,
    effort: &Effort,
) -> Result<()> {
    let mut rows: Vec<Vec<String>> = vec![Vec::new(); LISTS.len() + 2];
    for stored in STORED {
        let server = start()?;
        programs.seed_alerts(&server, stored)?;
        wait_until_prepared(&server, stored)?;
        let mut column = Vec::new();
        for (_, list) in LISTS {
            column.push(format!("{:.1} ms", milliseconds(&server, list)?));
        }
        let request = Request::Alert {
            url: server.text("/alerts/generic_url")?,
            key: server.text("/alerts/key")?,
        };
        let mut figures = Vec::new();
        for _ in 0..effort.rounds {
            figures.push(send(&request, SENDERS, effort.seconds)?);
        }
        let of =
            |part: fn(&super::load::Figures) -> f64| median(figures.iter().map(part).collect());
        column.push(format!("{:.0}", of(|one| one.rate)));
        column.push(format!("{:.1} ms", of(|one| one.p99_ms)));
        for (row, cell) in rows.iter_mut().zip(column) {
            row.push(cell);
        }
    }
    println!("\n## By stored alerts, {name}\n");
    println!(
        "| | {} |",
        STORED.map(|stored| stored.to_string()).join(" | ")
    );
    println!("| --- | --- | --- | --- |");
    let intake = ["single alerts over 16 connections, a second", "their p99"];
    let names = LISTS.iter().map(|(name, _)| *name).chain(intake);
    for (name, cells) in names.zip(rows) {
        println!("| {name} | {} |", cells.join(" | "));
    }
    Ok(())
}

/// Waits until searches find their alerts without reading all: the server prepares them beside its other work.
fn wait_until_prepared(server: &Running, stored: usize) -> Result<()> {
    let started = Instant::now();
    let mut least = f64::MAX;
    // A search without a hit costs less and less, until only the last alerts are read.
    loop {
        let took = milliseconds_once(server, "alert_management_alerts?search=zzqqxx")?;
        let settled = took.is_some_and(|took| took > least * 0.9 && took < 250.0);
        if settled || stored < 20_000 {
            return Ok(());
        }
        least = took.map_or(least, |took| took.min(least));
        ensure!(
            started.elapsed() < PATIENCE,
            "the alerts are not prepared in time"
        );
        std::thread::park_timeout(Duration::from_secs(10));
    }
}

/// The median of some requests.
fn milliseconds(server: &Running, list: &str) -> Result<f64> {
    let list = if list.contains("LAST") {
        let first = list.replace("LAST", "1");
        let total = get(
            &url(server, &first)?,
            &server.text("/developer/token")?,
            PATIENCE,
        )?;
        let total = total.header("x-total").context("a list with a total")?;
        list.replace("LAST", total)
    } else {
        list.to_owned()
    };
    let mut times = Vec::new();
    for _ in 0..TRIES {
        let took = milliseconds_once(server, &list)?;
        times.push(took.with_context(|| format!("{list} is refused"))?);
    }
    Ok(median(times))
}

/// The time of one request; `None` when it is refused because it would examine too much.
fn milliseconds_once(server: &Running, list: &str) -> Result<Option<f64>> {
    let (url, token) = (url(server, list)?, server.text("/developer/token")?);
    let started = Instant::now();
    let answer = get(&url, &token, PATIENCE)?;
    let took = started.elapsed().as_secs_f64() * 1000.0;
    ensure!(
        matches!(answer.status, 200 | 400),
        "{list} was answered {}",
        answer.status
    );
    Ok((answer.status == 200).then_some(took))
}

fn url(server: &Running, list: &str) -> Result<String> {
    let project = server.value("/project/id").and_then(Value::as_i64);
    let project = project.context("the demo prints no project")?;
    Ok(format!(
        "{}/api/v4/projects/{project}/{list}",
        server.base_url
    ))
}
