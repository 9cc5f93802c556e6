//! State of a monitor, and its changes by check-ins and by the passing of time.

use std::collections::VecDeque;

use api_conventions::ids::{MonitorId, ProjectId};
use api_conventions::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::schedule::JobSlot;
use super::{CheckIn, CheckInStatus, MonitorConfig};
use crate::model::EventId;

/// Runs of a monitor that are in progress at a time. The oldest one is forgotten beyond that.
const MAX_RUNS: usize = 8;

api_conventions::named! {
    /// Result of the last run that ended, or should have ended.
    pub enum MonitorOutcome {
        /// The run succeeded.
        Ok = 0, "ok";
        /// The run failed.
        Failed = 1, "error";
        /// No run began in time.
        Missed = 2, "missed";
        /// The run did not end in time.
        TimedOut = 3, "timeout";
    }
}

api_conventions::stored_as_number!(MonitorOutcome);

/// Monitor of a job: one for each project, slug and environment.
#[derive(Debug, Clone, PartialEq)]
pub struct Monitor {
    /// The id.
    pub id: MonitorId,
    /// Key of the monitor.
    pub key: MonitorKey,
    /// State of the monitor.
    pub state: MonitorState,
}

/// Key of a monitor.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MonitorKey {
    /// The project.
    pub project_id: ProjectId,
    /// Normalized name: see [`normalize_slug`](super::normalize_slug).
    pub slug: String,
    /// The environment.
    pub environment: String,
}

/// State of a monitor.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MonitorState {
    /// Configuration; `None` if none was sent. The monitor tracks only failures then.
    pub config: Option<MonitorConfig>,
    /// Time of the last check-in.
    #[serde(with = "api_conventions::stored::optional_timestamp")]
    pub last_check_in_at: Option<Timestamp>,
    /// Release of the last check-in that named one.
    pub release: Option<String>,
    /// Result of the last run; `None` before the first one ended.
    pub outcome: Option<MonitorOutcome>,
    /// Duration of the last run that ended, in seconds.
    pub duration: Option<i64>,
    /// Slot that is expected next; `None` without a schedule, and while a missed check-in is reported.
    pub expected: Option<JobSlot>,
    /// Consecutive failures.
    pub failures: u32,
    /// Time of the first of them.
    #[serde(with = "api_conventions::stored::optional_timestamp")]
    pub failing_since: Option<Timestamp>,
    /// Consecutive successes, counted while the monitor is failing.
    pub successes: u32,
    /// True from the failure that opens the alert to the success that resolves it.
    pub is_failing: bool,
    /// Runs in progress, the oldest first.
    runs: VecDeque<OpenRun>,
    /// Id of the last run that ended with a check-in.
    ended: Option<String>,
}

/// Run in progress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct OpenRun {
    id: String,
    #[serde(with = "api_conventions::stored::timestamp")]
    began: Timestamp,
}

/// Report about a monitor that opens or resolves its alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MonitorReport {
    /// The monitor is failing, with the reason.
    Failing(MonitorOutcome),
    /// The monitor has recovered.
    Recovered,
}

impl MonitorState {
    /// True if a run is in progress.
    pub fn is_running(&self) -> bool {
        !self.runs.is_empty()
    }

    /// Returns the time from which a check-in is missing or a run has timed out; `None` if nothing is expected.
    pub fn due_at(&self) -> Option<Timestamp> {
        let config = self.config.as_ref()?;
        let missed = self.expected.map(|slot| config.deadline(slot));
        let timeouts = self.runs.iter();
        let timeouts = timeouts.map(|run| run.began.plus_seconds(config.run_seconds()));
        timeouts.chain(missed).min()
    }

    /// Records a check-in, and returns the report about it. `run` is the id of the run if the check-in names none and
    /// no run is in progress. A repeated end of a run changes nothing.
    pub fn record(&mut self, check_in: &CheckIn, run: EventId, now: Timestamp) -> RecordedCheckIn {
        if check_in.config.is_some() && check_in.config != self.config {
            self.config.clone_from(&check_in.config);
            self.expected = None;
        }
        let is_begin = check_in.status == CheckInStatus::InProgress;
        let id = match check_in.id {
            Some(id) => id,
            None if is_begin => run,
            None => {
                let latest = self.runs.back();
                latest
                    .and_then(|latest| EventId::parse(&latest.id))
                    .unwrap_or(run)
            }
        };
        let digits = id.to_string();
        if !is_begin && self.ended.as_ref() == Some(&digits) {
            return RecordedCheckIn { id, report: None };
        }
        self.last_check_in_at = self.last_check_in_at.max(Some(now));
        if check_in.release.is_some() {
            self.release.clone_from(&check_in.release);
        }
        let known = self.runs.iter().position(|run| run.id == digits);
        let known = known.and_then(|index| self.runs.remove(index));
        if known.is_none() || self.expected.is_none() {
            let began = known.as_ref().map_or_else(
                || now.plus_seconds(-check_in.duration.unwrap_or_default()),
                |run| run.began,
            );
            self.expect_after(began, now);
        }
        if is_begin {
            self.begin(digits, now);
            return RecordedCheckIn { id, report: None };
        }
        self.ended = Some(digits);
        self.duration = check_in.duration.or_else(|| {
            known.map(|run| (now.as_micros() - run.began.as_micros()).max(0) / 1_000_000)
        });
        let report = if check_in.status == CheckInStatus::Ok {
            self.succeed()
        } else {
            let was_failing = self.is_failing;
            // An error is reported again and again, so that an alert that a person resolved too early opens anew.
            let report = self.fail(MonitorOutcome::Failed, now);
            report.or(was_failing.then_some(MonitorReport::Failing(MonitorOutcome::Failed)))
        };
        RecordedCheckIn { id, report }
    }

    /// Applies one deadline that has passed at `now`, and returns the report about it. Call it until [`Self::due_at`]
    /// is later than `now`.
    ///
    /// A server that was down received no check-ins, so what was expected before `up_since` gets its whole time again.
    pub fn expire(&mut self, now: Timestamp, up_since: Timestamp) -> Option<MonitorReport> {
        let config = self.config.clone()?;
        let limit = config.run_seconds();
        for run in &mut self.runs {
            run.began = run.began.max(up_since);
        }
        let is_over = |run: &OpenRun| run.began.plus_seconds(limit) <= now;
        if let Some(index) = self.runs.iter().position(is_over) {
            self.runs.remove(index);
            return self.fail(MonitorOutcome::TimedOut, now);
        }
        let mut slot = self.expected?;
        if self.last_check_in_at.is_none_or(|last| last < up_since) {
            let next = config.next(up_since).filter(|next| next.at > slot.at);
            slot = next.unwrap_or(slot);
            self.expected = Some(slot);
        }
        let deadline = config.deadline(slot);
        if deadline > now {
            return None;
        }
        self.expected = config.next(slot.at);
        let report = self.fail(MonitorOutcome::Missed, deadline);
        if self.is_failing {
            // One alert says it. The next check-in expects the following ones again.
            self.expected = None;
        }
        report
    }

    fn expect_after(&mut self, began: Timestamp, now: Timestamp) {
        let Some(config) = &self.config else {
            return;
        };
        let next = config.after_run(began, now);
        let is_later = |slot: &JobSlot| self.expected.is_none_or(|known| slot.at > known.at);
        if let Some(next) = next.filter(is_later) {
            self.expected = Some(next);
        }
    }

    fn begin(&mut self, id: String, now: Timestamp) {
        if self.runs.len() >= MAX_RUNS {
            self.runs.pop_front();
        }
        self.runs.push_back(OpenRun { id, began: now });
    }

    fn succeed(&mut self) -> Option<MonitorReport> {
        self.outcome = Some(MonitorOutcome::Ok);
        self.failures = 0;
        if !self.is_failing {
            self.failing_since = None;
            return None;
        }
        self.successes += 1;
        let threshold = self.config.as_ref().map_or(1, |it| it.recovery_threshold);
        if self.successes < threshold {
            return None;
        }
        self.is_failing = false;
        self.successes = 0;
        Some(MonitorReport::Recovered)
    }

    fn fail(&mut self, outcome: MonitorOutcome, at: Timestamp) -> Option<MonitorReport> {
        self.outcome = Some(outcome);
        self.successes = 0;
        self.failures = self.failures.saturating_add(1);
        if self.failing_since.is_none() || (self.failures == 1 && !self.is_failing) {
            self.failing_since = Some(at);
        }
        let threshold = self.config.as_ref().map_or(1, |it| it.failure_threshold);
        if self.is_failing || self.failures < threshold {
            return None;
        }
        self.is_failing = true;
        Some(MonitorReport::Failing(outcome))
    }
}

/// Result of recording a check-in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedCheckIn {
    /// Id of the run.
    pub id: EventId,
    /// Report that opens or resolves the alert.
    pub report: Option<MonitorReport>,
}
