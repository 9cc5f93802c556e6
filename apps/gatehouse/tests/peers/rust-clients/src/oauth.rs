//! OAuth flows with the crate `oauth2`.

use oauth2::basic::{BasicClient, BasicErrorResponseType};
use oauth2::{
    AuthType, AuthUrl, AuthorizationCode, ClientId, ClientSecret, CsrfToken, IntrospectionUrl,
    PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, RequestTokenError, ResourceOwnerPassword,
    ResourceOwnerUsername, RevocationUrl, Scope, StandardRevocableToken,
    TokenIntrospectionResponse as _, TokenResponse as _, TokenUrl,
};

use crate::user::{BrowserUser, send};
use crate::{RegisteredClient, OAuthSetup};

/// The client of an application, with all its endpoints.
macro_rules! client {
    ($setup:expr, $application:expr, $redirect_uri:expr) => {{
        let (setup, application): (&OAuthSetup, &RegisteredClient) = ($setup, $application);
        let at = |path: &str| format!("{}{path}", setup.base_url);
        let client = BasicClient::new(ClientId::new(application.id.clone()))
            .set_auth_uri(AuthUrl::new(at("/oauth/authorize")).unwrap())
            .set_token_uri(TokenUrl::new(at("/oauth/token")).unwrap())
            .set_redirect_uri(RedirectUrl::new($redirect_uri.to_owned()).unwrap())
            .set_introspection_url(IntrospectionUrl::new(at("/oauth/introspect")).unwrap())
            // The crate refuses to revoke over plain HTTP, so the URL is `https` and the transport below changes it
            // back.
            .set_revocation_url(RevocationUrl::new(at("/oauth/revoke").replace("http:", "https:")).unwrap());
        match &application.secret {
            Some(secret) => client.set_client_secret(ClientSecret::new(secret.clone())),
            None => client.set_auth_type(AuthType::RequestBody),
        }
    }};
}

/// A transport that takes the loopback interface's `https` for `http`, since the crate revokes over `https` only.
fn send_plainly(mut request: oauth2::HttpRequest) -> Result<oauth2::HttpResponse, ureq::Error> {
    let plain = request
        .uri()
        .to_string()
        .replace("https://127.0.0.1", "http://127.0.0.1");
    *request.uri_mut() = plain.parse().expect("a URL");
    send(request)
}

/// Gets a code by approval, and the verifier that it is bound to.
macro_rules! approved {
    ($setup:expr, $client:expr) => {{
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let (url, state) = $client
            .authorize_url(CsrfToken::new_random)
            .add_scope(Scope::new("read_user".to_owned()))
            .set_pkce_challenge(challenge)
            .url();
        let answered = BrowserUser::new($setup).approve(&url);
        assert_eq!(answered["state"], *state.secret());
        assert_eq!(answered["iss"], $setup.base_url);
        (AuthorizationCode::new(answered["code"].clone()), verifier)
    }};
}

/// Code, token, refresh, introspection and revocation, with and without a secret, by header and by body.
pub(crate) fn dance(setup: &OAuthSetup) {
    let confidential = (&setup.confidential, setup.redirect_uri.as_str());
    let public = (&setup.public, "http://127.0.0.1:43210/callback");
    for (application, redirect_uri) in [confidential, public] {
        for auth_type in [AuthType::BasicAuth, AuthType::RequestBody] {
            if application.secret.is_none() && matches!(auth_type, AuthType::BasicAuth) {
                continue;
            }
            let client = client!(setup, application, redirect_uri).set_auth_type(auth_type);
            let (code, verifier) = approved!(setup, client);
            let token = client.exchange_code(code).set_pkce_verifier(verifier);
            let token = token.request(&send).expect("a token");
            assert_eq!(token.token_type().as_ref().to_lowercase(), "bearer");
            assert_eq!(token.expires_in().expect("a lifetime").as_secs(), 7200);
            let refresh_token = token.refresh_token().expect("a refresh token");
            let refreshed = client.exchange_refresh_token(refresh_token);
            let refreshed = refreshed.request(&send).expect("another token");
            assert_ne!(
                refreshed.access_token().secret(),
                token.access_token().secret()
            );
            if application.secret.is_some() {
                for (token, is_active) in [(&token, false), (&refreshed, true)] {
                    let seen = client.introspect(token.access_token()).request(&send);
                    assert_eq!(seen.expect("an answer").active(), is_active);
                }
            }
            let token: StandardRevocableToken = refreshed.access_token().into();
            let revocation = client.revoke_token(token).expect("a secure URL");
            revocation.request(&send_plainly).expect("it is revoked");
        }
    }
}

/// The crate understands the errors for a wrong verifier, a wrong secret and a wrong password.
pub(crate) fn refusals(setup: &OAuthSetup) {
    let client = client!(setup, &setup.confidential, setup.redirect_uri);
    let (code, _) = approved!(setup, client);
    let wrong = PkceCodeVerifier::new("w".repeat(43));
    let refused = client
        .exchange_code(code)
        .set_pkce_verifier(wrong)
        .request(&send);
    expect(refused, &BasicErrorResponseType::InvalidGrant);
    let name = ResourceOwnerUsername::new(setup.login.clone());
    let password = ResourceOwnerPassword::new("wrong".to_owned());
    let refused = client.exchange_password(&name, &password).request(&send);
    expect(refused, &BasicErrorResponseType::InvalidGrant);
    let client = client.set_client_secret(ClientSecret::new("wrong".to_owned()));
    let password = ResourceOwnerPassword::new(setup.password.clone());
    let refused = client.exchange_password(&name, &password).request(&send);
    expect(refused, &BasicErrorResponseType::InvalidClient);
}

fn expect<T: std::fmt::Debug, E: std::error::Error + 'static>(
    answer: Result<T, RequestTokenError<E, oauth2::StandardErrorResponse<BasicErrorResponseType>>>,
    expected: &BasicErrorResponseType,
) {
    match answer {
        Err(RequestTokenError::ServerResponse(refusal)) => assert_eq!(refusal.error(), expected),
        other => panic!("{other:?} is not {expected:?}"),
    }
}
