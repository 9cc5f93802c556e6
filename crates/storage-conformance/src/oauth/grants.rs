//! Grants and their codes.

use api_conventions::ids::GrantId;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use oauth_provider::rules::pkce::CodeChallenge;
use oauth_provider::{
    Grant, GrantState, NewGrant, NewTokenPair, Redemption, TokenPairState, TokenSubject,
};
use storage::{StoreErrorKind, StoreExt as _};

use super::samples::{
    Fixture, digest, find_grant, find_pair, insert_grant, of_user, read, scopes, state_of, write,
};
use crate::areas::{AreaHarness, Oauth};
use crate::probe_rows::refusal;
use crate::samples::{HOSTILE, race, timestamp};

/// Redeems a code.
fn redeem(store: &Oauth, code: &str, pair: NewTokenPair, seconds: i64) -> Redemption {
    let code = digest(code);
    write(store, move |tx| {
        tx.redeem_code(&code, &pair, timestamp(seconds))
    })
}

/// Expected row of a grant that was just stored.
fn as_stored(id: GrantId, new: &NewGrant) -> Grant {
    let redeemed = GrantState::Redeemed { at: new.created_at };
    Grant {
        id,
        subject: new.subject,
        session_id: new.session_id,
        scopes: new.scopes.clone(),
        redirect_uri: new.redirect_uri.clone(),
        challenge: new.challenge.clone(),
        nonce: new.nonce.clone(),
        auth_time: new.auth_time,
        state: new.code.map_or(redeemed, |_| GrantState::Issued),
        created_at: new.created_at,
        code_expires_at: new.code.map(|(_, end)| end),
        expires_at: new.expires_at,
    }
}

pub(super) fn o30_a_grant_comes_back_as_it_was_written(harness: &mut AreaHarness<Oauth>) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    let odd = NewGrant {
        code: Some((digest("odd"), Timestamp::MIN)),
        scopes: scopes("api sudo openid profile email invoices:read !#[]~"),
        redirect_uri: Some(format!("https://app.example/{HOSTILE}")),
        challenge: CodeChallenge::parse("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
        nonce: Some(HOSTILE.to_owned()),
        auth_time: Timestamp::MIN,
        created_at: Timestamp::from_micros(1).unwrap(),
        expires_at: Timestamp::MAX,
        ..fixture.grant("")
    };
    let bare = NewGrant {
        code: None,
        subject: of_user(fixture.ann),
        session_id: None,
        redirect_uri: None,
        created_at: timestamp(7),
        ..fixture.grant("")
    };
    let of_application = NewGrant {
        subject: TokenSubject::Application(fixture.app),
        ..bare.clone()
    };
    for new in [odd, bare, of_application, fixture.grant("plain")] {
        let id = insert_grant(store, new.clone());
        let expected = as_stored(id, &new);
        assert_eq!(find_grant(store, id), expected);
        if let Some((code, _)) = new.code {
            let found = read(store, move |tx| tx.find_grant_by_code(&code));
            assert_eq!(found, Some(expected));
        }
    }
}

pub(super) fn o31_a_code_is_unique(harness: &mut AreaHarness<Oauth>) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    let first = insert_grant(store, fixture.grant("code"));
    let again = store.change(move |tx| tx.insert_grant(&fixture.grant("code")));
    let error = again.wait().unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Conflict, "{error}");
    let found = read(store, |tx| tx.find_grant_by_code(&digest("code")));
    assert_eq!(found.map(|grant| grant.id), Some(first));
    // Any number of grants may have no code.
    let without = NewGrant {
        code: None,
        ..fixture.grant("")
    };
    let [one, other] = [without.clone(), without].map(|new| insert_grant(store, new));
    assert_ne!(one, other);
}

pub(super) fn o32_a_code_is_redeemed_once(harness: &mut AreaHarness<Oauth>) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    let id = insert_grant(store, fixture.grant("code"));
    let untouched = insert_grant(store, fixture.grant("other"));
    let outcome = redeem(store, "code", fixture.pair(id, "first"), 9);
    let pair = find_pair(store, "first").expect("the pair was issued");
    assert_eq!(outcome, Redemption::Redeemed(pair.id));
    assert_eq!((pair.grant_id, pair.state), (id, TokenPairState::Current));
    let redeemed = GrantState::Redeemed { at: timestamp(9) };
    let expected = Grant {
        state: redeemed,
        ..as_stored(id, &fixture.grant("code"))
    };
    assert_eq!(find_grant(store, id), expected);
    let outcome = redeem(store, "code", fixture.pair(id, "second"), 10);
    assert_eq!(outcome, Redemption::AlreadyUsed(id));
    assert_eq!(find_pair(store, "second"), None, "nothing was written");
    assert_eq!(find_grant(store, id), expected, "the first timestamp stays");
    assert_eq!(state_of(store, "first"), TokenPairState::Current);
    assert_eq!(find_grant(store, untouched).state, GrantState::Issued);
}

pub(super) fn o33_exactly_one_concurrent_redemption_of_a_code_succeeds(
    harness: &mut AreaHarness<Oauth>,
) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    let id = insert_grant(store, fixture.grant("code"));
    let outcomes = race(100, |thread| {
        let pair = fixture.pair(id, &format!("racer {thread}"));
        redeem(store, "code", pair, 9)
    });
    let mut winners = Vec::new();
    for (thread, outcome) in outcomes.into_iter().enumerate() {
        let issued = find_pair(store, &format!("racer {thread}"));
        match outcome {
            Redemption::Redeemed(pair) => {
                assert_eq!(issued.map(|issued| issued.id), Some(pair));
                winners.push(pair);
            }
            loser => {
                assert_eq!(loser, Redemption::AlreadyUsed(id));
                assert_eq!(issued, None, "the loser {thread} got nothing");
            }
        }
    }
    assert_eq!(winners.len(), 1, "{winners:?}");
}

pub(super) fn o34_a_revoked_code_is_not_redeemed(harness: &mut AreaHarness<Oauth>) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    let id = insert_grant(store, fixture.grant("code"));
    assert!(write(store, move |tx| tx.revoke_grant(id, timestamp(3))));
    let outcome = redeem(store, "code", fixture.pair(id, "pair"), 4);
    assert_eq!(outcome, Redemption::AlreadyUsed(id));
    assert_eq!(find_pair(store, "pair"), None);
    let revoked = GrantState::Revoked { at: timestamp(3) };
    assert_eq!(find_grant(store, id).state, revoked);
}

pub(super) fn o35_a_refused_redemption_uses_up_no_code(harness: &mut AreaHarness<Oauth>) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    fixture.redeemed(store, "taken");
    let id = insert_grant(store, fixture.grant("code"));
    let code: SecretDigest = digest("code");
    let same = fixture.pair(id, "taken");
    let again = store.change(move |tx| tx.redeem_code(&code, &same, timestamp(4)));
    let error = again.wait().unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Conflict, "{error}");
    assert_eq!(find_grant(store, id).state, GrantState::Issued);
    let new = fixture.pair(id, "undone");
    let refused = store.change(move |tx| {
        let outcome = tx.redeem_code(&code, &new, timestamp(5))?;
        assert!(matches!(outcome, Redemption::Redeemed(_)), "{outcome:?}");
        Err::<(), _>(refusal())
    });
    assert!(refused.wait().is_err());
    assert_eq!(find_grant(store, id).state, GrantState::Issued);
    assert_eq!(find_pair(store, "undone"), None);
    let outcome = redeem(store, "code", fixture.pair(id, "undone"), 6);
    assert!(matches!(outcome, Redemption::Redeemed(_)), "{outcome:?}");
}
