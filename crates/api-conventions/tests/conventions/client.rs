//! A client that has no knowledge of the server: it follows the `Link` header (RFC 8288) and builds no URL.

use std::collections::BTreeMap;

use api_conventions::paging::{Header, ListAddress};
use api_conventions::params::Params;

/// Base URL of the list in these tests.
pub(crate) const BASE: &str = "http://gatehouse.example:8080";
/// Path of the list, with an escape.
pub(crate) const PATH: &str = "/api/v4/projects/a%2Fb/events";

/// A page as a client sees it.
pub(crate) struct ListResponse {
    /// The rows.
    pub(crate) rows: Vec<i64>,
    /// The headers.
    pub(crate) headers: Vec<Header>,
}

impl ListResponse {
    /// Returns a header's value.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers
            .find(|(candidate, _)| *candidate == name)
            .map(|(_, value)| value.as_str())
    }

    /// Returns the targets of the links, by relation.
    pub(crate) fn links(&self) -> BTreeMap<String, String> {
        self.header("Link").map(parse_links).unwrap_or_default()
    }
}

/// Parses a `Link` header, and fails on anything that a strict client would reject.
fn parse_links(header: &str) -> BTreeMap<String, String> {
    let mut links = BTreeMap::new();
    let mut rest = header;
    loop {
        let inside = rest
            .strip_prefix('<')
            .unwrap_or_else(|| panic!("no link: {header}"));
        let (target, after) = inside.split_once('>').unwrap();
        let (relation, after) = after
            .strip_prefix("; rel=\"")
            .unwrap()
            .split_once('"')
            .unwrap();
        assert!(!target.contains(['<', ' ', '"', ',']), "{target}");
        let known = links.insert(relation.to_owned(), target.to_owned());
        assert!(known.is_none(), "two links are {relation}: {header}");
        if after.is_empty() {
            return links;
        }
        rest = after.strip_prefix(", ").unwrap();
    }
}

/// Returns the query of a link. Scheme, host and path must be those of the list.
pub(crate) fn query_of(link: &str) -> &str {
    let query = link
        .strip_prefix(BASE)
        .and_then(|rest| rest.strip_prefix(PATH));
    query
        .and_then(|rest| rest.strip_prefix('?'))
        .unwrap_or_else(|| panic!("link to another resource: {link}"))
}

/// Returns the address of the list for a request with this query.
pub(crate) fn address(query: &str) -> ListAddress<'_> {
    ListAddress {
        base_url: BASE,
        path: PATH,
        query,
    }
}

/// Returns the client's own parameters in a query: all except those for paging and credentials.
pub(crate) fn own(query: &str) -> Vec<(String, String)> {
    let paging = [
        "page",
        "per_page",
        "id_after",
        "id_before",
        "private_token",
        "access_token",
        "job_token",
    ];
    let params = Params::from_query(query).unwrap();
    let names = query.split('&').filter(|pair| !pair.is_empty());
    let names = names.map(|pair| pair.split('=').next().unwrap_or_default());
    let mut own: Vec<(String, String)> = names
        .map(|raw| api_conventions::reference::decode_segment(raw).unwrap())
        .filter(|name| !paging.contains(&name.as_str()))
        .filter_map(|name| Some((name.clone(), params.get(&name)?.to_string())))
        .collect();
    own.dedup();
    own
}

/// Follows a relation from the first request on and returns all pages. Fails if it never ends.
pub(crate) fn follow(
    relation: &str,
    first: &str,
    get: impl Fn(&str) -> ListResponse,
) -> Vec<ListResponse> {
    let mut pages = Vec::new();
    let mut query = first.to_owned();
    while pages.len() < 1000 {
        let answer = get(&query);
        let next = answer.links().remove(relation);
        pages.push(answer);
        match next {
            Some(link) => query_of(&link).clone_into(&mut query),
            None => return pages,
        }
    }
    panic!("the pages do not end: {query}");
}
