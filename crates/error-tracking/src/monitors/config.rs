//! Configuration of a monitor, as SDKs send it with each check-in.

use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::schedule::{IntervalUnit, JobSchedule, JobSlot};
use api_conventions::time::Timestamp;

/// Longest margin and longest run, in minutes: 28 days.
const MAX_MINUTES: u32 = 28 * 24 * 60;
/// Highest threshold.
const MAX_THRESHOLD: u32 = 720;
/// Longest time before a slot at which a check-in counts for it, in seconds.
const EARLY_SECONDS: i64 = 120;
/// Part of the time between two slots in which a check-in counts for the later one.
const EARLY_PART: i64 = 4;

/// Configuration of a monitor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MonitorConfig {
    /// Times at which the job runs.
    pub schedule: JobSchedule,
    /// Zone of the wall-clock times.
    pub timezone: Tz,
    /// Minutes for which a check-in may be late: 1 to 40,320.
    pub margin: u32,
    /// Minutes after which a run times out: 1 to 40,320.
    pub max_runtime: u32,
    /// Consecutive failures that open an alert: 1 to 720.
    pub failure_threshold: u32,
    /// Consecutive successes that resolve it: 1 to 720.
    pub recovery_threshold: u32,
}

impl MonitorConfig {
    /// Creates a configuration with a margin of one minute, runs of up to 30 minutes, and thresholds of 1.
    pub const fn new(schedule: JobSchedule) -> Self {
        Self {
            schedule,
            timezone: Tz::UTC,
            margin: 1,
            max_runtime: 30,
            failure_threshold: 1,
            recovery_threshold: 1,
        }
    }

    /// Parses the `monitor_config` of a check-in. Numbers out of bounds are clamped; `None` if the schedule or the zone
    /// is unknown.
    pub fn parse(sent: &Value) -> Option<Self> {
        let schedule = schedule(sent.get("schedule")?)?;
        let number = |name: &str, default: u32, max: u32| {
            let number = sent.get(name).and_then(Value::as_f64);
            let number = number.map(|number| number.round().clamp(1.0, f64::from(max)));
            number.map_or(default, to_u32)
        };
        let default = Self::new(schedule);
        Some(Self {
            timezone: match sent.get("timezone") {
                None | Some(Value::Null) => default.timezone,
                Some(name) => name.as_str()?.trim().parse().ok()?,
            },
            margin: number("checkin_margin", default.margin, MAX_MINUTES),
            max_runtime: number("max_runtime", default.max_runtime, MAX_MINUTES),
            failure_threshold: number("failure_issue_threshold", 1, MAX_THRESHOLD),
            recovery_threshold: number("recovery_threshold", 1, MAX_THRESHOLD),
            schedule: default.schedule,
        })
    }

    /// Returns the slot that is expected next after a run that began at `began`, at `now`.
    ///
    /// A run that begins shortly before a slot counts for it: clocks of computers differ. A slot whose deadline has
    /// already passed cannot be expected any more.
    pub(super) fn after_run(&self, began: Timestamp, now: Timestamp) -> Option<JobSlot> {
        let mut slot = self.next(began)?;
        if let JobSchedule::Crontab { .. } = self.schedule
            && let Some(following) = self.next(slot.at)
        {
            let early = seconds_between(slot.at, following.at) / EARLY_PART;
            if seconds_between(began, slot.at) <= early.min(EARLY_SECONDS) {
                slot = following;
            }
        }
        if self.deadline(slot) <= now {
            return self.next(now);
        }
        Some(slot)
    }

    /// Returns the first slot after a time.
    pub(super) fn next(&self, after: Timestamp) -> Option<JobSlot> {
        self.schedule.next(after, self.timezone)
    }

    /// Returns the time from which a slot is missed.
    pub(super) fn deadline(&self, slot: JobSlot) -> Timestamp {
        slot.latest.plus_seconds(i64::from(self.margin) * 60)
    }

    /// Seconds after which a run times out.
    pub(super) fn run_seconds(&self) -> i64 {
        i64::from(self.max_runtime) * 60
    }
}

fn schedule(sent: &Value) -> Option<JobSchedule> {
    let value = sent.get("value")?;
    match sent.get("type")?.as_str()? {
        "crontab" => JobSchedule::crontab(value.as_str()?),
        "interval" => {
            let unit = sent.get("unit")?.as_str()?;
            let value = u32::try_from(value.as_u64()?).ok()?;
            JobSchedule::interval(value, IntervalUnit::parse(unit)?)
        }
        _ => None,
    }
}

fn seconds_between(from: Timestamp, to: Timestamp) -> i64 {
    (to.as_micros() - from.as_micros()) / 1_000_000
}

/// Converts a number that is within bounds.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number was rounded and clamped"
)]
const fn to_u32(number: f64) -> u32 {
    number as u32
}
