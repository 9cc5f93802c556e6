//! Access requirements of an operation.

use api_conventions::access::AccessLevel;
use api_conventions::scope::Scope;

/// Callers that an operation admits, and their credentials. There is no value for "not decided": public operations give
/// a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Public access. No credentials are read. The text says why that is right.
    Public(&'static str),
    /// Callers with the credentials of the operation's own protocol, such as a client secret or an endpoint's key.
    Protocol(&'static ProtocolCredentials),
    /// Callers of the API.
    Api {
        /// Accepted scopes: a token needs one of these.
        scopes: &'static [Scope],
        /// Further requirements for the caller.
        needs: Needs,
    },
    /// Users with a browser.
    Page(PageAudience),
}

/// Credentials of an operation's own protocol.
#[derive(Debug, PartialEq, Eq)]
pub struct ProtocolCredentials {
    /// Unique name. In documents the name of a scheme is appended to it.
    pub name: &'static str,
    /// Description, as the end of a sentence.
    pub about: &'static str,
    /// HTTP schemes with which the header `Authorization` carries them.
    pub schemes: &'static [Scheme],
    /// True if the credentials may instead be sent in fields of the body or in a query parameter.
    pub is_header_optional: bool,
}

/// Scheme of the header `Authorization`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Name and password (RFC 7617). The text says what to send as which.
    Basic(&'static str),
    /// Token (RFC 6750).
    Bearer,
}

impl Scheme {
    /// Returns the name in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Basic(_) => "basic",
            Self::Bearer => "bearer",
        }
    }
}

/// Requirements for a caller of the API, in addition to a token with the right scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// No further requirement. Anonymous callers see public resources.
    Nothing,
    /// A signed-in user.
    User,
    /// An administrator of the instance.
    Administrator,
    /// Access to the place that the path names. Anonymous callers see public resources.
    CanView(ResourceKind),
    /// A role in the place that the path names.
    Role(ResourceKind, AccessLevel),
    /// A role in the place that the path names, unless a setting of the place opens the feature to everyone who can see
    /// it.
    RoleUnlessOpen(ResourceKind, AccessLevel),
    /// A user who can see the place that the path names.
    UserCanView(ResourceKind),
    /// A role in the place that the path names, or ownership of the resource in it.
    RoleOrAuthor(ResourceKind, AccessLevel),
}

/// Resource that a path names with its parameter `id`, and in which roles are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResourceKind {
    /// A project.
    Project,
    /// A group.
    Group,
}

impl ResourceKind {
    /// Returns the name in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Group => "group",
        }
    }
}

/// Users who may open a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageAudience {
    /// Every visitor.
    Everybody,
    /// Signed-in users. Others get a redirect to the sign-in page.
    SignedIn,
    /// Administrators of the instance.
    Administrators,
}

impl Access {
    /// Returns the scopes of which a token needs one; none if tokens are not read.
    pub const fn scopes(self) -> &'static [Scope] {
        match self {
            Self::Api { scopes, .. } => scopes,
            Self::Public(_) | Self::Protocol(_) | Self::Page(_) => &[],
        }
    }

    /// Returns the requirements for a caller of the API; `None` if this is no operation of the API.
    pub const fn needs(self) -> Option<Needs> {
        match self {
            Self::Api { needs, .. } => Some(needs),
            Self::Public(_) | Self::Protocol(_) | Self::Page(_) => None,
        }
    }
}

impl Needs {
    /// True if callers without credentials get anything.
    pub const fn allows_anonymous(self) -> bool {
        matches!(self, Self::Nothing | Self::CanView(_))
    }
}
