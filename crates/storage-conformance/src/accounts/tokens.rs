//! Access tokens, and the epoch under which they are trusted.

use accounts::{AccountRepository, NewToken, TokenKind, TokenState};
use api_conventions::ids::{TokenId, UserId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::CalendarDate;
use storage::{StoreError, StoreExt as _};

use super::{insert, user};
use crate::areas::{Accounts, AreaHarness};
use crate::probe_rows::refusal;
use crate::samples::{race, timestamp};

/// A token of a user, whose secret is its name.
pub(crate) fn token(user_id: UserId, name: &str) -> NewToken {
    NewToken {
        user_id,
        name: name.to_owned(),
        kind: TokenKind::Personal,
        scopes: ScopeSet::parse("api").unwrap(),
        digest: SecretDigest::of(name),
        expires_on: CalendarDate::parse("2030-01-01").unwrap(),
        created_at: timestamp(0),
    }
}

fn insert_token(tx: &mut dyn AccountRepository) -> Result<TokenId, StoreError> {
    let ann = insert(tx, &user("ann"))?;
    tx.insert_token(&token(ann, "token"))
}

pub(super) fn a22_a_token_is_revoked_once_and_the_first_moment_stays(
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

pub(super) fn a23_use_is_noted_forward_only(harness: &mut AreaHarness<Accounts>) {
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

pub(super) fn a28_names_of_tokens_are_listed_once_whatever_is_asked(
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
