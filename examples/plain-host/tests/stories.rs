//! Output of the program, and the effect of its host's scopes.
#![expect(
    clippy::unwrap_used,
    reason = "a helper that fails ends the test that called it"
)]

use plain_host::{Server, ServerError, TokenClient, Tokens};

#[test]
fn a_code_gives_tokens_once_and_a_replay_ends_them() {
    assert_eq!(
        plain_host::play().unwrap(),
        [
            "a code gave tokens for \"invoices:read invoices:write\"",
            "a refresh token gave tokens for \"invoices:read invoices:write\"; before it: revoked",
            "a refresh token gave tokens for \"invoices:read invoices:write\"; before it: revoked",
            "a refresh token gave tokens for \"invoices:read invoices:write\"; before it: revoked",
            "one of two threads got invalid_grant",
            "one of two threads got tokens, now revoked",
            "a lost answer was given again: true",
            "the refresh token a minute later got invalid_grant",
            "the tokens that followed it: revoked",
            "introspection tells \"invoices:read\"",
            "a request for \"invoices:delete\" got invalid_scope",
            "a request for \"invoices:read api\" got a code",
        ]
    );
}

/// Calls `check` with a server, its application, and tokens with these scopes.
fn with_tokens<T>(scope: &str, check: impl FnOnce(&Server, TokenClient<'_>, Tokens) -> T) -> T {
    let server = Server::new().unwrap();
    let client = TokenClient::of(&server);
    let tokens = client.redeem(&server.authorize(scope).unwrap()).unwrap();
    check(&server, client, tokens)
}

#[test]
fn a_token_with_a_scope_of_the_host_introspects_with_it() {
    with_tokens("invoices:read", |server, _, tokens| {
        assert_eq!(tokens.scope, "invoices:read");
        let response = server.introspect(&tokens.access).unwrap();
        assert!(response.active);
        assert_eq!(response.scope.as_deref(), Some("invoices:read"));
    });
}

#[test]
fn a_request_without_scopes_gets_the_default_of_the_host() {
    let server = Server::new().unwrap();
    let tokens = TokenClient::of(&server).redeem(&server.authorize_by_default().unwrap());
    assert_eq!(tokens.unwrap().scope, "invoices:read");
}

#[test]
fn a_scope_that_the_host_does_not_have_is_invalid() {
    let server = Server::new().unwrap();
    for scope in ["invoices:delete", "api", "INVOICES:READ"] {
        let refused = server.authorize(scope).unwrap_err();
        assert!(
            matches!(refused, ServerError::Refused("invalid_scope")),
            "{scope}: {refused}"
        );
    }
}

#[test]
fn a_refresh_narrows_and_never_widens() {
    with_tokens("invoices:read", |_, client, tokens| {
        for wider in ["invoices:write", "invoices:delete", "api"] {
            let refused = client.refresh_for(&tokens, wider).unwrap_err();
            assert!(
                matches!(refused, ServerError::Refused("invalid_scope")),
                "{wider}: {refused}"
            );
        }
        assert!(client.refresh_for(&tokens, "invoices:read").is_ok());
    });
    with_tokens("invoices:write invoices:read", |server, client, tokens| {
        let narrowed = client.refresh_for(&tokens, "invoices:write").unwrap();
        let response = server.introspect(&narrowed.access).unwrap();
        assert_eq!(response.scope.as_deref(), Some("invoices:write"));
    });
}
