//! Which scopes a host has, and what they mean.
//!
//! The host fills a [`ScopeRegistry`] once and hands it over in its [`Policy`](crate::Policy). Whatever the provider says
//! of scopes comes from there: which words a request may have, what it asks for when it has none, what the metadata
//! lists, what introspection tells, and which claims a token releases.

mod entry;
#[cfg(test)]
pub(crate) mod samples;

use std::collections::HashSet;
use std::sync::Arc;

use api_conventions::scope::{Scope, ScopeSet};

pub use entry::{ClaimGroup, ReleasedClaims, ScopeEntry};

/// The scopes of a host, in the order in which people should read them. It never changes once it is built, and a clone
/// shares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeRegistry(Arc<Registered>);

#[derive(Debug, PartialEq, Eq)]
struct Registered {
    entries: Vec<ScopeEntry>,
    default: ScopeSet,
}

/// Why scopes make no registry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScopeRegistryError {
    /// The scope is there twice.
    #[error("the scope {0} is registered twice")]
    Duplicate(Scope),
    /// A user could not be asked about the scope, because its title or its description is empty.
    #[error("the scope {0} is registered without a title or a description")]
    Undescribed(Scope),
    /// A request without scopes would ask for a scope that nobody is offered.
    #[error("the scope {0} is a default, but it is not offered")]
    DefaultNotOffered(Scope),
    /// A request without scopes would ask for a scope that only administrators may have.
    #[error("the scope {0} is a default, but it is for administrators only")]
    DefaultForAdministrators(Scope),
}

/// A word that names no scope that can be had. Its text lists those that there are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{word:?} is not a scope; the scopes are {offered}")]
pub struct UnknownScope {
    /// The word.
    pub word: String,
    /// The names of all scopes that are offered, for people.
    pub offered: String,
}

impl ScopeRegistry {
    /// Builds a registry. That every name is a scope-token (RFC 6749, section 3.3) is what the type [`Scope`] says.
    ///
    /// # Errors
    /// The first fault: a scope that is there twice, that has no text for the consent page, or that is a default though
    /// not everybody can have it.
    pub fn new(entries: impl IntoIterator<Item = ScopeEntry>) -> Result<Self, ScopeRegistryError> {
        let entries: Vec<ScopeEntry> = entries.into_iter().collect();
        let mut known = HashSet::new();
        for entry in &entries {
            check(entry)?;
            if !known.insert(entry.scope()) {
                return Err(ScopeRegistryError::Duplicate(entry.scope().clone()));
            }
        }
        let default = entries.iter().filter(|entry| entry.is_default());
        let default = default.map(|entry| entry.scope().clone()).collect();
        Ok(Self(Arc::new(Registered { entries, default })))
    }

    /// All entries, in the order in which they were registered.
    pub fn entries(&self) -> &[ScopeEntry] {
        &self.0.entries
    }

    /// What a request without the parameter `scope` asks for. When nothing is, such a request is `invalid_scope`.
    pub fn default_scopes(&self) -> &ScopeSet {
        &self.0.default
    }

    /// The entry of a name.
    pub fn find(&self, name: &str) -> Option<&ScopeEntry> {
        let mut entries = self.entries().iter();
        entries.find(|entry| entry.scope().as_str() == name)
    }

    /// The entries of those scopes of a set that are registered, in the order of the registry.
    pub fn entries_of<'a>(&'a self, scopes: &'a ScopeSet) -> impl Iterator<Item = &'a ScopeEntry> {
        let mut entries = self.entries().iter();
        std::iter::from_fn(move || entries.find(|entry| scopes.contains(entry.scope())))
    }

    /// The scopes that applications and tokens can be given, in the order of the registry.
    pub fn offered(&self) -> impl Iterator<Item = &Scope> {
        let entries = self.entries().iter();
        entries
            .filter(|entry| entry.is_offered())
            .map(ScopeEntry::scope)
    }

    /// The scopes that any application can be given, in the order of the registry: those that are offered without the ones
    /// for administrators. Clients ask for all that the metadata lists.
    pub fn open_to_all(&self) -> impl Iterator<Item = &Scope> {
        let entries = self.entries().iter();
        entries
            .filter(|entry| entry.is_offered() && !entry.is_for_administrators())
            .map(ScopeEntry::scope)
    }

    /// The names of all scopes that are offered, for people.
    pub fn offered_names(&self) -> String {
        let names: Vec<&str> = self.offered().map(Scope::as_str).collect();
        names.join(", ")
    }

    /// The scopes of a set that are registered, offered or not. What a host took out of its registry is left out.
    #[must_use]
    pub fn registered_in(&self, scopes: &ScopeSet) -> ScopeSet {
        scopes.filtered(|scope| self.find(scope.as_str()).is_some())
    }

    /// The scopes of a set that can be given.
    #[must_use]
    pub fn offered_in(&self, scopes: &ScopeSet) -> ScopeSet {
        let is_offered = |scope: &Scope| {
            self.find(scope.as_str())
                .is_some_and(ScopeEntry::is_offered)
        };
        scopes.filtered(is_offered)
    }

    /// The scopes of a set that a user who does not administer the instance may have. A scope that is not registered is
    /// nobody's.
    #[must_use]
    pub fn open_in(&self, scopes: &ScopeSet) -> ScopeSet {
        let is_open = |entry: &ScopeEntry| !entry.is_for_administrators();
        scopes.filtered(|scope| self.find(scope.as_str()).is_some_and(is_open))
    }

    /// Which claims a token with these scopes releases.
    pub fn released_by(&self, scopes: &ScopeSet) -> ReleasedClaims {
        let released = self.entries_of(scopes).map(ScopeEntry::released);
        released.fold(ReleasedClaims::default(), ReleasedClaims::or)
    }

    /// Reads the names of registered scopes, separated by white space.
    ///
    /// # Errors
    /// The first word that names no registered scope.
    pub fn parse(&self, names: &str) -> Result<ScopeSet, UnknownScope> {
        self.parse_words(names.split_whitespace(), |_| true)
    }

    /// Reads the names of scopes that are about to be given to an application or a token, separated by white space.
    ///
    /// # Errors
    /// The first word that names no registered scope, or one that is not offered.
    pub fn parse_offered(&self, names: &str) -> Result<ScopeSet, UnknownScope> {
        self.parse_words(names.split_whitespace(), ScopeEntry::is_offered)
    }

    pub(crate) fn parse_words<'w>(
        &self,
        words: impl Iterator<Item = &'w str>,
        is_good: impl Fn(&ScopeEntry) -> bool,
    ) -> Result<ScopeSet, UnknownScope> {
        let read = |word: &str| match self.find(word).filter(|entry| is_good(entry)) {
            Some(entry) => Ok(entry.scope().clone()),
            None => Err(self.unknown(word)),
        };
        words.map(read).collect()
    }

    pub(crate) fn unknown(&self, word: &str) -> UnknownScope {
        UnknownScope {
            word: word.to_owned(),
            offered: self.offered_names(),
        }
    }
}

fn check(entry: &ScopeEntry) -> Result<(), ScopeRegistryError> {
    let scope = || entry.scope().clone();
    if entry.title().trim().is_empty() || entry.description().trim().is_empty() {
        return Err(ScopeRegistryError::Undescribed(scope()));
    }
    if entry.is_default() && !entry.is_offered() {
        return Err(ScopeRegistryError::DefaultNotOffered(scope()));
    }
    if entry.is_default() && entry.is_for_administrators() {
        return Err(ScopeRegistryError::DefaultForAdministrators(scope()));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
