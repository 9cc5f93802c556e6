//! Contributions of users, counted by day.

use api_conventions::ids::{ProjectId, UserId};
use api_conventions::time::CalendarDate;

use super::{Audience, FeedRights};

/// Contributions of a user to a project on one day that the same viewers may read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContributionGroup {
    /// User who contributed.
    pub user_id: UserId,
    /// Day in UTC.
    pub day: CalendarDate,
    /// The project.
    pub project_id: ProjectId,
    /// Audience of the events.
    pub audience: Audience,
    /// True for pushes, which only those who may fetch from the repository may read.
    pub is_push: bool,
}

/// Number of contributions of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContributionCount {
    /// The group.
    pub group: ContributionGroup,
    /// Number of contributions, at least 1.
    pub count: u64,
}

/// Filter for the contributions of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContributionFilter {
    /// The user.
    pub user_id: UserId,
    /// First day.
    pub from: CalendarDate,
    /// Last day.
    pub to: CalendarDate,
}

impl FeedRights {
    /// True if the viewer may know of the contributions of a group.
    pub fn allow_contributions(self, group: &ContributionGroup) -> bool {
        group.audience <= self.audience && (self.reads_pushes || !group.is_push)
    }
}
