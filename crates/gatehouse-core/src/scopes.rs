//! OAuth scopes of this platform, with their descriptions for users.

use std::sync::LazyLock;

use api_conventions::scope::Scope;
use oauth_provider::ScopeRegistry;
use oauth_provider::scopes::{ClaimGroup, ScopeEntry};

/// Names of the scopes of tokens that users create, for documents that are generated at build time.
pub const OFFERED: [&str; 12] = [
    "api",
    "read_api",
    "read_user",
    "read_repository",
    "write_repository",
    "read_registry",
    "write_registry",
    "sudo",
    "openid",
    "profile",
    "email",
    "groups",
];

/// Names of the scopes of applications, for documents that are generated at build time.
pub const OFFERED_TO_APPLICATIONS: [&str; 10] = [
    "api",
    "read_api",
    "read_user",
    "read_repository",
    "write_repository",
    "sudo",
    "openid",
    "profile",
    "email",
    "groups",
];

/// Returns the scope registry of this platform, one for the whole process. Clones share it.
pub fn registry() -> ScopeRegistry {
    static REGISTRY: LazyLock<ScopeRegistry> = LazyLock::new(built);
    REGISTRY.clone()
}

#[expect(
    clippy::expect_used,
    reason = "the entries are constants, and a test builds them"
)]
fn built() -> ScopeRegistry {
    let entries = api().into_iter().chain(git());
    let entries = entries.chain(container_registry()).chain(identity());
    ScopeRegistry::new(entries).expect("the built-in scopes are a valid registry")
}

fn api() -> [ScopeEntry; 3] {
    [
        ScopeEntry::new(
            Scope::API,
            "Full access",
            "Read and change everything that you can, including your profile and your email address.",
        )
        .by_default(),
        ScopeEntry::new(
            Scope::READ_API,
            "Read everything",
            "Read everything that you can, including your profile and your email address, without changing anything.",
        ),
        ScopeEntry::new(
            Scope::READ_USER,
            "Read your profile",
            "See your name, your username, your email address and the state of your account.",
        ),
    ]
}

fn git() -> [ScopeEntry; 2] {
    [
        ScopeEntry::new(
            Scope::READ_REPOSITORY,
            "Read repositories",
            "Fetch the repositories that you can read, over Git.",
        ),
        ScopeEntry::new(
            Scope::WRITE_REPOSITORY,
            "Write repositories",
            "Fetch and push to the repositories that you can write to, over Git, and report pushes to their activity feeds.",
        ),
    ]
}

/// Scopes for container registries. Tokens of applications authenticate to none (specification, OAuth limits, 7).
fn container_registry() -> [ScopeEntry; 2] {
    [
        ScopeEntry::new(
            Scope::READ_REGISTRY,
            "Pull images",
            "Pull images from the container registries of the projects that you can read.",
        )
        .not_for_applications(),
        ScopeEntry::new(
            Scope::WRITE_REGISTRY,
            "Push images",
            "Push images to the container registries of the projects that you can write to.",
        )
        .not_for_applications(),
    ]
}

fn identity() -> [ScopeEntry; 5] {
    [
        ScopeEntry::new(
            Scope::SUDO,
            "Act as any user",
            "Act as any other user of this server, with all of that user's permissions.",
        )
        .for_administrators(),
        ScopeEntry::new(
            Scope::OPENID,
            "Sign you in",
            "See who you are: your user ID, your name, your username and the address of your profile.",
        ),
        ScopeEntry::new(
            Scope::PROFILE,
            "See your name",
            "See your name, your username and the address of your profile.",
        )
        .releasing(ClaimGroup::Profile),
        ScopeEntry::new(
            Scope::EMAIL,
            "See your email address",
            "See your email address and whether it was confirmed.",
        )
        .releasing(ClaimGroup::Email),
        ScopeEntry::new(
            Scope::GROUPS,
            "See your groups",
            "See the paths of all groups that you are a member of, including private ones.",
        )
        .releasing(ClaimGroup::Groups),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_has_the_scopes_of_the_platform_in_their_order() {
        let registry = registry();
        let entries: Vec<&Scope> = registry.entries().iter().map(ScopeEntry::scope).collect();
        assert_eq!(entries, Scope::PLATFORM.iter().collect::<Vec<_>>());
        let offered: Vec<&str> = registry.offered().map(Scope::as_str).collect();
        assert_eq!(offered, OFFERED);
        let of_applications = registry.offered_to_applications();
        let of_applications: Vec<&str> = of_applications.map(Scope::as_str).collect();
        assert_eq!(of_applications, OFFERED_TO_APPLICATIONS);
    }

    #[test]
    fn each_scope_has_a_description_that_differs_from_its_title() {
        for entry in registry().entries() {
            let (title, sentence) = (entry.title(), entry.description());
            assert!(sentence.ends_with('.'), "{}", entry.scope());
            assert_ne!(sentence.trim_end_matches('.'), title, "{}", entry.scope());
        }
    }

    /// Scopes that users who are not administrators must never get.
    #[test]
    fn acting_as_others_is_for_administrators() {
        let all = Scope::PLATFORM.iter().cloned().collect();
        let open = registry().open_in(&all);
        assert!(!open.contains(&Scope::SUDO));
        assert_eq!(open.len() + 1, Scope::PLATFORM.len());
    }
}
