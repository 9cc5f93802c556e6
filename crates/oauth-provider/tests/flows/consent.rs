//! Tests of consent: it counts once, in the same browser, in time, and for the request that was shown.

use api_conventions::ids::{SessionId, UserId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use oauth_provider::flow::authorize::{
    Approval, ApproveOutcome, SignedIn, approve, deny, store_request,
};
use oauth_provider::{
    ApplicationChange, ApplicationQueries as _, ApplicationRepository as _, GrantQueries as _,
    TokenSubject,
};

use crate::support::{ADDRESS, TestProvider, ann, at, request, scopes};

fn provider_with_request() -> TestProvider {
    let provider = TestProvider::new();
    let mut pairs = request("public");
    pairs.extend([("scope", "openid"), ("nonce", "n")]);
    let checked = provider.check(&pairs).unwrap();
    let policy = provider.policy.clone();
    provider.write(move |tx| {
        store_request(
            tx,
            &checked,
            &ann(),
            &SecretDigest::of("handle"),
            at(10),
            &policy,
        )
    });
    provider
}

fn approved(provider: &TestProvider, user: SignedIn, now: Timestamp) -> ApproveOutcome {
    let (handle, code) = (SecretDigest::of("handle"), SecretDigest::of("code"));
    let policy = provider.policy.clone();
    provider.write(move |tx| approve(tx, &Approval::new(handle, code, user, now), &policy))
}

#[test]
fn approval_creates_a_grant_with_the_requested_scopes() {
    let provider = provider_with_request();
    let ApproveOutcome::Responded(answer, application) = approved(&provider, ann(), at(20)) else {
        panic!("refused");
    };
    assert_eq!(application, provider.public);
    assert_eq!(
        (answer.redirect_uri.as_str(), answer.state.as_deref()),
        (ADDRESS, Some("xyz"))
    );
    let grant = provider
        .write(|tx| tx.find_grant_by_code(&SecretDigest::of("code")))
        .unwrap();
    assert_eq!(
        (grant.subject, grant.session_id),
        (
            TokenSubject::user(ann().user_id, provider.public),
            Some(ann().session_id)
        )
    );
    assert_eq!(
        (grant.scopes, grant.nonce.as_deref()),
        (scopes("openid"), Some("n"))
    );
    assert_eq!(
        (grant.auth_time, grant.code_expires_at),
        (at(0), Some(at(80)))
    );
    assert!(grant.challenge.is_some());
}

#[test]
fn a_request_is_answered_once() {
    let provider = provider_with_request();
    assert!(matches!(
        approved(&provider, ann(), at(20)),
        ApproveOutcome::Responded(..)
    ));
    assert_eq!(approved(&provider, ann(), at(20)), ApproveOutcome::NotFound);
}

#[test]
fn a_no_leaves_no_grant_and_no_request() {
    let provider = provider_with_request();
    let no = provider.write(|tx| deny(tx, &SecretDigest::of("handle"), &ann(), at(20)));
    assert!(matches!(no, ApproveOutcome::Responded(..)));
    assert_eq!(approved(&provider, ann(), at(20)), ApproveOutcome::NotFound);
    assert_eq!(
        provider.write(|tx| tx.find_grant_by_code(&SecretDigest::of("code"))),
        None
    );
}

#[test]
fn another_browser_or_user_cannot_answer() {
    let provider = provider_with_request();
    let mut other_session = ann();
    other_session.session_id = SessionId::new(2);
    assert_eq!(
        approved(&provider, other_session, at(20)),
        ApproveOutcome::NotFound
    );
    let mut somebody = ann();
    somebody.user_id = UserId::new(2);
    assert_eq!(
        approved(&provider, somebody, at(20)),
        ApproveOutcome::NotFound
    );
}

#[test]
fn expired_requests_cannot_be_approved() {
    let provider = provider_with_request();
    assert_eq!(
        approved(&provider, ann(), at(610)),
        ApproveOutcome::NotFound
    );
}

#[test]
fn scopes_removed_from_the_application_cannot_be_approved() {
    let provider = provider_with_request();
    let id = provider.public;
    provider.write(move |tx| {
        let found = tx.find_application(id)?.unwrap();
        let change = ApplicationChange {
            name: found.name,
            redirect_uris: found.redirect_uris,
            post_logout_redirect_uris: found.post_logout_redirect_uris,
            scopes: scopes("api"),
            client_type: found.client_type,
            trusted: found.trusted,
            options: found.options,
        };
        tx.update_application(id, &change)
    });
    assert_eq!(approved(&provider, ann(), at(20)), ApproveOutcome::NotFound);
}
