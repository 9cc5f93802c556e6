//! Client credentials grant: an access token for an application itself (RFC 6749, section 4.4).

use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::password::password_scopes;
use super::token_without_code::{TokenWithoutCode, insert_token};
use crate::model::{Application, ClientType, TokenSubject};
use crate::policy::Policy;
use crate::scopes::{ReleasedClaims, ScopeRegistry};
use crate::store::GrantRepository;

/// Client credentials request of an authenticated application.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ClientCredentialsGrant {
    /// Authenticated application.
    pub application: Application,
    /// Requested scopes; the default of the registry when absent.
    pub scopes: Option<ScopeSet>,
    /// Digest of the access token to issue.
    pub access: SecretDigest,
    /// Current time.
    pub now: Timestamp,
}

impl ClientCredentialsGrant {
    /// Creates a request for a token with the digest `access` for an authenticated application.
    pub fn new(
        application: Application,
        scopes: Option<ScopeSet>,
        access: SecretDigest,
        now: Timestamp,
    ) -> Self {
        Self {
            application,
            scopes,
            access,
            now,
        }
    }
}

/// Outcome of a client credentials request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientCredentialsOutcome {
    /// The access token is issued. Written to the store.
    Issued {
        /// Scopes of the token.
        scopes: ScopeSet,
        /// The first instant at which the token no longer works.
        expires_at: Timestamp,
    },
    /// The application is public, so it has proved nothing (section 4.4): `unauthorized_client`. Nothing is written.
    PublicClient,
    /// A scope is not held by the application, is for administrators or about a user, or none is left: `invalid_scope`.
    /// Nothing is written.
    ScopeRefused,
}

/// Issues an access token whose subject is the application. It has no refresh token (section 4.4.3), and no id token,
/// because there is no user.
///
/// # Errors
/// Failures of the store.
pub fn grant_to_application<R: GrantRepository + ?Sized>(
    repos: &mut R,
    request: &ClientCredentialsGrant,
    policy: &Policy,
) -> Result<ClientCredentialsOutcome, StoreError> {
    let application = &request.application;
    if application.client_type == ClientType::Public {
        return Ok(ClientCredentialsOutcome::PublicClient);
    }
    let scopes = application_scopes(request.scopes.as_ref(), &application.scopes, &policy.scopes);
    let Some(scopes) = scopes else {
        return Ok(ClientCredentialsOutcome::ScopeRefused);
    };
    let subject = TokenSubject::Application(application.id);
    let access_seconds = policy.access_seconds_of(&application.options);
    let expires_at = request.now.plus_seconds(access_seconds);
    let token = TokenWithoutCode {
        subject,
        scopes: scopes.clone(),
        access: request.access,
        now: request.now,
        expires_at,
    };
    insert_token(repos, &token)?;
    Ok(ClientCredentialsOutcome::Issued { scopes, expires_at })
}

/// Returns the scopes of an application's own token: those of the password grant without the ones about a user.
fn application_scopes(
    requested: Option<&ScopeSet>,
    allowed: &ScopeSet,
    registry: &ScopeRegistry,
) -> Option<ScopeSet> {
    let is_about_user = |scope: &Scope| {
        let entry = registry.find(scope.as_str());
        *scope == Scope::OPENID
            || entry.is_some_and(|entry| entry.released() != ReleasedClaims::default())
    };
    if requested.is_some_and(|scopes| scopes.iter().any(is_about_user)) {
        return None;
    }
    let scopes = password_scopes(requested, Some(allowed), registry)?;
    let scopes = scopes.filtered(|scope| !is_about_user(scope));
    (!scopes.is_empty()).then_some(scopes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scopes::samples::{registry, set};

    #[test]
    fn applications_get_only_allowed_scopes_and_none_about_users() {
        let cases = [
            (None, "api read_user openid", Some("api")),
            (None, "read_user", None),
            (Some("read_user"), "api read_user", Some("read_user")),
            (Some("api read_user"), "api", None),
            (Some("api openid"), "api openid", None),
            (Some("api email"), "api email", None),
            (Some("sudo"), "api sudo", None),
            (Some("read_repository"), "read_repository", None),
            (Some(""), "api", None),
        ];
        for (requested, allowed, expected) in cases {
            let given = requested.map(set);
            let given = application_scopes(given.as_ref(), &set(allowed), &registry());
            assert_eq!(given, expected.map(set), "{requested:?} of {allowed}");
        }
    }
}
