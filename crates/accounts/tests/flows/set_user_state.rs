//! Blocking an account.

use accounts::flow::set_user_state::set_user_state;
use accounts::{InsertUser, NewUser, UserKind, UserState};
use api_conventions::ids::UserId;

use crate::support::{Accounts, now, person};

fn set(accounts: &Accounts, id: UserId, state: UserState) -> bool {
    accounts.write(move |tx| set_user_state(tx, id, state))
}

#[test]
fn a_blocked_account_has_no_session_and_gets_none_back() {
    let accounts = Accounts::default();
    let ((ann, _), (bob, _)) = (accounts.person("ann"), accounts.person("bob"));
    accounts.session(ann, "ann's", now());
    accounts.session(bob, "bob's", now());
    assert!(set(&accounts, ann, UserState::Blocked { at: now() }));
    assert!(!accounts.is_live("ann's", now()) && accounts.is_live("bob's", now()));
    assert!(set(&accounts, ann, UserState::Active));
    assert!(!accounts.is_live("ann's", now()));
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
    for id in [bot, UserId::new(999)] {
        assert!(!set(&accounts, id, UserState::Blocked { at: now() }));
    }
}
