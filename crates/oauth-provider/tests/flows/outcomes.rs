//! Tests of outcomes as results, for hosts that do not match each case: the success value, or the response to any
//! refusal.

use api_conventions::secret::{PlainSecret, SecretDigest};
use oauth_provider::flow::authenticate::authenticate;
use oauth_provider::flow::authorize::{Approval, approve};
use oauth_provider::flow::client::authenticate_client;
use oauth_provider::wire::OAuthError;

use crate::support::{TestProvider, ann, at, changed, request, scopes};

/// Returns the status, the code and the description of a refusal.
fn refused<T>(result: Result<T, OAuthError>) -> (u16, String, String) {
    let error = result.err().unwrap();
    let sentence = error.description().to_owned();
    (error.status(), error.code().to_string(), sentence)
}

/// Matches a refusal with this status and code that has a description.
fn with(status: u16, code: &str) -> impl Fn(&(u16, String, String)) -> bool {
    let code = code.to_owned();
    move |found| (found.0, &found.1) == (status, &code) && !found.2.is_empty()
}

#[test]
fn codes_and_refresh_tokens_are_results() {
    let provider = TestProvider::new();
    let code = provider.code("confidential", "api");
    let exchanged = |request| provider.exchange(request).into_result();
    let (grant, granted) = exchanged(provider.request(code)).unwrap();
    assert_eq!((&granted, &grant.scopes), (&scopes("api"), &scopes("api")));
    let replayed = refused(exchanged(provider.request(code)));
    assert!(with(400, "invalid_grant")(&replayed), "{replayed:?}");

    let provider = TestProvider::new();
    provider.grant("api");
    let refreshed = |request| provider.refresh_with(request).into_result();
    let more = changed(provider.refreshing("refresh", 1, at(30)), |it| {
        it.scopes = Some(scopes("openid"));
    });
    let more = refused(refreshed(more));
    assert!(with(400, "invalid_scope")(&more), "{more:?}");
    let next = refreshed(provider.refreshing("refresh", 1, at(30))).unwrap();
    assert_eq!(next.scopes, scopes("api"));
    for token in ["refresh", "nobody's"] {
        let reused = refused(refreshed(provider.refreshing(token, 2, at(90))));
        assert!(with(400, "invalid_grant")(&reused), "{reused:?}");
    }
}

#[test]
fn clients_access_tokens_and_answers_are_results() {
    let provider = TestProvider::new();
    provider.grant("api");
    let proven = |secret: &'static str| {
        let secret = PlainSecret::new(secret);
        let outcome =
            provider.write(move |tx| authenticate_client(tx, "confidential", Some(&secret)));
        outcome.into_result(true)
    };
    assert_eq!(proven("the secret").unwrap().id, provider.confidential);
    let wrong = proven("another").unwrap_err();
    assert_eq!(
        (wrong.status(), wrong.code().as_str()),
        (401, "invalid_client")
    );
    assert!(wrong.www_authenticate("r").is_some());

    let checked = |token: &'static str, now| {
        let digest = SecretDigest::of(token);
        let outcome = provider.write(move |tx| authenticate(tx, &digest, now));
        outcome.into_result()
    };
    assert_eq!(checked("access", at(30)).unwrap().scopes, scopes("api"));
    for (token, now, sentence) in [
        ("nobody's", at(30), "The access token is invalid"),
        ("access", at(7220), "The access token expired"),
    ] {
        let found = refused(checked(token, now));
        assert_eq!(
            found,
            (401, "invalid_token".to_owned(), sentence.to_owned())
        );
    }

    let digest = SecretDigest::of("no such request");
    let approval = Approval::new(digest, digest, ann(), at(20));
    let policy = provider.policy.clone();
    let gone = refused(
        provider
            .write(move |tx| approve(tx, &approval, &policy))
            .into_result(),
    );
    assert!(with(400, "invalid_request")(&gone), "{gone:?}");
}

#[test]
fn a_refusal_names_its_error_wherever_it_goes() {
    let provider = TestProvider::new();
    let page = provider.check(&request("nobody")).unwrap_err();
    assert_eq!((page.error(), page.response()), ("invalid_client", None));
    let mut pairs = request("confidential");
    pairs.push(("scope", "no_such_scope"));
    let redirect = provider.check(&pairs).unwrap_err();
    let (_, error, description) = redirect.response().unwrap();
    assert_eq!(error, "invalid_scope");
    assert_eq!(
        (redirect.error(), redirect.description()),
        (error, description)
    );
}
