//! Lists of an action in a feed that is longer than one request may examine.

use api_conventions::ids::EventId;
use api_conventions::page::{OffsetPage, SortOrder, Total};
use events::{Action, EventFilter, EventQueries, FeedRights, TargetType};
use storage::Store;

use crate::recorder::Turn;
use crate::stores::{PROJECT, create_project, fill_postgres, fill_sqlite, postgres, sqlite};

/// Number of events, a few more than two requests examine.
const ROWS: i64 = 100_003;

/// Events of which one in 10,000 is a merge, and the oldest is about a snippet.
const INSERT: &str = "INSERT INTO events (project_id, author_id, action, target_type, target_id, target_iid, audience, created_at) \
    SELECT 1, 1, CASE WHEN value % 10000 = 7 THEN 7 ELSE 1 END, CASE WHEN value = 1 THEN 6 ELSE 1 END, value, value, 0, value FROM NUMBERS;";

/// Returns the places of the events in all parts of a list, from 1 for the oldest event, and the number of parts.
fn all<S>(store: &S, mut filter: EventFilter) -> (Vec<i64>, usize)
where
    S: Store,
    for<'t> S::ReadTx<'t>: EventQueries,
{
    let (mut found, mut parts, mut number) = (Vec::new(), 1, 1);
    loop {
        let page = OffsetPage::new(number, 2);
        let page = store.read(move |tx| tx.list_project_events(&filter, page));
        let page: Result<_, storage::StoreError> = page.wait();
        let page = page.unwrap();
        found.extend(page.items.iter().map(|event| event.created_at.as_micros()));
        number += 1;
        match page.total {
            Total::Unfinished(position) => {
                assert!(page.has_next, "{filter:?}");
                filter.after_id = Some(EventId::new(position.number()));
                (parts, number) = (parts + 1, 1);
            }
            Total::Exact(_) if !page.has_next => break,
            _ => assert!(page.has_next, "{filter:?}"),
        }
    }
    (found, parts)
}

fn a_seldom_action_is_found_in_parts<S>(store: &S)
where
    S: Store,
    for<'t> S::ReadTx<'t>: EventQueries,
{
    let merges: Vec<i64> = (1..=ROWS).filter(|value| value % 10_000 == 7).collect();
    for rights in [FeedRights::ALL, FeedRights::LEAST] {
        for sort in [SortOrder::Ascending, SortOrder::Descending] {
            let of = |action, target_type| EventFilter {
                action,
                target_type,
                sort,
                ..EventFilter::new(PROJECT, rights)
            };
            let mut expected = merges.clone();
            if sort == SortOrder::Descending {
                expected.reverse();
            }
            assert_eq!(all(store, of(Some(Action::Merged), None)), (expected, 3));
            assert_eq!(all(store, of(Some(Action::Expired), None)), (Vec::new(), 3));
            let snippet = of(None, Some(TargetType::Snippet));
            let expected = if rights.reads_snippets {
                vec![1]
            } else {
                Vec::new()
            };
            assert_eq!(all(store, snippet), (expected, 3));
        }
    }
    let every = EventFilter::new(PROJECT, FeedRights::ALL);
    let page = store.read(move |tx| tx.list_project_events(&every, OffsetPage::new(900, 100)));
    let page: Result<_, storage::StoreError> = page.wait();
    let page = page.unwrap();
    assert_eq!(
        (page.items.len(), page.total),
        (100, Total::Beyond),
        "without a filter, each page is read"
    );
}

#[test]
fn a_seldom_action_is_found_in_parts_on_sqlite() {
    let _turn = Turn::take();
    let (store, file, _directory) = sqlite();
    create_project(&store);
    drop(fill_sqlite(&file, INSERT, ROWS));
    a_seldom_action_is_found_in_parts(&store);
}

#[test]
fn a_seldom_action_is_found_in_parts_on_postgresql() {
    let _turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    create_project(&store);
    drop(fill_postgres(&database, INSERT, ROWS));
    a_seldom_action_is_found_in_parts(&store);
}
