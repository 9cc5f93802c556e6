//! The present time, from the system.

use std::time::{SystemTime, UNIX_EPOCH};

use api_conventions::time::{Clock, Timestamp};

/// The wall clock of the machine, in UTC.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    /// A machine whose clock is outside of the calendar cannot tell which token is over, so there is no time to go on
    /// with.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one reader of the wall clock"
    )]
    #[expect(
        clippy::expect_used,
        reason = "an invented timestamp would let tokens live on that are over"
    )]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .expect("the clock of the machine is past 1970");
        i64::try_from(since.as_micros())
            .ok()
            .and_then(Timestamp::from_micros)
            .expect("the clock of the machine is within the calendar")
    }
}
