//! Parameters and responses of operations that create an access token.

use accounts::flow::issue_token::IssueToken;
use accounts::wire::{AccessTokenResponse, NewAccessTokenResponse};
use accounts::{AccessToken, TokenKind};
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, HeaderValue};
use api_conventions::error::ApiError;
use api_conventions::ids::UserId;
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use gatehouse_core::scopes::{OFFERED, registry};
use serde::Serialize;
use web_conventions::operations::{Parameter, ParameterKind};

use super::api::ApiRequest;
use crate::config::AppSettings;
use crate::state::Behaviour;

/// Fields of a new token.
pub fn fields() -> [Parameter; 3] {
    [
        Parameter::body(
            "name",
            ParameterKind::Text { min: 1, max: 255 },
            "Name of the token.",
        )
        .example("deploy script")
        .required(),
        Parameter::body(
            "scopes",
            ParameterKind::Words(&OFFERED),
            "Scopes of the token.",
        )
        .required(),
        Parameter::body(
            "expires_at",
            ParameterKind::Date,
            "First day on which the token is no longer valid, at most a year ahead (default: a year ahead).",
        ),
    ]
}

/// Token that a request creates, with its secret.
#[derive(Debug)]
pub struct NewSecretToken {
    /// The token.
    pub issue: IssueToken,
    secret: PlainSecret,
}

impl NewSecretToken {
    /// Parses a token that the user `by` creates for a user.
    ///
    /// # Errors
    /// 400 for invalid values.
    pub fn read(
        request: &ApiRequest,
        by: UserId,
        user_id: UserId,
        kind: TokenKind,
    ) -> Result<Self, ApiError> {
        let mut read = request.params().reader();
        read.demand(&["name", "scopes"]);
        let name = read.text("name").unwrap_or_default();
        let registry = registry();
        let offered = |word: &str| registry.parse_offered(word).ok();
        let scopes = read.words("scopes", offered);
        let expires_on = read.date("expires_at");
        read.finish()?;
        let each = scopes.iter().flat_map(ScopeSet::iter).cloned();
        let scopes = each.collect::<Vec<Scope>>().into_iter().collect();
        let secret = new_secret(request.settings());
        let (digest, now) = (secret.digest(), request.now());
        let mut issue = IssueToken::new(user_id, Some(by), name, scopes, digest, now);
        issue.kind = kind;
        issue.expires_on = expires_on;
        // The release of the server, and not the one that a request may choose: it limits what a token can do.
        issue.may_be_endless = request.releases().has(Behaviour::EndlessTokens);
        Ok(Self { issue, secret })
    }

    /// Creates the body of the response for the stored token.
    pub fn response(&self, token: &AccessToken, now: Timestamp) -> NewAccessTokenResponse<'_> {
        response_of(token, &self.secret, now)
    }
}

/// Generates the secret of a token.
pub fn new_secret(settings: &AppSettings) -> PlainSecret {
    settings.security.token_prefix.new_secret()
}

/// Creates the body of the response for a stored token and its secret.
pub fn response_of<'s>(
    token: &AccessToken,
    secret: &'s PlainSecret,
    now: Timestamp,
) -> NewAccessTokenResponse<'s> {
    NewAccessTokenResponse {
        metadata: AccessTokenResponse::new(token, now),
        token: secret.reveal(),
    }
}

/// Response with a secret, which no cache may store.
pub fn with_secret(status: StatusCode, body: &impl Serialize) -> HttpResponse {
    HttpResponse::build(status)
        .insert_header((CACHE_CONTROL, HeaderValue::from_static("no-store")))
        .json(body)
}
