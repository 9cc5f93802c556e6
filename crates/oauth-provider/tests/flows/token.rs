//! Tests of token requests that are handled in one call.

use std::sync::atomic::{AtomicU8, Ordering};

use api_conventions::ids::UserId;
use api_conventions::secret::{PlainSecret, SecretSource};
use api_conventions::time::Timestamp;
use oauth_provider::flow::authorize::approve_without_consent;
use oauth_provider::token::{
    self, TokenAnswer, TokenCall, TokenContext, TokenError, respond_blocking,
};
use oauth_provider::wire::ErrorCode;
use oauth_provider::work::{EveryUser, FindGrantUsers, GrantUsers};
use storage::StoreError;

use crate::support::{ADDRESS, TestProvider, VERIFIER, ann, at, request};

const CLIENT: &str = "client_id=confidential&client_secret=the+secret";

/// Source of bytes that differ in each call.
#[derive(Default)]
struct DistinctSecrets(AtomicU8);

impl SecretSource for DistinctSecrets {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(self.0.fetch_add(1, Ordering::Relaxed));
    }
}

/// Check for users that lets no user act.
#[derive(Debug, Clone, Copy)]
struct NoUsers;

impl GrantUsers for NoUsers {
    type User = UserId;
}

impl<Tx: ?Sized> FindGrantUsers<Tx> for NoUsers {
    fn find(&self, _: &mut Tx, _: &[UserId]) -> Result<Vec<(UserId, UserId)>, StoreError> {
        Ok(Vec::new())
    }
}

/// Creates a provider that issued the code `the code` to an application.
fn with_code(uid: &'static str) -> (TestProvider, DistinctSecrets) {
    let provider = TestProvider::new();
    let mut pairs = request(uid);
    pairs.push(("scope", "api read_user"));
    let (checked, policy) = (provider.check(&pairs).unwrap(), provider.policy.clone());
    let code = PlainSecret::new("the code").digest();
    provider.write(move |tx| approve_without_consent(tx, &checked, &ann(), code, at(10), &policy));
    (provider, DistinctSecrets::default())
}

fn context<'s, U>(
    provider: &'s TestProvider,
    secrets: &'s DistinctSecrets,
    users: U,
) -> TokenContext<'s, U> {
    TokenContext::new(&provider.policy, secrets, users)
}

fn send(
    provider: &TestProvider,
    secrets: &DistinctSecrets,
    authorization: Option<&str>,
    body: &str,
    now: Timestamp,
) -> Result<TokenAnswer<UserId>, TokenError> {
    let call = TokenCall::new(authorization, body.as_bytes());
    let context = context(provider, secrets, EveryUser);
    respond_blocking(&provider.store, call, context, now)
}

/// Returns the error code of a refusal.
fn refused(answer: Result<TokenAnswer<UserId>, TokenError>) -> ErrorCode {
    match answer {
        Err(TokenError::Refused(error)) => error.code(),
        other => panic!("{other:?}"),
    }
}

fn code_body(client: &str) -> String {
    format!("grant_type=authorization_code&code=the+code&redirect_uri={ADDRESS}&{client}")
}

fn refresh_body(token: &PlainSecret) -> String {
    let token = token.reveal();
    format!("grant_type=refresh_token&refresh_token={token}&{CLIENT}")
}

#[test]
fn a_code_gives_tokens_that_work_and_a_refresh_token_gives_the_next() {
    let (provider, secrets) = with_code("confidential");
    let first = send(&provider, &secrets, None, &code_body(CLIENT), at(20)).unwrap();
    assert_eq!(first.user, ann().user_id);
    assert!(provider.is_usable(first.access.reveal(), at(21)));
    let json = serde_json::to_value(first.response(None)).unwrap();
    assert_eq!(json["expires_in"], 7200);
    assert_eq!(json["scope"], "api read_user");
    assert_eq!(json["refresh_token"], first.refresh.reveal());

    let body = refresh_body(&first.refresh);
    let second = send(&provider, &secrets, None, &body, at(30)).unwrap();
    assert!(provider.is_usable(second.access.reveal(), at(31)));
    assert!(!provider.is_usable(first.access.reveal(), at(31)));
    let again = send(&provider, &secrets, None, &body, at(33)).unwrap();
    assert_eq!(again.access.reveal(), second.access.reveal());
    let json = serde_json::to_value(again.response(None)).unwrap();
    assert_eq!(json["expires_in"], 7197, "counted from now");
    assert_eq!(
        refused(send(&provider, &secrets, None, &body, at(300))),
        ErrorCode::InvalidGrant
    );
    assert!(
        !provider.is_usable(second.access.reveal(), at(301)),
        "reused"
    );
}

#[test]
fn a_replayed_code_revokes_its_tokens() {
    let (provider, secrets) = with_code("confidential");
    let first = send(&provider, &secrets, None, &code_body(CLIENT), at(20)).unwrap();
    let again = send(&provider, &secrets, None, &code_body(CLIENT), at(21));
    assert_eq!(refused(again), ErrorCode::InvalidGrant);
    assert!(!provider.is_usable(first.access.reveal(), at(22)));
}

#[test]
fn a_public_client_proves_itself_by_its_verifier() {
    let (provider, secrets) = with_code("public");
    let body = code_body("client_id=public");
    let without = send(&provider, &secrets, None, &body, at(20));
    assert_eq!(refused(without), ErrorCode::InvalidGrant);
    let body = format!("{body}&code_verifier={VERIFIER}");
    assert!(send(&provider, &secrets, None, &body, at(20)).is_ok());
}

#[test]
fn a_client_that_proves_nothing_is_refused_and_spends_nothing() {
    let (provider, secrets) = with_code("confidential");
    let wrong = [
        "",
        "client_id=confidential&client_secret=x",
        "client_id=who",
    ];
    for client in wrong {
        let answer = send(&provider, &secrets, None, &code_body(client), at(20));
        assert_eq!(refused(answer), ErrorCode::InvalidClient, "{client}");
    }
    // The header encodes `confidential:wrong`.
    let header = "Basic Y29uZmlkZW50aWFsOndyb25n";
    let Err(error) = send(&provider, &secrets, Some(header), &code_body(""), at(20)) else {
        panic!("refused");
    };
    assert!(error.response().www_authenticate("here").is_some());
    assert!(send(&provider, &secrets, None, &code_body(CLIENT), at(20)).is_ok());
}

#[test]
fn a_user_who_may_not_act_gets_nothing_and_the_grant_ends() {
    let (provider, secrets) = with_code("confidential");
    let context = context(&provider, &secrets, NoUsers);
    let body = code_body(CLIENT);
    let call = TokenCall::new(None, body.as_bytes());
    let answer = respond_blocking(&provider.store, call, context, at(20));
    assert_eq!(refused(answer), ErrorCode::InvalidGrant);
    let answer = send(&provider, &secrets, None, &body, at(21));
    assert_eq!(refused(answer), ErrorCode::InvalidGrant);
}

#[test]
fn unsupported_and_invalid_token_requests_are_refused() {
    let (provider, secrets) = with_code("confidential");
    for (body, code) in [
        ("", ErrorCode::InvalidRequest),
        ("grant_type=implicit", ErrorCode::UnsupportedGrantType),
        (
            "grant_type=password&username=ann&password=p",
            ErrorCode::UnsupportedGrantType,
        ),
        ("grant_type=refresh_token", ErrorCode::InvalidRequest),
        (
            "grant_type=refresh_token&refresh_token=r&scope=mystery",
            ErrorCode::InvalidScope,
        ),
        (
            "grant_type=refresh_token&refresh_token=r",
            ErrorCode::InvalidGrant,
        ),
    ] {
        let answer = send(
            &provider,
            &secrets,
            None,
            &format!("{body}&{CLIENT}"),
            at(20),
        );
        assert_eq!(refused(answer), code, "{body}");
    }
}

/// The future needs no runtime: here a blocked thread polls it.
#[test]
fn the_future_completes_without_a_runtime() {
    use std::pin::pin;
    use std::sync::Arc;
    use std::task::{Context, Poll, Wake, Waker};
    use std::thread::{self, Thread};

    struct ParkWaker(Thread);

    impl Wake for ParkWaker {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let (provider, secrets) = with_code("confidential");
    let body = code_body(CLIENT);
    let call = TokenCall::new(None, body.as_bytes());
    let context = context(&provider, &secrets, EveryUser);
    let mut answer = pin!(token::respond(&provider.store, call, context, at(20)));
    let waker = Waker::from(Arc::new(ParkWaker(thread::current())));
    let answer = loop {
        match answer.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(answer) => break answer.unwrap(),
            Poll::Pending => thread::park(),
        }
    };
    assert!(provider.is_usable(answer.access.reveal(), at(21)));
}
