//! What stored rows cost: intake of single alerts and pages of lists, by the number of alerts that a project has.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use clap::{Args, ValueEnum};
use serde_json::Value;

use super::footprint::{Answer, get};
use super::load::{Figures, Request, send};
use super::measure::median;
use super::servers::Running;
use super::{Effort, Programs};

/// Connections that send alerts.
const SENDERS: u32 = 16;
/// Requests of which each time is the median.
const TRIES: usize = 9;
/// How long a list, or the preparation of all alerts for searches, may take before something is wrong.
const PATIENCE: Duration = Duration::from_mins(20);

/// What the server says when a list would examine too many rows: words of `ApiError::too_much_work`.
const TOO_MUCH_WORK: &str = "too many rows would have to be examined";

/// What `bench stored` measures, and on what.
#[derive(Clone, Debug, Args)]
pub(crate) struct Scope {
    /// For `stored`: numbers of alerts that the project has before anything is measured, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "10000,100000,1000000")]
    rows: Vec<usize>,
    /// For `stored`: the database
    #[arg(long, value_enum, default_value_t = Databases::Both)]
    database: Databases,
}

/// Databases to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Databases {
    /// The embedded one
    Sqlite,
    /// A server of the bench's own
    Postgres,
    /// One after the other
    Both,
}

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

/// Measures and prints a table for each database: a column for each number of stored alerts. A list that the server
/// refuses because it would examine too many rows is told as refused: that is what the server promises.
///
/// # Errors
/// When something cannot be started, or an answer is any other failure.
pub(crate) fn measure(programs: &Programs, effort: &Effort, scope: &Scope) -> Result<()> {
    if scope.database != Databases::Postgres {
        table("SQLite", || programs.on_sqlite(), programs, (effort, scope))?;
    }
    if scope.database != Databases::Sqlite {
        // Held for the whole table, so that the PostgreSQL server is started once.
        let _cluster = programs.database()?;
        let start = || programs.on_postgres();
        table("PostgreSQL", start, programs, (effort, scope))?;
    }
    Ok(())
}

fn table(
    name: &str,
    start: impl Fn() -> Result<Running>,
    programs: &Programs,
    (effort, scope): (&Effort, &Scope),
) -> Result<()> {
    let mut columns = Vec::new();
    for stored in &scope.rows {
        let server = start()?;
        programs.seed_alerts(&server, *stored)?;
        wait_until_prepared(&server, *stored)?;
        columns.push(column(&server, effort)?);
    }
    println!("\n## By stored alerts, {name}\n");
    println!(
        "medians of {TRIES} requests; of alerts, {} rounds of {} s\n",
        effort.rounds, effort.seconds
    );
    print!("{}", markdown(&scope.rows, &columns));
    Ok(())
}

/// What is measured on one server: a cell for each list, and those of intake.
fn column(server: &Running, effort: &Effort) -> Result<Vec<String>> {
    let mut cells = Vec::new();
    for (_, list) in LISTS {
        cells.push(cell(milliseconds(server, list)?));
    }
    let request = Request::Alert {
        url: server.text("/alerts/generic_url")?,
        key: server.text("/alerts/key")?,
    };
    let mut figures = Vec::new();
    for _ in 0..effort.rounds {
        figures.push(send(&request, SENDERS, effort.seconds)?);
    }
    let of = |part: fn(&Figures) -> f64| median(figures.iter().map(part).collect());
    cells.push(format!("{:.0}", of(|one| one.rate)));
    cells.push(format!("{:.2}", of(|one| one.p99_ms)));
    Ok(cells)
}

fn cell(milliseconds: Option<f64>) -> String {
    milliseconds.map_or_else(|| "refused".to_owned(), |took| format!("{took:.2}"))
}

/// The table as `docs/performance.md` has it.
fn markdown(rows: &[usize], columns: &[Vec<String>]) -> String {
    let heads: Vec<String> = rows.iter().map(usize::to_string).collect();
    let mut lines = vec![
        format!("| stored alerts | {} |\n", heads.join(" | ")),
        format!("| --- |{}\n", " --- |".repeat(rows.len())),
    ];
    let lists = LISTS.iter().map(|(name, _)| format!("{name}, ms"));
    let intake = ["new alerts/s over 16 connections", "their p99 ms"];
    let names = lists.chain(intake.map(str::to_owned));
    for (place, name) in names.enumerate() {
        let cells: Vec<&str> = columns
            .iter()
            .filter_map(|column| column.get(place).map(String::as_str))
            .collect();
        lines.push(format!("| {name} | {} |\n", cells.join(" | ")));
    }
    lines.concat()
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

/// The median of some requests; `None` when they are refused because they would examine too much.
fn milliseconds(server: &Running, list: &str) -> Result<Option<f64>> {
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
    let tries = (0..TRIES).map(|_| milliseconds_once(server, &list));
    let times: Option<Vec<f64>> = tries.collect::<Result<_>>()?;
    Ok(times.map(median))
}

/// The time of one request; `None` when it is refused because it would examine too much.
fn milliseconds_once(server: &Running, list: &str) -> Result<Option<f64>> {
    let (url, token) = (url(server, list)?, server.text("/developer/token")?);
    let started = Instant::now();
    let answer = get(&url, &token, PATIENCE)?;
    let took = started.elapsed().as_secs_f64() * 1000.0;
    let is_answered = is_answered(&answer).with_context(|| format!("asked for {list}"))?;
    Ok(is_answered.then_some(took))
}

/// Whether a list was answered, and not refused for the rows that it would examine.
fn is_answered(answer: &Answer) -> Result<bool> {
    match answer.status {
        200 => Ok(true),
        400 if answer.body.contains(TOO_MUCH_WORK) => Ok(false),
        status => bail!("the answer was {status}: {}", answer.body),
    }
}

fn url(server: &Running, list: &str) -> Result<String> {
    let project = server.value("/project/id").and_then(Value::as_i64);
    let project = project.context("the demo prints no project")?;
    Ok(format!(
        "{}/api/v4/projects/{project}/{list}",
        server.base_url
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: &str) -> Answer {
        Answer {
            status,
            head: String::new(),
            body: body.to_owned(),
        }
    }

    #[test]
    fn only_the_limit_of_work_is_a_refusal_and_everything_else_fails_the_bench() {
        assert!(is_answered(&answer(200, "[]")).unwrap());
        let refusal = r#"{"error":"too many rows would have to be examined: narrow the list"}"#;
        assert!(!is_answered(&answer(400, refusal)).unwrap());
        for (status, body) in [
            (400, r#"{"error":"page does not have a valid value"}"#),
            (401, refusal),
            (404, ""),
            (500, ""),
            (503, refusal),
        ] {
            let error = is_answered(&answer(status, body)).unwrap_err();
            assert!(error.to_string().contains(&status.to_string()), "{error}");
        }
    }

    #[test]
    fn a_table_has_a_column_for_each_number_of_alerts() {
        let column = |first: Option<f64>| {
            let mut cells = vec![cell(first)];
            cells.resize(LISTS.len() + 2, "1.00".to_owned());
            cells
        };
        let table = markdown(&[10, 20], &[column(Some(1.234)), column(None)]);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(
            lines[..3],
            [
                "| stored alerts | 10 | 20 |",
                "| --- | --- | --- |",
                "| first page, ms | 1.23 | refused |"
            ]
        );
        assert_eq!(lines.len(), 2 + LISTS.len() + 2);
        assert!(
            lines[lines.len() - 1].starts_with("| their p99 ms |"),
            "{table}"
        );
    }
}
