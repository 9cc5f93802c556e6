//! What is asked for together is answered as if it were asked for one after the other.

use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::secret::{PlainSecret, SecretDigest};
use oauth_provider::RotationSeed;
use oauth_provider::flow::authorize::approve_at_once;
use oauth_provider::flow::exchange::{Exchange, ExchangeOutcome, exchange_all};
use oauth_provider::flow::refresh::{Refresh, RefreshOutcome, refresh_all};

use crate::support::{Provider, ann, at, request, scopes};

const NUMBERS: [&str; 4] = ["1", "2", "3", "4"];

/// A provider with a code of each number.
fn with_codes() -> Provider {
    let provider = Provider::new();
    for number in NUMBERS {
        let mut pairs = request("confidential");
        pairs.push(("scope", "api read_user"));
        let (checked, policy) = (provider.check(&pairs).unwrap(), provider.policy);
        let code = SecretDigest::of(&format!("code {number}"));
        provider.write(move |tx| approve_at_once(tx, &checked, &ann(), code, at(10), &policy));
    }
    provider
}

/// The wish to redeem a code, at this place of a group.
fn redeeming(provider: &Provider, number: &str, place: usize) -> Exchange {
    let token = |kind| SecretDigest::of(&format!("{kind} {number} at {place}"));
    Exchange {
        access: token("access"),
        refresh: token("refresh"),
        ..provider.wish(SecretDigest::of(&format!("code {number}")))
    }
}

/// The wish to use the refresh token that redeeming at this place gave.
fn refreshing(provider: &Provider, number: &str, place: usize, seed: u8) -> Refresh {
    Refresh {
        application_id: Some(provider.confidential),
        allowed: ScopeSet::from_iter(Scope::ALL),
        presented: PlainSecret::new(format!("refresh {number} at {place}")),
        scopes: None,
        redirect_uri: None,
        code_verifier: None,
        seed: RotationSeed::from_bytes([seed; 32]),
        now: at(30),
    }
}

/// What can be told of a refresh, tokens included.
fn told(outcome: &RefreshOutcome) -> String {
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
    let group = |provider: &Provider| {
        let mut wishes: Vec<Exchange> = ["1", "2", "nobody's", "2", "3", "4", "1"]
            .into_iter()
            .enumerate()
            .map(|(place, number)| redeeming(provider, number, place))
            .collect();
        wishes[0].redirect_uri = "https://elsewhere.example/".to_owned();
        wishes[4].now = at(1_000);
        wishes
    };
    let provider = with_codes();
    let alone: Vec<ExchangeOutcome> = group(&provider)
        .into_iter()
        .map(|wish| provider.exchange(wish))
        .collect();
    let provider = with_codes();
    let (wishes, policy) = (group(&provider), provider.policy);
    let together = provider.write(move |tx| {
        let wishes: Vec<&Exchange> = wishes.iter().collect();
        exchange_all(tx, &wishes, &policy)
    });
    assert_eq!(together, alone);
    let kinds = alone.iter().map(|outcome| match outcome {
        ExchangeOutcome::Issued(..) => 'i',
        ExchangeOutcome::Refused => 'r',
        ExchangeOutcome::Replayed(_) => 'e',
    });
    // The wrong address spends nothing, so that the last one gets tokens.
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
        // The third was used long ago.
        let old = refreshing(&provider, "3", 0, 77);
        provider.refresh_with(Refresh { now: at(21), ..old });
        provider
    };
    let group = |provider: &Provider| {
        let wish = |number, seed| refreshing(provider, number, 0, seed);
        vec![
            wish("1", 1),
            wish("nobody's", 2),
            Refresh {
                scopes: Some(scopes("openid")),
                ..wish("2", 3)
            },
            Refresh {
                now: at(40),
                ..wish("3", 4)
            },
            wish("1", 5),
            wish("2", 6),
            wish("4", 7),
        ]
    };
    let provider = prepared();
    let alone: Vec<String> = group(&provider)
        .into_iter()
        .map(|wish| told(&provider.refresh_with(wish)))
        .collect();
    let provider = prepared();
    let (wishes, policy) = (group(&provider), provider.policy);
    let together = provider.write(move |tx| {
        let wishes: Vec<&Refresh> = wishes.iter().collect();
        refresh_all(tx, &wishes, &policy)
    });
    let together: Vec<String> = together.iter().map(told).collect();
    assert_eq!(together, alone);
    assert_eq!(together[0], together[4], "the same answer again");
    let refused = ["Refused", "ScopeTooLarge"];
    assert_eq!([&together[1], &together[2]], refused);
    assert!(together[3].starts_with("Reused"), "{}", together[3]);
}
