//! Namespaces: users and groups, named by the first part of a project's path.

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::{NamespaceId, UserId};
use api_conventions::reference::FullPath;
use api_conventions::reference::is_slug;
use api_conventions::time::Timestamp;
use api_conventions::validation::{SLUG_RULE, display_name, failure_of, slug};
use validator::{Validate, ValidationError};

/// Type of a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamespaceKind {
    /// Namespace of a user.
    User,
    /// Namespace of a group.
    Group,
}

impl NamespaceKind {
    /// Word in responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Group => "group",
        }
    }
}

/// A place that holds projects, and for a group also subgroups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Namespace {
    /// Id.
    pub id: NamespaceId,
    /// Type.
    pub kind: NamespaceKind,
    /// Display name.
    pub name: String,
    /// The last segment of the full path.
    pub path: String,
    /// The full path.
    pub full_path: FullPath,
    /// Parent group, for a subgroup.
    pub parent_id: Option<NamespaceId>,
    /// Visibility.
    pub visibility: Visibility,
}

/// Filter for namespaces.
/// All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamespaceFilter {
    /// Only this user's own namespace and the groups in which it has a role; all namespaces if `None`.
    pub user: Option<UserId>,
    /// Only namespaces in which the user has at least this role, inherited ones included.
    pub min_access_level: Option<AccessLevel>,
    /// Only namespaces whose name or path contains this text, in any case.
    pub search: Option<String>,
}

/// A namespace to be created.
#[derive(Debug, Clone, Validate)]
#[validate(schema(function = "has_full_path", skip_on_field_errors = false))]
pub struct NewNamespace {
    /// Type.
    pub kind: NamespaceKind,
    /// Display name.
    /// Surrounding white space is trimmed.
    #[validate(custom(function = "display_name"))]
    pub name: String,
    /// The last segment of the full path.
    #[validate(custom(function = "slug"))]
    pub path: String,
    /// Parent group.
    pub parent: Option<Namespace>,
    /// Visibility.
    pub visibility: Visibility,
    /// User who becomes its Owner.
    pub owner: UserId,
    /// Current time.
    pub created_at: Timestamp,
}

impl NewNamespace {
    /// The namespace in its stored form, with a trimmed display name.
    #[must_use]
    pub fn trimmed(mut self) -> Self {
        self.name = self.name.trim().to_owned();
        self
    }

    /// Full path that the namespace will have.
    pub fn full_path(&self) -> Option<FullPath> {
        match &self.parent {
            Some(parent) => {
                FullPath::parse(&format!("{}/{}", parent.full_path.as_str(), self.path))
            }
            None => FullPath::parse(&self.path),
        }
    }
}

/// Rejects a full path that is too long, although its last segment is valid.
fn has_full_path(namespace: &NewNamespace) -> Result<(), ValidationError> {
    if is_slug(&namespace.path) && namespace.full_path().is_none() {
        return Err(failure_of("path", SLUG_RULE));
    }
    Ok(())
}
