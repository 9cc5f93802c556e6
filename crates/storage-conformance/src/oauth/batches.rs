//! A batch has the same effect as its operations one after the other.

use api_conventions::ids::GrantId;
use oauth_provider::{CodeRedemption, NewTokenPair, PairRotation, Redemption, Rotation};

use super::samples::{
    Fixture, digest, find_grant, find_pair, insert_grant, of_user, refresh, seed, state_of, write,
};
use crate::areas::{AreaHarness, Oauth};
use crate::samples::{race, timestamp};

/// Number of codes or pairs that racing groups share.
const MANY: usize = 12;

/// Number of racing groups.
const GROUPS: usize = 16;

fn redemption(code: &str, pair: NewTokenPair) -> CodeRedemption {
    CodeRedemption {
        code: digest(code),
        pair,
        now: timestamp(9),
    }
}

fn rotation(old: &str, number: usize, successor: NewTokenPair) -> PairRotation {
    PairRotation {
        refresh: refresh(old),
        seed: seed(number),
        successor,
        now: timestamp(9),
    }
}

/// The numbers from 0 to [`MANY`], in a different order for each group.
fn order_of(group: usize) -> impl Iterator<Item = usize> {
    (0..MANY).map(move |place| (place * 5 + group) % MANY)
}

pub(super) fn o36_codes_are_redeemed_together_as_one_after_the_other(
    harness: &mut AreaHarness<Oauth>,
) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    let [one, other, ended, bystander] =
        ["one", "other", "ended", "bystander"].map(|code| insert_grant(store, fixture.grant(code)));
    write(store, move |tx| tx.revoke_grant(ended, timestamp(3)));
    let group = [
        redemption("other", fixture.pair(other, "of the other")),
        redemption("nobody's", fixture.pair(one, "of nobody")),
        redemption("ended", fixture.pair(ended, "of the ended")),
        redemption("one", fixture.pair(one, "of the one")),
        redemption("one", fixture.pair(one, "again")),
    ];
    let outcomes = write(store, move |tx| tx.redeem_codes(&group));
    let issued = ["of the other", "of the one"]
        .map(|text| find_pair(store, text).expect("the pair was issued"));
    let expected = [
        Redemption::Redeemed(issued[0].id),
        Redemption::Unknown,
        Redemption::AlreadyUsed(ended),
        Redemption::Redeemed(issued[1].id),
        Redemption::AlreadyUsed(one),
    ];
    assert_eq!(outcomes, expected);
    assert_eq!([issued[0].grant_id, issued[1].grant_id], [other, one]);
    for text in ["of nobody", "of the ended", "again"] {
        assert_eq!(find_pair(store, text), None, "{text}");
    }
    let untouched = find_grant(store, bystander);
    let none = write(store, |tx| tx.redeem_codes(&[]));
    assert_eq!((none, find_grant(store, bystander)), (vec![], untouched));
}

pub(super) fn o37_racing_groups_redeem_each_code_once(harness: &mut AreaHarness<Oauth>) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    let grants: Vec<GrantId> = (0..MANY)
        .map(|number| insert_grant(store, fixture.grant(&format!("code {number}"))))
        .collect();
    let outcomes = race(GROUPS, |group| {
        let expected: Vec<CodeRedemption> = order_of(group)
            .map(|number| {
                let pair = fixture.pair(grants[number], &format!("{group} {number}"));
                redemption(&format!("code {number}"), pair)
            })
            .collect();
        write(store, move |tx| tx.redeem_codes(&expected))
    });
    let redeemed = outcomes
        .into_iter()
        .flatten()
        .filter(|outcome| matches!(outcome, Redemption::Redeemed(_)));
    assert_eq!(redeemed.count(), MANY);
    assert_eq!(count_issued(store), MANY);
}

/// Number of token pairs that racing groups were issued.
fn count_issued(store: &Oauth) -> usize {
    let all = (0..GROUPS).flat_map(|group| (0..MANY).map(move |number| (group, number)));
    all.filter(|(group, number)| find_pair(store, &format!("{group} {number}")).is_some())
        .count()
}

pub(super) fn o46_locking_returns_grants_and_families_in_the_requested_order(
    harness: &mut AreaHarness<Oauth>,
) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    let [one, other] = ["one", "other"].map(|text| fixture.redeemed(store, text));
    let codes = ["other", "nobody's", "one", "other"].map(digest);
    let locked = write(store, move |tx| tx.lock_grants_by_code(&codes));
    let [first, second] = [other, one].map(|id| Some(find_grant(store, id)));
    assert_eq!(locked, [first.clone(), None, second.clone(), first.clone()]);
    let tokens = ["other", "nobody's", "one", "other"].map(refresh);
    let families = write(store, move |tx| tx.lock_families(&tokens));
    let [of_other, of_one] =
        [("other", first), ("one", second)].map(|(text, grant)| find_pair(store, text).zip(grant));
    assert_eq!(families, [of_other.clone(), None, of_one, of_other]);
}

pub(super) fn o47_pairs_are_rotated_together_as_one_after_the_other(
    harness: &mut AreaHarness<Oauth>,
) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    let [one, other, ended] = ["one", "other", "ended"].map(|text| fixture.redeemed(store, text));
    fixture.redeemed(store, "bystander");
    write(store, move |tx| tx.revoke_grant(ended, timestamp(3)));
    let bare = NewTokenPair {
        refresh: None,
        subject: of_user(fixture.ann),
        ..fixture.pair(other, "after the other")
    };
    let group = [
        rotation("other", 1, bare),
        rotation("nobody's", 2, fixture.pair(one, "after nobody")),
        rotation("ended", 3, fixture.pair(ended, "after the end")),
        rotation("one", 4, fixture.pair(one, "after the one")),
        rotation("one", 5, fixture.pair(one, "again")),
    ];
    let successor = group[0].successor.access;
    let outcomes = write(store, move |tx| tx.rotate_pairs(&group));
    let after_other = write(store, move |tx| tx.find_pair_by_access(&successor));
    let after_other = after_other.expect("the pair was issued");
    assert_eq!(
        (after_other.grant_id, after_other.refresh_expires_at),
        (other, None)
    );
    let current_pair = |text| Box::new(find_pair(store, text).expect("the row exists"));
    let expected = [
        Rotation::Rotated(after_other.id),
        Rotation::Unknown,
        Rotation::NotCurrent(current_pair("ended")),
        Rotation::Rotated(current_pair("after the one").id),
        Rotation::NotCurrent(current_pair("one")),
    ];
    assert_eq!(outcomes, expected);
    let rotated = |number| oauth_provider::TokenPairState::Rotated {
        at: timestamp(9),
        seed: seed(number),
    };
    assert_eq!(state_of(store, "one"), rotated(4), "the first seed stays");
    assert_eq!(state_of(store, "other"), rotated(1));
    let current = oauth_provider::TokenPairState::Current;
    assert_eq!(state_of(store, "bystander"), current);
    for text in ["after nobody", "after the end", "again"] {
        assert_eq!(find_pair(store, text), None, "{text}");
    }
}

pub(super) fn o48_racing_groups_rotate_each_pair_once(harness: &mut AreaHarness<Oauth>) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    let grants: Vec<GrantId> = (0..MANY)
        .map(|number| fixture.redeemed(store, &format!("old {number}")))
        .collect();
    let outcomes = race(GROUPS, |group| {
        let expected: Vec<PairRotation> = order_of(group)
            .map(|number| {
                let next = fixture.pair(grants[number], &format!("{group} {number}"));
                rotation(&format!("old {number}"), group, next)
            })
            .collect();
        write(store, move |tx| tx.rotate_pairs(&expected))
    });
    let rotated = outcomes
        .into_iter()
        .flatten()
        .filter(|outcome| matches!(outcome, Rotation::Rotated(_)));
    assert_eq!(rotated.count(), MANY);
    assert_eq!(count_issued(store), MANY);
}
