//! The authenticated principal: user, scopes, credential and expiry.

use accounts::flow::authenticate::Authentication;
use accounts::{AuditImpersonation, RevocationSubject, TokenKind, User};
use api_conventions::ids::{SessionId, TokenId, UserId};
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::time::Timestamp;
use oauth_provider::{ApplicationUid, TokenPair};
use projects::Viewer;

use super::sessions::LiveSession;

/// An authenticated caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The acting user.
    pub user: User,
    /// Scopes that the credential grants.
    pub scopes: ScopeSet,
    /// The credential that authenticated the caller.
    pub credential: Credential,
    /// Expiry: the first instant at which the credential is no longer valid.
    pub expires_at: Timestamp,
}

/// The credential of a caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    /// A personal or impersonation access token.
    Personal(PersonalCredential),
    /// An OAuth access token issued to an application.
    OAuth(OAuthCredential),
    /// The session cookie of a signed-in browser.
    Session(SessionId),
    /// A token of this administrator, who acts as the user (`AUTH-05`).
    /// The user has no token here, so code that looks for the token of the request finds none.
    Sudo(UserId),
}

/// A personal or impersonation access token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PersonalCredential {
    /// Id of the token.
    pub id: TokenId,
    /// Creation time of the token.
    pub created_at: Timestamp,
    /// True for an impersonation token.
    pub is_impersonation: bool,
    /// User who created the token, as far as it is known.
    pub creator_id: Option<UserId>,
}

/// An OAuth access token issued to an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OAuthCredential {
    /// The token pair that the access token belongs to.
    pub pair: TokenPair,
    /// The application; `None` after a password grant without a client.
    pub application: Option<ApplicationUid>,
}

impl Principal {
    /// Creates the principal of a personal access token.
    pub fn of_personal(found: Authentication) -> Self {
        Self {
            user: found.user,
            scopes: found.scopes,
            credential: Credential::Personal(PersonalCredential {
                id: found.token_id,
                created_at: found.created_at,
                is_impersonation: found.kind == TokenKind::Impersonation,
                creator_id: found.creator_id,
            }),
            expires_at: found.expires_at,
        }
    }

    /// Creates the principal of an OAuth access token: the user on whose behalf an application acts.
    pub fn of_oauth(user: User, pair: TokenPair, application: Option<ApplicationUid>) -> Self {
        Self {
            user,
            scopes: pair.scopes.clone(),
            expires_at: pair.expires_at,
            credential: Credential::OAuth(OAuthCredential { pair, application }),
        }
    }

    /// Creates the principal of a browser session, with the `api` scope: a signed-in user may do everything the account
    /// may.
    pub fn of_session(found: &LiveSession) -> Self {
        Self {
            user: found.user.clone(),
            scopes: [Scope::API].into_iter().collect(),
            credential: Credential::Session(found.session.id),
            expires_at: found.session.expires_at,
        }
    }

    /// Returns the user as a viewer of projects and groups.
    pub fn viewer(&self) -> Viewer {
        if self.user.is_admin {
            Viewer::Administrator(self.user.id)
        } else {
            Viewer::User(self.user.id)
        }
    }

    /// The subjects that the credential depends on. When one of them is revoked, the credential must be validated
    /// again.
    pub fn subjects(&self) -> [RevocationSubject; 3] {
        let user = RevocationSubject::User(self.user.id);
        match &self.credential {
            Credential::Personal(token) => [user, RevocationSubject::Token(token.id), user],
            Credential::Session(id) => [user, RevocationSubject::Session(*id), user],
            Credential::Sudo(administrator) => {
                [user, RevocationSubject::User(*administrator), user]
            }
            Credential::OAuth(OAuthCredential { pair, .. }) => {
                let grant = RevocationSubject::Grant(pair.grant_id);
                [
                    user,
                    grant,
                    pair.subject
                        .application_id()
                        .map_or(user, RevocationSubject::Application),
                ]
            }
        }
    }

    /// Returns the impersonation that the audit log records, if the caller acts as another user.
    pub fn impersonation(&self) -> Option<AuditImpersonation> {
        match self.credential {
            Credential::Sudo(administrator) => {
                Some(AuditImpersonation::Administrator(administrator))
            }
            Credential::Personal(token) if token.is_impersonation => {
                Some(AuditImpersonation::Token {
                    id: token.id,
                    creator_id: token.creator_id,
                })
            }
            Credential::Personal(_) | Credential::OAuth(_) | Credential::Session(_) => None,
        }
    }

    /// Returns the OAuth access token, if the credential is one.
    pub fn oauth(&self) -> Option<&OAuthCredential> {
        match &self.credential {
            Credential::OAuth(credential) => Some(credential),
            Credential::Personal(_) | Credential::Session(_) | Credential::Sudo(_) => None,
        }
    }

    /// Returns the personal access token, if the credential is one.
    pub fn personal(&self) -> Option<PersonalCredential> {
        match self.credential {
            Credential::Personal(token) => Some(token),
            Credential::OAuth(_) | Credential::Session(_) | Credential::Sudo(_) => None,
        }
    }
}
