//! Rotation of tokens, and the use of rotated ones.

use accounts::flow::authenticate::AuthenticationOutcome;
use accounts::flow::rotate_token::{
    DEFAULT_DAYS, RotateToken, RotateTokenError, SuccessorExpiry, rotate_token,
};
use accounts::flow::token_reuse::{GRACE_SECONDS, end_token_family};
use accounts::{
    AccessToken, AccountQueries as _, AuditEntity, AuditEventName, AuditFilter, AuditQueries as _,
    TokenState,
};
use api_conventions::ids::{TokenId, UserId};
use api_conventions::page::{KeysetPage, SortOrder};
use api_conventions::secret::SecretDigest;
use api_conventions::time::{CalendarDate, Timestamp};
use storage::{Store as _, StoreError};

use crate::support::{Accounts, day, now, request};

/// A request of `by` to replace a token by one with this secret.
fn rotation(id: TokenId, by: UserId, secret: &str) -> RotateToken {
    RotateToken::new(id, by, SecretDigest::of(secret), now())
}

fn rotate(accounts: &Accounts, request: RotateToken) -> Result<AccessToken, RotateTokenError> {
    let rotated = accounts.0.write(move |tx| rotate_token(tx, &request));
    rotated.wait()
}

/// Creates a token of `ann` with the secret "first", and rotates it to "second". Returns the user and both ids.
fn rotated_once(accounts: &Accounts) -> (UserId, TokenId, TokenId) {
    let ann = accounts.user("ann");
    let first = accounts.issue(request(ann, "first")).unwrap();
    let second = rotate(accounts, rotation(first, ann, "second")).unwrap();
    (ann, first, second.id)
}

/// Names of the events in a user's audit log, oldest first, with their authors.
fn audit_log(accounts: &Accounts, user: UserId) -> Vec<(AuditEventName, Option<UserId>)> {
    let page = KeysetPage::new(100, SortOrder::Ascending);
    let log = AuditFilter::of(AuditEntity::User(user));
    let listed = accounts.write(move |tx| tx.list_audit_entries(&log, None, page));
    let entries = listed.items.into_iter();
    entries
        .map(|entry| (entry.event_name, entry.author_id))
        .collect()
}

fn after_grace() -> Timestamp {
    now().plus_seconds(GRACE_SECONDS)
}

/// AUTH-09.
#[test]
fn a_successor_replaces_the_token_at_once() {
    let accounts = Accounts::default();
    let (ann, first, second) = rotated_once(&accounts);
    assert!(accounts.refuses("first", now()));
    let found = accounts.authenticated("second", now());
    assert_eq!((found.token_id, found.user.id), (second, ann));
    let [old, new] = [first, second].map(|id| {
        let token = accounts.write(move |tx| tx.find_token(id));
        token.unwrap()
    });
    assert_eq!(old.state, TokenState::Revoked { at: now() });
    assert_eq!(
        (new.family_id, &new.name, &new.scopes, new.kind),
        (Some(first), &old.name, &old.scopes, old.kind)
    );
    assert_eq!(
        audit_log(&accounts, ann),
        [
            (AuditEventName::TokenCreated, Some(ann)),
            (AuditEventName::TokenRotated, Some(ann)),
        ]
    );
}

#[test]
fn all_successors_name_the_first_token_of_their_family() {
    let accounts = Accounts::default();
    let (ann, first, second) = rotated_once(&accounts);
    let third = rotate(&accounts, rotation(second, ann, "third")).unwrap();
    assert_eq!(third.family_id, Some(first));
}

#[test]
fn the_expiry_of_a_successor_is_a_week_or_a_day_within_a_year_or_as_long_as_before() {
    let today = now().date();
    let week = CalendarDate::from_days(today.as_days() + DEFAULT_DAYS).unwrap();
    let until = |text| SuccessorExpiry::Day(day(text));
    let lives_until = |lifetime: Option<&str>, expiry| {
        let accounts = Accounts::default();
        let ann = accounts.user("ann");
        let mut issue = request(ann, "first");
        issue.expires_on = lifetime.map(day);
        let first = accounts.issue(issue).unwrap();
        let mut request = rotation(first, ann, "second");
        request.expiry = expiry;
        let rotated = rotate(&accounts, request);
        // A refused rotation leaves the token.
        assert_eq!(accounts.refuses("first", now()), rotated.is_ok());
        rotated.ok().map(|token| token.expires_on)
    };
    assert_eq!(lives_until(None, SuccessorExpiry::Default), Some(week));
    assert_eq!(
        lives_until(None, until("2024-03-02")),
        Some(day("2024-03-02"))
    );
    assert_eq!(
        lives_until(None, until("2025-03-01")),
        Some(day("2025-03-01"))
    );
    assert_eq!(lives_until(None, until("2024-03-01")), None);
    assert_eq!(lives_until(None, until("2025-03-02")), None);
    assert_eq!(
        lives_until(Some("2024-03-31"), SuccessorExpiry::SameLifetime),
        Some(day("2024-03-31"))
    );
    assert_eq!(
        lives_until(None, SuccessorExpiry::SameLifetime),
        Some(day("2025-03-01"))
    );
}

#[test]
fn a_token_is_rotated_by_its_user_or_an_administrator_and_once() {
    let accounts = Accounts::default();
    let (ann, ben) = (accounts.user("ann"), accounts.user("ben"));
    let root = accounts.admin("root");
    let first = accounts.issue(request(ann, "first")).unwrap();
    let unknown = rotation(TokenId::new(99), root, "x");
    assert!(matches!(
        rotate(&accounts, unknown),
        Err(RotateTokenError::Unknown)
    ));
    assert!(matches!(
        rotate(&accounts, rotation(first, ben, "x")),
        Err(RotateTokenError::Refused)
    ));
    assert_eq!(accounts.authenticated("first", now()).token_id, first);
    let second = rotate(&accounts, rotation(first, root, "second")).unwrap();
    assert_eq!(second.user_id, ann);
    assert!(matches!(
        rotate(&accounts, rotation(first, ann, "x")),
        Err(RotateTokenError::Revoked)
    ));
    assert!(accounts.refuses("x", now()));
}

/// Requests that were sent before the rotation can still arrive.
#[test]
fn the_use_of_a_rotated_token_ends_its_family_after_the_time_of_grace() {
    let accounts = Accounts::default();
    let (ann, first, second) = rotated_once(&accounts);
    let third = rotate(&accounts, rotation(second, ann, "third")).unwrap();
    let just_before = Timestamp::from_micros(after_grace().as_micros() - 1).unwrap();
    assert!(accounts.refuses("first", just_before));
    for (secret, id) in [("first", first), ("second", second)] {
        let outcome = accounts.outcome(secret, after_grace());
        assert_eq!(outcome, AuthenticationOutcome::Reused(id), "{secret}");
    }
    let ended = accounts.write(move |tx| end_token_family(tx, first, after_grace()));
    assert_eq!(ended.map(|token| token.id), Some(third.id));
    assert!(accounts.refuses("third", after_grace()));
    // There is nothing left to end.
    assert!(accounts.refuses("first", after_grace()));
    let again = accounts.write(move |tx| end_token_family(tx, first, after_grace()));
    assert_eq!(again, None);
    let log = audit_log(&accounts, ann);
    assert_eq!(log.last(), Some(&(AuditEventName::RotatedTokenUsed, None)));
    assert_eq!(log.len(), 4);
}

#[test]
fn the_use_of_a_revoked_token_that_was_never_rotated_ends_nothing() {
    let accounts = Accounts::default();
    let (ann, _, second) = rotated_once(&accounts);
    let other = accounts.issue(request(ann, "other")).unwrap();
    for id in [second, other] {
        assert!(accounts.revoke(id, now()));
    }
    for secret in ["first", "second", "other"] {
        assert!(accounts.refuses(secret, after_grace()), "{secret}");
    }
    let ended = accounts.write(move |tx| end_token_family(tx, TokenId::new(99), now()));
    assert_eq!(ended, None);
}

#[test]
fn a_rotation_that_is_rolled_back_leaves_the_token() {
    let accounts = Accounts::default();
    let ann = accounts.user("ann");
    let first = accounts.issue(request(ann, "first")).unwrap();
    let request = rotation(first, ann, "second");
    let undone = accounts.0.write(move |tx| {
        rotate_token(tx, &request)?;
        let kind = storage::StoreErrorKind::Unavailable;
        Err::<(), RotateTokenError>(StoreError::new(kind, "write on").into())
    });
    assert!(undone.wait().is_err());
    assert_eq!(accounts.authenticated("first", now()).token_id, first);
    assert!(accounts.refuses("second", now()));
}
