//! Tests of grouped requests: they get the same responses as one after the other.

use api_conventions::secret::{PlainSecret, SecretDigest};
use oauth_provider::RotationSeed;
use oauth_provider::flow::authorize::approve_without_consent;
use oauth_provider::flow::exchange::{Exchange, ExchangeOutcome, exchange_all};
use oauth_provider::flow::refresh::{Refresh, RefreshOutcome, refresh_all};

use crate::support::{TestProvider, ann, at, changed, every_scope, request, scopes};

const NUMBERS: [&str; 4] = ["1", "2", "3", "4"];

/// Creates a provider with a code for each number.
fn with_codes() -> TestProvider {
    let provider = TestProvider::new();
    for number in NUMBERS {
        let mut pairs = request("confidential");
        pairs.push(("scope", "api read_user"));
        let (checked, policy) = (provider.check(&pairs).unwrap(), provider.policy.clone());
        let code = SecretDigest::of(&format!("code {number}"));
        provider
            .write(move |tx| approve_without_consent(tx, &checked, &ann(), code, at(10), &policy));
    }
    provider
}

/// Creates a request to redeem a code, at this position of a group.
fn redeeming(provider: &TestProvider, number: &str, place: usize) -> Exchange {
    let token = |kind| SecretDigest::of(&format!("{kind} {number} at {place}"));
    changed(
        provider.request(SecretDigest::of(&format!("code {number}"))),
        |it| {
            it.access = token("access");
            it.refresh = token("refresh");
        },
    )
}

/// Creates a request to use the refresh token that was issued for this position.
fn refreshing(provider: &TestProvider, number: &str, place: usize, seed: u8) -> Refresh {
    Refresh::new(
        Some(provider.confidential),
        every_scope(),
        PlainSecret::new(format!("refresh {number} at {place}")),
        RotationSeed::from_bytes([seed; 32]),
        at(30),
    )
}

/// Formats a refresh as a text, tokens included.
fn described(outcome: &RefreshOutcome) -> String {
    match outcome {
        RefreshOutcome::Refreshed(next) => {
            let [access, refresh] = [&next.secrets.access, &next.secrets.refresh];
            let tokens = format!("{} {}", access.reveal(), refresh.reveal());
            format!(
                "{tokens} {:?} {} {:?}",
                next.grant, next.replaced, next.scopes
            )
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn codes_in_a_group_are_redeemed_as_one_after_the_other() {
    let group = |provider: &TestProvider| {
        let mut requests: Vec<Exchange> = ["1", "2", "nobody's", "2", "3", "4", "1"]
            .into_iter()
            .enumerate()
            .map(|(place, number)| redeeming(provider, number, place))
            .collect();
        requests[0].redirect_uri = "https://elsewhere.example/".to_owned();
        requests[4].now = at(1_000);
        requests
    };
    let provider = with_codes();
    let alone: Vec<ExchangeOutcome> = group(&provider)
        .into_iter()
        .map(|request| provider.exchange(request))
        .collect();
    let provider = with_codes();
    let (requests, policy) = (group(&provider), provider.policy.clone());
    let together = provider.write(move |tx| {
        let requests: Vec<&Exchange> = requests.iter().collect();
        exchange_all(tx, &requests, &policy)
    });
    assert_eq!(together, alone);
    let kinds = alone.iter().map(|outcome| match outcome {
        ExchangeOutcome::Issued(..) => 'i',
        ExchangeOutcome::Refused => 'r',
        ExchangeOutcome::Replayed(_) => 'e',
        _ => '?',
    });
    // The wrong redirect URI does not spend the code, so the last request gets tokens.
    assert_eq!(kinds.collect::<String>(), "rirerii");
    assert!(!provider.is_usable("access 2 at 1", at(31)), "replayed");
}

#[test]
fn refresh_tokens_in_a_group_are_used_as_one_after_the_other() {
    let prepared = || {
        let provider = with_codes();
        for number in NUMBERS {
            provider.exchange(redeeming(&provider, number, 0));
        }
        // The third refresh token was used long ago.
        let old = refreshing(&provider, "3", 0, 77);
        provider.refresh_with(changed(old, |it| {
            it.now = at(21);
        }));
        provider
    };
    let group = |provider: &TestProvider| {
        let request = |number, seed| refreshing(provider, number, 0, seed);
        vec![
            request("1", 1),
            request("nobody's", 2),
            changed(request("2", 3), |it| {
                it.scopes = Some(scopes("openid"));
            }),
            changed(request("3", 4), |it| {
                it.now = at(40);
            }),
            request("1", 5),
            request("2", 6),
            request("4", 7),
        ]
    };
    let provider = prepared();
    let alone: Vec<String> = group(&provider)
        .into_iter()
        .map(|request| described(&provider.refresh_with(request)))
        .collect();
    let provider = prepared();
    let (requests, policy) = (group(&provider), provider.policy.clone());
    let together = provider.write(move |tx| {
        let requests: Vec<&Refresh> = requests.iter().collect();
        refresh_all(tx, &requests, &policy)
    });
    let together: Vec<String> = together.iter().map(described).collect();
    assert_eq!(together, alone);
    assert_eq!(together[0], together[4], "the same answer again");
    let refused = ["Refused", "ScopeTooLarge"];
    assert_eq!([&together[1], &together[2]], refused);
    assert!(together[3].starts_with("Reused"), "{}", together[3]);
}
