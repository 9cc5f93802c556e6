//! Tests of token refresh (`OAUTH-04`; RFC 9700, section 4.14).

use api_conventions::secret::PlainSecret;
use oauth_provider::flow::refresh::{Refresh, RefreshOutcome, RefreshedPair};
use oauth_provider::{GrantRepository as _, RotationSeed};

use crate::support::{ADDRESS, TestProvider, VERIFIER, at, changed, scopes};

const DAY: i64 = 86_400;

fn refreshed(outcome: RefreshOutcome) -> RefreshedPair {
    match outcome {
        RefreshOutcome::Refreshed(refreshed) => *refreshed,
        other => panic!("{other:?}"),
    }
}

fn tokens(of: &RefreshedPair) -> (String, String) {
    (
        of.secrets.access.reveal().to_owned(),
        of.secrets.refresh.reveal().to_owned(),
    )
}

#[test]
fn the_old_pair_dies_and_the_new_one_lives() {
    let provider = TestProvider::new();
    let old = provider.grant("api");
    let (access, refresh) = tokens(&refreshed(provider.refresh("refresh", 1, at(30))));
    assert!(!provider.is_usable("access", at(30)));
    assert!(provider.is_usable(&access, at(7229)) && !provider.is_usable(&access, at(7230)));
    let next = refreshed(provider.refresh(&refresh, 2, at(40)));
    assert_eq!(next.grant.id, old.id);
}

#[test]
fn a_refresh_token_works_after_its_access_token_expired() {
    let provider = TestProvider::new();
    provider.grant("api");
    refreshed(provider.refresh("refresh", 1, at(10 * DAY)));
}

#[test]
fn a_lost_answer_is_given_again_and_forks_nothing() {
    let provider = TestProvider::new();
    provider.grant("api");
    let first = refreshed(provider.refresh("refresh", 1, at(30)));
    let again = refreshed(provider.refresh("refresh", 2, at(39)));
    assert_eq!(tokens(&first), tokens(&again));
    assert_eq!(
        (first.created_at, first.expires_at),
        (again.created_at, again.expires_at)
    );
}

#[test]
fn the_time_of_the_repeat_counts_from_the_rotation() {
    let provider = TestProvider::new();
    provider.grant("api");
    let (access, _) = tokens(&refreshed(provider.refresh("refresh", 1, at(30))));
    refreshed(provider.refresh("refresh", 2, at(39)));
    let late = provider.refresh("refresh", 3, at(40));
    assert!(matches!(late, RefreshOutcome::Reused(_)), "{late:?}");
    assert!(!provider.is_usable(&access, at(40)));
}

#[test]
fn reuse_after_the_next_pair_was_used_ends_the_grant() {
    let provider = TestProvider::new();
    provider.grant("api");
    let (_, second) = tokens(&refreshed(provider.refresh("refresh", 1, at(30))));
    let (third, _) = tokens(&refreshed(provider.refresh(&second, 2, at(31))));
    let stolen = provider.refresh("refresh", 3, at(32));
    assert!(matches!(stolen, RefreshOutcome::Reused(_)), "{stolen:?}");
    assert!(!provider.is_usable(&third, at(32)));
}

#[test]
fn rotations_of_one_timestamp_keep_their_order() {
    let provider = TestProvider::new();
    provider.grant("api");
    let (_, second) = tokens(&refreshed(provider.refresh("refresh", 1, at(20))));
    let (third, _) = tokens(&refreshed(provider.refresh(&second, 2, at(20))));
    assert!(provider.is_usable(&third, at(20)));
    assert!(matches!(
        provider.refresh("refresh", 3, at(20)),
        RefreshOutcome::Reused(_)
    ));
}

fn refresh_request(provider: &TestProvider) -> Refresh {
    Refresh::new(
        Some(provider.confidential),
        scopes("api openid read_user"),
        PlainSecret::new("refresh"),
        RotationSeed::from_bytes([9; 32]),
        at(30),
    )
}

#[test]
fn another_client_cannot_use_it_and_does_not_end_it() {
    let provider = TestProvider::new();
    provider.grant("api");
    for application_id in [Some(provider.public), None] {
        let outcome = provider.refresh_with(changed(refresh_request(&provider), |it| {
            it.application_id = application_id;
        }));
        assert!(matches!(outcome, RefreshOutcome::Refused), "{outcome:?}");
    }
    refreshed(provider.refresh("refresh", 1, at(30)));
    let outcome = provider.refresh_with(changed(refresh_request(&provider), |it| {
        it.application_id = Some(provider.public);
        it.now = at(90);
    }));
    assert!(matches!(outcome, RefreshOutcome::Refused), "{outcome:?}");
}

#[test]
fn refresh_requests_with_invalid_values_are_refused() {
    let provider = TestProvider::new();
    provider.grant("api");
    let wrong = [
        changed(refresh_request(&provider), |it| {
            it.redirect_uri = Some(format!("{ADDRESS}?"));
        }),
        changed(refresh_request(&provider), |it| {
            it.code_verifier = Some(VERIFIER.to_owned());
        }),
        changed(refresh_request(&provider), |it| {
            it.presented = PlainSecret::new("unknown");
        }),
        changed(refresh_request(&provider), |it| {
            it.presented = PlainSecret::new("access");
        }),
    ];
    for wrong in wrong {
        let outcome = provider.refresh_with(wrong);
        assert!(matches!(outcome, RefreshOutcome::Refused), "{outcome:?}");
    }
    refreshed(
        provider.refresh_with(changed(refresh_request(&provider), |it| {
            it.redirect_uri = Some(ADDRESS.to_owned());
        })),
    );
}

#[test]
fn scopes_can_be_narrowed_and_come_back_but_never_grow() {
    let provider = TestProvider::new();
    provider.grant("api openid");
    for larger in ["api sudo", "read_user", ""] {
        let outcome = provider.refresh_with(changed(refresh_request(&provider), |it| {
            it.scopes = Some(scopes(larger));
        }));
        assert!(
            matches!(outcome, RefreshOutcome::ScopeTooLarge),
            "{outcome:?}"
        );
    }
    let mut narrow = refresh_request(&provider);
    narrow.scopes = Some(scopes("openid"));
    let narrowed = refreshed(provider.refresh_with(narrow));
    assert_eq!(narrowed.scopes, scopes("openid"));
    let (access, refresh) = tokens(&narrowed);
    assert_eq!(provider.pair(&access).unwrap().scopes, scopes("openid"));
    assert_eq!(
        refreshed(provider.refresh(&refresh, 2, at(50))).scopes,
        scopes("api openid")
    );
}

#[test]
fn an_application_that_may_hold_less_by_now_gets_less() {
    let provider = TestProvider::new();
    provider.grant("api openid");
    let refused = provider.refresh_with(changed(refresh_request(&provider), |it| {
        it.allowed = scopes("read_user");
    }));
    assert!(
        matches!(refused, RefreshOutcome::ScopeTooLarge),
        "{refused:?}"
    );
    let narrowed = provider.refresh_with(changed(refresh_request(&provider), |it| {
        it.allowed = scopes("openid read_user");
    }));
    assert_eq!(refreshed(narrowed).scopes, scopes("openid"));
}

#[test]
fn an_idle_refresh_token_dies_and_so_does_the_whole_grant_at_its_end() {
    let provider = TestProvider::new();
    provider.grant("api");
    let idle = provider.refresh("refresh", 1, at(20 + 90 * DAY));
    assert!(matches!(idle, RefreshOutcome::Refused), "{idle:?}");
    let mut token = "refresh".to_owned();
    for (seed, day) in (1..).zip([89, 178, 267, 356, 364]) {
        token = tokens(&refreshed(provider.refresh(&token, seed, at(day * DAY)))).1;
    }
    let ended = provider.refresh(&token, 99, at(10 + 365 * DAY));
    assert!(matches!(ended, RefreshOutcome::Refused), "{ended:?}");
}

#[test]
fn revoked_grants_cannot_be_refreshed() {
    let provider = TestProvider::new();
    let grant = provider.grant("api");
    provider.write(move |tx| tx.revoke_grant(grant.id, at(25)));
    let outcome = provider.refresh("refresh", 1, at(30));
    assert!(matches!(outcome, RefreshOutcome::Refused), "{outcome:?}");
}
