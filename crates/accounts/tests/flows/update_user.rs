//! Updates of accounts.

use accounts::flow::update_user::{UpdateUserError, update_user};
use accounts::wire::{CurrentUser, PublicUser};
use accounts::{
    AccountQueries as _, CredentialRepository as _, InsertUser, NewUser, User, UserActivity,
    UserChange, UserKind, UserState,
};
use api_conventions::error::ApiError;
use api_conventions::ids::UserId;
use serde_json::{Value, json};
use storage::{Store as _, StoreError};

use crate::support::{Accounts, now, person};

fn update(
    accounts: &Accounts,
    id: UserId,
    change: &UserChange,
    by: UserId,
) -> Result<User, UpdateUserError> {
    let change = change.clone();
    let work = accounts
        .0
        .write(move |tx| update_user(tx, id, change.clone(), by));
    work.wait()
}

fn stored(accounts: &Accounts, id: UserId) -> Option<User> {
    let found = accounts.0.read(move |tx| tx.find_user(id));
    found
        .wait()
        .unwrap_or_else(|error: StoreError| panic!("{error}"))
}

/// Asserts that a change is refused with this status and writes nothing.
fn demand_refused(
    accounts: &Accounts,
    id: UserId,
    change: &UserChange,
    by: UserId,
    status: u16,
) -> Value {
    let before = stored(accounts, id);
    let refused = update(accounts, id, change, by).unwrap_err();
    let refusal = ApiError::from(refused);
    assert_eq!(refusal.status(), status, "{change:?}");
    assert_eq!(stored(accounts, id), before, "{change:?}");
    refusal.body().clone()
}

fn everything() -> UserChange {
    UserChange {
        name: Some(" Ann B ".to_owned()),
        email: Some("ann@example.com".to_owned()),
        is_admin: Some(true),
        private_profile: Some(true),
    }
}

fn named(name: &str) -> UserChange {
    UserChange {
        name: Some(name.to_owned()),
        ..UserChange::default()
    }
}

#[test]
fn administrators_can_change_any_user() {
    let accounts = Accounts::default();
    let (ann, root) = (accounts.user("ann"), accounts.admin("root"));
    let before = stored(&accounts, ann).unwrap();
    let changed = update(&accounts, ann, &everything(), root).unwrap();
    let expected = User {
        name: "Ann B".to_owned(),
        email: "ann@example.com".to_owned(),
        is_admin: true,
        private_profile: true,
        ..before
    };
    assert_eq!(changed, expected);
    assert_eq!(stored(&accounts, ann), Some(expected));
    let unchanged = update(&accounts, ann, &UserChange::default(), root).unwrap();
    assert_eq!(unchanged, changed);
}

#[test]
fn others_change_their_own_name_and_privacy_and_no_more() {
    let accounts = Accounts::default();
    let (ann, bob) = (accounts.user("ann"), accounts.user("bob"));
    let personal = UserChange {
        private_profile: Some(true),
        ..named("Ann")
    };
    let changed = update(&accounts, ann, &personal, ann).unwrap();
    assert_eq!((&*changed.name, changed.private_profile), ("Ann", true));
    let nobody = UserId::new(999);
    for (id, change) in [
        (bob, personal.clone()),
        (bob, UserChange::default()),
        (nobody, personal),
        (ann, everything()),
    ] {
        let body = demand_refused(&accounts, id, &change, ann, 403);
        assert_eq!(body, json!({ "message": "403 Forbidden" }));
    }
}

#[test]
fn a_blocked_administrator_changes_nobody_and_nobody_changes_a_bot() {
    let accounts = Accounts::default();
    let (ann, root) = (accounts.user("ann"), accounts.admin("root"));
    let bot = NewUser {
        kind: UserKind::AlertBot,
        ..person("alert-bot", "")
    };
    let InsertUser::Inserted(bot) = accounts.insert(bot) else {
        panic!("the name is free");
    };
    demand_refused(&accounts, bot, &named("Ann"), root, 403);
    demand_refused(&accounts, UserId::new(999), &named("Ann"), root, 404);
    accounts.write(move |tx| tx.set_user_state(root, UserState::Blocked { at: now() }));
    demand_refused(&accounts, ann, &named("Ann"), root, 403);
}

#[test]
fn invalid_fields_are_named_and_email_addresses_are_unique() {
    let accounts = Accounts::default();
    let (ann, root) = (accounts.user("ann"), accounts.admin("root"));
    accounts.insert(person("bob", "bob@example.com"));
    let wrong = UserChange {
        email: Some("ann".to_owned()),
        ..named(" ")
    };
    let body = demand_refused(&accounts, ann, &wrong, root, 400);
    let expected = json!({ "email": ["is invalid"], "name": ["can't be blank"] });
    assert_eq!(body, json!({ "message": expected }));
    let taken = UserChange {
        email: Some("BOB@example.com".to_owned()),
        ..named("Ann")
    };
    let body = demand_refused(&accounts, ann, &taken, root, 409);
    assert_eq!(body, json!({ "message": "Email has already been taken" }));
}

#[test]
fn of_a_private_profile_others_see_less() {
    let accounts = Accounts::default();
    let ann = accounts.user("ann");
    let hidden = ["created_at", "followers", "following", "is_followed"];
    let public = |user: &User| serde_json::to_value(PublicUser::new(user, "http://h")).unwrap();
    let user = stored(&accounts, ann).unwrap();
    let before = public(&user);
    let own = serde_json::to_value(CurrentUser::new(
        &user,
        &UserActivity::default(),
        "http://h",
    ))
    .unwrap();
    assert_eq!(own["private_profile"], false);
    let user = update(&accounts, ann, &UserChange::of_privacy(true), ann).unwrap();
    let mut expected = before;
    for name in hidden {
        let removed = expected.as_object_mut().unwrap().remove(name);
        assert!(removed.is_some(), "{name}");
    }
    assert_eq!(public(&user), expected);
    let mut whole = own;
    whole["private_profile"] = json!(true);
    let own = serde_json::to_value(CurrentUser::new(
        &user,
        &UserActivity::default(),
        "http://h",
    ))
    .unwrap();
    assert_eq!(own, whole);
}
