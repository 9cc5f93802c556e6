//! Registry of a host's scopes and their meaning.
//!
//! The host fills a [`ScopeRegistry`] once and passes it in its [`Policy`](crate::Policy). The registry determines the
//! scopes that a request may name, the default of a request without scopes, the scopes in the metadata and in
//! introspection responses, and the claims that a token releases.

mod entry;
#[cfg(test)]
pub(crate) mod samples;

use std::collections::HashSet;
use std::sync::Arc;

use api_conventions::scope::{Scope, ScopeSet};

pub use entry::{ClaimGroup, ReleasedClaims, ScopeEntry};

/// The scopes of a host, in display order. The registry is immutable once built, and clones share it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeRegistry(Arc<RegistryEntries>);

#[derive(Debug, PartialEq, Eq)]
struct RegistryEntries {
    entries: Vec<ScopeEntry>,
    default: ScopeSet,
}

/// Error in the scopes of a registry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScopeRegistryError {
    /// Scope registered twice.
    #[error("the scope {0} is registered twice")]
    Duplicate(Scope),
    /// The title or the description is empty, so the consent page could not describe the scope.
    #[error("the scope {0} is registered without a title or a description")]
    Undescribed(Scope),
    /// A request without scopes would ask for a scope that is not offered.
    #[error("the scope {0} is a default, but it is not offered")]
    DefaultNotOffered(Scope),
    /// A request without scopes would ask for a scope that only administrators may have.
    #[error("the scope {0} is a default, but it is for administrators only")]
    DefaultForAdministrators(Scope),
}

/// A word that names no available scope. Its message lists the available ones.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{word:?} is not a known scope; available scopes: {offered}")]
pub struct UnknownScope {
    /// The word.
    pub word: String,
    /// Names of all offered scopes, for display.
    pub offered: String,
}

impl ScopeRegistry {
    /// Builds a registry. The type [`Scope`] guarantees that every name is a scope-token (RFC 6749, section 3.3).
    ///
    /// # Errors
    /// The first error: a duplicate scope, a scope without a text for the consent page, or a default that is not
    /// available to everyone.
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
        Ok(Self(Arc::new(RegistryEntries { entries, default })))
    }

    /// Returns all entries, in the order of registration.
    pub fn entries(&self) -> &[ScopeEntry] {
        &self.0.entries
    }

    /// Returns the scopes of a request without the parameter `scope`. If there are none, such a request is
    /// `invalid_scope`.
    pub fn default_scopes(&self) -> &ScopeSet {
        &self.0.default
    }

    /// Returns the entry of a name.
    pub fn find(&self, name: &str) -> Option<&ScopeEntry> {
        let mut entries = self.entries().iter();
        entries.find(|entry| entry.scope().as_str() == name)
    }

    /// Returns the entries of a set's registered scopes, in the order of the registry.
    pub fn entries_of<'a>(&'a self, scopes: &'a ScopeSet) -> impl Iterator<Item = &'a ScopeEntry> {
        let mut entries = self.entries().iter();
        std::iter::from_fn(move || entries.find(|entry| scopes.contains(entry.scope())))
    }

    /// Returns the scopes that can be granted to tokens that users create themselves, in the order of the registry.
    pub fn offered(&self) -> impl Iterator<Item = &Scope> {
        let entries = self.entries().iter();
        entries
            .filter(|entry| entry.is_offered())
            .map(ScopeEntry::scope)
    }

    /// Returns the scopes that any application can be granted, in the order of the registry: those that are offered,
    /// except those for administrators. Clients request every scope that the metadata lists.
    pub fn open_to_all(&self) -> impl Iterator<Item = &Scope> {
        let entries = self.entries().iter();
        entries
            .filter(|entry| entry.is_offered_to_applications() && !entry.is_for_administrators())
            .map(ScopeEntry::scope)
    }

    /// Returns the scopes that can be granted to applications, in the order of the registry.
    pub fn offered_to_applications(&self) -> impl Iterator<Item = &Scope> {
        let entries = self.entries().iter();
        entries
            .filter(|entry| entry.is_offered_to_applications())
            .map(ScopeEntry::scope)
    }

    /// Returns the names of the scopes that can be granted to tokens that users create themselves, for display.
    pub fn offered_names(&self) -> String {
        self.names_of(ScopeEntry::is_offered)
    }

    fn names_of(&self, is_listed: impl Fn(&ScopeEntry) -> bool) -> String {
        let listed = self.entries().iter().filter(|entry| is_listed(entry));
        let names: Vec<&str> = listed.map(|entry| entry.scope().as_str()).collect();
        names.join(", ")
    }

    /// Returns the registered scopes of a set, offered or not. Scopes that the host removed from its registry are left
    /// out.
    #[must_use]
    pub fn registered_in(&self, scopes: &ScopeSet) -> ScopeSet {
        scopes.filtered(|scope| self.find(scope.as_str()).is_some())
    }

    /// Returns the scopes of a set that can be granted to an application.
    #[must_use]
    pub fn offered_in(&self, scopes: &ScopeSet) -> ScopeSet {
        let is_offered = |scope: &Scope| {
            self.find(scope.as_str())
                .is_some_and(ScopeEntry::is_offered_to_applications)
        };
        scopes.filtered(is_offered)
    }

    /// Returns the scopes of a set that a user who is no administrator may have, without unregistered ones.
    #[must_use]
    pub fn open_in(&self, scopes: &ScopeSet) -> ScopeSet {
        let is_open = |entry: &ScopeEntry| !entry.is_for_administrators();
        scopes.filtered(|scope| self.find(scope.as_str()).is_some_and(is_open))
    }

    /// Returns the claims that a token with these scopes releases.
    pub fn released_by(&self, scopes: &ScopeSet) -> ReleasedClaims {
        let released = self.entries_of(scopes).map(ScopeEntry::released);
        released.fold(ReleasedClaims::default(), ReleasedClaims::or)
    }

    /// Parses the names of registered scopes, separated by white space.
    ///
    /// # Errors
    /// The first word that names no registered scope.
    pub fn parse(&self, names: &str) -> Result<ScopeSet, UnknownScope> {
        self.parse_words(names.split_whitespace(), |_| true)
    }

    /// Parses the names of scopes to grant to a token that a user creates, separated by white space.
    ///
    /// # Errors
    /// The first word that names no registered scope, or names one that is not offered.
    pub fn parse_offered(&self, names: &str) -> Result<ScopeSet, UnknownScope> {
        self.parse_words(names.split_whitespace(), ScopeEntry::is_offered)
    }

    /// Parses the names of scopes to grant to an application, separated by white space.
    ///
    /// # Errors
    /// The first word that names no registered scope, or names one that is not offered to applications.
    pub fn parse_for_application(&self, names: &str) -> Result<ScopeSet, UnknownScope> {
        let is_good = ScopeEntry::is_offered_to_applications;
        let parsed = self.parse_words(names.split_whitespace(), is_good);
        parsed.map_err(|unknown| self.unknown(&unknown.word))
    }

    pub(crate) fn parse_words<'w>(
        &self,
        words: impl Iterator<Item = &'w str>,
        is_good: impl Fn(&ScopeEntry) -> bool,
    ) -> Result<ScopeSet, UnknownScope> {
        let read = |word: &str| match self.find(word).filter(|entry| is_good(entry)) {
            Some(entry) => Ok(entry.scope().clone()),
            None => Err(UnknownScope {
                word: word.to_owned(),
                offered: self.offered_names(),
            }),
        };
        words.map(read).collect()
    }

    /// Returns the error about a word in a request of an application.
    pub(crate) fn unknown(&self, word: &str) -> UnknownScope {
        UnknownScope {
            word: word.to_owned(),
            offered: self.names_of(ScopeEntry::is_offered_to_applications),
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
