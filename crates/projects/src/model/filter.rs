//! Filters and sort orders for lists of projects.

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::page::SortOrder;
use api_conventions::time::Timestamp;

/// Viewer of resources.
/// Permissions are part of every query, so that a page is always full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Viewer {
    /// Not signed in: only public resources.
    Anonymous,
    /// A signed-in user: public and internal resources, and those of which it is a member.
    User(UserId),
    /// An administrator: all resources.
    /// The id identifies its own.
    Administrator(UserId),
}

impl Viewer {
    /// Id of the user, unless the viewer is anonymous.
    pub const fn user_id(self) -> Option<UserId> {
        match self {
            Self::Anonymous => None,
            Self::User(id) | Self::Administrator(id) => Some(id),
        }
    }
}

/// Sort column of a list of projects.
/// Ties break on the id, in the same direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProjectOrder {
    /// The id; the only order for keyset paging.
    Id,
    /// The name in lower case, character by character.
    Name,
    /// The last segment of the path in lower case, character by character.
    Path,
    /// The time of creation: the default.
    #[default]
    CreatedAt,
    /// The time of the last change.
    UpdatedAt,
    /// The time of the last activity.
    LastActivityAt,
}

impl ProjectOrder {
    /// Names of all sort columns, for documentation.
    pub const NAMES: [&str; 6] = [
        "id",
        "name",
        "path",
        "created_at",
        "updated_at",
        "last_activity_at",
    ];

    /// The sort column with this name.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "id" => Some(Self::Id),
            "name" => Some(Self::Name),
            "path" => Some(Self::Path),
            "created_at" => Some(Self::CreatedAt),
            "updated_at" => Some(Self::UpdatedAt),
            "last_activity_at" => Some(Self::LastActivityAt),
            _ => None,
        }
    }
}

/// Scope of a list of projects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProjectsWithin {
    /// All.
    #[default]
    Everywhere,
    /// Projects of a group.
    Group {
        /// Id of the group.
        id: NamespaceId,
        /// True to include the projects of its subgroups.
        with_subgroups: bool,
        /// True to include projects shared with the group.
        with_shared: bool,
    },
}

/// Filter for projects.
/// All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectFilter {
    /// Viewer of the list.
    pub viewer: Viewer,
    /// Only projects whose name, path or description contains this text, in any case.
    pub search: Option<String>,
    /// Only projects with this visibility.
    pub visibility: Option<Visibility>,
    /// Only projects in this user's own namespace.
    pub owner: Option<UserId>,
    /// Only projects where the viewer has at least this role, inherited ones included.
    pub min_access_level: Option<AccessLevel>,
    /// True for archived projects only, false for others only.
    pub archived: Option<bool>,
    /// Only projects with each of these topics, in any case.
    pub topics: Vec<String>,
    /// True if only projects with merge requests are listed.
    pub with_merge_requests: bool,
    /// True to search the full path as well.
    pub search_namespaces: bool,
    /// Scope of the list.
    pub within: ProjectsWithin,
    /// Only projects last changed after this time.
    pub updated_after: Option<Timestamp>,
    /// Only projects last changed before this time.
    pub updated_before: Option<Timestamp>,
    /// Only projects with a greater id.
    pub id_after: Option<ProjectId>,
    /// Only projects with a smaller id.
    pub id_before: Option<ProjectId>,
    /// Only projects last active after this time.
    pub active_after: Option<Timestamp>,
    /// Only projects last active before this time.
    pub active_before: Option<Timestamp>,
    /// Sort column.
    pub order_by: ProjectOrder,
    /// Sort direction.
    pub sort: SortOrder,
}

impl ProjectFilter {
    /// All projects that `viewer` may see, newest first.
    pub fn new(viewer: Viewer) -> Self {
        Self {
            viewer,
            search: None,
            visibility: None,
            owner: None,
            min_access_level: None,
            archived: None,
            topics: Vec::new(),
            with_merge_requests: false,
            search_namespaces: false,
            within: ProjectsWithin::default(),
            updated_after: None,
            updated_before: None,
            id_after: None,
            id_before: None,
            active_after: None,
            active_before: None,
            order_by: ProjectOrder::default(),
            sort: SortOrder::default(),
        }
    }
}
