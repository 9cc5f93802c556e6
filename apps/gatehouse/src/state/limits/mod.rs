//! Rate limits of requests: the quotas, the counts of this process, and the callers who were limited.

mod callers;
mod windows;

use std::sync::atomic::{AtomicU64, Ordering};

use alert_intake::model::Integration;
use api_conventions::error::ApiError;
use api_conventions::ids::IntegrationId;
use api_conventions::time::Timestamp;

pub use self::callers::{LimitedCaller, MAX_LIMITED};
pub use self::windows::{CallerKey, WindowCount, WindowTable};
use crate::config::{LimitSettings, RequestLimit, RequestQuota};

/// Counts in memory of users, and as many of addresses: about 5 MB each.
/// They are separate, so that requests from many addresses take no room from users.
const CAPACITY: usize = 65_536;

/// Seconds of the window in which requests to an alert endpoint are counted.
const MINUTE: u32 = 60;

/// Rate limits of requests of one process.
#[derive(Debug)]
pub struct RequestLimits {
    settings: LimitSettings,
    users: WindowTable<(RequestLimit, CallerKey)>,
    addresses: WindowTable<(RequestLimit, CallerKey)>,
    endpoints: WindowTable<IntegrationId>,
    limited: callers::LimitedCallers,
    refused: [AtomicU64; RequestLimit::ALL.len()],
    uncounted: AtomicU64,
}

/// Limit that a request exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExceededLimit {
    /// The limit.
    pub limit: RequestLimit,
    /// Quota of the limit.
    pub quota: RequestQuota,
    /// Requests of the window.
    pub window: WindowCount,
    /// Time of the request, in seconds since 1970.
    pub now: i64,
}

impl ExceededLimit {
    /// Returns the seconds until the window ends, at least 1.
    pub fn seconds_left(&self) -> i64 {
        self.window.ends_at.saturating_sub(self.now).max(1)
    }

    /// True for the first refusal of a caller in the window.
    pub fn is_first(&self) -> bool {
        self.window.observed == self.quota.requests.saturating_add(1)
    }
}

impl RequestLimits {
    /// Creates the limits, without any counts.
    pub fn new(settings: LimitSettings) -> Self {
        Self {
            settings,
            users: WindowTable::new(CAPACITY),
            addresses: WindowTable::new(CAPACITY),
            endpoints: WindowTable::new(CAPACITY),
            limited: callers::LimitedCallers::default(),
            refused: Default::default(),
            uncounted: AtomicU64::new(0),
        }
    }

    /// Returns the quota of a limit; `None` if it is off.
    pub fn quota(&self, limit: RequestLimit) -> Option<RequestQuota> {
        self.settings.quota(limit)
    }

    /// Counts a request of a caller. A caller who is not counted because the table is full is not limited.
    ///
    /// # Errors
    /// The limit, if the request exceeds it.
    pub fn count(
        &self,
        limit: RequestLimit,
        caller: CallerKey,
        username: Option<&str>,
        now: Timestamp,
    ) -> Result<(), ExceededLimit> {
        let Some(quota) = self.quota(limit) else {
            return Ok(());
        };
        let seconds = now.as_unix_seconds();
        let table = match caller {
            CallerKey::User(_) => &self.users,
            CallerKey::Address(_) => &self.addresses,
        };
        let Some(window) = table.count((limit, caller), quota, seconds) else {
            self.note_uncounted();
            return Ok(());
        };
        if window.observed <= quota.requests {
            return Ok(());
        }
        self.limited.note(limit, caller, username, now);
        if let Some(refused) = self.refusals(limit) {
            refused.fetch_add(1, Ordering::Relaxed);
        }
        Err(ExceededLimit {
            limit,
            quota,
            window,
            now: seconds,
        })
    }

    /// Counts a request to an alert endpoint whose settings limit them.
    ///
    /// # Errors
    /// 429 if the request exceeds the limit of the endpoint.
    pub fn count_delivery(&self, endpoint: &Integration, now: Timestamp) -> Result<(), ApiError> {
        let Some(requests) = endpoint.settings.requests_per_minute else {
            return Ok(());
        };
        let seconds = MINUTE;
        let quota = RequestQuota { requests, seconds };
        let now = now.as_unix_seconds();
        let Some(window) = self.endpoints.count(endpoint.id, quota, now) else {
            self.note_uncounted();
            return Ok(());
        };
        if window.observed <= requests {
            return Ok(());
        }
        let left = window.ends_at.saturating_sub(now).max(1);
        Err(ApiError::too_many_requests(left))
    }

    /// Returns the limited callers, newest first.
    pub fn limited(&self) -> Vec<LimitedCaller> {
        self.limited.list()
    }

    /// Returns the number of requests that a limit refused since the process started.
    pub fn refused(&self, limit: RequestLimit) -> u64 {
        let refused = self.refusals(limit);
        refused.map_or(0, |refused| refused.load(Ordering::Relaxed))
    }

    /// Returns the number of requests that were not counted, because the table was full.
    pub fn uncounted(&self) -> u64 {
        self.uncounted.load(Ordering::Relaxed)
    }

    fn refusals(&self, limit: RequestLimit) -> Option<&AtomicU64> {
        let mut all = RequestLimit::ALL.iter().zip(&self.refused);
        all.find(|(one, _)| **one == limit)
            .map(|(_, refused)| refused)
    }

    fn note_uncounted(&self) {
        if self.uncounted.fetch_add(1, Ordering::Relaxed) == 0 {
            tracing::warn!(
                "too many callers to count for rate limits; new ones are not limited until windows end"
            );
        }
    }
}
