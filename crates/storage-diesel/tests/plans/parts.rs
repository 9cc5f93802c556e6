//! Lists of more errors than one request may examine.

use api_conventions::page::{OffsetPage, Page, SortOrder, Total};
use error_tracking::model::{ErrorFilter, ErrorOrder, StatusName, TrackedError};
use error_tracking::store::ErrorQueries;
use storage::Store;

use crate::recorder::{Turn, queries_of};
use crate::stores::{
    PROJECT, create_project, fill_postgres, fill_sqlite, plan_on_sqlite, postgres, sqlite,
};

/// Number of rows, one more than a list examines as a whole.
const ROWS: i64 = 100_001;

/// Errors in all states, of which a hundred have one tag and a sixth has another.
const INSERT: &str = "INSERT INTO errors (project_id, iid, status, title, culprit, level, platform, first_seen, last_seen, \
    events, users) SELECT 1, value, value % 3, 'error ' || value, '', 40, 'rust', value, value, value % 100, 1 FROM NUMBERS; \
    INSERT INTO error_keys (project_id, error_id, group_key, explanation, first_seen, events, kept) \
    SELECT 1, value, CAST('key' || value AS IDENTITY), '{}', 0, 1, 1 FROM NUMBERS; \
    INSERT INTO error_tags (key_id, name, value, project_id, events, last_seen) \
    SELECT value, 'seldom', 'yes', 1, 1, value FROM NUMBERS WHERE value % 1000 = 7; \
    INSERT INTO error_tags (key_id, name, value, project_id, events, last_seen) \
    SELECT value, 'often', 'yes', 1, 1, value FROM NUMBERS WHERE value % 6 = 1;";

fn tagged(name: &str) -> ErrorFilter {
    ErrorFilter {
        tags: vec![(name.to_owned(), "yes".to_owned())],
        ..ErrorFilter::new(PROJECT)
    }
}

/// Returns the numbers on all pages of all parts of a list, and the number of parts.
fn all<S>(store: &S, mut filter: ErrorFilter) -> (Vec<i64>, usize)
where
    S: Store,
    for<'t> S::ReadTx<'t>: ErrorQueries,
{
    let (mut found, mut parts, mut number) = (Vec::new(), 1, 1);
    loop {
        let (listed, page) = (filter.clone(), OffsetPage::new(number, 100));
        let page = store.read(move |tx| tx.list_errors(&listed, page));
        let page: Result<_, storage::StoreError> = page.wait();
        let page = page.unwrap();
        found.extend(page.items.iter().map(|error| error.iid.get()));
        number += 1;
        match page.total {
            Total::Unfinished(position) => {
                assert!(page.has_next, "{filter:?}");
                (filter.after, parts, number) = (Some(position), parts + 1, 1);
            }
            _ if !page.has_next => break,
            _ => {}
        }
    }
    (found, parts)
}

/// Compares the first and the last page of each part of a list with its numbers, and returns the number of parts.
fn ends_of_parts<S>(store: &S, mut filter: ErrorFilter, numbers: &[i64]) -> usize
where
    S: Store,
    for<'t> S::ReadTx<'t>: ErrorQueries,
{
    let page_at = |filter: &ErrorFilter, number: usize| {
        let number = u64::try_from(number).unwrap();
        let (listed, page) = (filter.clone(), OffsetPage::new(number, 100));
        let page = store.read(move |tx| tx.list_errors(&listed, page));
        let page: Result<Page<TrackedError>, storage::StoreError> = page.wait();
        page.unwrap()
    };
    let iids = |page: &Page<TrackedError>| page.items.iter().map(|error| error.iid.get()).collect();
    let (mut parts, mut before) = (1, 0);
    loop {
        let first: Vec<i64> = iids(&page_at(&filter, 1));
        assert_eq!(first, numbers[before..before + 100], "part {parts}");
        // The last page of a part is the last one with rows.
        let pages: Vec<usize> = (1..=1_000).collect();
        let last = pages.partition_point(|number| !page_at(&filter, *number).items.is_empty());
        let page = page_at(&filter, last);
        let start = before + (last - 1) * 100;
        before = start + page.items.len();
        assert_eq!(iids(&page), numbers[start..before], "part {parts}");
        let Total::Unfinished(position) = page.total else {
            assert_eq!(before, numbers.len());
            return parts;
        };
        (filter.after, parts) = (Some(position), parts + 1);
    }
}

fn lists_of_many_errors_are_given_in_parts<S>(store: &S)
where
    S: Store,
    for<'t> S::ReadTx<'t>: ErrorQueries,
{
    for status in [None, Some(StatusName::Resolved)] {
        for order_by in ErrorOrder::ALL.iter().copied() {
            // Alternating directions are enough, because another order covers the other direction.
            let sorts = [SortOrder::Ascending, SortOrder::Descending];
            let is_down = order_by as usize % 2 == usize::from(status.is_some());
            for sort in sorts.into_iter().skip(usize::from(is_down)).take(1) {
                let filter = ErrorFilter {
                    status,
                    order_by,
                    sort,
                    search: Some("error 7777".to_owned()),
                    ..ErrorFilter::new(PROJECT)
                };
                let is_hit = |iid: &i64| status.is_none() || iid % 3 == 1;
                let mut wanted: Vec<i64> = [7_777]
                    .into_iter()
                    .chain(77_770..=77_779)
                    .filter(is_hit)
                    .collect();
                let (mut found, parts) = all(store, filter.clone());
                assert!(parts > 1, "{filter:?}");
                if order_by == ErrorOrder::LastSeen {
                    if sort == SortOrder::Descending {
                        wanted.reverse();
                    }
                } else {
                    found.sort_unstable();
                }
                assert_eq!(found, wanted, "{filter:?}");
            }
        }
    }
    let (seldom, parts) = all(store, tagged("seldom"));
    assert_eq!(
        (seldom.len(), parts),
        (100, 1),
        "a tag of few gives them from its index"
    );
    assert!(seldom.is_sorted_by(|one, next| one > next));
    let often = (1..=ROWS).rev().filter(|value| value % 6 == 1);
    let often: Vec<i64> = often.collect();
    assert_eq!(
        ends_of_parts(store, tagged("often"), &often),
        3,
        "two parts, and the rest from the index, once few enough are left"
    );
}

#[test]
fn lists_of_many_errors_are_given_in_parts_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    create_project(&store);
    drop(fill_sqlite(
        &file,
        &INSERT.replace("IDENTITY", "BLOB"),
        ROWS,
    ));
    lists_of_many_errors_are_given_in_parts(&store);
    let ((), queries) = queries_of(&turn, || {
        let filter = ErrorFilter {
            search: Some("nothing".to_owned()),
            ..ErrorFilter::new(PROJECT)
        };
        let listed = store.read(move |tx| tx.list_errors(&filter, OffsetPage::default()));
        let listed: Result<_, storage::StoreError> = listed.wait();
        assert!(matches!(listed.unwrap().total, Total::Unfinished(_)));
    });
    let in_parts = queries.iter().filter(|query| query.contains("e.iid) "));
    let mut checked = 0;
    for query in in_parts {
        let plan = plan_on_sqlite(&file, query);
        let reads: Vec<&String> = plan.iter().filter(|step| step.contains(" e ")).collect();
        let is_range =
            |step: &&String| step.contains("errors_last_seen") && step.contains("(last_seen,iid)>");
        assert!(reads.iter().all(is_range), "{query}\n{plan:#?}");
        checked += reads.len();
    }
    assert_eq!(checked, 3, "{queries:#?}");
}

#[test]
fn lists_of_many_errors_are_given_in_parts_on_postgresql() {
    let _turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    create_project(&store);
    drop(fill_postgres(
        &database,
        &INSERT.replace("IDENTITY", "BYTEA"),
        ROWS,
    ));
    lists_of_many_errors_are_given_in_parts(&store);
}
