//! Intake of single alerts and pages of lists, by the number of alerts stored in the project.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use clap::Args;
use serde_json::json;

use super::footprint::post;
use super::intake::many_alerts;
use super::load::{Figures, LoadRequest, send};
use super::measure::median;
use super::servers::BenchServer;
use super::timed::{Databases, ListRequests, TIMEOUT, TRIES, cell, markdown};
use super::{Effort, Programs};

/// Connections that send alerts.
const SENDERS: u32 = 16;
/// Open alerts that the mixed reports repeat.
const OPEN: usize = 5_000;
/// Default numbers of stored alerts.
const ROWS: [usize; 3] = [10_000, 100_000, 1_000_000];

/// Rows and databases of the subjects that store rows first.
#[derive(Clone, Debug, Args)]
pub(crate) struct BenchScope {
    /// For `stored`, `lists`, `feed` and `errors`: numbers of rows stored before the measurement, separated by commas.
    /// Default: 10,000, 100,000 and 1,000,000 alerts for `stored`; 1,000 and 1,000,000 for `lists`; 100,000 and 10,000,000
    /// events for `feed`; 1,000,000 events for `errors`
    #[arg(long, value_delimiter = ',')]
    rows: Vec<usize>,
    /// For all of these, `streams` and `soak`: the database
    #[arg(long, value_enum, default_value_t = Databases::Both)]
    pub(crate) database: Databases,
}

impl BenchScope {
    /// The requested numbers of rows, or else `otherwise`.
    pub(crate) fn rows_or<'s>(&'s self, otherwise: &'s [usize]) -> &'s [usize] {
        if self.rows.is_empty() {
            otherwise
        } else {
            &self.rows
        }
    }
}

/// Measured lists, each with its address.
const LISTS: [(&str, &str); 14] = [
    ("first page", "PROJECT/alert_management_alerts"),
    ("page 500", "PROJECT/alert_management_alerts?page=500"),
    (
        "page 400 of a status",
        "PROJECT/alert_management_alerts?status=resolved&page=400",
    ),
    (
        "status with few hits",
        "PROJECT/alert_management_alerts?status=acknowledged",
    ),
    (
        "its last page",
        "PROJECT/alert_management_alerts?status=acknowledged&per_page=1&page=LAST",
    ),
    (
        "first page of the most urgent open ones",
        "PROJECT/alert_management_alerts?status=open&order_by=urgency",
    ),
    (
        "first page by count",
        "PROJECT/alert_management_alerts?order_by=event_count",
    ),
    (
        "first page of an environment by last change",
        "PROJECT/alert_management_alerts?environment=production&order_by=updated_at",
    ),
    (
        "counts by status",
        "PROJECT/alert_management_alerts/status_counts",
    ),
    (
        "search without a hit",
        "PROJECT/alert_management_alerts?search=zzqqxx",
    ),
    (
        "search with few hits",
        "PROJECT/alert_management_alerts?search=since%2077%20checks",
    ),
    (
        "search for one node of the seeded alerts",
        "PROJECT/alert_management_alerts?search=node%203a0adb831100b0fe",
    ),
    (
        "search with many hits",
        "PROJECT/alert_management_alerts?search=runbook",
    ),
    (
        "feed, action without a hit",
        "PROJECT/events?action=updated",
    ),
];

/// Measures and prints a table for each database: a column for each number of stored alerts. A list that the server
/// refuses because it would examine too many rows is reported as refused, as the server promises.
///
/// # Errors
/// When a program cannot be started, or a response is any other failure.
pub(crate) fn measure(programs: &Programs, effort: &Effort, scope: &BenchScope) -> Result<()> {
    let rows = scope.rows_or(&ROWS);
    scope.database.each(programs, |name, start| {
        let mut columns = Vec::new();
        for stored in rows {
            let server = start()?;
            programs.seed_alerts(&server, *stored)?;
            wait_until_prepared(&server, *stored)?;
            columns.push(column(programs, &server, effort)?);
        }
        println!("\n## By stored alerts, {name}\n");
        println!(
            "medians of {TRIES} requests; of alerts, {} rounds of {} s\n",
            effort.rounds, effort.seconds
        );
        let heads: Vec<String> = rows.iter().map(usize::to_string).collect();
        print!("{}", markdown("stored alerts", &heads, names(), &columns));
        Ok(())
    })
}

/// Measurements of one server: a cell for each list, one for changes, and those of intake.
fn column(programs: &Programs, server: &BenchServer, effort: &Effort) -> Result<Vec<String>> {
    let lists = ListRequests::of_developer(server);
    let mut cells = Vec::new();
    for (_, list) in LISTS {
        cells.push(cell(lists.milliseconds(list)?));
    }
    cells.push(cell(Some(status_change(lists)?)));
    let opens = LoadRequest::Alert {
        url: server.text("/alerts/generic_url")?,
        key: server.text("/alerts/key")?,
    };
    let (url, key) = (
        server.text("/alerts/metrics_url")?,
        server.text("/alerts/key")?,
    );
    let status = post(&url, &key, &many_alerts(0, OPEN), TIMEOUT)?;
    ensure!(status == 200, "the open alerts were answered with {status}");
    let mixed = LoadRequest::Mix {
        url,
        key,
        repeated: OPEN,
    };
    for request in [opens, mixed] {
        cells.extend(intake(programs, server, &request, effort)?);
    }
    Ok(cells)
}

/// Median milliseconds to change the status of an alert.
fn status_change(lists: ListRequests<'_>) -> Result<f64> {
    let of_alert = |iid: usize| format!("PROJECT/alert_management_alerts/{iid}");
    let mut times = Vec::new();
    for iid in 1..=TRIES {
        for status in ["acknowledged", "triggered"] {
            let started = Instant::now();
            lists.change("PUT", &of_alert(iid), &json!({ "status": status }))?;
            times.push(started.elapsed().as_secs_f64() * 1000.0);
        }
    }
    Ok(median(times))
}

/// Cells about one kind of load: reports a second, response time, and bytes stored and written for each.
fn intake(
    programs: &Programs,
    server: &BenchServer,
    request: &LoadRequest,
    effort: &Effort,
) -> Result<Vec<String>> {
    let bytes = || -> Result<[f64; 2]> {
        Ok([
            programs.stored_bytes(server)?,
            programs.written_bytes(server)?,
        ])
    };
    let (before, mut figures) = (bytes()?, Vec::new());
    for _ in 0..effort.rounds {
        figures.push(send(request, SENDERS, effort.seconds)?);
    }
    let reports: f64 = figures.iter().map(|one| one.rate).sum::<f64>() * f64::from(effort.seconds);
    let of = |part: fn(&Figures) -> f64| median(figures.iter().map(part).collect());
    let mut cells = vec![
        format!("{:.0}", of(|one| one.rate)),
        format!("{:.2}", of(|one| one.p99_ms)),
    ];
    let each = bytes()?
        .into_iter()
        .zip(before)
        .map(|(after, before)| (after - before) / reports);
    cells.extend(each.map(|bytes| format!("{:.1}", bytes / 1000.0)));
    Ok(cells)
}

/// Row names of a column's cells.
fn names() -> impl Iterator<Item = String> {
    let lists = LISTS.iter().map(|(name, _)| format!("{name}, ms"));
    let loads = ["new alerts", "mixed reports"]
        .into_iter()
        .flat_map(|load| {
            [
                format!("{load}/s over {SENDERS} connections"),
                "their p99 ms".to_owned(),
                "KB stored for each".to_owned(),
                "KB written for each".to_owned(),
            ]
        });
    lists
        .chain(["change of a status, ms".to_owned()])
        .chain(loads)
}

/// Waits until searches no longer read all alerts: the server builds the search index in the background.
fn wait_until_prepared(server: &BenchServer, stored: usize) -> Result<()> {
    let started = Instant::now();
    let mut least = f64::MAX;
    // The server rests between the parts, so one search that is no faster than the last does not end the wait.
    let mut stable = 0;
    // A search without a hit becomes faster, until it reads only the last alerts.
    loop {
        let took = ListRequests::of_developer(server)
            .milliseconds_once("PROJECT/alert_management_alerts?search=zzqqxx")?;
        let is_stable = took.is_some_and(|took| took > least * 0.9 && took < 60.0);
        stable = if is_stable { stable + 1 } else { 0 };
        if stable == 3 || stored < 20_000 {
            return Ok(());
        }
        least = took.map_or(least, |took| took.min(least));
        ensure!(
            started.elapsed() < TIMEOUT,
            "the alerts are not indexed in time"
        );
        std::thread::park_timeout(Duration::from_secs(10));
    }
}
