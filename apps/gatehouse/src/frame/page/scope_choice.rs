//! Scopes that can be selected in a form.

use oauth_provider::{ScopeEntry, ScopeRegistry};

use super::format::ScopeText;
use super::scope_wording::ScopeWording;

/// Scope that can be selected.
#[derive(Debug)]
pub struct ScopeChoice {
    /// Description of the scope.
    pub text: ScopeText,
    /// True if the scope is selected.
    pub is_chosen: bool,
}

impl ScopeChoice {
    /// The scopes of tokens that users create, of which those named in `chosen` are selected. Scopes for administrators
    /// are offered to administrators only.
    pub fn all(
        registry: &ScopeRegistry,
        chosen: &[&str],
        is_admin: bool,
        wording: ScopeWording,
    ) -> Vec<Self> {
        let is_choice = |entry: &&ScopeEntry| {
            entry.is_offered() && (is_admin || !entry.is_for_administrators())
        };
        Self::list(registry, chosen, wording, is_choice)
    }

    /// The scopes of applications, described to the user who registers one. The same rule holds for administrators.
    pub fn of_applications(registry: &ScopeRegistry, chosen: &[&str], is_admin: bool) -> Vec<Self> {
        let is_choice = |entry: &&ScopeEntry| {
            entry.is_offered_to_applications() && (is_admin || !entry.is_for_administrators())
        };
        Self::list(registry, chosen, ScopeWording::ToUser, is_choice)
    }

    fn list(
        registry: &ScopeRegistry,
        chosen: &[&str],
        wording: ScopeWording,
        is_choice: impl Fn(&&ScopeEntry) -> bool,
    ) -> Vec<Self> {
        let offered = registry.entries().iter().filter(is_choice);
        let choices = offered.map(|entry| Self {
            text: wording.text_of(entry),
            is_chosen: chosen.contains(&entry.scope().as_str()),
        });
        choices.collect()
    }
}
