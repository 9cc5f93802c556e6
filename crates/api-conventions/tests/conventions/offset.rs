//! Paging by page number (`PAGE-01` to `PAGE-03`).

use api_conventions::page::{OffsetPage, Page};
use api_conventions::paging::Paging;
use api_conventions::params::Params;
use proptest::prelude::*;

use crate::client::{ListResponse, address, follow, own, query_of};

/// Answers a request for a list of this many rows, as an endpoint does.
fn get(rows: i64, query: &str) -> ListResponse {
    let requested = Paging::offset(&Params::from_query(query).unwrap()).unwrap();
    let first = requested.offset().min(rows);
    let fetched: Vec<i64> = (first..rows.min(first + requested.fetch_limit())).collect();
    let count = u64::try_from(rows.min(10_001)).unwrap();
    let page = Page::from_fetched(fetched, requested, count);
    let headers = address(query).offset_headers(requested, &page);
    ListResponse {
        rows: page.items,
        headers,
    }
}

fn all(pages: &[ListResponse]) -> Vec<i64> {
    pages
        .iter()
        .flat_map(|page| page.rows.iter().copied())
        .collect()
}

/// Generates parameters of a client's own, with arbitrary text.
fn queries() -> impl Strategy<Value = String> {
    let pair = ("[a-z]{3,6}(\\[\\])?", "[^\\x00]{0,8}")
        .prop_map(|(name, value)| format!("{name}={}", crate::tree::escape(&value)));
    // The endpoint would refuse repeated names with different shapes before it pages.
    proptest::collection::btree_map("[a-z]{3,6}", pair, 0..4).prop_map(|pairs| {
        let mut pairs: Vec<String> = pairs.into_values().collect();
        pairs.sort();
        pairs.dedup_by_key(|pair| pair.split(['=', '[']).next().map(str::to_owned));
        pairs.join("&")
    })
}

proptest! {
    /// PAGE-02.
    #[test]
    fn next_and_prev_links_visit_every_row(
        rows in 0_i64..300, size in 1_u8..=120, query in queries(),
    ) {
        let first = format!("{query}&per_page={size}");
        let pages = follow("next", &first, |query| get(rows, query));
        prop_assert_eq!(all(&pages), (0..rows).collect::<Vec<_>>());
        let bound = usize::from(size.min(100));
        prop_assert!(pages.iter().rev().skip(1).all(|page| page.rows.len() == bound), "pages are full");
        let last = pages.first().and_then(|page| page.links().remove("last")).unwrap();
        let mut back = follow("prev", query_of(&last), |query| get(rows, query));
        back.reverse();
        prop_assert_eq!(all(&back), (0..rows).collect::<Vec<_>>());
    }

    /// PAGE-02.
    #[test]
    fn links_keep_the_clients_own_parameters_and_leave_credentials_out(
        query in queries(), page in 1_u8..5, name in "(private|access|job)(_|%5F|%5f)token",
    ) {
        let requested = format!("{name}=s3cret&{query}&page={page}&per_page=2");
        let answer = get(10, &requested);
        for link in answer.links().values() {
            prop_assert_eq!(own(query_of(link)), own(&requested));
            prop_assert!(!link.contains("s3cret"));
        }
    }

    #[test]
    fn the_numbers_in_the_headers_agree_with_the_links(rows in 0_i64..500, page in 1_u64..12, size in 1_u64..=100) {
        let answer = get(rows, &format!("page={page}&per_page={size}"));
        let links = answer.links();
        let number = |name: &str| answer.header(name).and_then(|text| text.parse::<u64>().ok());
        let target = |relation: &str| {
            let link = links.get(relation)?;
            let params = Params::from_query(query_of(link)).unwrap();
            Some(Paging::offset(&params).unwrap())
        };
        prop_assert_eq!(number("X-Page"), Some(page));
        prop_assert_eq!(number("X-Per-Page"), Some(size));
        prop_assert_eq!(number("X-Total"), u64::try_from(rows).ok());
        prop_assert_eq!(number("X-Next-Page"), target("next").map(OffsetPage::page));
        prop_assert_eq!(number("X-Prev-Page"), target("prev").map(OffsetPage::page));
        prop_assert_eq!(number("X-Total-Pages"), target("last").map(OffsetPage::page));
        prop_assert_eq!(target("first"), Some(OffsetPage::new(1, size)));
    }
}

/// PAGE-03.
#[test]
fn beyond_ten_thousand_rows_the_walk_still_sees_every_row() {
    let rows = 10_050;
    let pages = follow("next", "per_page=100", |query| get(rows, query));
    assert_eq!(all(&pages), (0..rows).collect::<Vec<_>>());
    for page in &pages {
        assert_eq!(
            (page.header("X-Total"), page.header("X-Total-Pages")),
            (None, None)
        );
        assert!(!page.links().contains_key("last"));
    }
    let counted = get(10_000, "per_page=100");
    assert_eq!(counted.header("X-Total"), Some("10000"));
    assert!(counted.links().contains_key("last"));
}

#[test]
fn link_delimiters_are_percent_encoded() {
    let requested = "search=a<b>c,d\"e&labels=x,y;z&page=2&per_page=2";
    let answer = get(10, requested);
    assert_eq!(answer.links().len(), 4);
    for link in answer.links().values() {
        assert!(
            query_of(link).starts_with("search=a%3Cb%3Ec%2Cd%22e&"),
            "{link}"
        );
    }
}

/// PAGE-07.
#[test]
fn there_is_one_link_header_and_no_other_name_for_it() {
    let names: Vec<&str> = get(50, "page=2")
        .headers
        .iter()
        .map(|(name, _)| *name)
        .collect();
    let expected = [
        "X-Page",
        "X-Per-Page",
        "X-Next-Page",
        "X-Prev-Page",
        "X-Total",
        "X-Total-Pages",
        "Link",
    ];
    assert_eq!(names, expected);
}
