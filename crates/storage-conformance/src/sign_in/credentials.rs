//! Passwords, logins, and user states.

use accounts::password::PasswordHash;
use accounts::{Credentials, NewUser, UserKind, UserState};
use api_conventions::ids::{SessionId, UserId};
use api_conventions::secret::SecretDigest;

use super::{insert_user, read, write};
use crate::accounts::{insert, user};
use crate::areas::{Accounts, AreaHarness};
use crate::samples::{HOSTILE, timestamp};

/// A hash that ends in this text. The store does not parse it.
fn hash(text: &str) -> PasswordHash {
    PasswordHash::from_stored(format!("$argon2id$v=19$m=19456,t=2,p=1${text}"))
}

/// Credentials of a user.
fn credentials(store: &Accounts, id: UserId) -> Credentials {
    read(store, move |tx| tx.find_credentials_of(id)).expect("the user has credentials")
}

/// Id of the user who signs in with `login`.
fn found(store: &Accounts, login: &str) -> Option<UserId> {
    let login = login.to_owned();
    let found = read(store, move |tx| tx.find_credentials(&login));
    found.map(|credentials| credentials.user.id)
}

pub(super) fn c01_credentials_come_back_as_they_were_written(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let edges = [
        ("plain", Some(hash("c2FsdA$aGFzaA"))),
        ("long", Some(hash(&"x".repeat(400)))),
        ("without", None),
    ];
    for (name, password) in edges {
        let new = NewUser {
            password: password.clone(),
            ..user(name)
        };
        let id = write(store, move |tx| insert(tx, &new));
        let by_login = read(store, move |tx| tx.find_credentials(name));
        let by_login = by_login.expect("a user has this login");
        let user = read(store, move |tx| tx.find_user(id));
        for found in [by_login, credentials(store, id)] {
            assert_eq!(Some(&found.user), user.as_ref());
            assert_eq!(found.password, password);
            assert_eq!(found.second_factor, None);
            assert!(!found.user.two_factor_enabled);
        }
    }
}

pub(super) fn c02_absence_is_none_and_changes_nothing(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let nobody = UserId::new(i64::MAX);
    let digest = SecretDigest::of("nothing");
    read(store, move |tx| {
        for login in ["nobody", "", "%", HOSTILE] {
            assert!(tx.find_credentials(login)?.is_none(), "{login:?}");
        }
        assert!(tx.find_credentials_of(nobody)?.is_none());
        assert_eq!(tx.find_failures(&digest)?, None);
        assert_eq!(tx.find_session(&digest)?, None);
        assert_eq!(tx.list_sessions(nobody)?, []);
        Ok(())
    });
    write(store, move |tx| {
        assert!(!tx.set_password(nobody, &hash("x"), None)?);
        assert!(!tx.set_user_state(nobody, UserState::Active)?);
        assert!(!tx.put_second_factor(nobody, b"sealed", 1, &[digest], timestamp(0))?);
        assert!(!tx.delete_second_factor(nobody)?);
        assert!(!tx.take_time_step(nobody, i64::MAX)?);
        assert!(!tx.take_recovery_code(nobody, &digest)?);
        assert!(!tx.replace_recovery_codes(nobody, &[digest])?);
        tx.forget_failures(&digest)?;
        assert!(!tx.renew_session(SessionId::new(i64::MAX), &digest, timestamp(0))?);
        assert!(!tx.delete_session(SessionId::new(i64::MAX))?);
        assert_eq!(tx.delete_sessions_of(nobody, None)?, 0);
        assert!(tx.find_credentials_of(nobody)?.is_none());
        Ok(())
    });
}

pub(super) fn c03_a_login_is_a_username_or_an_address_in_any_case(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    let [ann, ben] = write(store, |tx| {
        let with = |name, email: &str| NewUser {
            email: email.to_owned(),
            ..user(name)
        };
        let ann = insert(tx, &with("Ann.Example", "Ann@Example.com"))?;
        Ok([ann, insert(tx, &with("ben", ""))?])
    });
    for login in [
        "Ann.Example",
        "ann.example",
        "ANN.EXAMPLE",
        "Ann@Example.com",
        "ann@example.com",
        "ANN@EXAMPLE.COM",
    ] {
        assert_eq!(found(store, login), Some(ann), "{login}");
    }
    assert_eq!(found(store, "ben"), Some(ben));
    for login in ["", " ", "Ann_Example", "ann@example_com", "ann@%", "ann"] {
        assert_eq!(found(store, login), None, "{login:?}");
    }
}

pub(super) fn c04_a_username_wins_over_the_address_of_another(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let with_address_of = |name, email: &str| NewUser {
        email: email.to_owned(),
        ..user(name)
    };
    // One impostor is older than the user whose name it uses, the other one is younger.
    let [older, ben, younger] = write(store, move |tx| {
        Ok([
            insert(tx, &with_address_of("older", "Ben"))?,
            insert(tx, &with_address_of("ben", "older@example.com"))?,
            insert(tx, &with_address_of("younger", "OLDER"))?,
        ])
    });
    assert_eq!(found(store, "ben"), Some(ben));
    assert_eq!(found(store, "older"), Some(older));
    assert_eq!(found(store, "younger"), Some(younger));
    assert_eq!(found(store, "older@example.com"), Some(ben));
}

pub(super) fn c05_bots_sign_in_with_nothing(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let bot = write(store, |tx| {
        let bot = NewUser {
            kind: UserKind::AlertBot,
            email: "bot@example.com".to_owned(),
            password: Some(hash("x")),
            ..user("alert-bot")
        };
        insert(tx, &bot)
    });
    assert_eq!(found(store, "alert-bot"), None);
    assert_eq!(found(store, "bot@example.com"), None);
    let by_id = read(store, move |tx| tx.find_credentials_of(bot));
    assert!(by_id.is_none());
}

pub(super) fn c06_a_password_is_replaced(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let [ann, ben] = ["ann", "ben"].map(|name| insert_user(store, name));
    let before = credentials(store, ann).user;
    for text in ["first", "second"] {
        let new = hash(text);
        assert!(write(store, move |tx| tx.set_password(ann, &new, None)));
        let now = credentials(store, ann);
        assert_eq!(now.password, Some(hash(text)));
        assert_eq!(now.user, before, "nothing else of the user changes");
    }
    assert_eq!(credentials(store, ben).password, None);
    // A given password is replaced while it is the current one, and a user may have none.
    for (user, replaced, expected) in [
        (ann, "first", false),
        (ann, "second", true),
        (ann, "second", false),
        (ben, "second", false),
    ] {
        let [new, replaced] = ["third", replaced].map(hash);
        let is_set = write(store, move |tx| {
            tx.set_password(user, &new, Some(&replaced))
        });
        assert_eq!(is_set, expected);
    }
    assert_eq!(credentials(store, ann).password, Some(hash("third")));
    assert_eq!(credentials(store, ben).password, None);
}

pub(super) fn c07_a_user_is_blocked_and_let_act_again(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let [ann, ben] = ["ann", "ben"].map(|name| insert_user(store, name));
    let at = timestamp(7);
    for state in [
        UserState::Blocked { at },
        UserState::Banned { at },
        UserState::Deactivated { at },
        UserState::Active,
    ] {
        assert!(write(store, move |tx| tx.set_user_state(ann, state)));
        let by_id = read(store, move |tx| tx.find_user(ann)).expect("the row exists");
        assert_eq!(by_id.state, state);
        // The store does not decide whether a blocked user may sign in.
        let by_login = read(store, |tx| tx.find_credentials("ann"));
        assert_eq!(by_login.expect("the row exists").user, by_id);
        assert_eq!(credentials(store, ben).user.state, UserState::Active);
    }
}
