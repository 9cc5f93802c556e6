//! What was done to members and shares, for those who keep a journal of it.

use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;

use super::{Member, ProjectShare};

/// What was done to a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberAction {
    /// It was given.
    Added,
    /// It was changed; this is how it was.
    Updated(Member),
    /// It was taken away.
    Removed,
    /// Its user gave it up.
    Left,
    /// Its day of expiry came.
    Expired,
}

/// A role to which something was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemberChange {
    /// The role as it is, or as it was where it is gone.
    pub member: Member,
    /// What was done.
    pub action: MemberAction,
    /// Who did it; `None` for the server itself.
    pub by: Option<UserId>,
    /// When.
    pub at: Timestamp,
}

/// What was done to a share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShareAction {
    /// The project was shared.
    Added,
    /// The share was taken away.
    Removed,
    /// Its day of expiry came.
    Expired,
}

/// A share to which something was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShareChange {
    /// The share as it is, or as it was where it is gone.
    pub share: ProjectShare,
    /// What was done.
    pub action: ShareAction,
    /// Who did it; `None` for the server itself.
    pub by: Option<UserId>,
    /// When.
    pub at: Timestamp,
}
