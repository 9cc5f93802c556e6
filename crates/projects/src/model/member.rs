//! Roles of members, and shares of projects with groups.

use api_conventions::access::AccessLevel;
use api_conventions::ids::{NamespaceId, ProjectId, ShareId, UserId};
use api_conventions::time::{CalendarDate, Timestamp};

/// Place that a user is a member of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemberSource {
    /// A namespace, including everything in it.
    Namespace(NamespaceId),
    /// A single project.
    Project(ProjectId),
}

/// Role that a user has by a direct membership, with the name of the place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserRole {
    /// Project or group of the role.
    pub source: MemberSource,
    /// Name of the project or group.
    pub source_name: String,
    /// The role.
    pub level: AccessLevel,
}

/// Filter of the roles of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserRoleFilter {
    /// The user.
    pub user: UserId,
    /// True to include roles in projects.
    pub projects: bool,
    /// True to include roles in groups.
    pub groups: bool,
    /// Day on which the roles count.
    pub today: CalendarDate,
}

impl MemberSource {
    /// Id of the project, if the place is one.
    pub const fn project(self) -> Option<ProjectId> {
        match self {
            Self::Project(id) => Some(id),
            Self::Namespace(_) => None,
        }
    }
}

/// A member to be added to a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewMember {
    /// User.
    pub user_id: UserId,
    /// Role.
    pub level: AccessLevel,
    /// First day on which the role no longer counts.
    pub expires_on: Option<CalendarDate>,
    /// User who adds the member; `None` for the server itself.
    pub created_by: Option<UserId>,
    /// Current time.
    pub created_at: Timestamp,
}

/// A role of a user in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// User.
    pub user_id: UserId,
    /// Place in which the role was given.
    /// For a role through a share, it is the group, or its ancestor, that the user is a member of.
    pub source: MemberSource,
    /// Role.
    /// Through a share it is no higher than the share.
    pub level: AccessLevel,
    /// First day on which the role no longer counts.
    pub expires_on: Option<CalendarDate>,
    /// User who gave the role, if known.
    pub created_by: Option<UserId>,
    /// Time at which the role was given.
    pub created_at: Timestamp,
}

/// Scope of a lookup of members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberScope {
    /// Direct roles in the place itself.
    Direct,
    /// Direct roles, roles inherited from any namespace above the place and, in a project, roles through shares.
    /// The highest role of a user counts, and among equal roles the nearest.
    All,
}

/// Filter for members.
/// All conditions must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemberFilter {
    /// Only these users; all if `None`.
    pub users: Option<Vec<UserId>>,
    /// Excluded users.
    pub except: Vec<UserId>,
}

/// A share of a project with a group, to be created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewShare {
    /// Group.
    pub group_id: NamespaceId,
    /// Maximum role of members of the group in the project.
    pub level: AccessLevel,
    /// First day on which the share no longer counts.
    pub expires_on: Option<CalendarDate>,
    /// User who shares the project.
    pub created_by: Option<UserId>,
    /// Current time.
    pub created_at: Timestamp,
}

/// A share of a project with a group.
/// Each member of the group, inherited ones included, has in the project the lower of its role in the group and the
/// level of the share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProjectShare {
    /// Id.
    pub id: ShareId,
    /// Project.
    pub project_id: ProjectId,
    /// Group.
    pub group_id: NamespaceId,
    /// Maximum role of members of the group in the project.
    pub level: AccessLevel,
    /// First day on which the share no longer counts.
    pub expires_on: Option<CalendarDate>,
    /// User who shared the project, if known.
    pub created_by: Option<UserId>,
    /// Time of sharing.
    pub created_at: Timestamp,
}

impl ProjectShare {
    /// Maximum number of groups that a project is shared with.
    /// A list of all members reads each group and its ancestors.
    pub const MAX_PER_PROJECT: usize = 100;
}
