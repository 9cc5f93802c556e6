//! Lists of the feed by the number of stored events, and intake beside the deletion of old events.

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::load::{Figures, LoadRequest, send};
use super::measure::median;
use super::servers::BenchServer;
use super::stored::BenchScope;
use super::timed::{ListRequests, MeasuredList, TRIES, by_rows};
use super::{Effort, Programs};

/// Default numbers of stored events.
const ROWS: [usize; 2] = [100_000, 10_000_000];

/// Old events that are deleted during the measurement of intake.
const OLD: usize = 600_000;
/// Age of the newest of them in days, more than events are kept.
pub(super) const OLD_DAYS: u32 = 1_200;
/// Connections that send alerts beside the deletion.
const SENDERS: u32 = 16;

/// JSON pointers to the callers' tokens: the author of a tenth of all events, and a member of 5,000 projects.
const AUTHOR: &str = "/developer/token";
const MEMBER: &str = "/reporter/token";

/// Measured lists. `MIDDLE` and `RECENT` are days after half of the events and after nearly all of them.
const LISTS: [MeasuredList; 4] = [
    (
        "a project",
        AUTHOR,
        "PROJECT/events",
        &[
            "",
            "page=500",
            "before=MIDDLE",
            "after=MIDDLE&sort=asc",
            "after=RECENT",
            "action=reopened",
            "action=destroyed",
            "action=expired",
            "target_type=alert",
            "target_type=snippet",
        ],
    ),
    (
        "an author",
        AUTHOR,
        "events",
        &[
            "",
            "page=500",
            "before=MIDDLE",
            "after=RECENT",
            "action=reopened",
            "action=destroyed",
            "action=expired",
            "target_type=snippet",
        ],
    ),
    (
        "a user as another one sees it",
        MEMBER,
        "users/2/events",
        &["", "page=500", "action=expired"],
    ),
    (
        "5,000 projects of a member",
        MEMBER,
        "events",
        &[
            "scope=all",
            "scope=all&page=500",
            "scope=all&before=MIDDLE",
            "scope=all&after=RECENT",
            "scope=all&action=reopened",
            "scope=all&action=destroyed",
            "scope=all&action=expired",
            "scope=all&target_type=snippet",
        ],
    ),
];

/// Measures and prints the tables of both parts.
///
/// # Errors
/// When a program cannot be started, or a response is a failure.
pub(crate) fn measure(programs: &Programs, effort: &Effort, scope: &BenchScope) -> Result<()> {
    let rows = scope.rows_or(&ROWS);
    scope.database.each(programs, |name, start| {
        let mut columns = Vec::new();
        for stored in rows {
            let server = start()?;
            programs.seed_feed(&server, *stored, 0)?;
            columns.push(column(&server, *stored)?);
        }
        println!("\n## The feed by stored events, {name}\n");
        println!("medians of {TRIES} requests, ms\n");
        print!("{}", by_rows(&LISTS, rows, &columns));
        beside_deletion(name, programs, effort, start)
    })
}

/// Times of all lists on one server.
fn column(server: &BenchServer, stored: usize) -> Result<Vec<Option<f64>>> {
    let day = |list: &str| {
        let time = ListRequests::of(server, AUTHOR).text(list, "/0/created_at")?;
        Ok::<_, anyhow::Error>(time.split('T').next().unwrap_or_default().to_owned())
    };
    // Half of the events are in the project.
    let middle = day(&format!("PROJECT/events?per_page=50&page={}", stored / 200))?;
    let recent = day("PROJECT/events?page=5")?;
    let mut times = Vec::new();
    for (_, token, address, queries) in LISTS {
        for query in queries {
            let query = query.replace("MIDDLE", &middle).replace("RECENT", &recent);
            let list = format!("{address}?{query}");
            times.push(ListRequests::of(server, token).milliseconds(&list)?);
        }
    }
    Ok(times)
}

/// Measures intake on a server that has nothing to delete, and on one that deletes old events: not in turns, because the
/// deletion continues between the rounds.
fn beside_deletion(
    name: &str,
    programs: &Programs,
    effort: &Effort,
    start: &dyn Fn() -> Result<BenchServer>,
) -> Result<()> {
    println!("\n## Intake beside the deletion of old events, {name}\n");
    println!("| | alerts/s | p50 ms | p99 ms |\n| --- | --- | --- | --- |");
    for (name, days) in [("nothing to delete", 0), ("deleting", OLD_DAYS)] {
        let mut server = start()?;
        programs.seed_feed(&server, OLD, days)?;
        // The deletion begins when a server starts.
        server.restart(programs)?;
        let request = LoadRequest::Alert {
            url: server.text("/alerts/generic_url")?,
            key: server.text("/alerts/key")?,
        };
        let figures: Vec<Figures> = (0..effort.rounds)
            .map(|_| send(&request, SENDERS, effort.seconds))
            .collect::<Result<_>>()?;
        ensure!(
            days == 0 || has_old_events(&server)?,
            "all old events were deleted before the end of the measurement"
        );
        let of = |part: fn(&Figures) -> f64| median(figures.iter().map(part).collect());
        println!(
            "| {name} | {:.0} | {:.2} | {:.2} |",
            of(|one| one.rate),
            of(|one| one.median_ms),
            of(|one| one.p99_ms)
        );
    }
    Ok(())
}

/// True if the project has events that are older than three years among the first of its list, which are in the order of
/// their ids: those of the sample data and the oldest of the others.
fn has_old_events(server: &BenchServer) -> Result<bool> {
    let first = ListRequests::of(server, AUTHOR).json("PROJECT/events?sort=asc&per_page=50")?;
    let years = first.as_array().into_iter().flatten().map(|event| {
        let time = event.get("created_at").and_then(Value::as_str);
        let year = time.and_then(|time| time.split('-').next());
        Ok(year.context("an event has a time")?.parse()?)
    });
    let years: Vec<i32> = years.collect::<Result<_>>()?;
    Ok(years.iter().min().map(|oldest| oldest + 3) < years.iter().max().copied())
}
