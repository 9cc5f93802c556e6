//! Access tokens, and the epoch under which they are trusted.

use accounts::{AccountRepository, NewToken, TokenFilter, TokenKind, TokenState, TokenValidity};
use api_conventions::ids::{NamespaceId, ProjectId, TokenId, UserId};
use api_conventions::page::Total;
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::CalendarDate;
use storage::{StoreError, StoreExt as _};

use super::{insert, user};
use crate::areas::{Accounts, AreaHarness};
use crate::probe_rows::refusal;
use crate::samples::{page, race, timestamp};

/// A token of a user, whose secret is its name.
pub(crate) fn token(user_id: UserId, name: &str) -> NewToken {
    NewToken {
        user_id,
        name: name.to_owned(),
        kind: TokenKind::Personal,
        family_id: None,
        scopes: ScopeSet::parse("api").unwrap(),
        digest: SecretDigest::of(name),
        expires_on: CalendarDate::parse("2030-01-01").unwrap(),
        creator_id: None,
        created_at: timestamp(0),
    }
}

fn insert_token(tx: &mut dyn AccountRepository) -> Result<TokenId, StoreError> {
    let ann = insert(tx, &user("ann"))?;
    tx.insert_token(&token(ann, "token"))
}

pub(super) fn a22_a_token_is_revoked_once_and_the_first_timestamp_stays(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    let id = store.change(|tx| insert_token(tx));
    let id = id.wait().unwrap();
    let outcomes = race(6, |thread| {
        let at = timestamp(i64::try_from(thread).unwrap());
        let revoked = store.change(move |tx| tx.revoke_token(id, at));
        (revoked.wait().unwrap(), at)
    });
    let mut first = outcomes.iter().filter(|(revoked, _)| *revoked);
    let (_, at) = *first.next().expect("one of the callers revoked it");
    assert_eq!(first.next(), None, "{outcomes:?}");
    let later = store.change(move |tx| {
        assert!(!tx.revoke_token(TokenId::new(i64::MAX), timestamp(9))?);
        tx.revoke_token(id, timestamp(9))
    });
    assert!(!later.wait().unwrap());
    let found = store.query(|tx| tx.find_token_by_digest(&SecretDigest::of("token")));
    let found = found.wait().unwrap().expect("the row still exists");
    assert_eq!(found.state, TokenState::Revoked { at });
}

pub(super) fn a23_the_time_of_last_use_only_moves_forward(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let id = store.change(|tx| insert_token(tx));
    let id = id.wait().unwrap();
    for (seconds, noted) in [(10, 10), (5, 10), (10, 10), (11, 11)] {
        let unknown = TokenId::new(i64::MAX);
        let used = [(unknown, timestamp(seconds)), (id, timestamp(seconds))];
        let touched = store.change(move |tx| tx.touch_tokens(&used));
        touched.wait().unwrap();
        let found = store.query(|tx| tx.find_token_by_digest(&SecretDigest::of("token")));
        let found = found.wait().unwrap().expect("the row still exists");
        assert_eq!(found.last_used_at, Some(timestamp(noted)));
    }
    store.change(|tx| tx.touch_tokens(&[])).wait().unwrap();
}

pub(super) fn a24_the_epoch_grows_with_every_raise(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let mut last = store.query(|tx| tx.auth_epoch()).wait().unwrap();
    for _ in 0..3 {
        let raised = store.change(|tx| tx.raise_auth_epoch(&[]));
        assert_eq!(raised.wait().unwrap(), last + 1);
        last = store.query(|tx| tx.auth_epoch()).wait().unwrap();
        let again = store.query(|tx| tx.auth_epoch()).wait().unwrap();
        assert_eq!(again, last, "reading the epoch does not raise it");
    }
}

pub(super) fn a25_racing_raises_never_give_the_same_epoch(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let before = store.query(|tx| tx.auth_epoch()).wait().unwrap();
    let mut raised = race(8, |_| {
        let mut given = Vec::new();
        for _ in 0..10 {
            let raised = store.change(|tx| tx.raise_auth_epoch(&[]));
            given.push(raised.wait().unwrap());
        }
        given
    })
    .concat();
    raised.sort_unstable();
    let expected: Vec<i64> = (before + 1..=before + 80).collect();
    assert_eq!(raised, expected);
}

pub(super) fn a26_a_refused_write_raises_no_epoch(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let before = store.query(|tx| tx.auth_epoch()).wait().unwrap();
    let refused = store.change(|tx| {
        tx.raise_auth_epoch(&[])?;
        Err::<(), _>(refusal())
    });
    assert!(refused.wait().is_err());
    let after = store.query(|tx| tx.auth_epoch()).wait().unwrap();
    assert_eq!(after, before);
}

pub(super) fn a28_token_names_are_listed_once_per_id_and_unknown_ids_are_left_out(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    let inserted = store.change(|tx| {
        let ann = insert(tx, &user("ann"))?;
        let ben = insert(tx, &user("ben"))?;
        let first = tx.insert_token(&token(ann, "first"))?;
        tx.insert_token(&token(ann, "second"))?;
        let third = tx.insert_token(&token(ben, "third"))?;
        assert!(tx.revoke_token(third, timestamp(1))?);
        Ok([first, third])
    });
    let [first, third] = inserted.wait().unwrap();
    let list = |requested: Vec<TokenId>| {
        let listed = store.query(move |tx| tx.list_token_names(&requested));
        let mut listed = listed.wait().unwrap();
        listed.sort();
        listed
    };
    let unknown = TokenId::new(i64::MAX);
    let expected = [(first, "first".to_owned()), (third, "third".to_owned())];
    assert_eq!(list(vec![third, first, unknown, third]), expected);
    assert_eq!(list(vec![unknown]), []);
    assert_eq!(list(Vec::new()), []);
}

/// Inserts tokens of two users: of the first one a plain token, one that expired when 2024 began, a revoked one
/// and an impersonation token; of the second one a used token. Returns the ids of the users.
fn insert_various(tx: &mut dyn AccountRepository) -> Result<[UserId; 2], StoreError> {
    let ann = insert(tx, &user("ann"))?;
    let ben = insert(tx, &user("ben"))?;
    let new = |user_id, name: &str, seconds| NewToken {
        digest: SecretDigest::of(name),
        created_at: timestamp(seconds),
        ..token(user_id, name)
    };
    tx.insert_token(&new(ann, "Plain100%", 1))?;
    let expired = NewToken {
        expires_on: CalendarDate::parse("2024-01-01").unwrap(),
        ..new(ann, "expired", 2)
    };
    tx.insert_token(&expired)?;
    let revoked = tx.insert_token(&new(ann, "revoked", 3))?;
    assert!(tx.revoke_token(revoked, timestamp(9))?);
    let lent = NewToken {
        kind: TokenKind::Impersonation,
        ..new(ann, "lent", 4)
    };
    tx.insert_token(&lent)?;
    let used = tx.insert_token(&new(ben, "used", 5))?;
    tx.touch_tokens(&[(used, timestamp(7))])?;
    Ok([ann, ben])
}

pub(super) fn a29_a_token_is_found_by_its_id(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let id = store.change(|tx| insert_token(tx)).wait().unwrap();
    let found = store.query(move |tx| {
        let by_digest = tx.find_token_by_digest(&SecretDigest::of("token"))?;
        let unknown = tx.find_token(TokenId::new(i64::MAX))?;
        Ok((tx.find_token(id)?, by_digest, unknown))
    });
    let (by_id, by_digest, unknown) = found.wait().unwrap();
    assert_eq!(by_id.as_ref().map(|token| token.id), Some(id));
    assert_eq!(by_id, by_digest);
    assert_eq!(unknown, None);
}

/// The default filter with a change.
fn with(change: impl FnOnce(&mut TokenFilter)) -> TokenFilter {
    let mut filter = TokenFilter::default();
    change(&mut filter);
    filter
}

/// Asserts that a filter lists the tokens with these names, separated by spaces.
#[track_caller]
fn check_list(store: &Accounts, filter: &TokenFilter, expected: &str) {
    let requested = filter.clone();
    let listed = store.query(move |tx| tx.list_tokens(&requested, page(1, 100)));
    let listed = listed.wait().unwrap();
    let names: Vec<&str> = listed.items.iter().map(|token| &*token.name).collect();
    assert_eq!(names.join(" "), expected, "{filter:?}");
    let count = u64::try_from(names.len()).unwrap();
    let size = (listed.total, listed.has_next);
    assert_eq!(size, (Total::Exact(count), false), "{filter:?}");
}

pub(super) fn a35_tokens_are_listed_by_every_condition(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let [ann, ben] = store.change(|tx| insert_various(tx)).wait().unwrap();
    let day = |text| CalendarDate::parse(text).unwrap();
    let valid = |text| Some(TokenValidity::Valid(day(text)));
    let invalid = |text| Some(TokenValidity::Invalid(day(text)));
    let unknown = UserId::new(i64::MAX);
    let check = |expected, change: &dyn Fn(&mut TokenFilter)| {
        check_list(store, &with(change), expected);
    };
    check("Plain100% expired revoked lent used", &|_| {});
    check("Plain100% expired revoked lent", &|f| f.user_id = Some(ann));
    check("used", &|f| f.user_id = Some(ben));
    check("", &|f| f.user_id = Some(unknown));
    check("lent", &|f| f.kind = Some(TokenKind::Impersonation));
    check("Plain100% expired revoked used", &|f| {
        f.kind = Some(TokenKind::Personal);
    });
    check("Plain100% expired lent used", &|f| {
        f.validity = valid("2023-12-31");
    });
    check("Plain100% lent used", &|f| f.validity = valid("2024-01-01"));
    check("revoked", &|f| f.validity = invalid("2023-12-31"));
    check("expired revoked", &|f| f.validity = invalid("2024-01-01"));
    check("revoked", &|f| f.is_revoked = Some(true));
    check("Plain100% expired lent used", &|f| {
        f.is_revoked = Some(false);
    });
    check("Plain100%", &|f| f.search = Some("N100%".to_owned()));
    check("", &|f| f.search = Some("100_".to_owned()));
    check("lent used", &|f| f.created_after = Some(timestamp(3)));
    check("Plain100%", &|f| f.created_before = Some(timestamp(2)));
    check("used", &|f| f.last_used_after = Some(timestamp(6)));
    check("", &|f| f.last_used_after = Some(timestamp(7)));
    check("used", &|f| f.last_used_before = Some(timestamp(8)));
    check("", &|f| f.last_used_before = Some(timestamp(7)));
    check("Plain100% expired", &|f| {
        (f.user_id, f.kind) = (Some(ann), Some(TokenKind::Personal));
        f.is_revoked = Some(false);
    });
}

pub(super) fn a36_pages_of_tokens_have_each_token_once(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    store.change(|tx| insert_various(tx)).wait().unwrap();
    let mut seen = Vec::new();
    for number in 1..=3 {
        let listed =
            store.query(move |tx| tx.list_tokens(&TokenFilter::default(), page(number, 2)));
        let listed = listed.wait().unwrap();
        assert_eq!(
            (listed.total, listed.has_next),
            (Total::Exact(5), number < 3)
        );
        seen.extend(listed.items.into_iter().map(|token| token.id));
    }
    assert_eq!(seen.len(), 5);
    assert!(seen.is_sorted(), "{seen:?}");
    let beyond = store.query(|tx| tx.list_tokens(&TokenFilter::default(), page(4, 2)));
    assert!(beyond.wait().unwrap().items.is_empty());
}

pub(super) fn a37_the_active_successor_of_a_family_is_found(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let rotated = store.change(|tx| {
        let first = insert_token(tx)?;
        let ann = tx.find_token(first)?.unwrap().user_id;
        let successor = |name: &str| NewToken {
            family_id: Some(first),
            ..token(ann, name)
        };
        let second = tx.insert_token(&successor("second"))?;
        tx.revoke_token(second, timestamp(1))?;
        let third = tx.insert_token(&successor("third"))?;
        let other = tx.insert_token(&token(ann, "other"))?;
        Ok([first, second, third, other])
    });
    let [first, second, third, other] = rotated.wait().unwrap();
    let check = |family, after, expected: Option<TokenId>| {
        let found = store.query(move |tx| tx.find_successor_token(family, after));
        let found = found.wait().unwrap().map(|token| token.id);
        assert_eq!(found, expected, "after {after} in the family of {family}");
    };
    check(first, first, Some(third));
    check(first, second, Some(third));
    check(first, third, None);
    check(other, other, None);
    check(second, second, None);
    let revoked = store.change(move |tx| tx.revoke_token(third, timestamp(2)));
    assert!(revoked.wait().unwrap());
    check(first, first, None);
}

pub(super) fn a38_tokens_of_a_place_are_listed_apart_from_others(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    let kinds = [
        TokenKind::Project(ProjectId::new(7)),
        TokenKind::Project(ProjectId::new(8)),
        TokenKind::Group(NamespaceId::new(7)),
    ];
    let inserted = store.change(move |tx| {
        let ann = insert(tx, &user("ann"))?;
        tx.insert_token(&token(ann, "own"))?;
        for (kind, name) in kinds.into_iter().zip(["seven", "eight", "group"]) {
            let new = NewToken {
                kind,
                ..token(ann, name)
            };
            let id = tx.insert_token(&new)?;
            let found = tx.find_token(id)?;
            assert_eq!(found.map(|token| token.kind), Some(kind));
        }
        let ended = NewToken {
            kind: kinds[0],
            ..token(ann, "ended")
        };
        let ended = tx.insert_token(&ended)?;
        tx.revoke_token(ended, timestamp(1))
    });
    assert!(inserted.wait().unwrap());
    let of = |kind| TokenFilter::of_kind(kind);
    check_list(store, &of(kinds[0]), "seven ended");
    check_list(store, &of(kinds[1]), "eight");
    check_list(store, &of(kinds[2]), "group");
    check_list(store, &of(TokenKind::Personal), "own");
    check_list(store, &of(TokenKind::Project(ProjectId::new(9))), "");
    let active = TokenFilter {
        is_revoked: Some(false),
        ..of(kinds[0])
    };
    check_list(store, &active, "seven");
}

pub(super) fn a56_expiring_tokens_are_announced_once(harness: &mut AreaHarness<Accounts>) {
    let day = |text: &str| CalendarDate::parse(text).unwrap();
    let done = harness.store().change(move |tx| {
        let ann = insert(tx, &user("ann"))?;
        let mut ids = Vec::new();
        for (name, date) in [
            ("expired", "2030-01-01"),
            ("later", "2030-01-05"),
            ("soon", "2030-01-02"),
            ("revoked", "2030-01-03"),
            ("next", "2030-01-09"),
        ] {
            ids.push(tx.insert_token(&NewToken {
                expires_on: day(date),
                ..token(ann, name)
            })?);
        }
        tx.revoke_token(ids[3], timestamp(1))?;
        let mut announce = |limit| {
            let found = tx.announce_expiring_tokens(day("2030-01-01"), day("2030-01-09"), limit)?;
            Ok::<_, StoreError>(found.iter().map(|token| token.id).collect::<Vec<_>>())
        };
        assert_eq!(announce(0)?, []);
        assert_eq!(announce(1)?, [ids[2]]);
        assert_eq!(announce(9)?, [ids[1]]);
        assert_eq!(announce(9)?, []);
        let token = tx.find_token(ids[2])?.map(|token| token.name);
        assert_eq!(token.as_deref(), Some("soon"));
        Ok(())
    });
    done.wait().unwrap();
}
