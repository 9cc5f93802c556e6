//! A username and a password for an access token (RFC 6749, section 4.3).

use api_conventions::ids::{ApplicationId, UserId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::token_without_code::{TokenWithoutCode, insert_token};
use crate::model::TokenSubject;
use crate::policy::Policy;
use crate::scopes::{ScopeEntry, ScopeRegistry};
use crate::store::GrantRepository;

/// A user who proved who they are with a password. Whether the password is right, and whether this user may sign in
/// with one alone, was the caller's to ask (`OAUTH-05`: not with a second factor).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PasswordGrant {
    /// Who.
    pub user_id: UserId,
    /// Which application asks, if it said.
    pub application_id: Option<ApplicationId>,
    /// What the token is to permit: the result of [`password_scopes`].
    pub scopes: ScopeSet,
    /// The digest of the access token to be issued.
    pub access: SecretDigest,
    /// Lifetime of the access token in seconds; `None` for the policy's. See [`Policy::access_seconds_of`].
    pub access_seconds: Option<i64>,
    /// Now.
    pub now: Timestamp,
}

impl PasswordGrant {
    /// A token with the digest `access`, for a user who proved who they are.
    pub fn new(
        user_id: UserId,
        application_id: Option<ApplicationId>,
        scopes: ScopeSet,
        access: SecretDigest,
        now: Timestamp,
    ) -> Self {
        Self {
            user_id,
            application_id,
            scopes,
            access,
            access_seconds: None,
            now,
        }
    }
}

/// What a token of a password grant permits: what was asked for, or the default of the registry; for an application no
/// more than it was registered for (`allowed`), and never what is not offered. `None` when that is nothing, and when a scope
/// for administrators is asked for: a password in a script must not give what a user grants on a page only.
pub fn password_scopes(
    asked: Option<&ScopeSet>,
    allowed: Option<&ScopeSet>,
    registry: &ScopeRegistry,
) -> Option<ScopeSet> {
    let is_for_administrators = |asked: &ScopeSet| {
        registry
            .entries_of(asked)
            .any(ScopeEntry::is_for_administrators)
    };
    if asked.is_some_and(is_for_administrators) {
        return None;
    }
    let asked = match (asked, allowed) {
        (Some(asked), Some(allowed)) if !asked.is_subset_of(allowed) => return None,
        (Some(asked), _) => asked.clone(),
        (None, Some(allowed)) => registry.default_scopes().intersection(allowed),
        (None, None) => registry.default_scopes().clone(),
    };
    let scopes = registry.offered_in(&asked);
    (!scopes.is_empty()).then_some(scopes)
}

/// Issues an access token. There is no refresh token with it: an application that knows the password can ask again.
///
/// # Errors
/// Failures of the store.
pub fn grant_by_password<R: GrantRepository + ?Sized>(
    repos: &mut R,
    request: &PasswordGrant,
    policy: &Policy,
) -> Result<(), StoreError> {
    let access_seconds = request.access_seconds.unwrap_or(policy.access_seconds);
    let expires_at = request.now.plus_seconds(access_seconds);
    let subject = TokenSubject::User {
        user_id: request.user_id,
        application_id: request.application_id,
    };
    let token = TokenWithoutCode {
        subject,
        scopes: request.scopes.clone(),
        access: request.access,
        now: request.now,
        expires_at,
    };
    insert_token(repos, &token)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scopes::samples::{registry, set};

    #[test]
    fn the_registry_has_the_default_and_an_application_bounds_it() {
        let cases = [
            (None, None, Some("api")),
            (Some("read_user"), None, Some("read_user")),
            (None, Some("api openid"), Some("api")),
            (None, Some("read_user"), None),
            (Some("read_user"), Some("api read_user"), Some("read_user")),
            (Some("api read_user"), Some("read_user"), None),
            (Some(""), None, None),
            (Some("api read_repository"), None, Some("api")),
            (Some("write_repository"), Some("api write_repository"), None),
            (Some("sudo"), None, None),
            (Some("api sudo"), None, None),
            (Some("api sudo"), Some("api sudo"), None),
            (None, Some("api sudo"), Some("api")),
        ];
        for (asked, registered, expected) in cases {
            let (asked, allowed) = (asked.map(set), registered.map(set));
            let given = password_scopes(asked.as_ref(), allowed.as_ref(), &registry());
            assert_eq!(given, expected.map(set), "{asked:?} {allowed:?}");
        }
    }
}
