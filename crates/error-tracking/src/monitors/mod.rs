//! Monitors: jobs that check in with each run, and the rules by which a run is missed, fails or times out.
//!
//! A monitor is created by its first check-in, for a project, a slug and an environment. Its state changes by check-ins
//! ([`MonitorState::record`]) and by the passing of time ([`MonitorState::expire`]). Pure functions: no store, no clock.

mod check_in;
mod config;
mod schedule;
mod state;

pub use check_in::{CheckIn, CheckInStatus, MAX_SLUG, normalize_slug};
pub use config::MonitorConfig;
pub use schedule::{IntervalUnit, JobSchedule, JobSlot};
pub use state::{
    Monitor, MonitorKey, MonitorOutcome, MonitorReport, MonitorState, RecordedCheckIn,
};

#[cfg(test)]
mod tests;
