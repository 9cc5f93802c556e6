//! Durable intake, compared with a server that only parses the same body.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::footprint::{peak_kib, post};
use super::load::{Figures, LoadRequest, send};
use super::measure::{Measurement, compare, median};
use super::servers::BenchServer;
use super::{Effort, Programs, neighbours};

/// Alerts in the one large POST.
const MANY: usize = 10_000;

/// Measures and prints three tables.
///
/// # Errors
/// When a program cannot be started, or a response is a failure.
pub(crate) fn measure(programs: &Programs, effort: &Effort) -> Result<()> {
    // Held for the whole run, so that the PostgreSQL server is started once.
    let _cluster = programs.database()?;
    let floor = programs.floor()?;
    let parse = LoadRequest::Alert {
        url: format!("{}/parse", floor.base_url),
        key: String::new(),
    };
    let measurements = [
        Measurement {
            name: "floor: parses the body",
            aim: None,
            run: Box::new(move |connections, seconds| send(&parse, connections, seconds)),
        },
        Measurement {
            name: "SQLite, synchronous=FULL",
            aim: Some(0.6),
            run: Box::new(|connections, seconds| {
                load(&programs.on_sqlite()?, connections, seconds)
            }),
        },
        Measurement {
            name: "PostgreSQL, synchronous_commit=on",
            aim: Some(0.4),
            run: Box::new(|connections, seconds| {
                load(&programs.on_postgres()?, connections, seconds)
            }),
        },
    ];
    compare(
        "Durable intake of a new alert of 1 KB",
        &measurements,
        effort,
    )?;
    println!("\n## One POST with {MANY} new alerts\n");
    println!("| | seconds | peak memory, MB | aim |");
    println!("| --- | --- | --- | --- |");
    one_large_post("SQLite", || programs.on_sqlite(), effort)?;
    one_large_post("PostgreSQL", || programs.on_postgres(), effort)?;
    neighbours::measure(programs, effort)
}

/// Loads a server that has fresh data, so that every round inserts into an empty table.
fn load(server: &BenchServer, connections: u32, seconds: u32) -> Result<Figures> {
    let request = LoadRequest::Alert {
        url: server.text("/alerts/generic_url")?,
        key: server.text("/alerts/key")?,
    };
    send(&request, connections, seconds)
}

fn one_large_post(
    name: &str,
    start: impl Fn() -> Result<BenchServer>,
    effort: &Effort,
) -> Result<()> {
    let (mut seconds, mut peaks) = (Vec::new(), Vec::new());
    for _ in 0..effort.rounds {
        let server = start()?;
        let url = server.text("/alerts/metrics_url")?;
        let key = server.text("/alerts/key")?;
        let started = Instant::now();
        let status = post(&url, &key, &many_alerts(0, MANY), Duration::from_mins(1))?;
        seconds.push(started.elapsed().as_secs_f64());
        ensure!(status == 200, "the large POST returned {status}");
        peaks.push(peak_kib(server.pid())?);
    }
    let megabytes = median(peaks) / 1000.0 * 1.024;
    println!(
        "| {name} | {:.2} | {megabytes:.0} | under 1 s and 100 MB |",
        median(seconds)
    );
    Ok(())
}

/// A webhook body of Alertmanager with `count` alerts, numbered from `first`.
pub(super) fn many_alerts(first: usize, count: usize) -> String {
    let alert = |number: usize| {
        format!(
            "{{\"status\":\"firing\",\"labels\":{{\"alertname\":\"HighMemory\",\"instance\":\"node-{number}\",\
             \"job\":\"node\",\"severity\":\"critical\",\"team\":\"payments\"}},\"annotations\":{{\"summary\":\
             \"High memory\",\"description\":\"The node uses more memory than it should.\"}},\"startsAt\":\
             \"2024-05-01T12:00:00.123Z\",\"endsAt\":\"0001-01-01T00:00:00Z\",\"generatorURL\":\
             \"http://prometheus.example.com/graph?g0.expr=up\",\"fingerprint\":\"{number:016x}\"}}"
        )
    };
    let alerts: Vec<String> = (first..first + count).map(alert).collect();
    format!(
        "{{\"version\":\"4\",\"groupKey\":\"{{}}:{{}}\",\"status\":\"firing\",\"receiver\":\"x\",\"groupLabels\":{{}},\
         \"commonLabels\":{{}},\"commonAnnotations\":{{}},\"externalURL\":\"http://am.example.com\",\"truncatedAlerts\":0,\
         \"alerts\":[{}]}}",
        alerts.join(",")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_large_body_is_json_with_all_alerts() {
        let body: serde_json::Value = serde_json::from_str(&many_alerts(7, MANY)).unwrap();
        let alerts = body
            .pointer("/alerts")
            .and_then(serde_json::Value::as_array);
        assert_eq!(alerts.map(Vec::len), Some(MANY));
    }
}
