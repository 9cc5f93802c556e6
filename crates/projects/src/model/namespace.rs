//! Namespaces: what the first part of a project's path names.

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::{NamespaceId, UserId};
use api_conventions::reference::FullPath;
use api_conventions::reference::is_slug;
use api_conventions::time::Timestamp;
use api_conventions::validation::{SLUG_RULE, display_name, failure_of, slug};
use validator::{Validate, ValidationError};

/// Whose namespace it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamespaceKind {
    /// One user's.
    User,
    /// A group's.
    Group,
}

impl NamespaceKind {
    /// The word in bodies.
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
    /// Its id.
    pub id: NamespaceId,
    /// User's or group's.
    pub kind: NamespaceKind,
    /// The name to show.
    pub name: String,
    /// The last segment of the full path.
    pub path: String,
    /// The full path.
    pub full_path: FullPath,
    /// The group it is in, for a subgroup.
    pub parent_id: Option<NamespaceId>,
    /// Who may see it.
    pub visibility: Visibility,
}

/// Which namespaces to list. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamespaceFilter {
    /// Whose: the user's own one and the groups that it has a role in. Those of everybody, where it is `None`.
    pub user: Option<UserId>,
    /// Only those in which the user has at least this role, inherited ones included.
    pub min_access_level: Option<AccessLevel>,
    /// Only those whose name or path holds this text, in any case.
    pub search: Option<String>,
}

/// A namespace to be made.
#[derive(Debug, Clone, Validate)]
#[validate(schema(function = "has_full_path", skip_on_field_errors = false))]
pub struct NewNamespace {
    /// User's or group's.
    pub kind: NamespaceKind,
    /// The name to show. White space around it is not kept.
    #[validate(custom(function = "display_name"))]
    pub name: String,
    /// The last segment of the full path.
    #[validate(custom(function = "slug"))]
    pub path: String,
    /// The group to put it in.
    pub parent: Option<Namespace>,
    /// Who may see it.
    pub visibility: Visibility,
    /// Who has the role of Owner in it.
    pub owner: UserId,
    /// Now.
    pub created_at: Timestamp,
}

impl NewNamespace {
    /// The same namespace as it is stored, with nothing around the name to show.
    #[must_use]
    pub fn trimmed(mut self) -> Self {
        self.name = self.name.trim().to_owned();
        self
    }

    /// The full path that it will have.
    pub fn full_path(&self) -> Option<FullPath> {
        match &self.parent {
            Some(parent) => {
                FullPath::parse(&format!("{}/{}", parent.full_path.as_str(), self.path))
            }
            None => FullPath::parse(&self.path),
        }
    }
}

/// A segment that is sound by itself may make a full path that is too long.
fn has_full_path(namespace: &NewNamespace) -> Result<(), ValidationError> {
    if is_slug(&namespace.path) && namespace.full_path().is_none() {
        return Err(failure_of("path", SLUG_RULE));
    }
    Ok(())
}
