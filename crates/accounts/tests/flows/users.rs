//! Usernames and email addresses: validation and lookup.

use accounts::wire::{CurrentUser, UserSummary};
use accounts::{
    AccountQueries as _, InsertUser, NewUser, User, UserActivity, UserKind, UserState, Username,
};
use api_conventions::avatar::Avatar;
use api_conventions::error::ApiError;
use api_conventions::ids::UserId;
use api_conventions::validation::check;
use serde_json::json;
use storage::{Store as _, StoreError};

use crate::support::{Accounts, now, person};

fn find(accounts: &Accounts, username: &'static str) -> Option<User> {
    let found = accounts
        .0
        .read(move |tx| tx.find_user_by_username(username));
    found
        .wait()
        .unwrap_or_else(|error: StoreError| panic!("{error}"))
}

#[test]
fn usernames_are_found_and_unique_ignoring_case() {
    let accounts = Accounts::default();
    let ann = accounts.user("Ann.B");
    for spelling in ["ann.b", "ANN.B", "Ann.B"] {
        assert_eq!(find(&accounts, spelling).map(|user| user.id), Some(ann));
        let taken = accounts.insert(person(spelling, ""));
        assert_eq!(taken, InsertUser::UsernameTaken, "{spelling}");
    }
    assert_eq!(find(&accounts, "Ann.B").unwrap().username.as_str(), "Ann.B");
    assert_eq!(find(&accounts, "ann"), None);
}

#[test]
fn email_addresses_are_unique_ignoring_case_unless_empty() {
    let accounts = Accounts::default();
    accounts.insert(person("ann", "Ann@Example.com"));
    assert_eq!(
        accounts.insert(person("bob", "ann@example.COM")),
        InsertUser::EmailTaken
    );
    for username in ["bob", "cid"] {
        assert!(matches!(
            accounts.insert(person(username, "")),
            InsertUser::Inserted(_)
        ));
    }
    assert_eq!(find(&accounts, "ann").unwrap().email, "Ann@Example.com");
}

#[test]
fn usernames_have_the_bounds_of_a_path_segment() {
    let longest = "a".repeat(255);
    for good in [
        "a", "1", "_", "a.b", "a-b", "a_b", "git", "ann.gitx", &longest,
    ] {
        assert_eq!(Username::parse(good).unwrap().as_str(), good);
    }
    let too_long = "a".repeat(256);
    let bad = [
        "", ".", "-", "a.", ".a", "-a", "a.git", "a.GIT", "a.atom", "a.Atom", "a b", " a", "a/b",
        "a%2Fb", "a\0", "a\n", "é", "a@b", "a:b", "<a>", &too_long,
    ];
    for text in bad {
        assert!(Username::parse(text).is_err(), "{text:?}");
    }
}

#[test]
fn all_that_is_wrong_with_a_new_user_is_named_in_the_shape_of_the_api() {
    let named = |name: &str, email: &str| NewUser {
        name: name.to_owned(),
        ..person("ann", email)
    };
    let longest = "é".repeat(255);
    for name in ["Ann B", " Ann\n", &longest] {
        assert!(check(&named(name, "")).is_empty(), "{name:?}");
    }
    assert_eq!(named(" Ann\n", "").trimmed().name, "Ann");
    let too_long = format!("{longest}é");
    let is_too_long = "is too long (maximum is 255 characters)";
    for (name, email, expected) in [
        ("", "", json!({ "name": ["can't be blank"] })),
        ("\u{3000}", "", json!({ "name": ["can't be blank"] })),
        (
            "A\u{7}",
            "",
            json!({ "name": ["can't contain control characters"] }),
        ),
        (
            &too_long,
            "ann",
            json!({ "email": ["is invalid"], "name": [is_too_long] }),
        ),
    ] {
        let refusal = ApiError::validation(&check(&named(name, email)));
        assert_eq!(refusal.body(), &json!({ "message": expected }), "{name:?}");
    }
}

#[test]
fn a_bot_is_found_by_its_kind_and_there_is_one_of_each() {
    let accounts = Accounts::default();
    let bot = || NewUser {
        kind: UserKind::AlertBot,
        ..person("alert-bot", "")
    };
    accounts.user("ann");
    let InsertUser::Inserted(id) = accounts.insert(bot()) else {
        panic!("the name is free");
    };
    let found = accounts.0.read(|tx| tx.find_bot(UserKind::AlertBot));
    let found: Result<Option<User>, StoreError> = found.wait();
    assert_eq!(found.unwrap().map(|user| user.id), Some(id));
    let nobody = accounts.0.read(|tx| tx.find_bot(UserKind::Human));
    let nobody: Result<Option<User>, StoreError> = nobody.wait();
    assert_eq!(nobody.unwrap(), None, "users are not bots");
}

fn user(kind: UserKind, is_admin: bool) -> User {
    User {
        id: UserId::new(7),
        username: Username::parse("ann").unwrap(),
        name: "Ann B".to_owned(),
        email: "ann@example.com".to_owned(),
        kind,
        is_admin,
        two_factor_enabled: false,
        private_profile: false,
        state: UserState::Active,
        created_at: now(),
    }
}

#[test]
fn the_user_summary_contains_only_public_fields() {
    let blocked = User {
        state: UserState::Blocked { at: now() },
        ..user(UserKind::Human, true)
    };
    let response = serde_json::to_value(UserSummary::new(&blocked, "http://h")).unwrap();
    let expected = json!({
        "id": 7, "username": "ann", "name": "Ann B", "state": "blocked", "avatar_url": Avatar::new("ann", "Ann B").url("http://h"),
        "web_url": "http://h/ann",
    });
    assert_eq!(response, expected);
}

#[test]
fn administrators_alone_are_reported_that_they_are() {
    let response = |kind, is_admin| {
        serde_json::to_value(CurrentUser::new(
            &user(kind, is_admin),
            &UserActivity::default(),
            "http://h",
        ))
        .unwrap()
    };
    assert_eq!(response(UserKind::Human, true)["is_admin"], json!(true));
    assert_eq!(response(UserKind::Human, false).get("is_admin"), None);
    let human = response(UserKind::Human, false);
    assert_eq!(
        (&human["bot"], &human["can_create_project"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(
        (&human["email"], &human["commit_email"]),
        (&json!("ann@example.com"), &json!("ann@example.com"))
    );
    assert_eq!(human["created_at"], json!("2024-03-01T12:00:00.000Z"));
    let bot = response(UserKind::AlertBot, false);
    assert_eq!(
        (&bot["bot"], &bot["can_create_project"]),
        (&json!(true), &json!(false))
    );
}
