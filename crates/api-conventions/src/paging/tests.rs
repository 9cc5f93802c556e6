//! Paging of lists, by page number.

use super::*;
use proptest::prelude::*;

fn requested(query: &str) -> Result<OffsetPage, ApiError> {
    Paging::bounded_offset(&Params::from_query(query).unwrap(), Some(50_000))
}

fn address(query: &str) -> ListAddress<'_> {
    ListAddress {
        base_url: "http://h",
        path: "/api/v4/projects",
        query,
    }
}

fn page(rows: usize, has_next: bool, total: Total) -> Page<usize> {
    Page {
        items: (0..rows).collect(),
        has_next,
        total,
    }
}

fn header<'h>(headers: &'h [Header], name: &str) -> Option<&'h str> {
    headers
        .iter()
        .find(|(candidate, _)| *candidate == name)
        .map(|(_, value)| value.as_str())
}

#[test]
fn odd_numbers_are_held_to_their_bounds() {
    let cases = [
        ("", 1, 20),
        ("page=0", 1, 20),
        ("page=-3&per_page=-1", 1, 20),
        ("page=2&per_page=500", 2, 100),
    ];
    for (query, page, per_page) in cases {
        assert_eq!(
            requested(query).unwrap(),
            OffsetPage::new(page, per_page),
            "{query}"
        );
    }
    let cases = [
        ("page=abc", r#"{"error":"page is invalid"}"#),
        (
            "per_page=0",
            r#"{"error":"per_page has a value not allowed"}"#,
        ),
        (
            "page=1.5&per_page=x",
            r#"{"error":"page is invalid, per_page is invalid"}"#,
        ),
    ];
    for (query, body) in cases {
        assert_eq!(
            requested(query).unwrap_err().body().to_string(),
            body,
            "{query}"
        );
    }
}

#[test]
fn beyond_the_largest_offset_keyset_paging_is_named() {
    assert!(requested("page=500&per_page=100").is_ok());
    let refusal = requested("page=501&per_page=100").unwrap_err();
    assert_eq!(refusal.status(), 405);
    assert!(
        refusal.body()["error"]
            .as_str()
            .unwrap()
            .contains("keyset pagination")
    );
    let unbounded = Paging::offset(&Params::from_query("page=501&per_page=100").unwrap());
    assert!(unbounded.is_ok());
}

#[test]
fn a_middle_page_links_to_prev_next_first_and_last() {
    let headers = address("page=2&search=a%2Cb&per_page=2&private_token=s3cret")
        .offset_headers(OffsetPage::new(2, 2), &page(2, true, Total::Exact(7)));
    let to = |page: u8, relation: &str| {
        format!(
            "<http://h/api/v4/projects?search=a%2Cb&page={page}&per_page=2>; rel=\"{relation}\""
        )
    };
    let links = [to(1, "prev"), to(3, "next"), to(1, "first"), to(4, "last")].join(", ");
    let expected = [
        ("X-Page", "2"),
        ("X-Per-Page", "2"),
        ("X-Next-Page", "3"),
        ("X-Prev-Page", "1"),
        ("X-Total", "7"),
        ("X-Total-Pages", "4"),
        ("Link", &links),
    ];
    assert_eq!(
        headers,
        expected.map(|(name, value)| (name, value.to_owned()))
    );
}

#[test]
fn an_empty_list_has_one_page() {
    let headers =
        address("").offset_headers(OffsetPage::default(), &page(0, false, Total::Exact(0)));
    assert_eq!(header(&headers, "X-Total"), Some("0"));
    assert_eq!(header(&headers, "X-Total-Pages"), Some("1"));
    assert_eq!(header(&headers, "X-Next-Page"), Some(""));
}

#[test]
fn a_page_beyond_the_last_has_no_neighbours() {
    for (number, total) in [
        (2, Total::Exact(5)),
        (9, Total::Exact(5)),
        (900, Total::Beyond),
    ] {
        let requested = OffsetPage::new(number, 20);
        let headers = address("").offset_headers(requested, &page(0, false, total));
        for name in ["X-Prev-Page", "X-Next-Page"] {
            assert_eq!(header(&headers, name), Some(""), "{name} of {number}");
        }
        assert!(!header(&headers, "Link").unwrap().contains("prev"));
    }
}

#[test]
fn unsupported_keyset_paging_suggests_offset_paging_and_names_no_route() {
    let params = Params::from_query("pagination=keyset").unwrap();
    let refusal = Paging::offset(&params).unwrap_err();
    assert_eq!(refusal.status(), 405);
    let response = refusal.body()["error"].as_str().unwrap();
    assert!(response.ends_with("use page and per_page"), "{response}");
    assert!(!response.contains('/'), "{response}");
    assert_eq!(
        refusal.headers(),
        [("Allow", "OPTIONS, GET, HEAD".to_owned())]
    );
}

#[test]
fn totals_beyond_ten_thousand_rows_are_omitted() {
    let headers = address("").offset_headers(OffsetPage::default(), &page(20, true, Total::Beyond));
    assert_eq!(header(&headers, "X-Total"), None);
    assert_eq!(header(&headers, "X-Total-Pages"), None);
    assert!(!header(&headers, "Link").unwrap().contains("rel=\"last\""));
    assert_eq!(header(&headers, "X-Next-Page"), Some("2"));
}

#[test]
fn keyset_paging_is_by_id_only_and_ends_without_a_link() {
    let read = |query: &str| Paging::by_id(&Params::from_query(query).unwrap(), None);
    assert_eq!(
        read("pagination=keyset&order_by=id&sort=asc&per_page=7").unwrap(),
        Paging::Keyset {
            per_page: 7,
            sort: SortOrder::Ascending
        }
    );
    assert_eq!(
        read("pagination=keyset&order_by=name")
            .unwrap_err()
            .status(),
        405
    );
    assert!(matches!(read("pagination=other"), Ok(Paging::Offset(_))));
    let place = address("pagination=keyset&order_by=id&id_before=90&access_token=x");
    assert_eq!(
        place.keyset_headers(SortOrder::Descending, Some(42)),
        [(
            "Link",
            "<http://h/api/v4/projects?pagination=keyset&order_by=id&id_before=42>; rel=\"next\""
                .to_owned()
        )]
    );
    assert!(place.keyset_headers(SortOrder::Descending, None).is_empty());
}

proptest! {
    #[test]
    fn following_next_visits_every_row_once(rows in 0_usize..260, size in 1_u64..120) {
        let all: Vec<usize> = (0..rows).collect();
        let (mut seen, mut number) = (Vec::new(), Some(1_u64));
        while let Some(current) = number {
            let requested = OffsetPage::new(current, size);
            let start = usize::try_from(requested.offset()).unwrap();
            let fetched: Vec<usize> =
                all.iter().skip(start).take(usize::from(requested.per_page()) + 1).copied().collect();
            let page = Page::from_fetched(fetched, requested, rows as u64);
            let headers = address("").offset_headers(requested, &page);
            seen.extend(page.items);
            number = header(&headers, "X-Next-Page").and_then(|text| text.parse().ok());
            let pages: u64 = header(&headers, "X-Total-Pages").unwrap().parse().unwrap();
            prop_assert_eq!(number.is_some(), current < pages);
        }
        prop_assert_eq!(seen, all);
    }

    #[test]
    fn no_link_carries_a_credential_or_breaks_the_header(query in "[a-z_&=<>\",%0-9]{0,60}") {
        let query = format!("{query}&private_token=s3cret&access%5Ftoken=s3cret");
        let headers = address(&query).offset_headers(OffsetPage::default(), &page(1, true, Total::Beyond));
        let links = header(&headers, "Link").unwrap();
        prop_assert!(!links.contains("s3cret"));
        prop_assert_eq!(links.matches("rel=").count(), links.split(", ").count());
    }
}

/// Only the segment at the position is replaced, not other segments that look the same.
#[test]
fn a_segment_of_an_address_is_replaced_and_secrets_are_left_out() {
    let with_segment = |(position, path), query| {
        let address = ListAddress {
            base_url: "https://host/git",
            path,
            query,
        };
        address.with_segment(position, "7")
    };
    for (place, query, expected) in [
        ((4, "/api/v4/groups/groups"), "", "/api/v4/groups/7"),
        ((1, "/shops/a%2Fb"), "page=2", "/7/a%2Fb?page=2"),
        ((0, "/shops/a%2Fb"), "", "/shops/a%2Fb"),
        ((3, "/shops/a%2Fb"), "", "/shops/a%2Fb"),
        (
            (4, "/api/v4/projects/a%2Fb/issues/a%2Fb"),
            "page=2",
            "/api/v4/projects/7/issues/a%2Fb?page=2",
        ),
        (
            (4, "/api/v4/projects/a%2Fb"),
            "private_token=s3cret&simple=true&access%5Ftoken=x",
            "/api/v4/projects/7?simple=true",
        ),
    ] {
        assert_eq!(
            with_segment(place, query),
            format!("https://host/git{expected}")
        );
    }
}

#[test]
fn an_unfinished_page_links_to_a_cursor_instead_of_a_page_number() {
    let position = Position::new(-3, 17);
    let part = page(2, true, Total::Unfinished(position));
    let headers =
        address("search=x&page=3&cursor=9.9").offset_headers(OffsetPage::new(3, 5), &part);
    assert_eq!(header(&headers, "X-Next-Page"), Some(""));
    assert_eq!(header(&headers, "X-Next-Cursor"), Some("-3.17"));
    assert_eq!(header(&headers, "X-Total"), None);
    let link = header(&headers, "Link").unwrap();
    let next = "<http://h/api/v4/projects?search=x&cursor=-3.17&page=1&per_page=5>; rel=\"next\"";
    assert!(link.contains(next), "{link}");
    let params = Params::from_query("cursor=-3.17").unwrap();
    assert_eq!(Paging::cursor(&params).unwrap(), Some(position));
    assert_eq!(Paging::cursor(&Params::default()).unwrap(), None);
    assert!(Paging::cursor(&Params::from_query("cursor=x").unwrap()).is_err());
}
