//! The application: its requests and its tokens.

use std::fmt;

use api_conventions::ids::UserId;
use api_conventions::secret::PlainSecret;
use api_conventions::system::SystemClock;
use api_conventions::time::Clock as _;
use oauth_provider::token::TokenAnswer;

use crate::server::{ADDRESS, Server, ServerError};

/// Tokens that an application stores.
#[derive(Clone, PartialEq, Eq)]
pub struct Tokens {
    /// The access token.
    pub access: String,
    /// The refresh token.
    pub refresh: String,
    /// Scopes that the tokens permit.
    pub scope: String,
}

impl Tokens {
    pub(crate) fn of(answer: &TokenAnswer<UserId>) -> Self {
        Self {
            access: answer.access.reveal().to_owned(),
            refresh: answer.refresh.reveal().to_owned(),
            scope: answer.scopes.to_string(),
        }
    }

    /// Description of the tokens that does not reveal them.
    pub(crate) fn report(&self) -> String {
        format!("tokens for \"{}\"", self.scope)
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tokens")
    }
}

/// An application that talks to a server.
#[derive(Debug)]
pub struct TokenClient<'s> {
    server: &'s Server,
    seconds_later: i64,
}

impl<'s> TokenClient<'s> {
    /// Returns the application of a server.
    pub fn of(server: &'s Server) -> Self {
        Self {
            server,
            seconds_later: 0,
        }
    }

    /// Returns the same application, `seconds` seconds later.
    #[must_use]
    pub fn later(self, seconds: i64) -> Self {
        Self {
            seconds_later: self.seconds_later + seconds,
            ..self
        }
    }

    /// Redeems an authorization code.
    ///
    /// # Errors
    /// The refusal of the server; failures of its store.
    pub fn redeem(&self, code: &PlainSecret) -> Result<Tokens, ServerError> {
        let code = code.reveal();
        self.send(&format!(
            "grant_type=authorization_code&code={code}&redirect_uri={ADDRESS}"
        ))
    }

    /// Uses a refresh token with these scopes, separated by `+`.
    ///
    /// # Errors
    /// The refusal of the server; failures of its store.
    pub fn refresh_for(&self, tokens: &Tokens, scope: &str) -> Result<Tokens, ServerError> {
        let refresh = &tokens.refresh;
        self.send(&format!(
            "grant_type=refresh_token&refresh_token={refresh}&scope={scope}"
        ))
    }

    /// Uses a refresh token.
    ///
    /// # Errors
    /// The refusal of the server; failures of its store.
    pub fn refresh(&self, tokens: &Tokens) -> Result<Tokens, ServerError> {
        let refresh = &tokens.refresh;
        self.send(&format!("grant_type=refresh_token&refresh_token={refresh}"))
    }

    fn send(&self, body: &str) -> Result<Tokens, ServerError> {
        let (id, secret) = (&self.server.client_id, self.server.client_secret.reveal());
        let body = format!("{body}&client_id={id}&client_secret={secret}");
        let now = SystemClock.now().plus_seconds(self.seconds_later);
        self.server.token(&body, now)
    }
}
