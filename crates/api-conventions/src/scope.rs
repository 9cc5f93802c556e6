//! What a token may be used for.

use std::fmt;

/// One permission of a token. The words are those of the specification's authentication section, and
/// `read_api`, the read-only half of `api` that existing clients ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Complete reading and writing.
    Api,
    /// Complete reading.
    ReadApi,
    /// Reading one's own user.
    ReadUser,
    /// Reading repositories over Git.
    ReadRepository,
    /// Writing repositories over Git.
    WriteRepository,
    /// Acting as another user; administrators only.
    Sudo,
    /// Signing in: an id token, and the claims that say who the user is (OpenID Connect Core 1.0, section 5.4).
    Openid,
    /// The claims about the user's profile.
    Profile,
    /// The claims about the user's address for mail.
    Email,
    /// The claims about the groups that the user is a member of.
    Groups,
}

impl Scope {
    /// All scopes.
    pub const ALL: [Self; 10] = [
        Self::Api,
        Self::ReadApi,
        Self::ReadUser,
        Self::ReadRepository,
        Self::WriteRepository,
        Self::Sudo,
        Self::Openid,
        Self::Profile,
        Self::Email,
        Self::Groups,
    ];

    /// The words of all scopes that are offered.
    pub const OFFERED: [&'static str; 8] = [
        Self::Api.as_str(),
        Self::ReadApi.as_str(),
        Self::ReadUser.as_str(),
        Self::Sudo.as_str(),
        Self::Openid.as_str(),
        Self::Profile.as_str(),
        Self::Email.as_str(),
        Self::Groups.as_str(),
    ];

    /// The word in requests, bodies and rows.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::ReadApi => "read_api",
            Self::ReadUser => "read_user",
            Self::ReadRepository => "read_repository",
            Self::WriteRepository => "write_repository",
            Self::Sudo => "sudo",
            Self::Openid => "openid",
            Self::Profile => "profile",
            Self::Email => "email",
            Self::Groups => "groups",
        }
    }

    /// The words of all scopes that are offered, for people.
    pub fn words() -> String {
        let words: Vec<&str> = Self::offered().map(Self::as_str).collect();
        words.join(", ")
    }

    /// The scope with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == word)
    }

    /// Whether anything here asks for the scope. What nothing implements is read from rows that name it and permits
    /// nothing, but it is neither offered nor given: nobody may be promised what does not happen. The two scopes of
    /// Git wait for repositories.
    pub const fn is_implemented(self) -> bool {
        !matches!(self, Self::ReadRepository | Self::WriteRepository)
    }

    /// The scopes that applications and tokens can be given.
    pub fn offered() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|scope| scope.is_implemented())
    }

    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// A set of scopes. The empty set permits nothing.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct ScopeSet(u32);

impl ScopeSet {
    /// Whether `scope` itself is in the set; [`Scope::Api`] does not imply it here.
    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// Whether any of `accepted` is in the set: the check of an endpoint that lists what it accepts.
    pub fn allows_any(self, accepted: &[Scope]) -> bool {
        accepted.iter().any(|scope| self.contains(*scope))
    }

    /// Whether nothing is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether every scope of this set is in `other`, too.
    pub const fn is_subset_of(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// The scopes that are in both sets.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The scopes that are in either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The scopes of the set that can be given.
    #[must_use]
    pub fn offered(self) -> Self {
        self.intersection(Scope::offered().collect())
    }

    /// The scopes of the set, in the order of [`Scope::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL
            .into_iter()
            .filter(move |scope| self.contains(*scope))
    }

    /// Reads words that are separated by spaces.
    ///
    /// # Errors
    /// The first word that names no scope.
    pub fn parse(words: &str) -> Result<Self, UnknownScope> {
        words
            .split_whitespace()
            .map(|word| Scope::parse(word).ok_or_else(|| UnknownScope(word.to_owned())))
            .collect()
    }

    /// Reads words that are separated by spaces, for what is about to be given to an application or a token.
    ///
    /// # Errors
    /// The first word that names no scope, or one that cannot be given: see [`Scope::is_implemented`].
    pub fn parse_offered(words: &str) -> Result<Self, UnknownScope> {
        let scopes = Self::parse(words)?;
        let hollow = scopes.iter().find(|scope| !scope.is_implemented());
        hollow.map_or(Ok(scopes), |scope| {
            Err(UnknownScope(scope.as_str().to_owned()))
        })
    }
}

impl FromIterator<Scope> for ScopeSet {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |bits, scope| bits | scope.bit()))
    }
}

/// The words, separated by spaces: the form that [`ScopeSet::parse`] reads and that rows keep.
impl fmt::Display for ScopeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.iter().map(Scope::as_str).collect();
        f.write_str(&words.join(" "))
    }
}

impl fmt::Debug for ScopeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// A word that names no scope. Its text lists those that there are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a scope; the scopes are {words}", words = Scope::words())]
pub struct UnknownScope(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_that_are_offered_are_those_of_what_is_implemented() {
        let words: Vec<&str> = Scope::offered().map(Scope::as_str).collect();
        assert_eq!(words, Scope::OFFERED);
    }

    #[test]
    fn a_set_is_read_back_as_it_was_written() {
        let set: ScopeSet = [Scope::Sudo, Scope::Api].into_iter().collect();
        assert_eq!(set.to_string(), "api sudo");
        assert_eq!(ScopeSet::parse(&set.to_string()), Ok(set));
        assert_eq!(ScopeSet::parse(""), Ok(ScopeSet::default()));
    }

    #[test]
    fn sets_are_compared_and_combined() {
        let set = |words| ScopeSet::parse(words).unwrap();
        assert!(set("api").is_subset_of(set("api openid")));
        assert!(!set("api sudo").is_subset_of(set("api openid")));
        assert_eq!(set("api sudo").intersection(set("sudo email")), set("sudo"));
        assert_eq!(set("api").union(set("email")), set("api email"));
    }

    #[test]
    fn an_unknown_word_is_named() {
        assert_eq!(
            ScopeSet::parse("api admin"),
            Err(UnknownScope("admin".to_owned()))
        );
    }

    #[test]
    fn whoever_mistypes_a_scope_is_told_which_there_are() {
        let told = ScopeSet::parse("apii").unwrap_err().to_string();
        assert!(
            told.starts_with("\"apii\" is not a scope; the scopes are api, read_api, "),
            "{told}"
        );
        assert!(!told.contains("repository"), "{told}");
        assert!(
            Scope::offered().all(|scope| told.contains(scope.as_str())),
            "{told}"
        );
    }

    #[test]
    fn what_nothing_implements_is_read_but_not_given() {
        let hollow = ["read_repository", "write_repository"];
        for word in hollow {
            assert!(ScopeSet::parse(word).is_ok(), "{word}");
            let told = Err(UnknownScope(word.to_owned()));
            assert_eq!(ScopeSet::parse_offered(&format!("api {word}")), told);
        }
        let set = ScopeSet::parse("api read_repository").unwrap();
        assert_eq!(set.offered(), ScopeSet::parse("api").unwrap());
        assert!(Scope::offered().all(|scope| !hollow.contains(&scope.as_str())));
        let everything_else = Scope::offered().count() + hollow.len();
        assert_eq!(everything_else, Scope::ALL.len());
    }

    #[test]
    fn an_endpoint_accepts_any_of_its_scopes_and_nothing_else() {
        let set: ScopeSet = [Scope::ReadUser].into_iter().collect();
        assert!(set.allows_any(&[Scope::Api, Scope::ReadUser]));
        assert!(!set.allows_any(&[Scope::Api, Scope::ReadApi]));
        assert!(!ScopeSet::default().allows_any(&Scope::ALL));
    }
}
