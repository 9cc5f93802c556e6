//! Changes of users.

use accounts::{
    AccountRepository, NewUser, UpdateUser, User, UserChange, UserFilter, UserOrder, UserState,
};
use api_conventions::ids::UserId;
use api_conventions::page::SortOrder;
use storage::{StoreError, StoreExt as _};

use super::{insert, user};
use crate::areas::{Accounts, AreaHarness};
use crate::probe_rows::refusal;
use crate::samples::{HOSTILE, page, race, timestamp};

/// A change that sets the email address.
fn with_email(email: &str) -> UserChange {
    UserChange {
        email: Some(email.to_owned()),
        ..UserChange::default()
    }
}

/// Applies a change that must succeed, and returns the changed user.
fn change(
    tx: &mut dyn AccountRepository,
    id: UserId,
    change: &UserChange,
) -> Result<User, StoreError> {
    match tx.update_user(id, change)? {
        UpdateUser::Updated(user) => Ok(*user),
        refused => panic!("{refused:?}: {change:?}"),
    }
}

/// Returns the committed user with this id.
fn find_user(store: &Accounts, id: UserId) -> User {
    let found = store.query(move |tx| tx.find_user(id));
    found.wait().unwrap().expect("the row exists")
}

fn insert_ann_and_ben(store: &Accounts) -> [UserId; 2] {
    let inserted = store.change(|tx| Ok([insert(tx, &user("ann"))?, insert(tx, &user("ben"))?]));
    inserted.wait().unwrap()
}

pub(super) fn a10_a_change_writes_the_given_fields_and_leaves_all_others_unchanged(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    let [ann, ben] = insert_ann_and_ben(store);
    let other = find_user(store, ben);
    let mut expected = User {
        id: ann,
        username: user("ann").username,
        name: "The user ann".to_owned(),
        email: "ann@example.com".to_owned(),
        kind: user("ann").kind,
        is_admin: false,
        state: UserState::Active,
        two_factor_enabled: false,
        private_profile: false,
        created_at: timestamp(0),
    };
    let mut demand = |requested: UserChange, edit: &dyn Fn(&mut User)| {
        edit(&mut expected);
        let changed = store.change(move |tx| change(tx, ann, &requested));
        assert_eq!(changed.wait().unwrap(), expected);
        assert_eq!(find_user(store, ann), expected);
        assert_eq!(find_user(store, ben), other);
    };
    demand(UserChange::default(), &|_| {});
    demand(UserChange::of_privacy(true), &|user| {
        user.private_profile = true;
    });
    let named = UserChange {
        name: Some(HOSTILE.to_owned()),
        ..UserChange::default()
    };
    demand(named, &|user| user.name = HOSTILE.to_owned());
    let is_admin = |is_admin| UserChange {
        is_admin: Some(is_admin),
        ..UserChange::default()
    };
    demand(is_admin(true), &|user| user.is_admin = true);
    demand(with_email("Ann@Example.org"), &|user| {
        user.email = "Ann@Example.org".to_owned();
    });
    demand(with_email(""), &|user| user.email = String::new());
    let several = UserChange {
        name: Some("Ann".to_owned()),
        ..UserChange::of_privacy(false)
    };
    demand(several, &|user| {
        user.name = "Ann".to_owned();
        user.private_profile = false;
    });
    demand(is_admin(false), &|user| user.is_admin = false);
    let unknown = store.change(|tx| {
        for change in [UserChange::default(), with_email("ben@example.com")] {
            let changed = tx.update_user(UserId::new(i64::MAX), &change)?;
            assert_eq!(changed, UpdateUser::Unknown);
        }
        Ok(())
    });
    unknown.wait().unwrap();
}

pub(super) fn a11_lists_and_searches_use_the_new_values_after_a_change(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    let [ann, ben] = insert_ann_and_ben(store);
    let changed = store.change(move |tx| {
        let named = UserChange {
            name: Some("Zoe".to_owned()),
            is_admin: Some(true),
            ..with_email("Zoe@Example.org")
        };
        change(tx, ann, &named)
    });
    changed.wait().unwrap();
    let list = |filter: UserFilter| {
        let listed = store.query(move |tx| tx.list_users(&filter, page(1, 100)));
        let users = listed.wait().unwrap().items.into_iter();
        users.map(|user| user.id).collect::<Vec<UserId>>()
    };
    let by_name = UserFilter {
        order_by: UserOrder::Name,
        sort: SortOrder::Ascending,
        ..UserFilter::default()
    };
    assert_eq!(list(by_name), [ben, ann]);
    let search = |text: &str| UserFilter {
        search: Some(text.to_owned()),
        ..UserFilter::default()
    };
    assert_eq!(list(search("zoe@example.ORG")), [ann]);
    assert_eq!(list(search("The user")), [ben]);
    let admins = UserFilter {
        admins: true,
        ..UserFilter::default()
    };
    assert_eq!(list(admins), [ann]);
}

pub(super) fn a12_a_change_to_another_users_email_address_is_refused_in_any_case(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    let [ann, ben] = insert_ann_and_ben(store);
    let before = find_user(store, ann);
    let taken = store.change(move |tx| {
        let both = UserChange {
            name: Some("Another".to_owned()),
            ..with_email("BEN@example.com")
        };
        tx.update_user(ann, &both)
    });
    assert_eq!(taken.wait().unwrap(), UpdateUser::EmailTaken);
    assert_eq!(find_user(store, ann), before);
    // The user's own address is never a conflict, an address that its user gave up is free, and any number of accounts
    // may have none.
    let changed = store.change(move |tx| {
        change(tx, ben, &with_email("BEN@example.com"))?;
        change(tx, ben, &with_email("new@example.com"))?;
        change(tx, ann, &with_email("ben@example.com"))?;
        let clashing = NewUser {
            email: "NEW@example.com".to_owned(),
            ..user("cora")
        };
        assert_eq!(tx.insert_user(&clashing)?, accounts::InsertUser::EmailTaken);
        change(tx, ann, &with_email(""))?;
        change(tx, ben, &with_email(""))
    });
    assert_eq!(changed.wait().unwrap().email, "");
}

pub(super) fn a13_exactly_one_concurrent_change_to_an_email_address_succeeds(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    let people = store.change(|tx| {
        let mut insert = |number| insert(tx, &user(&format!("racer{number}")));
        (0..6).map(&mut insert).collect::<Result<Vec<_>, _>>()
    });
    let people = people.wait().unwrap();
    let outcomes = race(people.len(), |thread| {
        let id = people[thread];
        let changed = store.change(move |tx| tx.update_user(id, &with_email("one@host")));
        changed.wait().unwrap()
    });
    let updated = |outcome: &&UpdateUser| matches!(outcome, UpdateUser::Updated(_));
    assert_eq!(outcomes.iter().filter(updated).count(), 1, "{outcomes:?}");
    let others = outcomes.iter().filter(|outcome| !updated(outcome));
    others.for_each(|outcome| assert_eq!(outcome, &UpdateUser::EmailTaken));
}

pub(super) fn a14_a_refused_write_changes_no_user(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let [ann, _] = insert_ann_and_ben(store);
    let before = find_user(store, ann);
    let refused = store.change(move |tx| {
        change(tx, ann, &UserChange::of_privacy(true))?;
        Err::<(), _>(refusal())
    });
    assert!(refused.wait().is_err());
    assert_eq!(find_user(store, ann), before);
}
