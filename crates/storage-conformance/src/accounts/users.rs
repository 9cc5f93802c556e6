//! Users.

use accounts::{InsertUser, NewUser, UserKind, Username};
use api_conventions::ids::UserId;
use api_conventions::secret::SecretDigest;
use storage::StoreExt as _;

use super::{insert, user};
use crate::areas::{Accounts, AreaHarness};
use crate::samples::HOSTILE;

pub(super) fn a02_absence_is_none(harness: &mut AreaHarness<Accounts>) {
    let requested = harness.store().query(|tx| {
        for id in [i64::MIN, -1, 0, i64::MAX] {
            assert_eq!(tx.find_user(UserId::new(id))?, None);
        }
        for name in ["nobody", "", "%", HOSTILE] {
            assert_eq!(tx.find_user_by_username(name)?, None);
        }
        assert_eq!(tx.find_bot(UserKind::AlertBot)?, None);
        assert_eq!(
            tx.find_token_by_digest(&SecretDigest::of("no token"))?,
            None
        );
        assert_eq!(tx.list_users_by_id(&[])?, []);
        tx.list_users_by_id(&[UserId::new(i64::MAX)])
    });
    assert_eq!(requested.wait().unwrap(), []);
}

pub(super) fn a03_a_username_is_found_in_any_case(harness: &mut AreaHarness<Accounts>) {
    let inserted = harness
        .store()
        .change(|tx| insert(tx, &user("Ann.Example")));
    let id = inserted.wait().unwrap();
    for spelling in ["Ann.Example", "ann.example", "ANN.EXAMPLE"] {
        let found = harness
            .store()
            .query(move |tx| tx.find_user_by_username(spelling));
        let found = found.wait().unwrap().expect(spelling);
        assert_eq!((found.id, found.username.as_str()), (id, "Ann.Example"));
    }
    let found = harness
        .store()
        .query(|tx| tx.find_user_by_username("Ann_Example"));
    assert_eq!(
        found.wait().unwrap(),
        None,
        "a wildcard matches only itself"
    );
}

pub(super) fn a04_usernames_are_unique_regardless_of_case(harness: &mut AreaHarness<Accounts>) {
    let outcome = harness.store().change(|tx| {
        insert(tx, &user("ann"))?;
        tx.insert_user(&NewUser {
            email: "other@example.com".to_owned(),
            ..user("ANN")
        })
    });
    assert_eq!(outcome.wait().unwrap(), InsertUser::UsernameTaken);
    // The refused user leaves no row behind: its address is free.
    let outcome = harness.store().change(|tx| {
        insert(
            tx,
            &NewUser {
                email: "other@example.com".to_owned(),
                ..user("ben")
            },
        )
    });
    outcome.wait().unwrap();
}

pub(super) fn a05_email_addresses_are_unique_regardless_of_case(
    harness: &mut AreaHarness<Accounts>,
) {
    let with_email = |name, email: &str| NewUser {
        email: email.to_owned(),
        ..user(name)
    };
    let outcome = harness.store().change(move |tx| {
        insert(tx, &with_email("ann", "Ann@Example.com"))?;
        let taken = tx.insert_user(&with_email("ben", "ann@example.COM"))?;
        assert_eq!(taken, InsertUser::EmailTaken);
        // Any number of accounts may have no address.
        insert(tx, &with_email("cora", ""))?;
        insert(tx, &with_email("dave", ""))?;
        tx.find_user_by_username("ben")
    });
    assert_eq!(outcome.wait().unwrap(), None);
}

pub(super) fn a07_users_are_listed_once_per_id_and_unknown_ids_are_left_out(
    harness: &mut AreaHarness<Accounts>,
) {
    let inserted = harness.store().change(|tx| {
        let mut insert = |name| insert(tx, &user(name));
        Ok([insert("ann")?, insert("ben")?, insert("cora")?])
    });
    let [ann, _, cora] = inserted.wait().unwrap();
    let requested = [cora, ann, cora, UserId::new(i64::MAX), ann];
    let listed = harness
        .store()
        .query(move |tx| tx.list_users_by_id(&requested));
    let mut names: Vec<Username> = listed
        .wait()
        .unwrap()
        .into_iter()
        .map(|user| user.username)
        .collect();
    names.sort_by_key(Username::lookup_key);
    let names: Vec<&str> = names.iter().map(Username::as_str).collect();
    assert_eq!(names, ["ann", "cora"]);
}

pub(super) fn a08_there_is_one_bot_of_a_kind(harness: &mut AreaHarness<Accounts>) {
    let bot = |name: &str| NewUser {
        kind: UserKind::AlertBot,
        email: String::new(),
        ..user(name)
    };
    let inserted = harness.store().change(move |tx| {
        insert(tx, &user("ann"))?;
        insert(tx, &bot("alert-bot"))
    });
    let id = inserted.wait().unwrap();
    let second = harness
        .store()
        .change(move |tx| tx.insert_user(&bot("alert-bot-2")));
    let second = second.wait();
    assert!(second.is_err(), "{second:?}");
    // Tokens of projects and groups have a bot each.
    let of_tokens = harness.store().change(move |tx| {
        for kind in [UserKind::ProjectBot, UserKind::GroupBot] {
            for number in 1..=2 {
                let name = format!("bot-{kind:?}-{number}");
                let id = insert(tx, &NewUser { kind, ..bot(&name) })?;
                assert_eq!(tx.find_user(id)?.map(|bot| bot.kind), Some(kind));
            }
        }
        Ok(())
    });
    of_tokens.wait().unwrap();
    let found = harness.store().query(|tx| {
        assert_eq!(tx.find_user_by_username("alert-bot-2")?, None);
        assert_eq!(tx.find_bot(UserKind::Human)?, None, "users are not bots");
        assert_eq!(
            tx.find_bot(UserKind::ProjectBot)?,
            None,
            "it is one of many"
        );
        tx.find_bot(UserKind::AlertBot)
    });
    assert_eq!(found.wait().unwrap().map(|bot| bot.id), Some(id));
}
