//! Background jobs of a server, and the results of their runs.
//!
//! [`BackgroundJobs::repeat`] is the loop of a job: it runs the job at its interval, records the result for metrics and for
//! administrators, and logs a failure. The next run tries again.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use api_conventions::time::{Clock, Timestamp};
use tokio::time::{MissedTickBehavior, interval};
use tracing::{Instrument as _, Span, field};

/// Shortest interval of a job whose runs are traced. Spans of others would be most of what a collector receives.
const SHORTEST_TRACED: Duration = Duration::from_secs(5);

/// Background job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackgroundJob {
    /// Writes a backup when one is due.
    BackUp,
    /// Deletes expired data.
    Clean,
    /// Carries out the deletions of images in the container registry.
    CleanImages,
    /// Carries out scheduled deletions of projects, groups and users.
    Delete,
    /// Deletes old revocations.
    ForgetRevocations,
    /// Indexes alerts for search.
    IndexAlerts,
    /// Keeps a key ready that signs ID tokens.
    PrepareSigningKeys,
    /// Saves uses of deprecated features.
    SaveDeprecationUses,
    /// Saves contacts of runners.
    SaveRunnerContacts,
    /// Saves the last use of tokens and sessions.
    SaveUsage,
    /// Finds messages that are due, and sends them.
    SendMessages,
    /// Compares the clock with that of the database server.
    WatchDatabase,
    /// Reads new events of the feed for streams.
    WatchFeed,
    /// Reports missing heartbeats and check-ins, and applies the starts and ends of silences.
    WatchHeartbeats,
    /// Applies revocations of other processes.
    WatchRevocations,
}

impl BackgroundJob {
    /// All jobs.
    pub const ALL: [Self; 15] = [
        Self::BackUp,
        Self::Clean,
        Self::CleanImages,
        Self::Delete,
        Self::ForgetRevocations,
        Self::IndexAlerts,
        Self::PrepareSigningKeys,
        Self::SaveDeprecationUses,
        Self::SaveRunnerContacts,
        Self::SaveUsage,
        Self::SendMessages,
        Self::WatchDatabase,
        Self::WatchFeed,
        Self::WatchHeartbeats,
        Self::WatchRevocations,
    ];

    /// Name in logs and metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BackUp => "back_up",
            Self::Clean => "clean",
            Self::CleanImages => "clean_images",
            Self::Delete => "delete",
            Self::ForgetRevocations => "forget_revocations",
            Self::IndexAlerts => "index_alerts",
            Self::PrepareSigningKeys => "prepare_signing_keys",
            Self::SaveDeprecationUses => "save_deprecation_uses",
            Self::SaveRunnerContacts => "save_runner_contacts",
            Self::SaveUsage => "save_usage",
            Self::SendMessages => "send_messages",
            Self::WatchDatabase => "watch_database",
            Self::WatchFeed => "watch_feed",
            Self::WatchHeartbeats => "watch_heartbeats",
            Self::WatchRevocations => "watch_revocations",
        }
    }

    /// Log message of a failed run.
    const fn failure(self) -> &'static str {
        match self {
            Self::BackUp => "cannot write a backup; retrying",
            Self::Clean => "cannot delete expired data; retrying",
            Self::CleanImages => "cannot carry out a deletion of images; retrying",
            Self::Delete => "cannot carry out a scheduled deletion; retrying",
            Self::ForgetRevocations => "cannot delete old revocations; retrying",
            Self::IndexAlerts => "cannot index alerts for search; retrying",
            Self::PrepareSigningKeys => "no signing key available; retrying",
            Self::SaveDeprecationUses => "cannot save uses of deprecated features; retrying",
            Self::SaveRunnerContacts => "cannot save contacts of runners; retrying",
            Self::SaveUsage => "cannot save last-used times; retrying",
            Self::SendMessages => "cannot look for messages to send; retrying",
            Self::WatchDatabase => "cannot read the clock of the database server; retrying",
            Self::WatchFeed => "cannot read new events; streams wait",
            Self::WatchHeartbeats => {
                "cannot look for missing heartbeats and check-ins, silences and expiries; retrying"
            }
            Self::WatchRevocations => {
                "cannot read the authentication epoch; checking tokens in the database"
            }
        }
    }

    /// Time between two runs. A run that takes longer delays the next one.
    /// The runs of some jobs also depend on how much there is to do.
    pub const fn interval(self) -> Duration {
        match self {
            Self::BackUp | Self::Clean | Self::PrepareSigningKeys => Duration::from_mins(10),
            Self::CleanImages | Self::Delete => Duration::from_secs(30),
            Self::ForgetRevocations => Duration::from_mins(5),
            Self::IndexAlerts => Duration::from_secs(5),
            Self::SaveUsage | Self::WatchDatabase => Duration::from_mins(1),
            Self::SaveDeprecationUses | Self::SaveRunnerContacts => Duration::from_secs(10),
            Self::SendMessages | Self::WatchFeed => Duration::from_secs(1),
            Self::WatchHeartbeats => Duration::from_secs(2),
            Self::WatchRevocations => Duration::from_millis(100),
        }
    }
}

/// Starts the span of a run.
fn traced(job: BackgroundJob) -> Span {
    if job.interval() < SHORTEST_TRACED {
        return Span::none();
    }
    tracing::trace_span!(target: "traces", "job", otel.name = job.name(), otel.status_code = field::Empty)
}

/// Results of the runs of one job in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobStatus {
    /// Job.
    pub job: BackgroundJob,
    /// Runs that succeeded.
    pub successes: u64,
    /// Runs that failed.
    pub failures: u64,
    /// End of the last run that succeeded; `None` if none has yet.
    pub last_success: Option<Timestamp>,
    /// True if the last run failed.
    pub is_failing: bool,
}

/// Counters of one job.
#[derive(Debug)]
struct Runs {
    successes: AtomicU64,
    failures: AtomicU64,
    /// Failures since the last success.
    failures_in_a_row: AtomicU64,
    /// Microseconds since the epoch.
    last_success: AtomicI64,
}

impl Runs {
    const fn none() -> Self {
        Self {
            successes: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            failures_in_a_row: AtomicU64::new(0),
            last_success: AtomicI64::new(i64::MIN),
        }
    }

    fn status(&self, job: BackgroundJob) -> JobStatus {
        let last_success = self.last_success.load(Ordering::Relaxed);
        JobStatus {
            job,
            successes: self.successes.load(Ordering::Relaxed),
            failures: self.failures.load(Ordering::Relaxed),
            last_success: Timestamp::from_micros(last_success),
            is_failing: self.failures_in_a_row.load(Ordering::Relaxed) > 0,
        }
    }
}

/// The background jobs of this process.
#[derive(Clone)]
pub struct BackgroundJobs {
    runs: Arc<[Runs; BackgroundJob::ALL.len()]>,
    clock: Arc<dyn Clock>,
}

impl BackgroundJobs {
    /// Jobs of which none has run yet.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            runs: Arc::new([const { Runs::none() }; BackgroundJob::ALL.len()]),
            clock,
        }
    }

    /// Runs a job at its interval, until the task is dropped. `run` gets the current time.
    pub async fn repeat<E: Display>(
        &self,
        job: BackgroundJob,
        mut run: impl AsyncFnMut(Timestamp) -> Result<(), E>,
    ) {
        let mut ticks = interval(job.interval());
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let span = traced(job);
            let outcome = run(self.clock.now()).instrument(span.clone()).await;
            if outcome.is_err() {
                span.record("otel.status_code", "ERROR");
            }
            self.record(job, &outcome);
        }
    }

    /// Records the result of one run. Logs a failure: every one of a job that runs at most once a minute, and of others
    /// the first one after a success; and the first success after a failure.
    pub fn record<T, E: Display>(&self, job: BackgroundJob, outcome: &Result<T, E>) {
        let Some(runs) = BackgroundJob::ALL
            .iter()
            .position(|other| *other == job)
            .and_then(|place| self.runs.get(place))
        else {
            return;
        };
        let Err(error) = outcome else {
            runs.successes.fetch_add(1, Ordering::Relaxed);
            let now = self.clock.now().as_micros();
            runs.last_success.store(now, Ordering::Relaxed);
            if runs.failures_in_a_row.swap(0, Ordering::Relaxed) > 0 {
                tracing::info!(job.name = job.name(), "background job works again");
            }
            return;
        };
        runs.failures.fetch_add(1, Ordering::Relaxed);
        let before = runs.failures_in_a_row.fetch_add(1, Ordering::Relaxed);
        if before == 0 || job.interval() >= Duration::from_mins(1) {
            tracing::warn!(job.name = job.name(), error = %error, "{}", job.failure());
        }
    }

    /// Returns the results of all jobs.
    pub fn statuses(&self) -> Vec<JobStatus> {
        let jobs = BackgroundJob::ALL.iter().zip(self.runs.iter());
        jobs.map(|(job, runs)| runs.status(*job)).collect()
    }
}

impl std::fmt::Debug for BackgroundJobs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BackgroundJobs").finish_non_exhaustive()
    }
}
