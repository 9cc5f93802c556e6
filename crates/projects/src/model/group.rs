//! Groups: namespaces that users create, nest and share.

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
/// Maximum nesting depth of groups, including the top-level group.
pub const MAX_DEPTH: usize = 20;

api_conventions::named! {
    /// Role required to create projects in a group.
    #[derive(Default)]
    pub enum ProjectCreation {
        /// Administrators only.
        Noone = 0, "noone";
        /// Maintainers and Owners.
        Maintainer = 1, "maintainer";
        /// Developers and those with a higher role.
        #[default]
        Developer = 2, "developer";
    }
}

impl ProjectCreation {
    /// Minimum role; `None` if no role is sufficient.
    pub const fn min_level(self) -> Option<AccessLevel> {
        match self {
            Self::Noone => None,
            Self::Maintainer => Some(AccessLevel::Maintainer),
            Self::Developer => Some(AccessLevel::Developer),
        }
    }
}

api_conventions::named! {
    /// Role required to create subgroups in a group.
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
    /// Minimum role.
    pub const fn min_level(self) -> AccessLevel {
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
    /// Editable content of a group.
    #[derive(Debug, Clone, PartialEq, Eq, Validate)]
    pub struct GroupContent, edited by GroupEdit {
        /// Display name.
        /// Surrounding white space is trimmed.
        #[validate(custom(function = "display_name"))]
        name: String,
        /// The last segment of the full path.
        #[validate(custom(function = "slug"))]
        path: String,
        /// Description; may be empty.
        #[validate(length(max = "MAX_GROUP_DESCRIPTION"))]
        description: String,
        /// Visibility.
        visibility: Visibility,
        /// Role required to create projects in it.
        project_creation_level: ProjectCreation,
        /// Role required to create subgroups in it.
        subgroup_creation_level: SubgroupCreation,
        /// True if projects in it cannot be shared with other groups.
        share_with_group_lock: bool,
        /// Settings.
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
    /// Id, which is also the id of its namespace.
    pub id: NamespaceId,
    /// Parent group, for a subgroup.
    pub parent_id: Option<NamespaceId>,
    /// The full path.
    pub full_path: FullPath,
    /// Editable content.
    pub content: GroupContent,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

impl Group {
    /// The group as a namespace of projects and subgroups.
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
    /// Sort column of a list of groups.
    /// Ties break on the id, in the same direction.
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

/// Scope of a list of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GroupsWithin {
    /// All.
    #[default]
    Everywhere,
    /// Top-level groups.
    TopLevel,
    /// Direct subgroups of this group.
    ChildrenOf(NamespaceId),
    /// All descendants of this group.
    Below(NamespaceId),
}

/// Filter for groups.
/// All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupFilter {
    /// Viewer of the list.
    pub viewer: Viewer,
    /// Scope of the list.
    pub within: GroupsWithin,
    /// Only groups whose name or path contains this text, in any case.
    pub search: Option<String>,
    /// Only groups with this visibility.
    pub visibility: Option<Visibility>,
    /// Only groups in which the viewer has at least this role, inherited ones included.
    pub min_access_level: Option<AccessLevel>,
    /// True to list only groups that the viewer sees because of a role in them or in their descendants.
    pub is_member: bool,
    /// Excluded groups.
    pub skip: Vec<NamespaceId>,
    /// Sort column.
    pub order_by: GroupOrder,
    /// Sort direction.
    pub sort: SortOrder,
}

impl GroupFilter {
    /// All groups that `viewer` may see, by name.
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

/// Membership of a user in a group on one day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GroupMembership {
    /// The highest role given in the group or in any group above it.
    pub role: Option<AccessLevel>,
    /// True if the user has a role in a descendant of the group, and may therefore know of the group.
    pub is_below: bool,
}
