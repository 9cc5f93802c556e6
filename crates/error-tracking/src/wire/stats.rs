//! The JSON of the accounting and of sessions.

use api_conventions::ids::ClientKeyId;
use api_conventions::time::CalendarDate;
use serde::Serialize;

use crate::model::{OutcomeCounter, SessionSum};

/// Counter of the accounting: items received on a day with a client key, by category and outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "TallyJson"))]
pub struct CounterJson {
    day: CalendarDate,
    client_key_id: ClientKeyId,
    category: &'static str,
    outcome: &'static str,
    quantity: i64,
}

impl From<OutcomeCounter> for CounterJson {
    fn from(counter: OutcomeCounter) -> Self {
        Self {
            day: counter.of.day,
            client_key_id: counter.of.key_id,
            category: counter.of.category.as_str(),
            outcome: counter.of.outcome.as_str(),
            quantity: counter.quantity,
        }
    }
}

/// Health of a release: counts of its sessions.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReleaseHealthJson {
    release: String,
    environment: Option<String>,
    sessions: i64,
    errored: i64,
    crashed: i64,
    abnormal: i64,
    /// Share of sessions without a crash, from 0 to 1; null if no session is known to have begun.
    crash_free_rate: Option<f64>,
}

impl ReleaseHealthJson {
    /// Adds up the sessions of releases over all days, the release that was seen last first.
    pub fn of(sums: Vec<SessionSum>) -> Vec<Self> {
        let all = SessionSum::by_release(sums).into_iter();
        all.map(Into::into).collect()
    }
}

impl From<SessionSum> for ReleaseHealthJson {
    fn from(sum: SessionSum) -> Self {
        Self {
            crash_free_rate: sum.crash_free_rate(),
            release: sum.of.release,
            environment: Some(sum.of.environment).filter(|text| !text.is_empty()),
            sessions: sum.started,
            errored: sum.errored,
            crashed: sum.crashed,
            abnormal: sum.abnormal,
        }
    }
}
