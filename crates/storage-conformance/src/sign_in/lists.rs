//! Lists of users, also filtered by their sign-in data.

use accounts::{NewUser, UserFilter, UserKind, UserOrder, UserState};
use api_conventions::page::{SortOrder, Total};
use api_conventions::secret::SecretDigest;
use storage::StoreExt as _;

use crate::accounts::{insert, user};
use crate::areas::{Accounts, AreaHarness};
use crate::samples::{page, timestamp};

/// Lists the matching users by username.
fn list(store: &Accounts, filter: &UserFilter) -> Vec<String> {
    let filter = filter.clone();
    let listed = store.query(move |tx| tx.list_users(&filter, page(1, 100)));
    let listed = listed.wait().unwrap();
    let count = u64::try_from(listed.items.len()).unwrap();
    assert_eq!(
        (listed.total, listed.has_next),
        (Total::Exact(count), false)
    );
    let names = listed
        .items
        .into_iter()
        .map(|user| user.username.as_str().to_owned());
    names.collect()
}

/// Writes users whose names, usernames and times sort differently, the second of whom is blocked, and a bot.
fn populate(store: &Accounts) {
    let populated = store.change(|tx| {
        let new = |username, name: &str, seconds| NewUser {
            name: name.to_owned(),
            created_at: timestamp(seconds),
            ..user(username)
        };
        insert(tx, &new("dora", "_x", 3))?;
        let stopped = insert(tx, &new("B.en", "zoe", 2))?;
        let at = timestamp(9);
        assert!(tx.set_user_state(stopped, UserState::Blocked { at })?);
        insert(
            tx,
            &NewUser {
                is_admin: true,
                ..new("b-en", "Zoe", 2)
            },
        )?;
        let last = insert(
            tx,
            &NewUser {
                email: String::new(),
                ..new("ann", "Änne", 1)
            },
        )?;
        let codes = [SecretDigest::of("code")];
        assert!(tx.put_second_factor(last, b"sealed", 1, &codes, at)?);
        let bot = NewUser {
            kind: UserKind::AlertBot,
            email: String::new(),
            ..new("c-bot", "a bot", 5)
        };
        insert(tx, &bot)?;
        Ok(())
    });
    populated.wait().unwrap();
}

pub(super) fn c65_users_are_listed_in_every_order_and_ids_break_ties(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    populate(store);
    for (order_by, expected) in [
        (UserOrder::Id, ["dora", "B.en", "b-en", "ann", "c-bot"]),
        // Sorted by the characters of the lower case: "_" sorts before letters, and "ä" after all of ASCII.
        (UserOrder::Name, ["dora", "c-bot", "B.en", "b-en", "ann"]),
        (
            UserOrder::Username,
            ["ann", "b-en", "B.en", "c-bot", "dora"],
        ),
        (
            UserOrder::CreatedAt,
            ["ann", "B.en", "b-en", "dora", "c-bot"],
        ),
    ] {
        let filter = |sort| UserFilter {
            order_by,
            sort,
            ..UserFilter::default()
        };
        assert_eq!(
            list(store, &filter(SortOrder::Ascending)),
            expected,
            "{order_by:?}"
        );
        let mut expected = expected;
        expected.reverse();
        assert_eq!(
            list(store, &filter(SortOrder::Descending)),
            expected,
            "{order_by:?}"
        );
    }
    let second = store.query(|tx| tx.list_users(&UserFilter::default(), page(2, 2)));
    let second = second.wait().unwrap();
    let names: Vec<&str> = second
        .items
        .iter()
        .map(|user| user.username.as_str())
        .collect();
    assert_eq!((names, second.has_next), (vec!["b-en", "B.en"], true));
    assert_eq!(second.total, Total::Exact(5));
}

/// Sets one or more conditions.
type SetUserFilter = fn(&mut UserFilter);

/// The conditions, and the usernames that meet them in the order of their ids.
const FILTERS: [(SetUserFilter, &[&str]); 11] = [
    (
        |filter| filter.username = Some("DORA".to_owned()),
        &["dora"],
    ),
    (|filter| filter.username = Some("dor".to_owned()), &[]),
    (
        |filter| filter.active = true,
        &["dora", "b-en", "ann", "c-bot"],
    ),
    (|filter| filter.blocked = true, &["B.en"]),
    (|filter| (filter.active, filter.blocked) = (true, true), &[]),
    (
        |filter| filter.humans = true,
        &["dora", "B.en", "b-en", "ann"],
    ),
    (|filter| filter.admins = true, &["b-en"]),
    (|filter| filter.two_factor = Some(true), &["ann"]),
    (
        |filter| (filter.two_factor, filter.active) = (Some(false), true),
        &["dora", "b-en", "c-bot"],
    ),
    (
        |filter| filter.created_after = Some(timestamp(2)),
        &["dora", "c-bot"],
    ),
    (
        |filter| filter.created_before = Some(timestamp(2)),
        &["ann"],
    ),
];

pub(super) fn c66_each_filter_of_users_holds(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    populate(store);
    let all = || UserFilter {
        sort: SortOrder::Ascending,
        ..UserFilter::default()
    };
    for (set, expected) in FILTERS {
        let mut filter = all();
        set(&mut filter);
        assert_eq!(list(store, &filter), expected, "{filter:?}");
    }
    let ids = store.query(|tx| {
        let id = tx.find_user_by_username("b.en")?.map(|user| user.id);
        Ok((id, tx.find_user_by_username("ann")?.map(|user| user.id)))
    });
    let (id_after, id_before) = ids.wait().unwrap();
    let after = UserFilter { id_after, ..all() };
    assert_eq!(list(store, &after), ["b-en", "ann", "c-bot"]);
    let between = UserFilter { id_before, ..after };
    assert_eq!(list(store, &between), ["b-en"]);
}

pub(super) fn c67_a_search_for_users_knows_no_wildcards(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    populate(store);
    let search = |text: &str, search_in_emails| UserFilter {
        search: Some(text.to_owned()),
        search_in_emails,
        sort: SortOrder::Ascending,
        ..UserFilter::default()
    };
    for (text, in_names, in_emails) in [
        ("ÄNN", &["ann"][..], &["ann"][..]),
        ("-", &["b-en", "c-bot"], &["b-en", "c-bot"]),
        ("_", &["dora"], &["dora"]),
        ("%", &[], &[]),
        ("d_ra", &[], &[]),
        ("Dora@Example.com", &["dora"], &["dora"]),
        ("%@example.com", &[], &[]),
        ("@example", &[], &["dora", "B.en", "b-en"]),
    ] {
        assert_eq!(list(store, &search(text, false)), in_names, "{text:?}");
        assert_eq!(list(store, &search(text, true)), in_emails, "{text:?}");
    }
}

pub(super) fn c68_users_are_found_by_many_names_at_once(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    populate(store);
    let found = store.query(|tx| {
        assert_eq!(tx.list_users_by_username(&[])?, []);
        tx.list_users_by_username(&["ANN", "ann", "b.EN", "nobody", "%", "c-bot"])
    });
    let found = found.wait().unwrap();
    let mut names: Vec<&str> = found.iter().map(|user| user.username.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["B.en", "ann", "c-bot"]);
}
