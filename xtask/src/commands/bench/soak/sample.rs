//! Samples of a long run.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};

use super::super::footprint::resident_kib;
use super::super::measure::median;
use super::super::servers::BenchServer;
use super::load::BATCH;

/// Longest time that 99 of 100 POSTs should take, in milliseconds.
pub(super) const AIM_MS: f64 = 50.0;

/// State of the server during one interval.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SoakSample {
    /// Minutes since the start.
    pub(super) minutes: f64,
    /// POSTs.
    pub(super) posts: usize,
    /// Median, 99th percentile and maximum of the time of a POST from when it was due, in milliseconds.
    pub(super) times: [f64; 3],
    /// POSTs that took longer than [`AIM_MS`].
    pub(super) late: usize,
    /// Resident memory, in MB.
    pub(super) memory: f64,
    /// Write-ahead log of an embedded database, in MB.
    pub(super) journal: f64,
    /// Embedded database without it, in MB.
    pub(super) database: f64,
    /// Backups so far.
    pub(super) backups: usize,
    /// Events that subscribers have received so far.
    pub(super) events: usize,
}

/// Process and file that samples are about.
#[derive(Debug)]
pub(super) struct Watched {
    pid: u32,
    file: Option<PathBuf>,
}

impl Watched {
    pub(super) fn of(server: &BenchServer) -> Result<Self> {
        let url = server.database_url()?;
        Ok(Self {
            pid: server.pid(),
            file: url.strip_prefix("sqlite:").map(PathBuf::from),
        })
    }

    /// Takes a sample after a time, with the times of the POSTs since the last one.
    pub(super) fn sample(
        &self,
        elapsed: Duration,
        mut times: Vec<f64>,
        [backups, events]: [usize; 2],
    ) -> Result<SoakSample> {
        times.sort_by(f64::total_cmp);
        let at = |index: usize| times.get(index).copied().unwrap_or(f64::NAN);
        let last = times.len().saturating_sub(1);
        let size = |suffix: &str| {
            let file = self.file.as_ref()?;
            let file = PathBuf::from(format!("{}{suffix}", file.display()));
            fs::metadata(file).ok().map(|found| found.len())
        };
        Ok(SoakSample {
            minutes: elapsed.as_secs_f64() / 60.0,
            posts: times.len(),
            times: [at(last / 2), at(last * 99 / 100), at(last)],
            late: times.iter().filter(|time| **time > AIM_MS).count(),
            memory: resident_kib(self.pid).context("the server has ended")? * 1.024 / 1000.0,
            journal: megabytes(size("-wal")),
            database: megabytes(size("")),
            backups,
            events,
        })
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "file sizes fit a float closely enough"
)]
fn megabytes(bytes: Option<u64>) -> f64 {
    bytes.unwrap_or_default() as f64 / 1e6
}

/// Row of a table about some samples: their medians, the longest time, and the state after the last one.
pub(super) fn row(samples: &[SoakSample]) -> String {
    let of = |part: fn(&SoakSample) -> f64| median(samples.iter().map(part).collect());
    let longest = samples.iter().map(|one| one.times[2]).fold(0.0, f64::max);
    let posts: usize = samples.iter().map(|one| one.posts).sum();
    let Some(last) = samples.last() else {
        return String::new();
    };
    format!(
        "| {:.1} | {} | {:.1} | {:.1} | {longest:.0} | {:.0} | {:.0} | {:.0} | {} | {} |",
        last.minutes,
        posts * BATCH as usize,
        of(|one| one.times[0]),
        of(|one| one.times[1]),
        last.memory,
        last.journal,
        last.database,
        last.backups,
        last.events
    )
}

/// Sentence about the POSTs of all samples that took longer than the aim.
pub(super) fn late(samples: &[SoakSample]) -> String {
    let posts: usize = samples.iter().map(|one| one.posts).sum();
    let late: usize = samples.iter().map(|one| one.late).sum();
    let above = samples.iter().filter(|one| one.times[1] > AIM_MS).count();
    #[expect(clippy::cast_precision_loss, reason = "a percentage of few POSTs")]
    let percent = 100.0 * late as f64 / posts.max(1) as f64;
    format!(
        "{late} of {posts} POSTs ({percent:.2} %) took longer than {AIM_MS} ms (aim: at most 1 %); their 99th percentile was \
         above it in {above} of {} samples",
        samples.len()
    )
}

/// The samples as comma-separated values.
pub(super) fn csv(samples: &[SoakSample]) -> String {
    let head =
        "minutes,posts,p50_ms,p99_ms,longest_ms,memory_mb,journal_mb,database_mb,backups,events\n";
    let mut text = head.to_owned();
    for one in samples {
        let [median, most, longest] = one.times;
        // Writing to a `String` does not fail.
        let _ = writeln!(
            text,
            "{:.2},{},{median:.2},{most:.2},{longest:.2},{:.1},{:.1},{:.1},{},{}",
            one.minutes, one.posts, one.memory, one.journal, one.database, one.backups, one.events
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_posts_are_those_of_all_samples() {
        let sample = |late, most| SoakSample {
            minutes: 1.0,
            posts: 200,
            times: [2.0, most, 90.0],
            late,
            memory: 1.0,
            journal: 1.0,
            database: 1.0,
            backups: 0,
            events: 0,
        };
        let text = late(&[sample(3, 70.0), sample(0, 40.0)]);
        assert_eq!(
            text,
            "3 of 400 POSTs (0.75 %) took longer than 50 ms (aim: at most 1 %); their 99th percentile was above it in 1 of 2 samples"
        );
    }
}
