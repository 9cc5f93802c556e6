//! Who acts, by what right, and until when.

use accounts::flow::authenticate::Authentication;
use accounts::{Revoked, User};
use api_conventions::ids::{SessionId, TokenId, UserId};
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::time::Timestamp;
use oauth_provider::{ApplicationUid, TokenPair};

use super::sessions::SignedIn;

/// A caller whose credentials were found good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The user who acts.
    pub user: User,
    /// What the credentials permit.
    pub scopes: ScopeSet,
    /// What the credentials are.
    pub credential: Credential,
    /// The first instant at which this no longer holds.
    pub expires_at: Timestamp,
}

/// What proves a caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    /// A personal or impersonation access token.
    Personal(PersonalCredential),
    /// An access token that an application holds.
    OAuth(OAuthCredential),
    /// The cookie of a browser that somebody signed in with.
    Session(SessionId),
    /// A token of this administrator, who acts as the user (`AUTH-05`). It is no token of the user's, so nothing that
    /// asks for the token of the request finds one.
    Sudo(UserId),
}

/// A personal or impersonation access token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PersonalCredential {
    /// Its id.
    pub id: TokenId,
    /// Time of its creation.
    pub created_at: Timestamp,
}

/// An access token that an application holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OAuthCredential {
    /// The pair that it belongs to.
    pub pair: TokenPair,
    /// The application; `None` after a password grant without one.
    pub application: Option<ApplicationUid>,
}

impl Principal {
    /// A holder of a personal access token.
    pub fn of_personal(found: Authentication) -> Self {
        Self {
            user: found.user,
            scopes: found.scopes,
            credential: Credential::Personal(PersonalCredential {
                id: found.token_id,
                created_at: found.created_at,
            }),
            expires_at: found.expires_at,
        }
    }

    /// The user for whom an application acts.
    pub fn of_oauth(user: User, pair: TokenPair, application: Option<ApplicationUid>) -> Self {
        Self {
            user,
            scopes: pair.scopes.clone(),
            expires_at: pair.expires_at,
            credential: Credential::OAuth(OAuthCredential { pair, application }),
        }
    }

    /// A user who is signed in with a browser: the user's own hands, which may do what the user may.
    pub fn of_session(found: &SignedIn) -> Self {
        Self {
            user: found.user.clone(),
            scopes: [Scope::API].into_iter().collect(),
            credential: Credential::Session(found.session.id),
            expires_at: found.session.expires_at,
        }
    }

    /// All that the credentials follow from: when one of these is revoked, they are to be validated anew.
    pub fn subjects(&self) -> [Revoked; 3] {
        let user = Revoked::User(self.user.id);
        match &self.credential {
            Credential::Personal(token) => [user, Revoked::Token(token.id), user],
            Credential::Session(id) => [user, Revoked::Session(*id), user],
            Credential::Sudo(administrator) => [user, Revoked::User(*administrator), user],
            Credential::OAuth(OAuthCredential { pair, .. }) => {
                let grant = Revoked::Grant(pair.grant_id);
                [
                    user,
                    grant,
                    pair.subject
                        .application_id()
                        .map_or(user, Revoked::Application),
                ]
            }
        }
    }

    /// The access token of an application, if it is one.
    pub fn oauth(&self) -> Option<&OAuthCredential> {
        match &self.credential {
            Credential::OAuth(credential) => Some(credential),
            Credential::Personal(_) | Credential::Session(_) | Credential::Sudo(_) => None,
        }
    }

    /// The personal access token, if it is one.
    pub fn personal(&self) -> Option<PersonalCredential> {
        match self.credential {
            Credential::Personal(token) => Some(token),
            Credential::OAuth(_) | Credential::Session(_) | Credential::Sudo(_) => None,
        }
    }
}
