//! Which projects a list holds, and in which order.

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::page::SortOrder;
use api_conventions::time::Timestamp;

/// Who reads. Rights are part of every query, so that a page is always full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Viewer {
    /// Nobody in particular: public things only.
    Anonymous,
    /// A signed-in user: public and internal things, and those it is a member of.
    User(UserId),
    /// An administrator: everything. The id tells which things are its own.
    Administrator(UserId),
}

impl Viewer {
    /// The user behind the viewer, if there is one.
    pub const fn user_id(self) -> Option<UserId> {
        match self {
            Self::Anonymous => None,
            Self::User(id) | Self::Administrator(id) => Some(id),
        }
    }
}

/// The column that a list of projects is ordered by. Ties break on the id, in the same direction.
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
    /// The words of all orders, for documents.
    pub const NAMES: [&str; 6] = [
        "id",
        "name",
        "path",
        "created_at",
        "updated_at",
        "last_activity_at",
    ];

    /// The order with this word.
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

/// Among which projects to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProjectsWithin {
    /// All.
    #[default]
    Everywhere,
    /// Those of a group.
    Group {
        /// Which.
        id: NamespaceId,
        /// Whether with those in the groups below it.
        with_subgroups: bool,
        /// Whether with those that are shared with it.
        with_shared: bool,
    },
}

/// Which projects to list. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectFilter {
    /// Who reads.
    pub viewer: Viewer,
    /// Only those whose name, path or description holds this text, in any case.
    pub search: Option<String>,
    /// Only those of this visibility.
    pub visibility: Option<Visibility>,
    /// Only those in this user's own namespace.
    pub owner: Option<UserId>,
    /// Only those where the viewer has at least this role, inherited ones included.
    pub min_access_level: Option<AccessLevel>,
    /// Only those that are archived, or only those that are not.
    pub archived: Option<bool>,
    /// Only those with each of these topics, in any case.
    pub topics: Vec<String>,
    /// True if only those with merge requests are listed.
    pub with_merge_requests: bool,
    /// Whether the text is also searched for in the full path.
    pub search_namespaces: bool,
    /// Only those in these namespaces.
    pub within: ProjectsWithin,
    /// Only those changed after this time.
    pub updated_after: Option<Timestamp>,
    /// Only those not changed since this time.
    pub updated_before: Option<Timestamp>,
    /// Only those with a greater id.
    pub id_after: Option<ProjectId>,
    /// Only those with a smaller id.
    pub id_before: Option<ProjectId>,
    /// Only those in which something happened after this time.
    pub active_after: Option<Timestamp>,
    /// Only those in which nothing has happened since this time.
    pub active_before: Option<Timestamp>,
    /// The column to order by.
    pub order_by: ProjectOrder,
    /// The direction.
    pub sort: SortOrder,
}

impl ProjectFilter {
    /// Everything that `viewer` may see, newest first.
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
