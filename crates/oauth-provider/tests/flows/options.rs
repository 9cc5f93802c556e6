//! Tests of application options: requests with too many scopes, response modes, and token lifetimes.

use api_conventions::scope::Scope;
use api_conventions::secret::SecretDigest;
use oauth_provider::flow::authorize::{
    ApproveOutcome, Refusal, ResponseDelivery, approve_without_consent, deny, store_request,
};
use oauth_provider::flow::exchange::ExchangeOutcome;
use oauth_provider::scopes::ClaimGroup;
use oauth_provider::{
    ApplicationOptions, ApplicationRepository as _, ClientType, NewApplication, ResponseMode,
    ScopeEntry, ScopeRegistry,
};

use crate::support::{TestProvider, ann, application, at, changed, request, scopes};

const ISSUER: &str = "https://gate.example";

/// Creates a provider with one more application, which has these options and these scopes.
fn provider(held: &str, options: ApplicationOptions) -> TestProvider {
    let provider = TestProvider::new();
    let new = NewApplication {
        scopes: scopes(held),
        options,
        ..application("chosen", ClientType::Confidential)
    };
    provider.write(move |tx| tx.insert_application(&new));
    provider
}

fn options() -> ApplicationOptions {
    ApplicationOptions::of(ClientType::Confidential)
}

fn with<'p>(more: &[(&'p str, &'p str)]) -> Vec<(&'p str, &'p str)> {
    let mut pairs = request("chosen");
    pairs.extend(more);
    pairs
}

#[test]
fn excess_scopes_are_reduced_if_the_application_allows_it() {
    let requested = with(&[("scope", "api sudo read_user mcp:tools")]);
    let strict = provider("read_user openid", options());
    let Err(Refusal::Redirect { error, .. }) = strict.check(&requested) else {
        panic!("the request exceeds the registered scopes");
    };
    assert_eq!(error, "invalid_scope");
    let reduce_scopes = true;
    let reducing = provider(
        "read_user openid",
        ApplicationOptions {
            reduce_scopes,
            ..options()
        },
    );
    let checked = reducing.check(&requested).unwrap();
    assert_eq!(checked.scopes, scopes("read_user"));
    assert_eq!(checked.withheld, scopes("api sudo"));
    let nothing = reducing.check(&with(&[("scope", "api sudo")]));
    assert!(
        matches!(
            nothing,
            Err(Refusal::Redirect {
                error: "invalid_scope",
                ..
            })
        ),
        "{nothing:?}"
    );
}

#[test]
fn public_applications_are_reduced_unless_they_say_otherwise() {
    assert!(ApplicationOptions::of(ClientType::Public).reduce_scopes);
    assert!(!options().reduce_scopes);
    let mut pairs = request("public");
    pairs.push(("scope", "sudo openid"));
    let checked = TestProvider::new().check(&pairs).unwrap();
    assert_eq!(checked.scopes, scopes("openid"));
}

#[test]
fn groups_claim_adds_the_groups_scope_to_openid_requests() {
    let chosen = ApplicationOptions {
        groups_claim: true,
        ..options()
    };
    let mut provider = provider("openid groups api", chosen);
    let entry = |name: &'static str| ScopeEntry::new(Scope::from_static(name), name, name);
    let groups = entry("groups").releasing(ClaimGroup::Groups);
    provider.policy.scopes = ScopeRegistry::new([entry("api"), entry("openid"), groups]).unwrap();
    let granted = |scope| provider.check(&with(&[("scope", scope)])).unwrap().scopes;
    assert_eq!(granted("openid"), scopes("openid groups"));
    assert_eq!(granted("api"), scopes("api"));
}

#[test]
fn a_form_carries_codes_denials_and_errors() {
    let provider = provider("api", options());
    let form = with(&[("response_mode", "form_post")]);
    let checked = provider.check(&form).unwrap();
    let policy = provider.policy.clone();
    let kept = checked.clone();
    let response = provider.write(move |tx| {
        approve_without_consent(tx, &kept, &ann(), SecretDigest::of("c"), at(10), &policy)
    });
    let is_form =
        |delivery: &ResponseDelivery| matches!(delivery, ResponseDelivery::FormPost { .. });
    assert!(is_form(&response.with_code("c", ISSUER)));
    let policy = provider.policy.clone();
    let handle = SecretDigest::of("handle");
    provider.write(move |tx| store_request(tx, &checked, &ann(), &handle, at(10), &policy));
    let denied = provider.write(move |tx| deny(tx, &handle, &ann(), at(11)));
    let ApproveOutcome::Responded(response, _) = denied else {
        panic!("the request waited");
    };
    assert!(is_form(&response.with_error(
        "access_denied",
        "No.",
        ISSUER
    )));
    for wrong in [
        ("scope", "nonsense"),
        ("prompt", "perhaps"),
        ("max_age", "x"),
    ] {
        let pairs = with(&[("response_mode", "form_post"), wrong]);
        let refusal = provider.check(&pairs).unwrap_err();
        let (response, error, description) = refusal.response().unwrap();
        assert!(
            is_form(&response.with_error(error, description, ISSUER)),
            "{wrong:?}"
        );
    }
}

#[test]
fn a_form_is_posted_over_http_only() {
    let provider = TestProvider::new();
    let app = NewApplication {
        redirect_uris: vec![
            oauth_provider::rules::redirect_uri::RedirectUri::register(
                "com.example.app:/cb",
                false,
            )
            .unwrap(),
        ],
        ..application("app", ClientType::Confidential)
    };
    provider.write(move |tx| tx.insert_application(&app));
    let pairs = [
        ("client_id", "app"),
        ("redirect_uri", "com.example.app:/cb"),
        ("response_type", "code"),
        ("response_mode", "form_post"),
    ];
    let refusal = provider.check(&pairs).unwrap_err();
    let (response, error, _) = refusal.response().unwrap();
    assert_eq!(
        (error, response.mode),
        ("invalid_request", ResponseMode::Query)
    );
}

#[test]
fn an_application_that_knows_no_issuer_gets_none_with_codes_and_errors() {
    let chosen = ApplicationOptions {
        issuer_in_response: false,
        ..options()
    };
    let provider = provider("api", chosen);
    let addresses = |delivery| match delivery {
        ResponseDelivery::Redirect(address) => address,
        other => panic!("{other:?}"),
    };
    let checked = provider.check(&request("chosen")).unwrap();
    let policy = provider.policy.clone();
    let response = provider.write(move |tx| {
        approve_without_consent(tx, &checked, &ann(), SecretDigest::of("c"), at(10), &policy)
    });
    assert!(!addresses(response.with_code("c", ISSUER)).contains("iss="));
    let refusal = provider.check(&with(&[("scope", "nonsense")])).unwrap_err();
    let (response, error, description) = refusal.response().unwrap();
    let address = addresses(response.with_error(error, description, ISSUER));
    assert!(!address.contains("iss="), "{address}");
}

#[test]
fn access_token_lifetimes_follow_the_application_within_server_limits() {
    let mut provider = TestProvider::new();
    let seconds = |access_token_seconds| ApplicationOptions {
        access_token_seconds,
        ..options()
    };
    let of = |provider: &TestProvider, chosen| provider.policy.access_seconds_of(&seconds(chosen));
    assert_eq!(of(&provider, None), 7_200);
    assert_eq!(of(&provider, Some(600)), 600);
    provider.policy.max_access_seconds = 300;
    assert_eq!(
        of(&provider, Some(600)),
        300,
        "bounds that became tighter hold at once"
    );
    assert_eq!(
        of(&provider, None),
        7_200,
        "the server's own lifetime has its own setting"
    );
    let code = provider.code("confidential", "api");
    let exchange = changed(provider.request(code), |it| it.access_seconds = Some(90));
    assert!(matches!(
        provider.exchange(exchange),
        ExchangeOutcome::Issued(..)
    ));
    assert!(provider.is_usable("access", at(109)));
    assert!(!provider.is_usable("access", at(110)));
}
