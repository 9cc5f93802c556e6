//! Access of an application, as the consent page shows it.
//! Scopes are grouped, without duplicates, and dangerous ones are marked.

use api_conventions::scope::{Scope, ScopeSet};
use oauth_provider::{ScopeEntry, ScopeRegistry};

use crate::frame::page::format::ScopeText;

/// Subject of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ScopeKind {
    Identity,
    Read,
    Write,
}

impl ScopeKind {
    const ALL: [Self; 3] = [Self::Identity, Self::Read, Self::Write];

    const fn heading(self) -> &'static str {
        match self {
            Self::Identity => "Who you are",
            Self::Read => "Read",
            Self::Write => "Write",
        }
    }

    /// An unlisted scope counts as one that allows changes.
    fn of(scope: &Scope) -> Self {
        const IDENTITY: &[Scope] = &[
            Scope::OPENID,
            Scope::PROFILE,
            Scope::EMAIL,
            Scope::GROUPS,
            Scope::READ_USER,
        ];
        const READ: &[Scope] = &[
            Scope::READ_API,
            Scope::READ_REPOSITORY,
            Scope::READ_REGISTRY,
        ];
        if IDENTITY.contains(scope) {
            Self::Identity
        } else if READ.contains(scope) {
            Self::Read
        } else {
            Self::Write
        }
    }
}

/// Scopes of one kind, under a heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessGroup {
    /// Heading of the group.
    pub heading: &'static str,
    /// Scopes of the group.
    pub lines: Vec<AccessLine>,
}

/// Scope as a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessLine {
    /// Description of the scope.
    pub text: ScopeText,
    /// True if the scope lets an application change what the user can change.
    pub is_dangerous: bool,
}

impl AccessGroup {
    /// Groups the scopes in reading order.
    /// Empty groups are left out, and so is every scope that another one in the set covers.
    pub fn all(registry: &ScopeRegistry, scopes: &ScopeSet) -> Vec<Self> {
        let lines = widest(registry, scopes);
        let group = |kind: ScopeKind| Self {
            heading: kind.heading(),
            lines: lines
                .iter()
                .filter(|entry| ScopeKind::of(entry.scope()) == kind)
                .map(|entry| AccessLine {
                    text: ScopeText::of(entry),
                    is_dangerous: kind == ScopeKind::Write,
                })
                .collect(),
        };
        let groups = ScopeKind::ALL.into_iter().map(group);
        groups.filter(|group| !group.lines.is_empty()).collect()
    }
}

/// Scopes of a set that no other scope in it covers, in the order of the registry.
pub fn widest<'r>(registry: &'r ScopeRegistry, scopes: &ScopeSet) -> Vec<&'r ScopeEntry> {
    let scopes = registry.registered_in(scopes);
    let is_shown = |entry: &&ScopeEntry| {
        scopes.contains(entry.scope()) && !scopes.allows_any(wider_than(entry.scope()))
    };
    registry.entries().iter().filter(is_shown).collect()
}

/// Scopes that permit everything that this one permits.
/// `openid` includes the name, and the API endpoint about one's own user returns everything that `profile` and `email`
/// do.
fn wider_than(scope: &Scope) -> &'static [Scope] {
    const WIDER: &[(Scope, &[Scope])] = &[
        (Scope::READ_API, &[Scope::API]),
        (Scope::READ_USER, &[Scope::API, Scope::READ_API]),
        (
            Scope::EMAIL,
            &[Scope::API, Scope::READ_API, Scope::READ_USER],
        ),
        (
            Scope::PROFILE,
            &[Scope::API, Scope::READ_API, Scope::READ_USER, Scope::OPENID],
        ),
        (Scope::READ_REPOSITORY, &[Scope::WRITE_REPOSITORY]),
    ];
    let found = WIDER.iter().find(|(one, _)| one == scope);
    found.map_or(&[], |(_, wider)| *wider)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatehouse_core::scopes::registry;

    #[track_caller]
    fn check(requested: &str, shown: &[(&str, &[&str])]) {
        let groups = AccessGroup::all(&registry(), &ScopeSet::parse(requested).unwrap());
        let words = |group: &AccessGroup| -> Vec<String> {
            let lines = group.lines.iter();
            lines.map(|line| line.text.word.clone()).collect()
        };
        let found: Vec<(&str, Vec<String>)> = groups
            .iter()
            .map(|group| (group.heading, words(group)))
            .collect();
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let shown: Vec<(&str, Vec<String>)> = shown
            .iter()
            .map(|(heading, words)| (*heading, owned(words)))
            .collect();
        assert_eq!(found, shown, "{requested}");
    }

    #[test]
    fn scope_groups_are_ordered_from_identity_to_write() {
        check(
            "write_repository read_api openid email",
            &[
                ("Who you are", &["openid"]),
                ("Read", &["read_api"]),
                ("Write", &["write_repository"]),
            ],
        );
        check("", &[]);
    }

    #[test]
    fn scopes_covered_by_a_wider_scope_are_omitted() {
        check(
            "api read_api read_user openid profile email",
            &[("Who you are", &["openid"]), ("Write", &["api"])],
        );
        check(
            "read_user profile email",
            &[("Who you are", &["read_user"])],
        );
        check(
            "openid profile email",
            &[("Who you are", &["openid", "email"])],
        );
        check("profile email", &[("Who you are", &["profile", "email"])]);
        check(
            "read_repository write_repository",
            &[("Write", &["write_repository"])],
        );
        check("api sudo", &[("Write", &["api", "sudo"])]);
    }

    #[test]
    fn scopes_that_permit_changes_are_marked_dangerous() {
        let all = Scope::PLATFORM.iter().cloned().collect();
        let marked = |scope: &Scope| {
            let one = ScopeSet::from_iter([scope.clone()]);
            AccessGroup::all(&registry(), &one)[0].lines[0].is_dangerous
        };
        let dangerous = ["api", "sudo", "write_registry", "write_repository"];
        let found: Vec<&str> = ScopeSet::iter(&all)
            .filter(|scope| marked(scope))
            .map(Scope::as_str)
            .collect();
        assert_eq!(found, dangerous);
    }

    #[test]
    fn a_scope_of_which_nothing_is_known_counts_as_dangerous() {
        let strange = Scope::from_static("invoices:read");
        let entry = ScopeEntry::new(strange.clone(), "Read invoices", "See your invoices.");
        let registry = ScopeRegistry::new([entry]).unwrap();
        let groups = AccessGroup::all(&registry, &ScopeSet::from_iter([strange]));
        assert!(groups[0].heading == "Write" && groups[0].lines[0].is_dangerous);
    }

    #[test]
    fn every_omitted_scope_has_a_wider_scope_shown() {
        for scope in Scope::PLATFORM {
            for wider in wider_than(scope) {
                let both: ScopeSet = [scope, wider].into_iter().cloned().collect();
                let registry = registry();
                let shown: Vec<&Scope> = widest(&registry, &both)
                    .into_iter()
                    .map(ScopeEntry::scope)
                    .collect();
                assert_eq!(shown, [wider], "{scope}");
            }
        }
    }
}
