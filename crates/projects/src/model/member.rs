//! Roles that are given in places, and shares of projects with groups.

use api_conventions::access::AccessLevel;
use api_conventions::ids::{NamespaceId, ProjectId, ShareId, UserId};
use api_conventions::time::{CalendarDate, Timestamp};

/// What a member is a member of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemberPlace {
    /// A namespace, and so everything in it.
    Namespace(NamespaceId),
    /// One project.
    Project(ProjectId),
}

impl MemberPlace {
    /// The project that the place is, if it is one.
    pub const fn project(self) -> Option<ProjectId> {
        match self {
            Self::Project(id) => Some(id),
            Self::Namespace(_) => None,
        }
    }
}

/// A role to be given in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewMember {
    /// Who.
    pub user_id: UserId,
    /// Which role.
    pub level: AccessLevel,
    /// The first day on which it no longer holds.
    pub expires_on: Option<CalendarDate>,
    /// Who gives it; `None` for the server itself.
    pub created_by: Option<UserId>,
    /// Now.
    pub created_at: Timestamp,
}

/// A role that a user has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Who.
    pub user_id: UserId,
    /// Where it was given. For a role through a share that is the group, or one above it, that the user is a member of.
    pub place: MemberPlace,
    /// Which role. Through a share it is no higher than the share.
    pub level: AccessLevel,
    /// The first day on which it no longer holds.
    pub expires_on: Option<CalendarDate>,
    /// Who gave it, where that is known.
    pub created_by: Option<UserId>,
    /// When it was given.
    pub created_at: Timestamp,
}

/// Which roles of a place are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberScope {
    /// Those that were given in the place itself.
    Direct,
    /// Besides, those that were given in any namespace above it and, in a project, those through shares. Of a user's
    /// roles the highest counts, and among equal ones the nearest.
    All,
}

/// Which members to list. All conditions must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemberFilter {
    /// Only these users; all where it is `None`.
    pub users: Option<Vec<UserId>>,
    /// None of these users.
    pub except: Vec<UserId>,
}

/// A project that is to be shared with a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewShare {
    /// With which group.
    pub group_id: NamespaceId,
    /// The highest role that members of the group have in the project by it.
    pub level: AccessLevel,
    /// The first day on which it no longer holds.
    pub expires_on: Option<CalendarDate>,
    /// Who shares it.
    pub created_by: Option<UserId>,
    /// Now.
    pub created_at: Timestamp,
}

/// A project that is shared with a group: each member of the group, inherited ones included, has in the project the lower
/// of its role in the group and the level of the share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProjectShare {
    /// Its id.
    pub id: ShareId,
    /// Which project.
    pub project_id: ProjectId,
    /// With which group.
    pub group_id: NamespaceId,
    /// The highest role that members of the group have in the project by it.
    pub level: AccessLevel,
    /// The first day on which it no longer holds.
    pub expires_on: Option<CalendarDate>,
    /// Who shared it, where that is known.
    pub created_by: Option<UserId>,
    /// When.
    pub created_at: Timestamp,
}

impl ProjectShare {
    /// How many groups a project is shared with at most. A list of all members reads each group and those above it.
    pub const MAX_PER_PROJECT: usize = 100;
}
