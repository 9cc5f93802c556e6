//! Blocking an account.

use accounts::flow::set_user_state::set_user_state;
use accounts::{AccountQueries as _, SessionQueries as _};
use accounts::{InsertUser, NewUser, UserKind, UserState};
use api_conventions::ids::UserId;

use crate::support::{Accounts, now, person};

fn set(accounts: &Accounts, id: UserId, state: UserState) -> bool {
    accounts.write(move |tx| set_user_state(tx, id, state, |_| Ok(())))
}

#[test]
fn a_blocked_account_has_no_session_and_gets_none_back() {
    let accounts = Accounts::default();
    let ((ann, _), (bob, _)) = (accounts.person("ann"), accounts.person("bob"));
    accounts.session(ann, "ann's", now());
    accounts.session(bob, "bob's", now());
    let before = accounts.epoch();
    assert!(set(&accounts, ann, UserState::Blocked { at: now() }));
    assert_eq!(accounts.epoch(), before + 1);
    assert!(!accounts.is_live("ann's", now()) && accounts.is_live("bob's", now()));
    assert!(set(&accounts, ann, UserState::Active));
    assert_eq!(accounts.epoch(), before + 2);
    assert!(!accounts.is_live("ann's", now()));
}

#[test]
fn what_the_account_permitted_is_ended_before_the_epoch_rises() {
    let accounts = Accounts::default();
    let (ann, _) = accounts.person("ann");
    accounts.session(ann, "ann's", now());
    let before = accounts.epoch();
    let blocked = UserState::Blocked { at: now() };
    let seen = accounts.write(move |tx| {
        let mut seen = None;
        set_user_state(tx, ann, blocked, |tx| {
            let state = tx.find_user(ann)?.map(|user| user.state);
            seen = Some((state, tx.list_sessions(ann)?.len(), tx.auth_epoch()?));
            Ok(())
        })?;
        Ok(seen)
    });
    assert_eq!(seen, Some((Some(blocked), 0, before)));
    assert_eq!(accounts.epoch(), before + 1);
}

#[test]
fn bots_and_nobody_are_not_blocked() {
    let accounts = Accounts::default();
    let bot = NewUser {
        kind: UserKind::AlertBot,
        ..person("alert-bot", "")
    };
    let InsertUser::Inserted(bot) = accounts.insert(bot) else {
        panic!("the name is free");
    };
    let before = accounts.epoch();
    for id in [bot, UserId::new(999)] {
        assert!(!set(&accounts, id, UserState::Blocked { at: now() }));
    }
    assert_eq!(accounts.epoch(), before);
}
