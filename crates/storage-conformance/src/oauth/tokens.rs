//! Pairs of tokens, and their rotation.

use api_conventions::ids::GrantId;
use api_conventions::time::Timestamp;
use oauth_provider::{
    GrantState, NewGrant, NewTokenPair, Rotation, TokenPair, TokenPairState, TokenSubject,
};
use storage::{StoreErrorKind, StoreExt as _};

use super::samples::{
    Fixture, access, find_grant, find_pair, insert_grant, of_user, read, refresh, scopes, seed,
    state_of, write,
};
use crate::areas::{AreaHarness, Oauth};
use crate::probe_rows::refusal;
use crate::samples::{race, timestamp};

/// Replaces the pair `old` with `new`.
fn rotate(store: &Oauth, old: &str, number: usize, new: NewTokenPair) -> Rotation {
    let refresh = refresh(old);
    write(store, move |tx| {
        tx.rotate_pair(&refresh, seed(number), &new, timestamp(9))
    })
}

fn rotated(number: usize) -> TokenPairState {
    TokenPairState::Rotated {
        at: timestamp(9),
        seed: seed(number),
    }
}

pub(super) fn o40_a_pair_comes_back_as_it_was_written(harness: &mut AreaHarness<Oauth>) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    let without_code = NewGrant {
        code: None,
        subject: of_user(fixture.ann),
        ..fixture.grant("")
    };
    let bare = insert_grant(store, without_code);
    let issued = insert_grant(store, fixture.grant("code"));
    let of_nobody = NewTokenPair {
        refresh: None,
        subject: of_user(fixture.ann),
        scopes: scopes("api invoices:read https://a.example/all"),
        created_at: Timestamp::MIN,
        expires_at: Timestamp::MAX,
        ..fixture.pair(bare, "bare")
    };
    let long = NewTokenPair {
        refresh: Some((refresh("long"), Timestamp::MAX)),
        ..fixture.pair(issued, "long")
    };
    let of_application = NewTokenPair {
        access: access("of the application"),
        subject: TokenSubject::Application(fixture.app),
        ..of_nobody.clone()
    };
    for new in [
        of_nobody,
        of_application,
        long,
        fixture.pair(issued, "plain"),
    ] {
        let written = new.clone();
        let id = write(store, move |tx| tx.insert_pair(&written));
        let expected = TokenPair {
            id,
            grant_id: new.grant_id,
            subject: new.subject,
            scopes: new.scopes,
            created_at: new.created_at,
            expires_at: new.expires_at,
            refresh_expires_at: new.refresh.map(|(_, end)| end),
            state: TokenPairState::Current,
        };
        let found = read(store, move |tx| tx.find_pair_by_access(&new.access));
        assert_eq!(found.as_ref(), Some(&expected));
        if let Some((refresh, _)) = new.refresh {
            let found = read(store, move |tx| tx.find_pair_by_refresh(&refresh));
            assert_eq!(found.as_ref(), Some(&expected));
        }
    }
    let state = find_grant(store, issued).state;
    assert_eq!(state, GrantState::Issued, "issuing does not redeem");
}

pub(super) fn o41_tokens_are_unique(harness: &mut AreaHarness<Oauth>) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    let id = fixture.redeemed(store, "pair");
    let first = find_pair(store, "pair");
    let same_access = NewTokenPair {
        access: access("pair"),
        ..fixture.pair(id, "second")
    };
    let same_refresh = NewTokenPair {
        access: access("third"),
        ..fixture.pair(id, "pair")
    };
    for new in [same_access, same_refresh] {
        let again = store.change(move |tx| tx.insert_pair(&new));
        let error = again.wait().unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Conflict, "{error}");
    }
    assert_eq!(find_pair(store, "pair"), first);
    assert_eq!(find_pair(store, "second"), None);
    // Any number of pairs may have no refresh token.
    for text in ["fourth", "fifth"] {
        let without = NewTokenPair {
            refresh: None,
            ..fixture.pair(id, text)
        };
        write(store, move |tx| tx.insert_pair(&without));
    }
}

pub(super) fn o42_a_rotated_pair_gives_way_to_its_successor(harness: &mut AreaHarness<Oauth>) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    let id = fixture.redeemed(store, "old");
    fixture.redeemed(store, "bystander");
    let old = find_pair(store, "old").expect("the row exists");
    let new = NewTokenPair {
        scopes: scopes(""),
        created_at: timestamp(9),
        ..fixture.pair(id, "new")
    };
    let outcome = rotate(store, "old", 200, new);
    let successor = find_pair(store, "new").expect("the pair was issued");
    assert_eq!(outcome, Rotation::Rotated(successor.id));
    assert!(successor.id > old.id);
    assert_eq!(successor.state, TokenPairState::Current);
    assert_eq!((successor.grant_id, successor.scopes), (id, scopes("")));
    let replaced = TokenPair {
        state: rotated(200),
        ..old
    };
    assert_eq!(find_pair(store, "old"), Some(replaced));
    assert_eq!(state_of(store, "bystander"), TokenPairState::Current);
    let redeemed = GrantState::Redeemed { at: timestamp(1) };
    assert_eq!(find_grant(store, id).state, redeemed);
    rotate(store, "new", 7, fixture.pair(id, "newer"));
    assert_eq!(state_of(store, "old"), rotated(200));
    assert_eq!(state_of(store, "new"), rotated(7));
    assert_eq!(state_of(store, "newer"), TokenPairState::Current);
}

pub(super) fn o43_a_pair_is_rotated_once(harness: &mut AreaHarness<Oauth>) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    let id = fixture.redeemed(store, "old");
    rotate(store, "old", 1, fixture.pair(id, "new"));
    let standing = find_pair(store, "old").expect("the row exists");
    let outcome = rotate(store, "old", 2, fixture.pair(id, "second"));
    assert_eq!(outcome, Rotation::NotCurrent(Box::new(standing)));
    assert_eq!(state_of(store, "old"), rotated(1), "the first seed stays");
    assert_eq!(find_pair(store, "second"), None, "nothing was written");
    let by_access = write(store, move |tx| {
        tx.rotate_pair(
            &access("new"),
            seed(3),
            &fixture.pair(id, "third"),
            timestamp(9),
        )
    });
    assert_eq!(
        by_access,
        Rotation::Unknown,
        "an access token cannot refresh"
    );
    assert_eq!(state_of(store, "new"), TokenPairState::Current);
    write(store, move |tx| tx.revoke_grant(id, timestamp(20)));
    let revoked = find_pair(store, "new").expect("the row exists");
    let outcome = rotate(store, "new", 4, fixture.pair(id, "fourth"));
    assert_eq!(outcome, Rotation::NotCurrent(Box::new(revoked)));
    assert_eq!(
        find_pair(store, "fourth"),
        None,
        "an ended grant issues no pair"
    );
}

pub(super) fn o44_exactly_one_concurrent_rotation_of_a_pair_succeeds(
    harness: &mut AreaHarness<Oauth>,
) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    let id = fixture.redeemed(store, "old");
    let outcomes = race(100, |thread| {
        let new = fixture.pair(id, &format!("racer {thread}"));
        rotate(store, "old", thread, new)
    });
    let winners = outcomes.iter().enumerate().filter_map(|(thread, outcome)| {
        let won = matches!(outcome, Rotation::Rotated(_));
        won.then_some(thread)
    });
    let winners: Vec<usize> = winners.collect();
    assert_eq!(winners.len(), 1, "{winners:?}");
    for (thread, outcome) in outcomes.into_iter().enumerate() {
        let issued = find_pair(store, &format!("racer {thread}"));
        if let Rotation::Rotated(pair) = outcome {
            assert_eq!(issued.map(|issued| issued.id), Some(pair));
            continue;
        }
        assert_eq!(issued, None, "the loser {thread} got nothing");
        let Rotation::NotCurrent(standing) = outcome else {
            panic!("{thread} got {outcome:?}");
        };
        assert_eq!(
            standing.state,
            rotated(winners[0]),
            "the seed of the winner"
        );
    }
}

pub(super) fn o45_a_refused_rotation_changes_nothing(harness: &mut AreaHarness<Oauth>) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    let id: GrantId = fixture.redeemed(store, "old");
    fixture.redeemed(store, "taken");
    let again = store.change(move |tx| {
        tx.rotate_pair(
            &refresh("old"),
            seed(1),
            &fixture.pair(id, "taken"),
            timestamp(9),
        )
    });
    let error = again.wait().unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Conflict, "{error}");
    assert_eq!(state_of(store, "old"), TokenPairState::Current);
    let refused = store.change(move |tx| {
        let new = fixture.pair(id, "undone");
        let outcome = tx.rotate_pair(&refresh("old"), seed(1), &new, timestamp(9))?;
        assert!(matches!(outcome, Rotation::Rotated(_)), "{outcome:?}");
        Err::<(), _>(refusal())
    });
    assert!(refused.wait().is_err());
    assert_eq!(state_of(store, "old"), TokenPairState::Current);
    assert_eq!(find_pair(store, "undone"), None);
    let outcome = rotate(store, "old", 2, fixture.pair(id, "undone"));
    assert!(matches!(outcome, Rotation::Rotated(_)), "{outcome:?}");
}
