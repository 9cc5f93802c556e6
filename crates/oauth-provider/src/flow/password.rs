//! Password grant: an access token for a username and a password (RFC 6749, section 4.3).

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

/// Password grant request of an authenticated user. The caller has checked that the password is right, and that this
/// user may sign in with a password alone (`OAUTH-05`: not with a second factor).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PasswordGrant {
    /// User who signed in.
    pub user_id: UserId,
    /// Application that sent the request, if it named itself.
    pub application_id: Option<ApplicationId>,
    /// Scopes of the token: the result of [`password_scopes`].
    pub scopes: ScopeSet,
    /// Digest of the access token to issue.
    pub access: SecretDigest,
    /// Lifetime of the access token in seconds; `None` for the policy's default. See [`Policy::access_seconds_of`].
    pub access_seconds: Option<i64>,
    /// Current time.
    pub now: Timestamp,
}

impl PasswordGrant {
    /// Creates a request for a token with the digest `access`, for an authenticated user.
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

/// Returns the scopes of a password grant's token: those requested, or the default of the registry.
///
/// An application gets no more than the scopes that it was registered for (`allowed`), and scopes that are not offered
/// are left out. Returns `None` if none is left or if a scope for administrators is requested: a password in a script
/// must not give what a user can grant only on a page.
pub fn password_scopes(
    requested: Option<&ScopeSet>,
    allowed: Option<&ScopeSet>,
    registry: &ScopeRegistry,
) -> Option<ScopeSet> {
    let is_for_administrators = |requested: &ScopeSet| {
        registry
            .entries_of(requested)
            .any(ScopeEntry::is_for_administrators)
    };
    if requested.is_some_and(is_for_administrators) {
        return None;
    }
    let requested = match (requested, allowed) {
        (Some(requested), Some(allowed)) if !requested.is_subset_of(allowed) => return None,
        (Some(requested), _) => requested.clone(),
        (None, Some(allowed)) => registry.default_scopes().intersection(allowed),
        (None, None) => registry.default_scopes().clone(),
    };
    let scopes = registry.offered_in(&requested);
    (!scopes.is_empty()).then_some(scopes)
}

/// Issues an access token. It has no refresh token: an application that knows the password can request another.
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
        for (requested, registered, expected) in cases {
            let (requested, allowed) = (requested.map(set), registered.map(set));
            let given = password_scopes(requested.as_ref(), allowed.as_ref(), &registry());
            assert_eq!(given, expected.map(set), "{requested:?} {allowed:?}");
        }
    }
}
