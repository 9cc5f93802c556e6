//! Entry of one scope in the registry of a host.

use api_conventions::scope::Scope;

/// Claims about the user that belong together (OpenID Connect Core 1.0, section 5.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClaimGroup {
    /// Name, username, profile page and picture.
    Profile,
    /// Email address, and whether it is verified.
    Email,
    /// Groups of the user.
    Groups,
}

/// Groups of claims about the user that are released.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReleasedClaims {
    /// True if [`ClaimGroup::Profile`] is released.
    pub profile: bool,
    /// True if [`ClaimGroup::Email`] is released.
    pub email: bool,
    /// True if [`ClaimGroup::Groups`] is released.
    pub groups: bool,
}

impl ReleasedClaims {
    /// Returns the claims that at least one of both releases.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self {
            profile: self.profile || other.profile,
            email: self.email || other.email,
            groups: self.groups || other.groups,
        }
    }

    const fn with(mut self, group: ClaimGroup) -> Self {
        match group {
            ClaimGroup::Profile => self.profile = true,
            ClaimGroup::Email => self.email = true,
            ClaimGroup::Groups => self.groups = true,
        }
        self
    }
}

/// A scope that a host registers, and its meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeEntry {
    scope: Scope,
    title: String,
    description: String,
    released: ReleasedClaims,
    offer: ScopeOffer,
    is_for_administrators: bool,
    is_default: bool,
}

/// Tokens that can be granted a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ScopeOffer {
    Nothing,
    /// Tokens that users create themselves.
    OwnTokens,
    /// Tokens of users and of applications.
    AllTokens,
}

impl ScopeEntry {
    /// Creates a scope that is offered to everyone and releases no claims. `title` says in a few words what it permits,
    /// and `description` in a sentence: both are shown on the consent page.
    pub fn new(scope: Scope, title: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            scope,
            title: title.into(),
            description: description.into(),
            released: ReleasedClaims::default(),
            offer: ScopeOffer::AllTokens,
            is_for_administrators: false,
            is_default: false,
        }
    }

    /// Returns the same scope, which also releases these claims.
    #[must_use]
    pub fn releasing(self, group: ClaimGroup) -> Self {
        let released = self.released.with(group);
        Self { released, ..self }
    }

    /// Returns the same scope, but not offered: rows that name it are read, but it is no longer granted. Use it for a
    /// scope that is not or no longer implemented, so that users are never promised what does not happen.
    #[must_use]
    pub fn not_offered(self) -> Self {
        Self {
            offer: ScopeOffer::Nothing,
            ..self
        }
    }

    /// Returns the same scope, but for tokens that users create themselves: no application is granted it.
    #[must_use]
    pub fn not_for_applications(self) -> Self {
        Self {
            offer: ScopeOffer::OwnTokens,
            ..self
        }
    }

    /// Returns the same scope, but for administrators only.
    #[must_use]
    pub fn for_administrators(self) -> Self {
        Self {
            is_for_administrators: true,
            ..self
        }
    }

    /// Returns the same scope as a default: a request without the parameter `scope` asks for it (RFC 6749, section
    /// 3.3).
    #[must_use]
    pub fn by_default(self) -> Self {
        Self {
            is_default: true,
            ..self
        }
    }

    /// Returns the scope.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Returns a title of a few words that says what the scope permits.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns a sentence for the consent page that says what the scope permits.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the claims that the scope releases.
    pub fn released(&self) -> ReleasedClaims {
        self.released
    }

    /// True if tokens that users create themselves can be granted the scope.
    pub fn is_offered(&self) -> bool {
        self.offer != ScopeOffer::Nothing
    }

    /// True if applications can be granted the scope.
    pub fn is_offered_to_applications(&self) -> bool {
        self.offer == ScopeOffer::AllTokens
    }

    /// True if only administrators may have the scope.
    pub fn is_for_administrators(&self) -> bool {
        self.is_for_administrators
    }

    /// True if a request without the parameter `scope` asks for the scope.
    pub fn is_default(&self) -> bool {
        self.is_default
    }
}
