//! What an application may do, as people are asked about it: in groups, each thing once, and what is dangerous marked.

use api_conventions::scope::{Scope, ScopeSet};

use crate::frame::page::format::ScopeText;

/// What a scope is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Identity,
    Read,
    Write,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Identity, Self::Read, Self::Write];

    const fn heading(self) -> &'static str {
        match self {
            Self::Identity => "Who you are",
            Self::Read => "Read",
            Self::Write => "Write",
        }
    }

    const fn of(scope: Scope) -> Self {
        match scope {
            Scope::Openid | Scope::Profile | Scope::Email | Scope::Groups | Scope::ReadUser => {
                Self::Identity
            }
            Scope::ReadApi | Scope::ReadRepository => Self::Read,
            Scope::Api | Scope::WriteRepository | Scope::Sudo => Self::Write,
        }
    }
}

/// Scopes of one kind, under a heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessGroup {
    /// What they are about.
    pub heading: &'static str,
    /// What they permit.
    pub lines: Vec<AccessLine>,
}

/// A scope as a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessLine {
    /// What it permits.
    pub text: ScopeText,
    /// Whether it lets an application change what the user can change.
    pub is_dangerous: bool,
}

impl AccessGroup {
    /// The scopes in groups, in the order in which people should read them. Groups without a line are left out, and so is
    /// every scope that another one of the set covers.
    pub fn all(scopes: ScopeSet) -> Vec<Self> {
        let lines = widest(scopes);
        let group = |kind: Kind| Self {
            heading: kind.heading(),
            lines: lines
                .iter()
                .filter(|scope| Kind::of(**scope) == kind)
                .map(|scope| AccessLine {
                    text: ScopeText::of(*scope),
                    is_dangerous: is_dangerous(*scope),
                })
                .collect(),
        };
        let groups = Kind::ALL.into_iter().map(group);
        groups.filter(|group| !group.lines.is_empty()).collect()
    }
}

/// The scopes of a set that no other one of it covers.
pub fn widest(scopes: ScopeSet) -> Vec<Scope> {
    let is_covered = |scope: Scope| scopes.allows_any(wider_than(scope));
    scopes.iter().filter(|scope| !is_covered(*scope)).collect()
}

/// The scopes that permit all that this one permits. `openid` tells the name, too, and the endpoint of the API about
/// one's own user tells all that `profile` and `email` do.
const fn wider_than(scope: Scope) -> &'static [Scope] {
    match scope {
        Scope::ReadApi => &[Scope::Api],
        Scope::ReadUser => &[Scope::Api, Scope::ReadApi],
        Scope::Email => &[Scope::Api, Scope::ReadApi, Scope::ReadUser],
        Scope::Profile => &[Scope::Api, Scope::ReadApi, Scope::ReadUser, Scope::Openid],
        Scope::ReadRepository => &[Scope::WriteRepository],
        Scope::Api | Scope::WriteRepository | Scope::Sudo | Scope::Openid | Scope::Groups => &[],
    }
}

const fn is_dangerous(scope: Scope) -> bool {
    matches!(scope, Scope::Api | Scope::WriteRepository | Scope::Sudo)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(asked: &str, shown: &[(&str, &[&str])]) {
        let groups = AccessGroup::all(ScopeSet::parse(asked).unwrap());
        let words = |group: &AccessGroup| -> Vec<&str> {
            group.lines.iter().map(|line| line.text.word).collect()
        };
        let found: Vec<(&str, Vec<&str>)> = groups
            .iter()
            .map(|group| (group.heading, words(group)))
            .collect();
        let shown: Vec<(&str, Vec<&str>)> = shown
            .iter()
            .map(|(heading, words)| (*heading, words.to_vec()))
            .collect();
        assert_eq!(found, shown, "{asked}");
    }

    #[test]
    fn scopes_stand_in_groups_from_the_least_to_the_most() {
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
    fn what_a_wider_scope_covers_is_left_out() {
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
    fn what_changes_things_is_marked() {
        let marked = |scope: Scope| is_dangerous(scope) == (Kind::of(scope) == Kind::Write);
        assert!(Scope::ALL.into_iter().all(marked));
    }

    #[test]
    fn nothing_is_left_out_without_a_scope_that_is_shown() {
        for scope in Scope::ALL {
            for wider in wider_than(scope) {
                let both: ScopeSet = [scope, *wider].into_iter().collect();
                assert_eq!(widest(both), [*wider], "{scope:?}");
            }
        }
    }
}
