//! Lists of users with more rows than one request may examine.

use accounts::{AccountQueries, User, UserFilter, UserOrder};
use api_conventions::ids::UserId;
use api_conventions::page::{OffsetPage, Page, SortOrder, Total};
use storage::{Store, StoreError, StoreErrorKind};

use crate::recorder::{Turn, queries_of};
use crate::stores::{
    fill_postgres, fill_sqlite, plan_on_postgres, plan_on_sqlite, postgres, sqlite,
};

/// Users, one more than one request may examine.
/// The first is blocked, the second is an administrator, and a search for "needle" finds the third. `NUMBERS` marks the
/// place where the database counts.
const INSERT: &str = "INSERT INTO users (username, username_key, name, name_key, email, email_key, kind, is_admin, blocked_at, \
    created_at) SELECT 'u' || value, 'u' || value, CASE value WHEN 3 THEN 'Needle' ELSE 'Hay' END, \
    CASE value WHEN 3 THEN 'needle' ELSE 'hay' END, '', NULL, 0, value = 2, CASE value WHEN 1 THEN 1 END, value FROM NUMBERS;";

fn list<S>(store: &S, filter: &UserFilter) -> Result<Page<User>, StoreError>
where
    S: Store,
    for<'t> S::ReadTx<'t>: AccountQueries,
{
    let filter = filter.clone();
    let page = OffsetPage::new(1, 2);
    store.read(move |tx| tx.list_users(&filter, page)).wait()
}

/// Returns lists that an index covers, in every order.
fn indexed() -> Vec<UserFilter> {
    let mut all = Vec::new();
    for sort in [SortOrder::Ascending, SortOrder::Descending] {
        let plain = UserFilter {
            sort,
            ..UserFilter::default()
        };
        for order_by in UserOrder::ALL {
            all.push(UserFilter {
                order_by: *order_by,
                ..plain.clone()
            });
        }
        all.push(UserFilter {
            active: true,
            humans: true,
            ..plain
        });
    }
    all
}

fn search(text: &str) -> UserFilter {
    UserFilter {
        search: Some(text.to_owned()),
        active: true,
        ..UserFilter::default()
    }
}

fn too_many_users<S>(turn: &Turn, store: &S) -> Vec<String>
where
    S: Store,
    for<'t> S::ReadTx<'t>: AccountQueries,
{
    let mut queries = Vec::new();
    for filter in indexed() {
        let (page, more) = queries_of(turn, || list(store, &filter));
        assert_eq!(page.unwrap().total, Total::Beyond, "{filter:?}");
        queries.extend(more);
    }
    let none = UserFilter::default;
    for order_by in UserOrder::ALL {
        let order_by = *order_by;
        for few in [
            UserFilter {
                blocked: true,
                order_by,
                ..none()
            },
            UserFilter {
                admins: true,
                order_by,
                ..none()
            },
            UserFilter {
                id_before: Some(UserId::new(2)),
                order_by,
                ..none()
            },
            UserFilter {
                id_before: Some(UserId::new(9)),
                order_by,
                ..search("needle")
            },
        ] {
            assert_eq!(list(store, &few).unwrap().total, Total::Exact(1), "{few:?}");
        }
        let refused = list(
            store,
            &UserFilter {
                order_by,
                ..search("needle")
            },
        );
        assert_eq!(refused.unwrap_err().kind(), StoreErrorKind::TooMuchWork);
        let found = list(
            store,
            &UserFilter {
                order_by,
                ..search("hay")
            },
        )
        .unwrap();
        assert_eq!((found.items.len(), found.total), (2, Total::Beyond));
    }
    let (named, more) = queries_of(turn, || {
        let username = Some("U7".to_owned());
        list(
            store,
            &UserFilter {
                username,
                ..search("u")
            },
        )
    });
    assert_eq!(named.unwrap().total, Total::Exact(1));
    queries.extend(more);
    queries
}

#[test]
fn lists_among_too_many_users_are_limited_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    fill_sqlite(&file, INSERT, 100_001);
    for query in too_many_users(&turn, &store) {
        let plan = plan_on_sqlite(&file, &query);
        let query = query.replace('`', "");
        // An order is scanned in its index, as far as the page goes.
        let is_scan = |step: &String| step.starts_with("SCAN users") && !step.contains("USING");
        let by_id = query.contains("ORDER BY users.id") || query.contains("COUNT(*)");
        let is_wrong = |step: &String| step.contains("TEMP B-TREE") || is_scan(step) && !by_id;
        assert!(!plan.iter().any(is_wrong), "{query}\n{plan:#?}");
    }
}

#[test]
fn lists_among_too_many_users_are_limited_on_postgres() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    fill_postgres(&database, INSERT, 100_001);
    for query in too_many_users(&turn, &store) {
        let plan = plan_on_postgres(database.url(), &query);
        let is_wrong = |line: &String| line.contains("Seq Scan") || line.contains("Sort");
        assert!(!plan.iter().any(is_wrong), "{query}\n{plan:#?}");
    }
}
