//! Sample registry of a host whose API has several kinds of scopes.

use api_conventions::scope::{Scope, ScopeSet};

use super::{ClaimGroup, ScopeEntry, ScopeRegistry};

/// Returns a registry in which `api` is the default, `read_repository` and `write_repository` are not offered, and
/// `sudo` is for administrators.
pub(crate) fn registry() -> ScopeRegistry {
    let entry = |name: &str| ScopeEntry::new(Scope::parse(name).unwrap(), name, name);
    ScopeRegistry::new([
        entry("api").by_default(),
        entry("read_user"),
        entry("read_repository").not_offered(),
        entry("write_repository").not_offered(),
        entry("sudo").for_administrators(),
        entry("openid"),
        entry("profile").releasing(ClaimGroup::Profile),
        entry("email").releasing(ClaimGroup::Email),
        entry("groups").releasing(ClaimGroup::Groups),
    ])
    .unwrap()
}

/// Parses a set of scopes.
pub(crate) fn set(names: &str) -> ScopeSet {
    ScopeSet::parse(names).unwrap()
}
