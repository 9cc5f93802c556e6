//! Contributions of a user by day, as far as a viewer may know of them.

use std::collections::BTreeMap;

use accounts::User;
use api_conventions::time::{CalendarDate, Timestamp};
use events::ContributionFilter;
use projects::Viewer;
use storage::StoreError;

use super::account::sees_profile;
use super::feed_rights::FeedRightsCache;
use crate::database::ReadTransaction;

/// Most groups of contributions that are read, the latest first. A user has one for each day and project, or a few.
const MAX_GROUPS: usize = 50_000;

/// Counts the contributions of a user on each day since `from` that the viewer may see: those whose events the viewer
/// may read. Days without any are left out, and a private profile has none for others.
///
/// # Errors
/// Failures of the store.
pub fn count_contributions_by_day(
    tx: &mut dyn ReadTransaction,
    user: &User,
    viewer: Viewer,
    from: CalendarDate,
    now: Timestamp,
) -> Result<BTreeMap<CalendarDate, u64>, StoreError> {
    let mut days = BTreeMap::new();
    if !sees_profile(viewer, user) {
        return Ok(days);
    }
    let filter = ContributionFilter {
        user_id: user.id,
        from,
        to: now.date(),
    };
    let counts = tx.list_contributions(&filter, MAX_GROUPS)?;
    let mut rights = FeedRightsCache::new(viewer, now);
    rights.look_up(tx, counts.iter().map(|one| one.group.project_id))?;
    for one in counts {
        let rights = rights.rights(one.group.project_id);
        if rights.is_some_and(|rights| rights.allow_contributions(&one.group)) {
            *days.entry(one.group.day).or_default() += one.count;
        }
    }
    Ok(days)
}
