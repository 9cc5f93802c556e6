//! Groups: namespaces that people make, nest and share.

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::NamespaceId;
use api_conventions::page::SortOrder;
use api_conventions::params::ParamReader;
use api_conventions::reference::FullPath;
use api_conventions::time::Timestamp;
use api_conventions::validation::{display_name, slug};
use records::FieldValue;
use validator::Validate;

use super::{GroupSettings, Namespace, NamespaceKind, Viewer};

/// The longest description of a group, in characters.
pub const MAX_GROUP_DESCRIPTION: u64 = 500;
/// How deeply groups are nested at most, the outermost counted.
pub const MAX_DEPTH: usize = 20;

api_conventions::named! {
    /// Who may make projects in a group.
    #[derive(Default)]
    pub enum ProjectCreation {
        /// Nobody but administrators.
        Noone = 0, "noone";
        /// Maintainers and Owners.
        Maintainer = 1, "maintainer";
        /// Developers and those with a higher role.
        #[default]
        Developer = 2, "developer";
    }
}

impl ProjectCreation {
    /// The least role that may; `None` when no role is enough.
    pub const fn least(self) -> Option<AccessLevel> {
        match self {
            Self::Noone => None,
            Self::Maintainer => Some(AccessLevel::Maintainer),
            Self::Developer => Some(AccessLevel::Developer),
        }
    }
}

api_conventions::named! {
    /// Who may make subgroups in a group.
    #[derive(Default)]
    pub enum SubgroupCreation {
        /// Owners.
        Owner = 0, "owner";
        /// Maintainers and Owners.
        #[default]
        Maintainer = 1, "maintainer";
    }
}

impl SubgroupCreation {
    /// The least role that may.
    pub const fn least(self) -> AccessLevel {
        match self {
            Self::Owner => AccessLevel::Owner,
            Self::Maintainer => AccessLevel::Maintainer,
        }
    }
}

impl FieldValue for ProjectCreation {
    fn read(reader: &mut ParamReader<'_>, name: &str) -> Option<Self> {
        reader.word(name, Self::parse)
    }
}

impl FieldValue for SubgroupCreation {
    fn read(reader: &mut ParamReader<'_>, name: &str) -> Option<Self> {
        reader.word(name, Self::parse)
    }
}

records::content! {
    /// What people write of a group.
    #[derive(Debug, Clone, PartialEq, Eq, Validate)]
    pub struct GroupContent, edited by GroupEdit {
        /// The name to show. White space around it is not kept.
        #[validate(custom(function = "display_name"))]
        name: String,
        /// The last segment of the full path.
        #[validate(custom(function = "slug"))]
        path: String,
        /// What it is for; may be empty.
        #[validate(length(max = "MAX_GROUP_DESCRIPTION"))]
        description: String,
        /// Who may see it.
        visibility: Visibility,
        /// Who may make projects in it.
        project_creation_level: ProjectCreation,
        /// Who may make subgroups in it.
        subgroup_creation_level: SubgroupCreation,
        /// Whether projects in it may be shared with no other group.
        share_with_group_lock: bool,
        /// Its settings.
        settings: GroupSettings,
    }
}

impl Default for GroupContent {
    fn default() -> Self {
        Self {
            name: String::new(),
            path: String::new(),
            description: String::new(),
            visibility: Visibility::Private,
            project_creation_level: ProjectCreation::default(),
            subgroup_creation_level: SubgroupCreation::default(),
            share_with_group_lock: false,
            settings: GroupSettings::default(),
        }
    }
}

/// A group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Its id, which is that of its namespace.
    pub id: NamespaceId,
    /// The group it is in, for a subgroup.
    pub parent_id: Option<NamespaceId>,
    /// The full path.
    pub full_path: FullPath,
    /// What people wrote.
    pub content: GroupContent,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

impl Group {
    /// The group as the place that projects and subgroups are in.
    pub fn namespace(&self) -> Namespace {
        Namespace {
            id: self.id,
            kind: NamespaceKind::Group,
            name: self.content.name.clone(),
            path: self.content.path.clone(),
            full_path: self.full_path.clone(),
            parent_id: self.parent_id,
            visibility: self.content.visibility,
        }
    }
}

api_conventions::named! {
    /// The column that a list of groups is ordered by. Ties break on the id, in the same direction.
    #[derive(Default)]
    pub enum GroupOrder {
        /// The name in lower case, character by character: the default.
        #[default]
        Name = 0, "name";
        /// The last segment of the path in lower case, character by character.
        Path = 1, "path";
        /// The id.
        Id = 2, "id";
    }
}

/// Among which groups to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GroupsWithin {
    /// All.
    #[default]
    Everywhere,
    /// Those that are in no other.
    TopLevel,
    /// Those directly in this one.
    ChildrenOf(NamespaceId),
    /// Those in this one at any depth.
    Below(NamespaceId),
}

/// Which groups to list. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupFilter {
    /// Who reads.
    pub viewer: Viewer,
    /// Among which.
    pub within: GroupsWithin,
    /// Only those whose name or path holds this text, in any case.
    pub search: Option<String>,
    /// Only those of this visibility.
    pub visibility: Option<Visibility>,
    /// Only those in which the viewer has at least this role, inherited ones included.
    pub min_access_level: Option<AccessLevel>,
    /// Only those that the viewer sees because of a role in them or in something below them.
    pub is_member: bool,
    /// Without these.
    pub skip: Vec<NamespaceId>,
    /// The column to order by.
    pub order_by: GroupOrder,
    /// The direction.
    pub sort: SortOrder,
}

impl GroupFilter {
    /// Everything that `viewer` may see, by name.
    pub fn new(viewer: Viewer) -> Self {
        Self {
            viewer,
            within: GroupsWithin::default(),
            search: None,
            visibility: None,
            min_access_level: None,
            is_member: false,
            skip: Vec::new(),
            order_by: GroupOrder::default(),
            sort: SortOrder::Ascending,
        }
    }
}

/// What a user is in a group on one day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GroupMembership {
    /// The highest role given in the group or in any group above it.
    pub role: Option<AccessLevel>,
    /// Whether the user has a role in something below the group, and so may know of it.
    pub is_below: bool,
}
