//! Changes of members and shares, for journals.

use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;

use super::{Member, ProjectShare};

/// Change of a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberAction {
    /// Member added.
    Added,
    /// Member updated; contains the previous role.
    Updated(Member),
    /// Member removed.
    Removed,
    /// Member left.
    Left,
    /// Membership expired.
    Expired,
}

/// Record of a change of a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemberChange {
    /// Role after the change, or before it if the role no longer exists.
    pub member: Member,
    /// Change.
    pub action: MemberAction,
    /// User who made the change; `None` for the server itself.
    pub by: Option<UserId>,
    /// Time of the change.
    pub at: Timestamp,
}

/// Change of a share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShareAction {
    /// Share added.
    Added,
    /// Share removed.
    Removed,
    /// Share expired.
    Expired,
}

/// Record of a change of a share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShareChange {
    /// Share after the change, or before it if the share no longer exists.
    pub share: ProjectShare,
    /// Change.
    pub action: ShareAction,
    /// User who made the change; `None` for the server itself.
    pub by: Option<UserId>,
    /// Time of the change.
    pub at: Timestamp,
}
