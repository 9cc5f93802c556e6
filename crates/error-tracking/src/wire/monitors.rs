//! The JSON of monitors.

use api_conventions::ids::MonitorId;
use api_conventions::time::Timestamp;
use serde::Serialize;

use crate::monitors::{JobSchedule, Monitor, MonitorConfig};

/// Monitor: the check-ins of a scheduled job in one environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MonitorJson {
    id: MonitorId,
    /// Name of the monitor, in lower case.
    slug: String,
    environment: String,
    /// Result of the last run: `waiting` before the first one ended, `ok`, `error`, `missed` or `timeout`.
    status: &'static str,
    /// True from the failure that opens the alert to the success that resolves it.
    failing: bool,
    /// True if a run is in progress.
    in_progress: bool,
    last_check_in_at: Option<Timestamp>,
    /// Time at which the next check-in is expected; null without a schedule, and while a missed one is reported.
    next_check_in_at: Option<Timestamp>,
    /// Duration of the last run in seconds.
    duration: Option<i64>,
    release: Option<String>,
    /// Consecutive failures.
    failures: u32,
    /// Configuration that was sent last; null if none was.
    config: Option<MonitorConfigJson>,
}

/// Configuration of a monitor, in the words of SDKs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MonitorConfigJson {
    schedule: MonitorScheduleJson,
    /// Zone of the wall-clock times.
    timezone: &'static str,
    /// Minutes for which a check-in may be late.
    checkin_margin: u32,
    /// Minutes after which a run times out.
    max_runtime: u32,
    /// Consecutive failures that open an alert.
    failure_issue_threshold: u32,
    /// Consecutive successes that resolve it.
    recovery_threshold: u32,
}

/// Schedule of a monitor, in the words of SDKs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum MonitorScheduleJson {
    /// Wall-clock times.
    Crontab {
        /// The pattern.
        value: String,
    },
    /// A time after the start of the last run.
    Interval {
        /// Number of units.
        value: u32,
        /// The unit: `minute`, `hour`, `day`, `week`, `month` or `year`.
        unit: &'static str,
    },
}

impl From<Monitor> for MonitorJson {
    fn from(monitor: Monitor) -> Self {
        let state = monitor.state;
        Self {
            id: monitor.id,
            slug: monitor.key.slug,
            environment: monitor.key.environment,
            status: state.outcome.map_or("waiting", |outcome| outcome.as_str()),
            failing: state.is_failing,
            in_progress: state.is_running(),
            last_check_in_at: state.last_check_in_at,
            next_check_in_at: state.expected.map(|slot| slot.at),
            duration: state.duration,
            release: state.release,
            failures: state.failures,
            config: state.config.as_ref().map(Into::into),
        }
    }
}

impl From<&MonitorConfig> for MonitorConfigJson {
    fn from(config: &MonitorConfig) -> Self {
        Self {
            schedule: match &config.schedule {
                JobSchedule::Crontab { value } => MonitorScheduleJson::Crontab {
                    value: value.as_str().to_owned(),
                },
                JobSchedule::Interval { value, unit } => MonitorScheduleJson::Interval {
                    value: *value,
                    unit: unit.as_str(),
                },
            },
            timezone: config.timezone.name(),
            checkin_margin: config.margin,
            max_runtime: config.max_runtime,
            failure_issue_threshold: config.failure_threshold,
            recovery_threshold: config.recovery_threshold,
        }
    }
}
