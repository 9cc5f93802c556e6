//! Reading a list as a client does: page after page, using only the links of the responses.

use serde_json::Value;

use super::{TestCaller, TestResponse};

/// Maximum number of pages. No list of a test has more; a link that leads back would loop forever.
const MAX_PAGES: usize = 2_000;

/// All pages, starting with the first one at `path`.
#[track_caller]
pub(crate) fn follow(caller: &TestCaller, path: &str) -> Vec<TestResponse> {
    let mut pages = Vec::new();
    let mut next = Some(path.to_owned());
    while let Some(path) = next {
        assert!(pages.len() < MAX_PAGES, "the links lead nowhere: {path}");
        let page = caller.get(&path);
        page.assert_ok();
        next = page.link("next");
        pages.push(page);
    }
    pages
}

/// All rows of all pages.
#[track_caller]
pub(crate) fn rows(caller: &TestCaller, path: &str) -> Vec<Value> {
    let pages = follow(caller, path);
    pages.iter().flat_map(TestResponse::list).collect()
}

/// A field of all rows, as text without quotes.
#[track_caller]
pub(crate) fn column(caller: &TestCaller, path: &str, field: &str) -> Vec<String> {
    let rows = rows(caller, path);
    rows.iter().map(|row| plain(&row[field])).collect()
}

/// A value as text without quotes.
pub(crate) fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
