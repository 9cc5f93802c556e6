//! Who may call an operation.

use api_conventions::access::AccessLevel;
use api_conventions::scope::Scope;

/// Who may call an operation, and with which credentials. There is no value for "not decided": what is for everybody says
/// why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anybody. No credentials are read. The text says why that is right.
    Public(&'static str),
    /// Anyone who brings the credentials of the operation's own protocol, such as a client's secret or an endpoint's key.
    Own(&'static Credentials),
    /// Callers of the API.
    Api {
        /// A token needs one of these.
        scopes: &'static [Scope],
        /// What the caller must be besides.
        needs: Needs,
    },
    /// People with a browser.
    Page(Audience),
}

/// The credentials of an operation's own protocol.
#[derive(Debug, PartialEq, Eq)]
pub struct Credentials {
    /// Their name, which no others have. In documents the name of a scheme follows it.
    pub name: &'static str,
    /// What they are, as the end of a sentence.
    pub about: &'static str,
    /// The schemes of HTTP in which the header `Authorization` takes them.
    pub schemes: &'static [Scheme],
    /// Whether they may stand elsewhere: in fields of the body, or in a parameter of the query.
    pub is_header_optional: bool,
}

/// A scheme of the header `Authorization`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// A name and a password (RFC 7617). The text says what stands for which.
    Basic(&'static str),
    /// A token (RFC 6750).
    Bearer,
}

impl Scheme {
    /// The word for it in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Basic(_) => "basic",
            Self::Bearer => "bearer",
        }
    }
}

/// What a caller of the API must be besides having a token with the right scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing. Anonymous callers see what is public.
    Nothing,
    /// A user.
    User,
    /// An administrator of the instance.
    Administrator,
    /// To see the place that the path names. Anonymous callers see what is public.
    Sight(Place),
    /// A role in the place that the path names.
    Role(Place, AccessLevel),
    /// A role in the place that the path names, unless a setting of the place opens the feature to all who see the place.
    RoleUnlessOpen(Place, AccessLevel),
    /// To be a user who sees the place that the path names.
    UserSight(Place),
    /// A role in the place that the path names, or that the thing in it is the user's own.
    RoleOrOwn(Place, AccessLevel),
}

/// What a path names with its parameter `id`, and what roles are held in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A project.
    Project,
    /// A group.
    Group,
}

impl Place {
    /// The word for it in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Group => "group",
        }
    }
}

/// Who may open a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Anybody.
    Everybody,
    /// Anyone who is signed in. Others get a redirect to the sign-in page.
    SignedIn,
    /// Administrators of the instance.
    Administrators,
}

impl Access {
    /// The scopes of which a token needs one; none where tokens are not read.
    pub const fn scopes(self) -> &'static [Scope] {
        match self {
            Self::Api { scopes, .. } => scopes,
            Self::Public(_) | Self::Own(_) | Self::Page(_) => &[],
        }
    }

    /// What a caller of the API must be; `None` for all that is no operation of the API.
    pub const fn needs(self) -> Option<Needs> {
        match self {
            Self::Api { needs, .. } => Some(needs),
            Self::Public(_) | Self::Own(_) | Self::Page(_) => None,
        }
    }
}

impl Needs {
    /// Whether callers without credentials get anything.
    pub const fn lets_anonymous_in(self) -> bool {
        matches!(self, Self::Nothing | Self::Sight(_))
    }
}
