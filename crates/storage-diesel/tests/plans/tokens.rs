//! Lists of access tokens with more rows than one request may examine.

use accounts::{AccessToken, AccountQueries, TokenFilter};
use api_conventions::ids::{TokenId, UserId};
use api_conventions::page::{OffsetPage, Page, Total};
use api_conventions::time::CalendarDate;
use storage::{Store, StoreError, StoreErrorKind};

use crate::recorder::{Turn, queries_of};
use crate::stores::{
    fill_postgres, fill_sqlite, plan_on_postgres, plan_on_sqlite, postgres, sqlite,
};

/// Tokens, one more than one request may examine, and two users. The second user has the first three tokens, the last of
/// which a search for "needle" finds. The first user has the others, of which only the last one was not revoked.
/// `NUMBERS` marks the place where the database counts.
const INSERT: &str = "INSERT INTO users (id, username, username_key, name, name_key, email, email_key, kind, is_admin, created_at) \
    VALUES (1001, 'a', 'a', '', '', '', NULL, 0, FALSE, 1), (1002, 'b', 'b', '', '', '', NULL, 0, FALSE, 1); \
    INSERT INTO access_tokens (user_id, name, kind, scopes, expires_on, created_at, revoked_at, digest) \
    SELECT CASE WHEN value <= 3 THEN 1002 ELSE 1001 END, CASE value WHEN 3 THEN 'Needle' ELSE 'Hay' END, 0, 'api', 30000, value, \
    CASE WHEN value BETWEEN 4 AND 100000 THEN 1 END, \
    CAST('digest-' || value AS BYTES) FROM NUMBERS;";

fn list<S>(store: &S, filter: &TokenFilter) -> Result<Page<AccessToken>, StoreError>
where
    S: Store,
    for<'t> S::ReadTx<'t>: AccountQueries,
{
    let filter = filter.clone();
    let page = OffsetPage::new(1, 2);
    store.read(move |tx| tx.list_tokens(&filter, page)).wait()
}

fn day(days: i32) -> CalendarDate {
    CalendarDate::from_days(days).unwrap()
}

fn search(text: &str) -> TokenFilter {
    TokenFilter {
        search: Some(text.to_owned()),
        ..TokenFilter::default()
    }
}

/// Lists the tokens, and returns the statements that this took.
fn too_many_tokens<S>(turn: &Turn, store: &S) -> Vec<String>
where
    S: Store,
    for<'t> S::ReadTx<'t>: AccountQueries,
{
    let of_user = |id| TokenFilter {
        user_id: Some(UserId::new(id)),
        ..TokenFilter::default()
    };
    let few = TokenFilter {
        user_id: Some(UserId::new(1002)),
        ..search("needle")
    };
    let active = TokenFilter::active_personal_of(UserId::new(1001), day(1));
    let cases = [
        (active, Total::Exact(1)),
        (TokenFilter::default(), Total::Beyond),
        (of_user(1001), Total::Beyond),
        (of_user(1002), Total::Exact(3)),
        (few, Total::Exact(1)),
        (search("hay"), Total::Beyond),
    ];
    let mut queries = Vec::new();
    for (filter, total) in cases {
        let (page, more) = queries_of(turn, || list(store, &filter));
        assert_eq!(page.unwrap().total, total, "{filter:?}");
        queries.extend(more);
    }
    let (successor, more) = queries_of(turn, || {
        let found = store.read(|tx| tx.find_successor_token(TokenId::new(1), TokenId::new(1)));
        found.wait()
    });
    let successor: Result<Option<AccessToken>, StoreError> = successor;
    assert_eq!(successor.unwrap(), None);
    queries.extend(more);
    let refused = list(store, &search("needle"));
    assert_eq!(refused.unwrap_err().kind(), StoreErrorKind::TooMuchWork);
    queries
}

/// Asserts that tokens that were not revoked are found without reading the revoked ones.
fn check_index_of_active(query: &str, plan: &[String]) {
    let indexes = ["access_tokens_active", "access_tokens_family"];
    let has_one = |step: &String| indexes.iter().any(|index| step.contains(index));
    let is_of_active = query.contains("IS NULL");
    assert!(
        !is_of_active || plan.iter().any(has_one),
        "{query}\n{plan:#?}"
    );
}

#[test]
fn lists_among_too_many_tokens_are_limited_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    fill_sqlite(&file, &INSERT.replace("BYTES", "BLOB"), 100_001);
    for query in too_many_tokens(&turn, &store) {
        let plan = plan_on_sqlite(&file, &query);
        let by_id = query.contains("ORDER BY") || query.contains("COUNT(*)");
        let is_wrong = |step: &String| {
            step.contains("TEMP B-TREE") || step.starts_with("SCAN access_tokens") && !by_id
        };
        assert!(!plan.iter().any(is_wrong), "{query}\n{plan:#?}");
        check_index_of_active(&query, &plan);
    }
}

#[test]
fn lists_among_too_many_tokens_are_limited_on_postgres() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    fill_postgres(&database, &INSERT.replace("BYTES", "BYTEA"), 100_001);
    for query in too_many_tokens(&turn, &store) {
        let plan = plan_on_postgres(database.url(), &query);
        let is_wrong = |line: &String| line.contains("Seq Scan") || line.contains("Sort");
        assert!(!plan.iter().any(is_wrong), "{query}\n{plan:#?}");
        check_index_of_active(&query, &plan);
    }
}
