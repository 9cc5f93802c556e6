//! Alerts at a steady rate: four of five repeat an open alert, three of twenty are new, and one of twenty ends one.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::super::footprint::post;
use super::super::servers::BenchServer;

/// Senders.
pub(super) const SENDERS: usize = 4;
/// Alerts in a POST.
pub(super) const BATCH: u32 = 10;
/// Open alerts from which on as many end as begin.
const OPEN: usize = 5_000;
/// Longest time to wait for a response.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Load of one server.
#[derive(Debug)]
pub(super) struct AlertLoad {
    url: String,
    key: String,
    /// Time between two POSTs of one sender.
    pause: Duration,
    alerts: Mutex<NumberedAlerts>,
    times: Mutex<Vec<f64>>,
    has_failed: AtomicBool,
}

/// Numbers of open alerts, the oldest first.
#[derive(Debug, Default)]
struct NumberedAlerts {
    open: VecDeque<u64>,
    next: u64,
    turn: u64,
}

impl AlertLoad {
    /// Creates the load of a number of alerts in a second.
    pub(super) fn new(server: &BenchServer, rate: u32) -> Result<Self> {
        let senders = u32::try_from(SENDERS)?;
        Ok(Self {
            url: server.text("/alerts/metrics_url")?,
            key: server.text("/alerts/key")?,
            pause: Duration::from_secs(1) * BATCH * senders / rate.max(1),
            alerts: Mutex::default(),
            times: Mutex::default(),
            has_failed: AtomicBool::new(false),
        })
    }

    /// Sends until the end, each POST at its time: one that is late counts from the time at which it was due.
    #[expect(
        clippy::disallowed_methods,
        reason = "a steady rate is a matter of time"
    )]
    pub(super) fn send(&self, number: usize, ended: &AtomicBool) -> Result<()> {
        let first = Instant::now() + self.pause * u32::try_from(number)? / u32::try_from(SENDERS)?;
        let mut due = first;
        while !ended.load(Ordering::Acquire) {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            let sent = post(&self.url, &self.key, &self.body(), TIMEOUT);
            if !matches!(sent, Ok(200)) {
                self.has_failed.store(true, Ordering::Release);
                bail!("a POST was refused: {sent:?}");
            }
            let took = due.elapsed().as_secs_f64() * 1000.0;
            lock(&self.times).push(took);
            due += self.pause;
        }
        Ok(())
    }

    /// True if the server refused an alert.
    pub(super) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Acquire)
    }

    /// Returns the times of the POSTs since the last call, in milliseconds.
    pub(super) fn take_times(&self) -> Vec<f64> {
        std::mem::take(&mut *lock(&self.times))
    }

    fn body(&self) -> String {
        let mut alerts = lock(&self.alerts);
        let batch: Vec<String> = (0..BATCH).map(|_| alerts.next()).collect();
        format!(
            "{{\"version\":\"4\",\"groupKey\":\"{{}}:{{}}\",\"status\":\"firing\",\"receiver\":\"soak\",\"groupLabels\":{{}},\
             \"commonLabels\":{{}},\"commonAnnotations\":{{}},\"externalURL\":\"http://am.example.com\",\
             \"truncatedAlerts\":0,\"alerts\":[{}]}}",
            batch.join(",")
        )
    }
}

impl NumberedAlerts {
    /// Returns the next alert as JSON.
    fn next(&mut self) -> String {
        self.turn += 1;
        let place = self.turn % 20;
        let is_full = self.open.len() >= OPEN;
        // Once enough alerts are open, as many end as begin.
        let ends = if is_full { place < 3 } else { place < 1 };
        if ends && let Some(number) = self.open.pop_front() {
            return alert(number, true);
        }
        if (3..6).contains(&place) || self.open.is_empty() {
            self.next += 1;
            self.open.push_back(self.next);
            return alert(self.next, false);
        }
        let count = u64::try_from(self.open.len()).unwrap_or(1);
        let repeated = usize::try_from(self.turn.wrapping_mul(7919) % count).unwrap_or(0);
        alert(self.open.get(repeated).copied().unwrap_or(0), false)
    }
}

fn alert(number: u64, is_over: bool) -> String {
    let description = "The disk has less free space than it should have. ".repeat(10);
    let (status, end) = if is_over {
        ("resolved", "2026-01-02T00:00:00Z")
    } else {
        ("firing", "0001-01-01T00:00:00Z")
    };
    format!(
        "{{\"status\":\"{status}\",\"labels\":{{\"alertname\":\"DiskFull\",\"instance\":\"host-{}\",\"disk\":\"{number}\",\
         \"severity\":\"warning\"}},\"annotations\":{{\"summary\":\"Disk {number} is full\",\"description\":\"{description}\"}},\
         \"startsAt\":\"2026-01-01T00:00:00Z\",\"endsAt\":\"{end}\",\"fingerprint\":\"{number:016x}\"}}",
        number % 500
    )
}

/// Reads the feed until the end, and counts its events. A stream that ends is opened again.
pub(super) fn subscribe(base_url: &str, token: &str, events: &AtomicUsize, ended: &AtomicBool) {
    while !ended.load(Ordering::Acquire) {
        // The server closes streams after a while, and the next attempt may come too early.
        let _ = read_stream(base_url, token, events, ended);
    }
}

fn read_stream(
    base_url: &str,
    token: &str,
    events: &AtomicUsize,
    ended: &AtomicBool,
) -> Result<()> {
    let address = base_url.strip_prefix("http://").context("a plain URL")?;
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(1)))?;
    write!(
        stream,
        "GET /api/v4/events/stream HTTP/1.1\r\nHost: {address}\r\nPRIVATE-TOKEN: {token}\r\n\r\n"
    )?;
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    while !ended.load(Ordering::Acquire) {
        match reader.read_until(b'\n', &mut line) {
            Ok(0) => break,
            Ok(_) if line.starts_with(b"data:") => {
                events.fetch_add(1, Ordering::Relaxed);
            }
            Ok(_) => (),
            // Nothing happened for a second.
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => continue,
            Err(error) => return Err(error.into()),
        }
        line.clear();
    }
    Ok(())
}

fn lock<T>(value: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alerts_open_up_to_a_number_and_are_mostly_repeated() {
        let mut alerts = NumberedAlerts::default();
        let (mut new, mut ended) = (0, 0);
        let count = 60_000;
        for number in 0..count {
            let before = alerts.next;
            let text = alerts.next();
            if number % 1000 == 0 {
                serde_json::from_str::<serde_json::Value>(&text).unwrap();
            }
            new += usize::from(alerts.next > before);
            ended += usize::from(text.contains("resolved"));
        }
        assert_eq!(new - ended, alerts.open.len());
        assert!((OPEN - 3..=OPEN + 3).contains(&alerts.open.len()));
        assert!(
            (0.14..0.16).contains(&(f64::from(u32::try_from(new).unwrap()) / f64::from(count)))
        );
    }
}
