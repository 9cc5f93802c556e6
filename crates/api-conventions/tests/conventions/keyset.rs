//! Paging by the id of the last row (`PAGE-05`, `PAGE-06`).

use std::cell::RefCell;
use std::collections::BTreeSet;

use api_conventions::page::SortOrder;
use api_conventions::paging::Paging;
use api_conventions::params::Params;
use proptest::prelude::*;

use crate::client::{ListResponse, address, follow, own, query_of};

/// Answers a request for a list of these ids, as an endpoint does.
fn get(ids: &BTreeSet<i64>, query: &str) -> ListResponse {
    let params = Params::from_query(query).unwrap();
    let Paging::Keyset { per_page, sort } = Paging::by_id(&params, None).unwrap() else {
        panic!("no keyset paging: {query}");
    };
    let mut reader = params.reader();
    let (after, before) = (reader.integer("id_after"), reader.integer("id_before"));
    reader.finish().unwrap();
    let matches = |id: &&i64| {
        after.is_none_or(|bound| **id > bound) && before.is_none_or(|bound| **id < bound)
    };
    let mut rows: Vec<i64> = ids.iter().filter(matches).copied().collect();
    if sort == SortOrder::Descending {
        rows.reverse();
    }
    let more = rows.len() > usize::from(per_page);
    rows.truncate(per_page.into());
    let last = rows.last().copied().filter(|_| more);
    ListResponse {
        rows,
        headers: address(query).keyset_headers(sort, last),
    }
}

fn all(pages: &[ListResponse]) -> Vec<i64> {
    pages
        .iter()
        .flat_map(|page| page.rows.iter().copied())
        .collect()
}

fn in_order(ids: &BTreeSet<i64>, sort: &str) -> Vec<i64> {
    let mut rows: Vec<i64> = ids.iter().copied().collect();
    if sort == "desc" {
        rows.reverse();
    }
    rows
}

proptest! {
    /// PAGE-06.
    #[test]
    fn next_visits_every_row_once_in_either_direction(
        ids in proptest::collection::btree_set(1_i64..100_000, 0..250), size in 1_u8..=120, sort in "asc|desc",
    ) {
        let first = format!("pagination=keyset&order_by=id&sort={sort}&per_page={size}&search=a%26b");
        let pages = follow("next", &first, |query| get(&ids, query));
        prop_assert_eq!(all(&pages), in_order(&ids, &sort));
        for page in &pages {
            for link in page.links().values() {
                prop_assert_eq!(own(query_of(link)), own(&first));
            }
        }
    }

    /// PAGE-06.
    #[test]
    fn rows_that_come_and_go_meanwhile_cost_no_other_row_its_place(
        ids in proptest::collection::btree_set(1_i64..1000, 5..80),
        changes in proptest::collection::vec((any::<bool>(), 1_i64..1000), 0..40),
        size in 1_u8..10, sort in "asc|desc",
    ) {
        let stable: BTreeSet<i64> =
            ids.iter().copied().filter(|id| changes.iter().all(|(_, changed)| changed != id)).collect();
        let (store, changes) = (RefCell::new(ids), RefCell::new(changes));
        let first = format!("pagination=keyset&order_by=id&sort={sort}&per_page={size}");
        let pages = follow("next", &first, |query| {
            let answer = get(&store.borrow(), query);
            // Between two requests another client inserts or deletes a row.
            if let Some((inserts, id)) = changes.borrow_mut().pop() {
                let _ = if inserts { store.borrow_mut().insert(id) } else { store.borrow_mut().remove(&id) };
            }
            answer
        });
        let seen = all(&pages);
        let mut once = seen.clone();
        once.sort_unstable();
        once.dedup();
        prop_assert_eq!(once.len(), seen.len(), "no row is repeated: {:?}", &seen);
        let kept: Vec<i64> = seen.into_iter().filter(|id| stable.contains(id)).collect();
        prop_assert_eq!(kept, in_order(&stable, &sort), "no row is skipped");
    }
}

/// PAGE-06.
#[test]
fn a_keyset_page_has_one_link_and_the_last_one_none() {
    let ids: BTreeSet<i64> = (1..=5).collect();
    let first = get(
        &ids,
        "pagination=keyset&order_by=id&sort=asc&per_page=3&private_token=s3cret",
    );
    let next = "http://gatehouse.example:8080/api/v4/projects/a%2Fb/events\
                ?pagination=keyset&order_by=id&sort=asc&per_page=3&id_after=3";
    let links: Vec<(String, String)> = first.links().into_iter().collect();
    assert_eq!(links, [("next".to_owned(), next.to_owned())]);
    assert_eq!(first.headers.len(), 1, "no totals and no page numbers");
    let last = get(&ids, query_of(next));
    assert_eq!((last.rows, last.headers.len()), (vec![4, 5], 0));
}

#[test]
fn a_bound_of_the_clients_own_on_the_other_side_is_kept() {
    let ids: BTreeSet<i64> = (1..=9).collect();
    let first = "pagination=keyset&order_by=id&sort=desc&per_page=2&id_after=3&id_before=9";
    let pages = follow("next", first, |query| get(&ids, query));
    assert_eq!(all(&pages), [8, 7, 6, 5, 4]);
}

#[test]
fn an_empty_list_is_one_empty_page() {
    let first = "pagination=keyset&order_by=id&sort=asc";
    let pages = follow("next", first, |query| get(&BTreeSet::new(), query));
    assert_eq!((pages.len(), all(&pages)), (1, vec![]));
}
