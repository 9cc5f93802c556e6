//! Response headers about deprecations: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and links (RFC 8288).

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue, LINK, VARY};
use api_conventions::release::Edition;
use deprecations::{Record, headers as dates, published};

use super::HEADER;

const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
const SUNSET: HeaderName = HeaderName::from_static("sunset");

/// Header with the ids of the records that apply to a response.
/// They are those of the features used by the request, and of the fields in the response.
const DEPRECATED: HeaderName = HeaderName::from_static("gatehouse-deprecated");

/// Deprecations that apply to a response.
pub(super) struct HeaderFacts<'a> {
    /// Records of the features used by the request.
    pub(super) used: &'a [String],
    /// Records of fields in the response.
    pub(super) fields: Vec<&'a String>,
    /// Record that refused the request.
    pub(super) refused_by: Option<&'a str>,
    /// True if links may be added.
    pub(super) has_links: bool,
    /// Base URL of the record pages.
    pub(super) base_url: &'a str,
}

/// Adds the headers.
/// `Deprecation` and `Sunset` are set only for features used by the request, because clients log every response with
/// them: a field that no client reads would fill their logs forever.
pub(super) fn write_headers(facts: &HeaderFacts<'_>, headers: &mut HeaderMap) {
    headers.append(VARY, HeaderValue::from_static("Gatehouse-Release"));
    let find = |id: &String| published().find(id);
    let used = facts.used.iter().filter_map(find);
    if let Some(first) = used.min_by_key(|record| record.removal()) {
        set_dates(first, headers);
    }
    let mut named: Vec<&str> = facts.used.iter().map(String::as_str).collect();
    named.extend(facts.fields.iter().map(|id| id.as_str()));
    named.extend(facts.refused_by);
    named.dedup();
    if named.is_empty() {
        return;
    }
    if let Ok(value) = HeaderValue::from_str(&named.join(", ")) {
        headers.insert(DEPRECATED, value);
    }
    if facts.has_links {
        add_links(facts.base_url, &named, headers);
    }
}

/// Sets the dates of the record with the earliest removal.
/// A removal without a date has no `Sunset`.
fn set_dates(record: &Record, headers: &mut HeaderMap) {
    let values = [
        (DEPRECATION, dates::deprecation(record)),
        (SUNSET, dates::sunset(record)),
    ];
    for (name, value) in values {
        if let Some(Ok(value)) = value.map(|text| HeaderValue::from_str(&text)) {
            headers.insert(name, value);
        }
    }
}

/// Adds links to the pages of records, after those to other pages of a list.
/// `rel` comes first, because clients expect it right after the address.
fn add_links(base_url: &str, named: &[&str], headers: &mut HeaderMap) {
    let other = headers.get(LINK).and_then(|value| value.to_str().ok());
    let mut links: Vec<String> = other.map(str::to_owned).into_iter().collect();
    for id in named {
        links.push(format!(
            "<{base_url}/-/deprecations/{id}>; rel=\"deprecation\"; type=\"text/html\""
        ));
    }
    if let Ok(value) = HeaderValue::from_str(&links.join(", ")) {
        headers.insert(LINK, value);
    }
}

/// Adds the header with the edition of a response.
pub fn add_edition(edition: Edition, headers: &mut HeaderMap) {
    if let Ok(value) = HeaderValue::from_str(&edition.to_string()) {
        headers.insert(HEADER, value);
    }
}
