//! Tests of the client credentials grant (RFC 6749, section 4.4).

use api_conventions::ids::UserId;
use api_conventions::scope::ScopeSet;
use api_conventions::secret::{PlainSecret, SecretDigest};
use api_conventions::time::Timestamp;
use oauth_provider::flow::authenticate::{TokenOutcome, authenticate};
use oauth_provider::flow::client::{ClientOutcome, authenticate_client};
use oauth_provider::flow::client_credentials::{ClientCredentialsGrant, grant_to_application};
use oauth_provider::flow::introspect::introspect;
use oauth_provider::flow::revoke::{RevokeOutcome, revoke};
use oauth_provider::wire::error::ErrorCode;
use oauth_provider::wire::token_request::ClientCredentialsParameters;
use oauth_provider::wire::{
    ClientCredentials, FormParameters, Introspection, Issuer, Metadata, OAuthError, TokenRequest,
    TokenResponse,
};
use oauth_provider::{
    ApplicationRepository as _, ApplicationUid, GrantQueries as _, GrantRepository as _,
    SigningAlgorithm, TokenSubject,
};
use serde_json::{Value, json};

use crate::support::{TestProvider, at, registry, scopes};

const ACCESS: &str = "of the application";
const FORM: &str =
    "grant_type=client_credentials&client_id=confidential&client_secret=the+secret&scope=api";

/// Token endpoint of a host that serves the grant.
fn respond(provider: &TestProvider, body: &str, now: Timestamp) -> Result<Value, ErrorCode> {
    let refused = |error: OAuthError| error.code();
    let mut form = FormParameters::from_body(body.as_bytes()).map_err(refused)?;
    let client = ClientCredentials::read(None, &mut form).map_err(refused)?;
    let sent = ClientCredentialsParameters::read(&mut form, &registry()).map_err(refused)?;
    let (client, sent) = client.zip(sent).ok_or(ErrorCode::InvalidRequest)?;
    let access = PlainSecret::new(ACCESS);
    let (digest, policy) = (access.digest(), provider.policy.clone());
    let outcome = provider.write(move |tx| {
        let found = authenticate_client(tx, &client.client_id, client.secret.as_ref())?;
        let ClientOutcome::Authenticated(application) = found else {
            return Ok(None);
        };
        let request = ClientCredentialsGrant::new(*application, sent.scopes.clone(), digest, now);
        grant_to_application(tx, &request, &policy).map(Some)
    });
    let outcome = outcome.ok_or(ErrorCode::InvalidClient)?;
    let (scopes, expires_at) = outcome.into_result().map_err(refused)?;
    let response = TokenResponse {
        access_token: &access,
        expires_in: expires_at.as_unix_seconds() - now.as_unix_seconds(),
        refresh_token: None,
        scopes: Some(&scopes),
        created_at: Some(now),
        id_token: None,
    };
    Ok(serde_json::to_value(response).unwrap())
}

fn outcome(provider: &TestProvider, now: Timestamp) -> TokenOutcome {
    provider.write(move |tx| authenticate(tx, &SecretDigest::of(ACCESS), now))
}

#[test]
fn a_confidential_application_gets_an_access_token_and_nothing_else() {
    let provider = TestProvider::new();
    let response = respond(&provider, FORM, at(0)).unwrap();
    assert_eq!(
        response,
        json!({
            "access_token": ACCESS, "token_type": "bearer", "expires_in": 7200, "scope": "api",
            "created_at": at(0).as_unix_seconds(),
        })
    );
    let TokenOutcome::Usable(pair) = outcome(&provider, at(7199)) else {
        panic!("the token is not usable");
    };
    let subject = TokenSubject::Application(provider.confidential);
    assert_eq!((pair.subject, pair.refresh_expires_at), (subject, None));
    assert_eq!(outcome(&provider, at(7200)), TokenOutcome::Expired);
    let id = pair.grant_id;
    let grant = provider.write(move |tx| tx.find_grant(id)).unwrap();
    assert_eq!((grant.subject, grant.session_id), (subject, None));
    assert_eq!(grant.expires_at, at(7200));
}

#[test]
fn invalid_clients_and_forbidden_scopes_get_no_token() {
    let provider = TestProvider::new();
    let client = "grant_type=client_credentials&client_id=confidential&client_secret=the+secret";
    let with_scope = |scope: &str| format!("{client}&scope={scope}");
    let public = |secret: &str| format!("grant_type=client_credentials&client_id=public{secret}");
    for (body, code) in [
        (
            client.replace("the+secret", "a+guess"),
            ErrorCode::InvalidClient,
        ),
        (
            client.replace("&client_secret=the+secret", ""),
            ErrorCode::InvalidClient,
        ),
        (public(""), ErrorCode::UnauthorizedClient),
        (
            public("&client_secret=the+secret"),
            ErrorCode::UnauthorizedClient,
        ),
        (with_scope("openid"), ErrorCode::InvalidScope),
        (with_scope("api+openid"), ErrorCode::InvalidScope),
        (with_scope("sudo"), ErrorCode::InvalidScope),
        (with_scope("mystery"), ErrorCode::InvalidScope),
    ] {
        assert_eq!(respond(&provider, &body, at(0)), Err(code), "{body}");
    }
    assert_eq!(outcome(&provider, at(1)), TokenOutcome::Unknown);
    let response = respond(&provider, client, at(0)).unwrap();
    assert_eq!(response["scope"], "api", "the default without openid");
}

#[test]
fn introspection_names_the_application_and_no_user() {
    let provider = TestProvider::new();
    respond(&provider, FORM, at(0)).unwrap();
    let (owner, stranger) = (provider.confidential, provider.public);
    let find = |caller| {
        provider.write(move |tx| introspect(tx, &SecretDigest::of(ACCESS), caller, at(30)))
    };
    assert_eq!(find(stranger), None);
    let uid = ApplicationUid::parse("confidential").unwrap();
    let issuer = Issuer {
        url: "https://gate.example",
        scopes: &registry(),
    };
    // The username that the host passes must be ignored.
    let response = Introspection::active(&find(owner).unwrap(), &uid, Some("ann"), issuer);
    let response = serde_json::to_value(response).unwrap();
    assert_eq!(
        response,
        json!({
            "active": true, "scope": "api", "client_id": "confidential", "token_type": "bearer",
            "exp": at(7200).as_unix_seconds(), "iat": at(0).as_unix_seconds(),
            "iss": "https://gate.example",
        })
    );
}

#[test]
fn the_application_ends_its_token_and_nobody_else_does() {
    let provider = TestProvider::new();
    respond(&provider, FORM, at(0)).unwrap();
    let end =
        |caller| provider.write(move |tx| revoke(tx, &SecretDigest::of(ACCESS), caller, at(30)));
    assert_eq!(end(None), RevokeOutcome::OtherApplication);
    assert_eq!(end(Some(provider.public)), RevokeOutcome::OtherApplication);
    // A user's revocation affects only the user's own tokens.
    let application = provider.confidential;
    let of_user = provider
        .write(move |tx| tx.revoke_grants_of_user(UserId::new(1), Some(application), at(30)));
    assert_eq!(of_user, 0);
    assert!(matches!(
        outcome(&provider, at(30)),
        TokenOutcome::Usable(_)
    ));
    let ended = end(Some(provider.confidential));
    assert!(matches!(ended, RevokeOutcome::Revoked(_)), "{ended:?}");
    assert_eq!(outcome(&provider, at(30)), TokenOutcome::Revoked);
}

#[test]
fn a_deleted_application_takes_its_tokens_with_it() {
    let provider = TestProvider::new();
    respond(&provider, FORM, at(0)).unwrap();
    let application = provider.confidential;
    assert!(provider.write(move |tx| tx.delete_application(application)));
    assert_eq!(outcome(&provider, at(1)), TokenOutcome::Unknown);
}

#[test]
fn a_grant_of_an_application_is_no_consent_of_a_user() {
    let provider = TestProvider::new();
    respond(&provider, FORM, at(0)).unwrap();
    let application = provider.confidential;
    let api: ScopeSet = scopes("api");
    let consented =
        provider.write(move |tx| tx.has_consented(UserId::new(1), application, &api, at(1)));
    assert!(!consented);
}

#[test]
fn a_host_that_does_not_serve_the_grant_refuses_it_and_lists_it_nowhere() {
    let mut form = FormParameters::from_body(FORM.as_bytes()).unwrap();
    let error = TokenRequest::read(&mut form, &registry()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::UnsupportedGrantType);
    let metadata = || {
        let algorithm = SigningAlgorithm::Es256;
        Metadata::new("https://gate.example", false, algorithm, &registry())
    };
    let grants = |metadata: Metadata| {
        serde_json::to_value(metadata).unwrap()["grant_types_supported"].clone()
    };
    assert_eq!(
        grants(metadata()),
        json!(["authorization_code", "refresh_token"])
    );
    assert_eq!(
        grants(metadata().with_client_credentials()),
        json!(["authorization_code", "refresh_token", "client_credentials"])
    );
}
