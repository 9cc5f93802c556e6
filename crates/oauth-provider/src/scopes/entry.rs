//! One scope of a host.

use api_conventions::scope::Scope;

/// Claims about the user that belong together (OpenID Connect Core 1.0, section 5.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClaimGroup {
    /// The name, the username, the page and the picture.
    Profile,
    /// The address for mail, and whether it was proven.
    Email,
    /// The groups of the user.
    Groups,
}

/// Which claims about the user are released.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReleasedClaims {
    /// Those of [`ClaimGroup::Profile`].
    pub profile: bool,
    /// Those of [`ClaimGroup::Email`].
    pub email: bool,
    /// Those of [`ClaimGroup::Groups`].
    pub groups: bool,
}

impl ReleasedClaims {
    /// What either releases.
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

/// A scope that a host registers, and what it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeEntry {
    scope: Scope,
    title: String,
    description: String,
    released: ReleasedClaims,
    is_offered: bool,
    is_for_administrators: bool,
    is_default: bool,
}

impl ScopeEntry {
    /// A scope that everybody is offered and that releases no claims. `title` says in a few words what it permits, and
    /// `description` in a sentence: both are for the page that asks the user for consent.
    pub fn new(scope: Scope, title: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            scope,
            title: title.into(),
            description: description.into(),
            released: ReleasedClaims::default(),
            is_offered: true,
            is_for_administrators: false,
            is_default: false,
        }
    }

    /// The same scope, which also releases these claims.
    #[must_use]
    pub fn releasing(self, group: ClaimGroup) -> Self {
        let released = self.released.with(group);
        Self { released, ..self }
    }

    /// The same scope, but not offered: rows that name it are read, and nobody is given it any more. That is the state of
    /// a scope that nothing implements yet, or no longer, because nobody may be promised what does not happen.
    #[must_use]
    pub fn not_offered(self) -> Self {
        Self {
            is_offered: false,
            ..self
        }
    }

    /// The same scope, but for administrators only.
    #[must_use]
    pub fn for_administrators(self) -> Self {
        Self {
            is_for_administrators: true,
            ..self
        }
    }

    /// The same scope, which a request without the parameter `scope` asks for (RFC 6749, section 3.3).
    #[must_use]
    pub fn by_default(self) -> Self {
        Self {
            is_default: true,
            ..self
        }
    }

    /// The scope.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// What it permits, in a few words.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What it permits, in a sentence for the user who is asked for consent.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Which claims it releases.
    pub fn released(&self) -> ReleasedClaims {
        self.released
    }

    /// Whether applications and tokens can be given it.
    pub fn is_offered(&self) -> bool {
        self.is_offered
    }

    /// Whether only administrators may have it.
    pub fn is_for_administrators(&self) -> bool {
        self.is_for_administrators
    }

    /// Whether a request without the parameter `scope` asks for it.
    pub fn is_default(&self) -> bool {
        self.is_default
    }
}
