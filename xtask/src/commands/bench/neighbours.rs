//! How long single alerts wait beside somebody who sends as many in one POST as a POST may bring, again and again.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use super::footprint::post;
use super::intake::many_alerts;
use super::measure::median;
use super::servers::Running;
use super::{Effort, Programs};

/// Alerts in each of the large POSTs: as many as a server takes by default.
const MANY: usize = 20_000;

/// How many send large POSTs at once.
const SENDERS: [usize; 2] = [1, 4];

/// The longest that a single alert may wait, in seconds.
const AIM: f64 = 1.0;

/// How long anybody waits for an answer before the measurement fails.
const PATIENCE: Duration = Duration::from_mins(1);

/// Seconds that things took.
#[derive(Debug, Default)]
struct Waits {
    large: Vec<f64>,
    single: Vec<f64>,
}

/// Measures and prints a table.
///
/// # Errors
/// When a server cannot be started, or an answer is a failure.
pub(super) fn measure(programs: &Programs, effort: &Effort) -> Result<()> {
    println!("\n## Single alerts beside POSTs of {MANY} new alerts\n");
    println!(
        "Some senders post {MANY} alerts again and again, another one single ones, to the same project; {} rounds of {} s \
         into empty tables, all waits together\n",
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
    start: impl Fn() -> Result<Running>,
    effort: &Effort,
) -> Result<()> {
    let mut waits = Waits::default();
    for _ in 0..effort.rounds {
        let round = round(
            &start()?,
            senders,
            Duration::from_secs(effort.seconds.into()),
        )?;
        waits.large.extend(round.large);
        waits.single.extend(round.single);
    }
    let (larges, singles) = (waits.large.len(), waits.single.len());
    waits.single.sort_by(f64::total_cmp);
    let of = |part: f64| within(&waits.single, part).map(|seconds| seconds * 1000.0);
    println!(
        "| {name} | {senders} | {larges} | {:.2} | {singles} | {:.1} | {:.1} | {:.0} | under {:.0} |",
        median(waits.large),
        of(0.5)?,
        of(0.99)?,
        of(1.0)?,
        AIM * 1000.0,
    );
    Ok(())
}

/// Sends both for as long as `time`. Each large POST that was begun is waited for, and single alerts are sent until the
/// last one is answered, so that every large POST has company from its beginning to its end.
fn round(server: &Running, senders: usize, time: Duration) -> Result<Waits> {
    let key = server.text("/alerts/key")?;
    let (many, one) = (
        server.text("/alerts/metrics_url")?,
        server.text("/alerts/generic_url")?,
    );
    let (ended, sent) = (AtomicBool::new(false), AtomicUsize::new(0));
    let (begun, started) = (AtomicUsize::new(0), Instant::now());
    thread::scope(|scope| {
        let single = scope.spawn(|| {
            let mut waits = Vec::new();
            while !ended.load(Ordering::Acquire) {
                let number = sent.fetch_add(1, Ordering::Relaxed);
                let body = format!("{{\"title\":\"Single alert {number}\",\"severity\":\"low\"}}");
                waits.push(timed(&one, &key, &body)?);
            }
            anyhow::Ok(waits)
        });
        let post_large = || {
            let mut waits = Vec::new();
            while waits.is_empty() || started.elapsed() < time {
                let body = many_alerts(begun.fetch_add(1, Ordering::Relaxed) * MANY, MANY);
                waits.push(timed(&many, &key, &body)?);
            }
            anyhow::Ok(waits)
        };
        let large: Vec<_> = (0..senders).map(|_| scope.spawn(post_large)).collect();
        let large: Vec<_> = large
            .into_iter()
            .map(thread::ScopedJoinHandle::join)
            .collect();
        ended.store(true, Ordering::Release);
        let mut waits = Waits {
            large: Vec::new(),
            single: single
                .join()
                .ok()
                .context("the sender of single alerts panicked")??,
        };
        for sender in large {
            waits
                .large
                .extend(sender.ok().context("a sender of large POSTs panicked")??);
        }
        Ok(waits)
    })
}

fn timed(url: &str, key: &str, body: &str) -> Result<f64> {
    let started = Instant::now();
    let status = post(url, key, body, PATIENCE)?;
    ensure!(status == 200, "a POST was answered {status}");
    Ok(started.elapsed().as_secs_f64())
}

/// The least that this part of sorted values is not greater than (the nearest-rank percentile).
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
