//! OpenID Connect flows with the crate `openidconnect`.

use openidconnect::core::{
    CoreAuthenticationFlow, CoreClient, CoreProviderMetadata, CoreUserInfoClaims,
};
use openidconnect::{
    AccessTokenHash, AuthorizationCode, ClientId, ClientSecret, CsrfToken, IssuerUrl, Nonce,
    OAuth2TokenResponse as _, PkceCodeChallenge, RedirectUrl, Scope, TokenResponse as _,
};

use crate::OAuthSetup;
use crate::user::{BrowserUser, send};

/// Discovery, an id token that the crate validates with its own implementation of RSA, and the user's claims.
pub(crate) fn dance(setup: &OAuthSetup) {
    let issuer = IssuerUrl::new(setup.base_url.clone()).expect("a URL");
    let metadata = CoreProviderMetadata::discover(&issuer, &send).expect("what the server offers");
    let secret = setup.confidential.secret.clone().map(ClientSecret::new);
    let id = ClientId::new(setup.confidential.id.clone());
    let redirect_uri = RedirectUrl::new(setup.redirect_uri.clone()).expect("a URL");
    let client =
        CoreClient::from_provider_metadata(metadata, id, secret).set_redirect_uri(redirect_uri);

    let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
    let flow = CoreAuthenticationFlow::AuthorizationCode;
    let (url, state, nonce) = client
        .authorize_url(flow, CsrfToken::new_random, Nonce::new_random)
        .add_scope(Scope::new("profile".to_owned()))
        .add_scope(Scope::new("email".to_owned()))
        .set_pkce_challenge(challenge)
        .url();
    let answered = BrowserUser::new(setup).approve(&url);
    assert_eq!(answered["state"], *state.secret());

    let code = AuthorizationCode::new(answered["code"].clone());
    let exchange = client.exchange_code(code).expect("a token endpoint");
    let token = exchange.set_pkce_verifier(verifier).request(&send);
    let token = token.expect("a token");
    let id_token = token.id_token().expect("an id token");
    let id_token_verifier = client.id_token_verifier();
    let claims = id_token.claims(&id_token_verifier, &nonce);
    let claims = claims.expect("a token that is valid");
    if let Some(expected) = claims.access_token_hash() {
        let algorithm = id_token.signing_alg().expect("an algorithm");
        let key = id_token.signing_key(&id_token_verifier).expect("a key");
        let hash = AccessTokenHash::from_token(token.access_token(), algorithm, key);
        assert_eq!(*expected, hash.expect("a digest"));
    }

    let subject = claims.subject().clone();
    let request = client.user_info(token.access_token().to_owned(), Some(subject));
    let user_info: CoreUserInfoClaims = request
        .expect("an endpoint of claims")
        .request(&send)
        .expect("claims");
    let name = user_info.preferred_username().expect("a username");
    assert_eq!(name.as_str(), setup.login);
    assert!(user_info.email().is_some());
}
