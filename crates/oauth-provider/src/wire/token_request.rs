//! Token requests (RFC 6749, sections 4.1.3, 4.3.2 and 6).

use api_conventions::scope::ScopeSet;
use api_conventions::secret::PlainSecret;

use super::error::{ErrorCode, OAuthError};
use super::form::FormParameters;
use crate::rules::scope::requested;
use crate::scopes::ScopeRegistry;

/// Grant of a token request. The client credentials are in the same form; parse them with
/// [`ClientCredentials::read`](super::ClientCredentials::read).
#[derive(Debug)]
pub enum TokenRequest {
    /// Authorization code (`OAUTH-03`).
    AuthorizationCode(CodeParameters),
    /// Refresh token (`OAUTH-04`).
    RefreshToken(RefreshParameters),
    /// Username and password (`OAUTH-05`).
    Password(PasswordParameters),
}

/// Parameters of a code exchange, as sent.
#[derive(Debug)]
#[non_exhaustive]
pub struct CodeParameters {
    /// Authorization code.
    pub code: PlainSecret,
    /// Redirect URI to which the code was sent.
    pub redirect_uri: String,
    /// PKCE code verifier.
    pub code_verifier: Option<PlainSecret>,
}

/// Parameters of a token refresh, as sent.
#[derive(Debug)]
#[non_exhaustive]
pub struct RefreshParameters {
    /// Refresh token.
    pub refresh_token: PlainSecret,
    /// Requested scopes of the next token.
    pub scopes: Option<ScopeSet>,
    /// Redirect URI to which the code was sent, if the client repeats it.
    pub redirect_uri: Option<String>,
    /// PKCE code verifier, if the client repeats it.
    pub code_verifier: Option<PlainSecret>,
}

/// Parameters of a password grant, as sent.
#[derive(Debug)]
#[non_exhaustive]
pub struct PasswordParameters {
    /// Username or email address.
    pub username: String,
    /// Password.
    pub password: PlainSecret,
    /// Requested scopes of the token.
    pub scopes: Option<ScopeSet>,
}

/// Parameters of a client credentials grant, as sent.
#[derive(Debug)]
#[non_exhaustive]
pub struct ClientCredentialsParameters {
    /// Requested scopes of the token.
    pub scopes: Option<ScopeSet>,
}

impl ClientCredentialsParameters {
    /// Parses a form, if it requests this grant (RFC 6749, section 4.4.2). A host that serves the grant must call this
    /// before [`TokenRequest::read`], which refuses it.
    ///
    /// # Errors
    /// `invalid_scope` if a scope is unknown or malformed (RFC 6749, section 3.3).
    pub fn read(
        form: &mut FormParameters,
        registry: &ScopeRegistry,
    ) -> Result<Option<Self>, OAuthError> {
        if !form.has("grant_type", CLIENT_CREDENTIALS_GRANT) {
            return Ok(None);
        }
        let scopes = scopes(form, registry)?;
        Ok(Some(Self { scopes }))
    }
}

/// Grant types that [`TokenRequest`] accepts.
pub const GRANTS: [&str; 3] = ["authorization_code", "refresh_token", PASSWORD_GRANT];

/// Grant type for an application itself.
pub const CLIENT_CREDENTIALS_GRANT: &str = "client_credentials";

/// Grant type that a server may disable.
pub const PASSWORD_GRANT: &str = "password";

impl TokenRequest {
    /// Parses a form. The scopes are those of `registry`.
    ///
    /// # Errors
    /// * `invalid_request` with the name of the missing parameter.
    /// * `unsupported_grant_type` for any other grant, including the device and client credentials grants.
    /// * `invalid_scope` if a scope is unknown or malformed (RFC 6749, section 3.3).
    pub fn read(form: &mut FormParameters, registry: &ScopeRegistry) -> Result<Self, OAuthError> {
        match form.require("grant_type")?.as_str() {
            "authorization_code" => Ok(Self::AuthorizationCode(CodeParameters {
                code: form.require_secret("code")?,
                redirect_uri: form.require("redirect_uri")?,
                code_verifier: form.take_secret("code_verifier"),
            })),
            "refresh_token" => Ok(Self::RefreshToken(RefreshParameters {
                refresh_token: form.require_secret("refresh_token")?,
                scopes: scopes(form, registry)?,
                redirect_uri: form.take("redirect_uri"),
                code_verifier: form.take_secret("code_verifier"),
            })),
            PASSWORD_GRANT => Ok(Self::Password(PasswordParameters {
                username: form.require("username")?,
                password: form.require_secret("password")?,
                scopes: scopes(form, registry)?,
            })),
            _ => Err(OAuthError::new(ErrorCode::UnsupportedGrantType)),
        }
    }
}

/// Parses scopes, which only spaces may separate.
fn scopes(
    form: &mut FormParameters,
    registry: &ScopeRegistry,
) -> Result<Option<ScopeSet>, OAuthError> {
    let Some(text) = form.take("scope") else {
        return Ok(None);
    };
    let read = text
        .bytes()
        .all(|byte| matches!(byte, b' '..=b'~'))
        .then(|| requested(&text, registry).ok());
    match read.flatten() {
        Some(scopes) if !scopes.is_empty() => Ok(Some(scopes)),
        _ => Err(OAuthError::new(ErrorCode::InvalidScope)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scopes::samples::registry;

    fn read(body: &str) -> Result<TokenRequest, OAuthError> {
        TokenRequest::read(
            &mut FormParameters::from_body(body.as_bytes()).unwrap(),
            &registry(),
        )
    }

    #[test]
    fn a_code_comes_with_its_redirect_uri_and_perhaps_a_verifier() {
        let body = "grant_type=authorization_code&code=c&redirect_uri=https%3A%2F%2Fa.example%2Fcb";
        let Ok(TokenRequest::AuthorizationCode(sent)) = read(body) else {
            panic!("a code");
        };
        assert_eq!(
            (sent.code.reveal(), sent.redirect_uri.as_str()),
            ("c", "https://a.example/cb")
        );
        assert!(sent.code_verifier.is_none());
        let Ok(TokenRequest::AuthorizationCode(sent)) = read(&format!("{body}&code_verifier=v"))
        else {
            panic!("a code with a verifier");
        };
        assert_eq!(
            sent.code_verifier.as_ref().map(PlainSecret::reveal),
            Some("v")
        );
    }

    #[test]
    fn a_refresh_token_needs_nothing_beside_it() {
        let refresh = |more: &str| {
            let body = format!("grant_type=refresh_token&refresh_token=r{more}");
            let Ok(TokenRequest::RefreshToken(sent)) = read(&body) else {
                panic!("a refresh token");
            };
            sent
        };
        let sent = refresh("");
        assert_eq!(sent.refresh_token.reveal(), "r");
        assert_eq!((sent.scopes, sent.redirect_uri), (None, None));
        assert!(sent.code_verifier.is_none());
        let sent = refresh("&scope=read_user++api&redirect_uri=x&code_verifier=v");
        assert_eq!(sent.scopes, ScopeSet::parse("api read_user").ok());
        assert_eq!(sent.redirect_uri.as_deref(), Some("x"));
        assert_eq!(
            sent.code_verifier.as_ref().map(PlainSecret::reveal),
            Some("v")
        );
    }

    #[test]
    fn a_password_comes_with_a_username() {
        let Ok(TokenRequest::Password(sent)) =
            read("grant_type=password&username=ann&password=p%20w")
        else {
            panic!("a password");
        };
        assert_eq!(
            (sent.username.as_str(), sent.password.reveal()),
            ("ann", "p w")
        );
        assert_eq!(sent.scopes, None);
    }

    #[test]
    fn missing_parameters_are_named() {
        let cases = [
            ("", "grant_type"),
            ("grant_type=authorization_code&redirect_uri=x", "code"),
            ("grant_type=authorization_code&code=c", "redirect_uri"),
            ("grant_type=refresh_token", "refresh_token"),
            ("grant_type=password&password=p", "username"),
            ("grant_type=password&username=u&password=", "password"),
        ];
        for (body, name) in cases {
            let error = read(body).unwrap_err();
            let expected = format!("Missing required parameter: {name}.");
            assert_eq!(error.description(), expected, "{body}");
        }
    }

    #[test]
    fn every_other_grant_is_unsupported() {
        for grant in [
            "client_credentials",
            "implicit",
            "Password",
            "urn:ietf:params:oauth:grant-type:device_code",
        ] {
            let error = read(&format!("grant_type={grant}")).unwrap_err();
            assert_eq!(error.code(), ErrorCode::UnsupportedGrantType, "{grant}");
        }
    }

    #[test]
    fn client_credentials_requests_are_parsed_with_optional_scopes() {
        let read = |body: &str| {
            let mut form = FormParameters::from_body(body.as_bytes()).unwrap();
            ClientCredentialsParameters::read(&mut form, &registry())
        };
        let sent = read("grant_type=client_credentials&scope=api");
        assert_eq!(sent.unwrap().unwrap().scopes, ScopeSet::parse("api").ok());
        let sent = read("grant_type=client_credentials");
        assert_eq!(sent.unwrap().unwrap().scopes, None);
        for other in ["", "grant_type=password&scope=mystery"] {
            assert!(read(other).unwrap().is_none(), "{other}");
        }
        let error = read("grant_type=client_credentials&scope=mystery").unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidScope);
    }

    #[test]
    fn scopes_are_known_words_between_spaces() {
        for scope in ["mystery", "api%09read_user", "api%0Aread_user", "API", "+"] {
            let body = format!("grant_type=refresh_token&refresh_token=r&scope={scope}");
            assert_eq!(
                read(&body).unwrap_err().code(),
                ErrorCode::InvalidScope,
                "{scope}"
            );
        }
    }
}
