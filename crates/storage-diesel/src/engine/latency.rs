//! Latency of reads and writes, in buckets.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Latency of the work that was answered since the store was opened, from the submission to the answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Latency {
    /// Work by its latency: one count for each of [`Self::BOUNDS_MICROS`], of the work that took no longer and longer
    /// than the bound before, and one of the work that took longer than all.
    pub counts: [u64; Self::BOUNDS_MICROS.len() + 1],
    /// Sum of the latencies, in microseconds.
    pub sum_micros: u64,
}

impl Latency {
    /// Upper bounds of the buckets, in microseconds.
    pub const BOUNDS_MICROS: [u64; 12] = [
        100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 100_000, 250_000, 1_000_000, 5_000_000,
    ];
}

/// Counters of a [`Latency`].
#[derive(Debug, Default)]
pub(super) struct LatencyCounters {
    counts: [AtomicU64; Latency::BOUNDS_MICROS.len() + 1],
    sum_micros: AtomicU64,
}

impl LatencyCounters {
    /// Records work that was submitted at `since` and has just been answered.
    pub(super) fn record(&self, since: Instant) {
        let micros = u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX);
        let place = Latency::BOUNDS_MICROS.partition_point(|bound| *bound < micros);
        if let Some(count) = self.counts.get(place) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.sum_micros.fetch_add(micros, Ordering::Relaxed);
    }

    pub(super) fn read(&self) -> Latency {
        Latency {
            counts: self
                .counts
                .each_ref()
                .map(|count| count.load(Ordering::Relaxed)),
            sum_micros: self.sum_micros.load(Ordering::Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn work_is_counted_in_the_bucket_of_its_latency() {
        let counters = LatencyCounters::default();
        let now = Instant::now();
        counters.record(now.checked_sub(Duration::from_mins(1)).unwrap());
        counters.record(now + Duration::from_mins(1));
        let latency = counters.read();
        let mut expected = [0; 13];
        expected[0] = 1;
        expected[12] = 1;
        assert_eq!(latency.counts, expected);
        assert!(latency.sum_micros >= 60_000_000);
    }
}
