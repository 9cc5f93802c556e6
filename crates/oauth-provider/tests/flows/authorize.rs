//! Tests of authorization requests and the destination of their errors (`OAUTH-01`, `OAUTH-02`; RFC 9700).

use api_conventions::ids::UserId;
use oauth_provider::flow::authorize::{Decision, HintedUser, Prompt, Refusal, SignedIn, decide};
use oauth_provider::rules::pkce::CodeChallenge;
use oauth_provider::{ApplicationRepository as _, ClientType};

use crate::support::{
    ADDRESS, CHALLENGE, TestProvider, ann, application, at, registry, request, scopes,
};

/// Returns a valid request with one parameter changed or removed.
fn with<'p>(uid: &'p str, name: &'p str, value: Option<&'p str>) -> Vec<(&'p str, &'p str)> {
    let mut pairs = request(uid);
    pairs.retain(|(other, _)| *other != name);
    pairs.extend(value.map(|value| (name, value)));
    pairs
}

#[test]
fn a_request_in_order_is_understood() {
    let provider = TestProvider::new();
    let mut pairs = request("public");
    pairs.extend([
        ("scope", "openid read_user"),
        ("nonce", "n"),
        ("max_age", "60"),
        ("prompt", "login consent"),
    ]);
    let checked = provider.check(&pairs).unwrap();
    assert_eq!(checked.application.id, provider.public);
    assert_eq!(
        (checked.redirect_uri.as_str(), checked.scopes),
        (ADDRESS, scopes("read_user openid"))
    );
    assert_eq!(
        (checked.state.as_deref(), checked.nonce.as_deref()),
        (Some("xyz"), Some("n"))
    );
    assert_eq!(
        checked.challenge.as_ref().map(CodeChallenge::as_str),
        Some(CHALLENGE)
    );
    assert_eq!(
        (checked.max_age, checked.prompts),
        (Some(60), vec![Prompt::Login, Prompt::Consent])
    );
}

#[test]
fn without_a_scope_the_default_is_api() {
    let checked = TestProvider::new().check(&request("confidential")).unwrap();
    assert_eq!(checked.scopes, scopes("api"));
}

#[test]
fn admin_only_scopes_are_removed_or_refused_for_regular_users() {
    let provider = TestProvider::new();
    let mut checked = provider.check(&request("confidential")).unwrap();
    checked.scopes = scopes("api sudo");
    let (with_api, registry) = (checked.clone(), registry());
    let left = with_api.without_administration(&registry).unwrap();
    assert_eq!(left.scopes, scopes("api"));
    checked.scopes = scopes("sudo");
    let Err(Refusal::Redirect {
        error, response, ..
    }) = checked.without_administration(&registry)
    else {
        panic!("nothing is left to ask for");
    };
    assert_eq!(
        (error, response.state.as_deref()),
        ("invalid_scope", Some("xyz"))
    );
}

#[test]
fn an_unproven_address_is_never_redirected_to() {
    let provider = TestProvider::new();
    let cases = [
        ("client_id", None, "invalid_request"),
        ("client_id", Some("nobody"), "invalid_client"),
        ("client_id", Some("no such"), "invalid_client"),
        ("redirect_uri", None, "invalid_request"),
        ("redirect_uri", Some("not a uri"), "invalid_redirect_uri"),
        (
            "redirect_uri",
            Some("https://evil.example/cb"),
            "invalid_redirect_uri",
        ),
        (
            "redirect_uri",
            Some("https://app.example/cb/"),
            "invalid_redirect_uri",
        ),
        (
            "redirect_uri",
            Some("https://APP.example/cb"),
            "invalid_redirect_uri",
        ),
        (
            "redirect_uri",
            Some("https://app.example/cb?x=1"),
            "invalid_redirect_uri",
        ),
        (
            "redirect_uri",
            Some("https://app.example/%63b"),
            "invalid_redirect_uri",
        ),
        (
            "redirect_uri",
            Some("http://localhost/cb"),
            "invalid_redirect_uri",
        ),
        (
            "redirect_uri",
            Some("http://127.0.0.1:9/other"),
            "invalid_redirect_uri",
        ),
    ];
    for (name, value, expected) in cases {
        let refusal = provider
            .check(&with("confidential", name, value))
            .unwrap_err();
        assert!(
            matches!(refusal, Refusal::Page { error, .. } if error == expected),
            "{name}={value:?}: {refusal:?}"
        );
        assert!(refusal.response().is_none());
    }
}

/// AUTH-08. A scope that is not implemented is not granted, even if an application was registered with it.
#[test]
fn a_scope_that_nothing_implements_is_left_out() {
    let provider = TestProvider::new();
    let mut of_before = application("of-before", ClientType::Confidential);
    of_before.scopes = scopes("api read_repository");
    provider.write(move |tx| tx.insert_application(&of_before));
    let ask = |scope| provider.check(&with("of-before", "scope", Some(scope)));
    let checked = ask("api read_repository").unwrap();
    assert_eq!(checked.scopes, scopes("api"));
    for scope in ["read_repository", "api write_repository"] {
        let refusal = ask(scope).unwrap_err();
        let (_, error, _) = refusal.response().unwrap();
        assert_eq!(error, "invalid_scope", "{scope}");
    }
}

#[test]
fn a_client_on_the_users_machine_chooses_its_port() {
    let provider = TestProvider::new();
    let address = Some("http://127.0.0.1:49152/cb");
    for client in ["public", "confidential"] {
        let checked = provider
            .check(&with(client, "redirect_uri", address))
            .unwrap();
        assert_eq!(Some(checked.redirect_uri.as_str()), address, "{client}");
    }
}

#[test]
fn other_errors_go_to_the_proven_address_with_the_state() {
    let provider = TestProvider::new();
    let short = &CHALLENGE[1..];
    let long = "x".repeat(4097);
    let cases = [
        ("response_type", None, "invalid_request"),
        ("response_type", Some("token"), "unsupported_response_type"),
        (
            "response_type",
            Some("code token"),
            "unsupported_response_type",
        ),
        ("response_mode", Some("fragment"), "invalid_request"),
        ("scope", Some("nonsense mcp:tools"), "invalid_scope"),
        ("scope", Some("sudo"), "invalid_scope"),
        ("scope", Some("api\t\"x"), "invalid_scope"),
        ("code_challenge", None, "invalid_request"),
        ("code_challenge", Some(short), "invalid_request"),
        ("code_challenge_method", None, "invalid_request"),
        ("code_challenge_method", Some("plain"), "invalid_request"),
        ("code_challenge_method", Some("s256"), "invalid_request"),
        ("prompt", Some("none login"), "invalid_request"),
        ("prompt", Some("create"), "invalid_request"),
        ("max_age", Some("-1"), "invalid_request"),
        ("max_age", Some("soon"), "invalid_request"),
        ("nonce", Some(&long), "invalid_request"),
        ("request", Some("eyJ"), "request_not_supported"),
        (
            "request_uri",
            Some("https://x.example"),
            "request_uri_not_supported",
        ),
    ];
    for (name, value, expected) in cases {
        let refusal = provider.check(&with("public", name, value)).unwrap_err();
        let (answer, error, _) = refusal
            .response()
            .unwrap_or_else(|| panic!("{name}={value:?}"));
        assert_eq!(error, expected, "{name}={value:?}");
        let state = (name != "nonce").then_some("xyz");
        assert_eq!(
            (answer.redirect_uri.as_str(), answer.state.as_deref()),
            (ADDRESS, state)
        );
    }
}

#[test]
fn public_clients_must_use_pkce_unless_the_instance_allows_otherwise() {
    let mut provider = TestProvider::new();
    let mut pairs = request("public");
    pairs.retain(|(name, _)| !name.starts_with("code_challenge"));
    assert!(provider.check(&pairs).is_err());
    provider.policy.public_clients_need_pkce = false;
    assert!(provider.check(&pairs).is_ok());
    assert!(provider.check(&request("confidential")).is_ok());
}

fn decided(provider: &TestProvider, pairs: &[(&str, &str)], user: Option<SignedIn>) -> Decision {
    let checked = provider.check(pairs).unwrap();
    provider.write(move |tx| decide(tx, &checked, user.as_ref(), at(100)))
}

#[test]
fn the_authorization_decision_depends_on_user_and_prompt() {
    let provider = TestProvider::new();
    let silent = with("confidential", "prompt", Some("none"));
    let refused = |decision, expected| matches!(decision, Decision::Refuse(Refusal::Redirect { error, .. }) if error == expected);
    assert_eq!(
        decided(&provider, &request("confidential"), None),
        Decision::SignIn
    );
    assert!(refused(decided(&provider, &silent, None), "login_required"));
    assert_eq!(
        decided(&provider, &request("confidential"), Some(ann())),
        Decision::Ask
    );
    assert!(refused(
        decided(&provider, &silent, Some(ann())),
        "consent_required"
    ));
    for again in [
        ("prompt", "login"),
        ("prompt", "select_account"),
        ("max_age", "99"),
    ] {
        let pairs = with("confidential", again.0, Some(again.1));
        assert_eq!(
            decided(&provider, &pairs, Some(ann())),
            Decision::SignInAgain,
            "{again:?}"
        );
    }
    let fresh = with("confidential", "max_age", Some("100"));
    assert_eq!(decided(&provider, &fresh, Some(ann())), Decision::Ask);
    let mut silent_and_old = silent;
    silent_and_old.push(("max_age", "1"));
    assert!(refused(
        decided(&provider, &silent_and_old, Some(ann())),
        "login_required"
    ));
}

/// Id token hints (OpenID Connect Core 1.0, section 3.1.2.1).
#[test]
fn hints_for_another_user_require_sign_in_and_invalid_ones_are_refused() {
    let provider = TestProvider::new();
    provider.grant("api");
    let decided = |prompt, hinted, user: Option<SignedIn>| {
        let pairs = with("confidential", "prompt", prompt);
        let mut checked = provider.check(&pairs).unwrap();
        checked.hinted_user = hinted;
        provider.write(move |tx| decide(tx, &checked, user.as_ref(), at(100)))
    };
    let error = |decision| match decision {
        Decision::Refuse(Refusal::Redirect { error, .. }) => error,
        other => panic!("{other:?}"),
    };
    let (same, another) = (
        HintedUser::User(ann().user_id),
        HintedUser::User(UserId::new(999)),
    );
    for prompt in [None, Some("none")] {
        assert_eq!(decided(prompt, same, Some(ann())), Decision::Approve);
        for user in [None, Some(ann())] {
            let refused = decided(prompt, HintedUser::Invalid, user);
            assert_eq!(error(refused), "invalid_request");
        }
    }
    assert_eq!(
        decided(None, another, Some(ann())),
        Decision::SignInAsAnother
    );
    assert_eq!(decided(None, another, None), Decision::SignIn);
    assert_eq!(
        error(decided(Some("none"), another, Some(ann()))),
        "login_required"
    );
}

#[test]
fn consent_is_requested_only_for_new_scopes_or_by_prompt() {
    let provider = TestProvider::new();
    provider.grant("api");
    assert_eq!(
        decided(&provider, &request("confidential"), Some(ann())),
        Decision::Approve
    );
    for other in [
        ("scope", "api openid"),
        ("scope", "read_user"),
        ("prompt", "consent"),
    ] {
        let pairs = with("confidential", other.0, Some(other.1));
        assert_eq!(
            decided(&provider, &pairs, Some(ann())),
            Decision::Ask,
            "{other:?}"
        );
    }
}

#[test]
fn a_public_client_is_never_answered_without_the_user() {
    let provider = TestProvider::new();
    let code = provider.code("public", "api");
    let mut exchange = provider.request(code);
    exchange.application_id = provider.public;
    exchange.code_verifier = Some(crate::support::VERIFIER.to_owned());
    provider.exchange(exchange);
    assert_eq!(
        decided(&provider, &request("public"), Some(ann())),
        Decision::Ask
    );
}
