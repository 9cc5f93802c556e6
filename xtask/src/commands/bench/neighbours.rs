//! Latency of single alerts while other senders repeatedly POST the largest deliveries that the server accepts.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use super::footprint::post;
use super::intake::many_alerts;
use super::measure::median;
use super::servers::BenchServer;
use super::{Effort, Programs};

/// Alerts in each of the large POSTs: the server's default limit.
const MANY: usize = 20_000;

/// Numbers of concurrent senders of large POSTs.
const SENDERS: [usize; 2] = [1, 4];

/// Longest time that a single alert may take, in seconds.
const AIM: f64 = 1.0;

/// Longest time to wait for any response before the measurement fails.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Response times, in seconds.
#[derive(Debug, Default)]
struct ResponseTimes {
    large: Vec<f64>,
    single: Vec<f64>,
}

/// Measures and prints a table.
///
/// # Errors
/// When a server cannot be started, or a response is a failure.
pub(super) fn measure(programs: &Programs, effort: &Effort) -> Result<()> {
    println!("\n## Single alerts beside POSTs of {MANY} new alerts\n");
    println!(
        "Several senders post {MANY} alerts repeatedly and one sender posts single alerts, to the same project; {} rounds of {} s \
         into empty tables, latencies of all rounds\n",
        effort.rounds, effort.seconds
    );
    println!(
        "| | senders | large POSTs | a large POST, s | single alerts | p50 ms | p99 ms | longest ms | aim |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for senders in SENDERS {
        row("SQLite", senders, || programs.on_sqlite(), effort)?;
        row("PostgreSQL", senders, || programs.on_postgres(), effort)?;
    }
    Ok(())
}

fn row(
    name: &str,
    senders: usize,
    start: impl Fn() -> Result<BenchServer>,
    effort: &Effort,
) -> Result<()> {
    let mut times = ResponseTimes::default();
    for _ in 0..effort.rounds {
        let round = round(
            &start()?,
            senders,
            Duration::from_secs(effort.seconds.into()),
        )?;
        times.large.extend(round.large);
        times.single.extend(round.single);
    }
    let (larges, singles) = (times.large.len(), times.single.len());
    times.single.sort_by(f64::total_cmp);
    let of = |part: f64| within(&times.single, part).map(|seconds| seconds * 1000.0);
    println!(
        "| {name} | {senders} | {larges} | {:.2} | {singles} | {:.1} | {:.1} | {:.0} | under {:.0} |",
        median(times.large),
        of(0.5)?,
        of(0.99)?,
        of(1.0)?,
        AIM * 1000.0,
    );
    Ok(())
}

/// Sends both kinds for the given time. Waits for each large POST that has started, and sends single alerts until the
/// last large POST is answered, so that single alerts run beside every large POST from its beginning to its end.
fn round(server: &BenchServer, senders: usize, time: Duration) -> Result<ResponseTimes> {
    let key = server.text("/alerts/key")?;
    let (many, one) = (
        server.text("/alerts/metrics_url")?,
        server.text("/alerts/generic_url")?,
    );
    let (ended, sent) = (AtomicBool::new(false), AtomicUsize::new(0));
    let (begun, started) = (AtomicUsize::new(0), Instant::now());
    thread::scope(|scope| {
        let single = scope.spawn(|| {
            let mut times = Vec::new();
            while !ended.load(Ordering::Acquire) {
                let number = sent.fetch_add(1, Ordering::Relaxed);
                let body = format!("{{\"title\":\"Single alert {number}\",\"severity\":\"low\"}}");
                times.push(timed(&one, &key, &body)?);
            }
            anyhow::Ok(times)
        });
        let post_large = || {
            let mut times = Vec::new();
            while times.is_empty() || started.elapsed() < time {
                let body = many_alerts(begun.fetch_add(1, Ordering::Relaxed) * MANY, MANY);
                times.push(timed(&many, &key, &body)?);
            }
            anyhow::Ok(times)
        };
        let large: Vec<_> = (0..senders).map(|_| scope.spawn(post_large)).collect();
        let large: Vec<_> = large
            .into_iter()
            .map(thread::ScopedJoinHandle::join)
            .collect();
        ended.store(true, Ordering::Release);
        let mut times = ResponseTimes {
            large: Vec::new(),
            single: single
                .join()
                .ok()
                .context("the sender of single alerts panicked")??,
        };
        for sender in large {
            times
                .large
                .extend(sender.ok().context("a sender of large POSTs panicked")??);
        }
        Ok(times)
    })
}

fn timed(url: &str, key: &str, body: &str) -> Result<f64> {
    let started = Instant::now();
    let status = post(url, key, body, TIMEOUT)?;
    ensure!(status == 200, "a POST returned {status}");
    Ok(started.elapsed().as_secs_f64())
}

/// A percentile of sorted values by the nearest-rank method: the least value that covers this part of them.
fn within(sorted: &[f64], part: f64) -> Result<f64> {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rank among fewer values than a float counts exactly"
    )]
    let rank = (sorted.len() as f64 * part).ceil() as usize;
    let found = sorted.get(rank.saturating_sub(1));
    found.copied().context("nothing was measured")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_one_of_the_values() {
        let values: Vec<f64> = (1..=200).map(f64::from).collect();
        for (part, expected) in [(0.5, 100.0), (0.99, 198.0), (1.0, 200.0)] {
            let found = within(&values, part).unwrap();
            assert!((found - expected).abs() < 1e-9, "{part}: {found}");
        }
        assert!(within(&[], 0.5).is_err());
    }
}
