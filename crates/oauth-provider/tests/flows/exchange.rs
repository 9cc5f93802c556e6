//! Tests of code redemption (`OAUTH-03`; RFC 9700, sections 2.1.1 and 4.5).

use api_conventions::secret::SecretDigest;
use oauth_provider::TokenSubject;
use oauth_provider::flow::exchange::ExchangeOutcome;

use crate::support::{ADDRESS, TestProvider, VERIFIER, ann, at, changed, scopes};

#[test]
fn a_code_gives_a_pair_once() {
    let provider = TestProvider::new();
    let code = provider.code("confidential", "api");
    let ExchangeOutcome::Issued(grant, _) = provider.exchange(provider.request(code)) else {
        panic!("refused");
    };
    let pair = provider.pair("access").unwrap();
    assert_eq!((pair.grant_id, pair.subject), (grant.id, grant.subject));
    let subject = TokenSubject::user(ann().user_id, provider.confidential);
    assert_eq!((pair.subject, &pair.scopes), (subject, &scopes("api")));
    assert_eq!((pair.created_at, pair.expires_at), (at(20), at(7220)));
    assert_eq!(pair.refresh_expires_at, Some(at(20 + 90 * 86_400)));
    assert!(pair.is_usable(at(7219)) && !pair.is_usable(at(7220)));
}

#[test]
fn replayed_code_revokes_its_tokens_and_no_others() {
    let provider = TestProvider::new();
    let code = provider.code("confidential", "api");
    provider.exchange(provider.request(code));
    let other = provider.code("public", "api");
    let mut second = provider.request(other);
    second.application_id = provider.public;
    second.code_verifier = Some(VERIFIER.to_owned());
    second.access = SecretDigest::of("other access");
    second.refresh = SecretDigest::of("other refresh");
    assert!(matches!(
        provider.exchange(second),
        ExchangeOutcome::Issued(..)
    ));
    let mut again = provider.request(code);
    again.access = SecretDigest::of("third");
    assert!(matches!(
        provider.exchange(again),
        ExchangeOutcome::Replayed(_)
    ));
    assert!(!provider.is_usable("access", at(21)));
    assert!(provider.is_usable("other access", at(21)));
    assert_eq!(provider.pair("third"), None);
}

#[test]
fn a_strangers_try_does_not_spend_the_code() {
    let provider = TestProvider::new();
    let code = provider.code("confidential", "api");
    let request = || provider.request(code);
    let strangers = [
        changed(request(), |it| {
            it.application_id = provider.public;
        }),
        changed(request(), |it| {
            it.redirect_uri = format!("{ADDRESS}/");
        }),
        changed(request(), |it| {
            it.code_verifier = Some(VERIFIER.to_owned());
        }),
        changed(request(), |it| {
            it.code = SecretDigest::of("another code");
        }),
    ];
    for stranger in strangers {
        assert_eq!(provider.exchange(stranger), ExchangeOutcome::Refused);
    }
    assert!(matches!(
        provider.exchange(request()),
        ExchangeOutcome::Issued(..)
    ));
}

#[test]
fn a_strangers_replay_does_not_end_the_grant() {
    let provider = TestProvider::new();
    let code = provider.code("confidential", "api");
    provider.exchange(provider.request(code));
    let mut stranger = provider.request(code);
    stranger.application_id = provider.public;
    assert_eq!(provider.exchange(stranger), ExchangeOutcome::Refused);
    assert!(provider.is_usable("access", at(21)));
}

#[test]
fn a_challenge_needs_its_verifier() {
    let provider = TestProvider::new();
    let code = provider.code("public", "api");
    let request = |verifier: Option<&str>| {
        changed(provider.request(code), |it| {
            it.application_id = provider.public;
            it.code_verifier = verifier.map(str::to_owned);
        })
    };
    let wrong = VERIFIER.replace('d', "e");
    for verifier in [None, Some(""), Some("short"), Some(wrong.as_str())] {
        assert_eq!(
            provider.exchange(request(verifier)),
            ExchangeOutcome::Refused,
            "{verifier:?}"
        );
    }
    assert!(matches!(
        provider.exchange(request(Some(VERIFIER))),
        ExchangeOutcome::Issued(..)
    ));
}

#[test]
fn a_code_dies_with_its_minute() {
    let provider = TestProvider::new();
    let code = provider.code("confidential", "api");
    let mut late = provider.request(code);
    late.now = at(70);
    assert_eq!(provider.exchange(late), ExchangeOutcome::Refused);
    let mut in_time = provider.request(code);
    in_time.now = at(69);
    assert!(matches!(
        provider.exchange(in_time),
        ExchangeOutcome::Issued(..)
    ));
}

#[test]
fn an_application_that_may_hold_less_by_now_gets_less() {
    let provider = TestProvider::new();
    let code = provider.code("confidential", "api openid");
    let mut nothing = provider.request(code);
    nothing.allowed = scopes("read_user");
    assert_eq!(provider.exchange(nothing), ExchangeOutcome::Refused);
    let mut less = provider.request(code);
    less.allowed = scopes("openid");
    let outcome = provider.exchange(less);
    assert!(
        matches!(&outcome, ExchangeOutcome::Issued(_, given) if *given == scopes("openid")),
        "{outcome:?}"
    );
    assert_eq!(provider.pair("access").unwrap().scopes, scopes("openid"));
}
