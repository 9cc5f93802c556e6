//! Cache of sign-in and last-activity times, as users read their own.
//! Cached because many clients request the current user with every call.

use std::time::{Duration, Instant};

use accounts::UserActivity;
use api_conventions::ids::UserId;
use quick_cache::sync::Cache;

/// Time for which an activity is served from the cache.
const TTL: Duration = Duration::from_secs(10);

/// Maximum number of cached users.
const CAPACITY: usize = 10_000;

/// Activity of users who recently requested their own.
/// Nothing is decided by it, so slightly stale values do no harm.
#[derive(Debug)]
pub struct RecentActivity(Cache<UserId, (Instant, UserActivity)>);

impl Default for RecentActivity {
    fn default() -> Self {
        Self(Cache::new(CAPACITY))
    }
}

impl RecentActivity {
    /// Returns the cached activity of a user, unless it has expired.
    pub fn get(&self, user: UserId) -> Option<UserActivity> {
        let (looked_up, activity) = self.0.get(&user)?;
        (looked_up.elapsed() < TTL).then_some(activity)
    }

    /// Caches the activity of a user that was looked up at `looked_up`.
    pub fn put(&self, user: UserId, looked_up: Instant, activity: UserActivity) {
        self.0.insert(user, (looked_up, activity));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activity_is_cached_for_the_ttl() {
        let recent = RecentActivity::default();
        let user = UserId::new(1);
        assert_eq!(recent.get(user), None);
        let seen = UserActivity {
            sign_in_count: 1,
            ..UserActivity::default()
        };
        recent.put(user, Instant::now(), seen);
        assert_eq!(recent.get(user), Some(seen));
        let Some(long_ago) = Instant::now().checked_sub(TTL) else {
            return;
        };
        recent.put(user, long_ago, seen);
        assert_eq!(recent.get(user), None);
    }
}
