//! What a client asks of a list, and the headers that lead it through the pages (`PAGE-01` to `PAGE-07`).

use serde_json::Value;

use crate::error::ApiError;
use crate::page::{OffsetPage, Page, SortOrder, Total};
use crate::params::Params;

/// Parameters that carry credentials. They never stand in a link, because links end in logs and histories.
const SECRET_PARAMETERS: [&str; 3] = ["private_token", "access_token", "job_token"];

/// Why a list cannot be paged by keyset, and which can.
const NO_KEYSET: &str = "Keyset pagination is not yet available for this type of request: \
                         only GET /api/v4/projects, ordered by id, has it";

/// How a client wants to be led through a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paging {
    /// By page number.
    Offset(OffsetPage),
    /// By the id of the last row: the page size and the direction.
    Keyset {
        /// Rows on a full page.
        per_page: u16,
        /// The direction of ids.
        sort: SortOrder,
    },
}

impl Paging {
    /// Reads the paging of a list that has offset pages alone. How far they go is not bounded: there is no other
    /// way to what lies beyond.
    ///
    /// A page below 1 is the first; a negative size is the default one; a size above 100 is 100.
    ///
    /// # Errors
    /// 400 for what is no number and for a size of 0; 405 for keyset paging, with the lists that have it.
    pub fn offset(params: &Params) -> Result<OffsetPage, ApiError> {
        if Self::is_keyset(params) {
            return Err(ApiError::paging_not_allowed(NO_KEYSET));
        }
        let (page, per_page) = numbers(params)?;
        let page = u64::try_from(page).unwrap_or(1);
        Ok(OffsetPage::new(page, per_page.into()))
    }

    fn is_keyset(params: &Params) -> bool {
        params.get("pagination").and_then(Value::as_str) == Some("keyset")
    }

    /// Offset paging that passes over at most `max_offset` rows; `None` for no bound.
    fn bounded_offset(params: &Params, max_offset: Option<u64>) -> Result<OffsetPage, ApiError> {
        let asked = Self::offset(params)?;
        match max_offset {
            Some(max) if asked.page().saturating_mul(asked.per_page().into()) > max => {
                let reason = format!(
                    "Offset pagination has a maximum allowed offset of {max} for this list. \
                     Remaining records can be retrieved using keyset pagination."
                );
                Err(ApiError::paging_not_allowed(&reason))
            }
            _ => Ok(asked),
        }
    }

    /// Reads the paging of a list that can also be paged by id: keyset when `pagination=keyset` asks for it.
    ///
    /// # Errors
    /// As [`Self::offset`]; 405 for an offset beyond the bound, naming keyset paging (`PAGE-04`), and for keyset
    /// paging in any order but that of ids (`PAGE-05`).
    pub fn by_id(params: &Params, max_offset: Option<u64>) -> Result<Self, ApiError> {
        if !Self::is_keyset(params) {
            return Self::bounded_offset(params, max_offset).map(Self::Offset);
        }
        let (_, per_page) = numbers(params)?;
        let mut reader = params.reader();
        let order_by = reader.text("order_by");
        let sort = reader.word("sort", SortOrder::parse).unwrap_or_default();
        reader.finish()?;
        if order_by.is_some_and(|column| column != "id") {
            return Err(ApiError::paging_not_allowed(NO_KEYSET));
        }
        Ok(Self::Keyset { per_page, sort })
    }
}

/// The page and the size, as far as both can be read.
fn numbers(params: &Params) -> Result<(i64, u16), ApiError> {
    let mut reader = params.reader();
    let page = reader.integer("page").unwrap_or(1);
    let per_page = reader.integer("per_page");
    if per_page == Some(0) {
        reader.fault("per_page", "has a value not allowed");
    }
    reader.finish()?;
    let size = per_page
        .filter(|size| *size > 0)
        .unwrap_or(OffsetPage::DEFAULT_SIZE.into());
    Ok((
        page,
        u16::try_from(size)
            .unwrap_or(OffsetPage::MAX_SIZE)
            .min(OffsetPage::MAX_SIZE),
    ))
}

/// The address of a list as clients see it: what the links are built on.
#[derive(Debug, Clone, Copy)]
pub struct ListAddress<'a> {
    /// Scheme and authority, without a slash at the end.
    pub base_url: &'a str,
    /// The path as it came, with its escapes.
    pub path: &'a str,
    /// The query string as it came, without its `?`.
    pub query: &'a str,
}

/// The name and value of a response header.
pub type Header = (&'static str, String);

impl ListAddress<'_> {
    /// The headers of a page by number.
    ///
    /// `X-Next-Page` and `X-Prev-Page` are empty where there is no such page; the totals and the link to the last
    /// page are left out beyond 10,000 rows (`PAGE-03`).
    pub fn offset_headers<T>(self, asked: OffsetPage, page: &Page<T>) -> Vec<Header> {
        let (number, size) = (asked.page(), u64::from(asked.per_page()));
        let pages = match page.total {
            Total::Exact(rows) => Some(rows.div_ceil(size).max(1)),
            Total::Beyond | Total::Uncounted => None,
        };
        let next = page.has_next.then(|| number + 1);
        // Beyond the last page there is no neighbour on either side, however near the last page is.
        let previous = (number > 1 && !page.items.is_empty()).then(|| number - 1);
        let text =
            |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
        let mut headers = vec![
            ("X-Page", number.to_string()),
            ("X-Per-Page", size.to_string()),
            ("X-Next-Page", text(next)),
            ("X-Prev-Page", text(previous)),
        ];
        if let (Total::Exact(rows), Some(pages)) = (page.total, pages) {
            headers.push(("X-Total", rows.to_string()));
            headers.push(("X-Total-Pages", pages.to_string()));
        }
        let relations = [
            ("prev", previous),
            ("next", next),
            ("first", Some(1)),
            ("last", pages),
        ];
        let links: Vec<String> = relations
            .into_iter()
            .filter_map(|(relation, number)| Some((relation, number?.to_string())))
            .map(|(relation, number)| {
                self.link(
                    relation,
                    &[("page", &number), ("per_page", &size.to_string())],
                )
            })
            .collect();
        headers.push(("Link", links.join(", ")));
        headers
    }

    /// The one header of a keyset page: the link to the next one, or nothing at the end (`PAGE-06`).
    ///
    /// `last_id` is the id of the last row of a page that others follow.
    pub fn keyset_headers(self, sort: SortOrder, last_id: Option<i64>) -> Vec<Header> {
        let Some(last_id) = last_id else {
            return Vec::new();
        };
        let bound = match sort {
            SortOrder::Ascending => "id_after",
            SortOrder::Descending => "id_before",
        };
        vec![("Link", self.link("next", &[(bound, &last_id.to_string())]))]
    }

    /// A link that keeps the request's other parameters and leaves secrets out.
    fn link(self, relation: &str, set: &[(&str, &str)]) -> String {
        let kept = self.query.split('&').filter(|pair| {
            let name = pair.split('=').next().unwrap_or_default();
            let name = crate::reference::decode_segment(name).unwrap_or_default();
            !pair.is_empty()
                && !SECRET_PARAMETERS.contains(&name.as_str())
                && !set.iter().any(|(replaced, _)| *replaced == name)
        });
        let kept = kept.map(escape_for_header);
        let pairs: Vec<String> = kept
            .chain(set.iter().map(|(name, value)| format!("{name}={value}")))
            .collect();
        let path = escape_for_header(self.path);
        format!(
            "<{}{path}?{}>; rel=\"{relation}\"",
            self.base_url,
            pairs.join("&")
        )
    }
}

/// What came in a request line has no spaces and no controls, but may hold what would end a link early.
fn escape_for_header(text: &str) -> String {
    text.replace('<', "%3C")
        .replace('>', "%3E")
        .replace('"', "%22")
        .replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn asked(query: &str) -> Result<OffsetPage, ApiError> {
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
                asked(query).unwrap(),
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
                asked(query).unwrap_err().body().to_string(),
                body,
                "{query}"
            );
        }
    }

    #[test]
    fn beyond_the_largest_offset_keyset_paging_is_named() {
        assert!(asked("page=500&per_page=100").is_ok());
        let refusal = asked("page=501&per_page=100").unwrap_err();
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
    fn a_middle_page_leads_everywhere() {
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
            let asked = OffsetPage::new(number, 20);
            let headers = address("").offset_headers(asked, &page(0, false, total));
            for name in ["X-Prev-Page", "X-Next-Page"] {
                assert_eq!(header(&headers, name), Some(""), "{name} of {number}");
            }
            assert!(!header(&headers, "Link").unwrap().contains("prev"));
        }
    }

    #[test]
    fn a_list_without_keyset_pages_names_one_that_has_them() {
        let params = Params::from_query("pagination=keyset").unwrap();
        let refusal = Paging::offset(&params).unwrap_err();
        assert_eq!(refusal.status(), 405);
        let told = refusal.body()["error"].as_str().unwrap();
        assert!(told.contains("GET /api/v4/projects"), "{told}");
        assert_eq!(
            refusal.headers(),
            [("Allow", "OPTIONS, GET, HEAD".to_owned())]
        );
    }

    #[test]
    fn beyond_ten_thousand_rows_nobody_tells_a_total() {
        let headers =
            address("").offset_headers(OffsetPage::default(), &page(20, true, Total::Beyond));
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
            [("Link", "<http://h/api/v4/projects?pagination=keyset&order_by=id&id_before=42>; rel=\"next\"".to_owned())]
        );
        assert!(place.keyset_headers(SortOrder::Descending, None).is_empty());
    }

    proptest! {
        #[test]
        fn following_next_visits_every_row_once(rows in 0_usize..260, size in 1_u64..120) {
            let all: Vec<usize> = (0..rows).collect();
            let (mut seen, mut number) = (Vec::new(), Some(1_u64));
            while let Some(current) = number {
                let asked = OffsetPage::new(current, size);
                let start = usize::try_from(asked.offset()).unwrap();
                let fetched: Vec<usize> =
                    all.iter().skip(start).take(usize::from(asked.per_page()) + 1).copied().collect();
                let page = Page::from_fetched(fetched, asked, rows as u64);
                let headers = address("").offset_headers(asked, &page);
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
}
