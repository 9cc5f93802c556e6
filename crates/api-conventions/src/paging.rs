//! Paging parameters of a list, and the headers that link its pages (`PAGE-01` to `PAGE-07`).

mod cursor;

use serde_json::Value;

pub use cursor::{IdCursor, NameCursor};

use crate::error::ApiError;
use crate::page::{OffsetPage, Page, Position, SortOrder, Total};
use crate::params::Params;

/// Parameters with credentials. They never appear in links, because links end up in logs and histories.
const SECRET_PARAMETERS: [&str; 3] = ["private_token", "access_token", "job_token"];

/// Error message for keyset paging of a list that has none. It names no route: the host's documentation says which
/// lists support keyset paging.
pub const NO_KEYSET: &str =
    "Keyset pagination is not yet available for this type of request: use page and per_page";

/// Error message for keyset paging in an order other than by id.
const KEYSET_BY_ID: &str =
    "Keyset pagination is not yet available for this type of request: send order_by=id";

/// Error message for keyset paging in an order other than by name.
const KEYSET_BY_NAME: &str = "Keyset pagination is not yet available for this type of request: \
                              send order_by=name and sort=asc";

/// Paging requested by a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paging {
    /// Paging by page number.
    Offset(OffsetPage),
    /// Paging by the id of the last row: the page size and the direction.
    Keyset {
        /// Number of rows on a full page.
        per_page: u16,
        /// Direction of ids.
        sort: SortOrder,
    },
}

impl Paging {
    /// Parses the paging of a list that has only offset pages. The offset is not limited, because there is no other way
    /// to reach later rows.
    ///
    /// A page below 1 becomes page 1; a negative size becomes the default; a size above 100 becomes 100.
    ///
    /// # Errors
    /// 400 for values that are not numbers and for a size of 0; 405 for keyset paging.
    pub fn offset(params: &Params) -> Result<OffsetPage, ApiError> {
        if Self::is_keyset(params) {
            return Err(ApiError::paging_not_allowed(NO_KEYSET));
        }
        let (page, per_page) = numbers(params)?;
        let page = u64::try_from(page).unwrap_or(1);
        Ok(OffsetPage::new(page, per_page.into()))
    }

    /// Parses the start position of a list: the `cursor` from the link of a page on which only part of the list could
    /// be examined.
    ///
    /// # Errors
    /// 400 for an invalid cursor.
    pub fn cursor(params: &Params) -> Result<Option<Position>, ApiError> {
        let mut reader = params.reader();
        let cursor = reader.word("cursor", Position::parse);
        reader.finish()?;
        Ok(cursor)
    }

    fn is_keyset(params: &Params) -> bool {
        params.get("pagination").and_then(Value::as_str) == Some("keyset")
    }

    /// Parses offset paging that skips at most `max_offset` rows; `None` for no limit.
    fn bounded_offset(params: &Params, max_offset: Option<u64>) -> Result<OffsetPage, ApiError> {
        let requested = Self::offset(params)?;
        match max_offset {
            Some(max) if requested.page().saturating_mul(requested.per_page().into()) > max => {
                let reason = format!(
                    "Offset pagination has a maximum allowed offset of {max} for this list. \
                     Remaining records can be retrieved using keyset pagination."
                );
                Err(ApiError::paging_not_allowed(&reason))
            }
            _ => Ok(requested),
        }
    }

    /// Parses the paging of a list that also supports paging by id: keyset if `pagination=keyset` is given.
    ///
    /// # Errors
    /// The same as those of [`Self::offset`]; 405 for an offset beyond the limit, which refers to keyset paging
    /// (`PAGE-04`), and for keyset paging in any order other than by id (`PAGE-05`).
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
            return Err(ApiError::paging_not_allowed(KEYSET_BY_ID));
        }
        Ok(Self::Keyset { per_page, sort })
    }
}

/// Paging of a list that callers without credentials may page by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamePaging {
    /// Paging by page number.
    Offset(OffsetPage),
    /// Paging by the name and the id of the last row, ascending.
    Keyset {
        /// Number of rows on a full page.
        per_page: u16,
        /// Last row of the previous page; `None` for the first page.
        after: Option<NameCursor>,
    },
}

impl NamePaging {
    /// Parses the paging. Only callers without credentials page the list by name, and only their offset is limited,
    /// because other callers have no alternative (`PAGE-05`).
    ///
    /// # Errors
    /// The same as those of [`Paging::by_id`]: keyset paging is by name, ascending; 400 for an invalid cursor.
    pub fn read(
        params: &Params,
        is_anonymous: bool,
        max_offset: Option<u64>,
    ) -> Result<Self, ApiError> {
        if !is_anonymous {
            return Paging::offset(params).map(Self::Offset);
        }
        if !Paging::is_keyset(params) {
            return Paging::bounded_offset(params, max_offset).map(Self::Offset);
        }
        let (_, per_page) = numbers(params)?;
        let mut reader = params.reader();
        let order_by = reader.text("order_by");
        let sort = reader.word("sort", SortOrder::parse);
        let after = reader.word("cursor", NameCursor::parse);
        reader.finish()?;
        let is_other = order_by.is_some_and(|column| column != "name");
        if is_other || sort == Some(SortOrder::Descending) {
            return Err(ApiError::paging_not_allowed(KEYSET_BY_NAME));
        }
        Ok(Self::Keyset { per_page, after })
    }
}

/// Parses the page and the size.
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

/// URL of a list as clients see it, on which links are built.
#[derive(Debug, Clone, Copy)]
pub struct ListAddress<'a> {
    /// Scheme and authority, without a slash at the end.
    pub base_url: &'a str,
    /// Path as received, with its escapes.
    pub path: &'a str,
    /// Query string as received, without its `?`.
    pub query: &'a str,
}

/// Name and value of a response header.
pub type Header = (&'static str, String);

impl ListAddress<'_> {
    /// Returns the headers of an offset page.
    ///
    /// `X-Next-Page` and `X-Prev-Page` are empty if there is no such page; the totals and the link to the last page are
    /// left out beyond 10,000 rows (`PAGE-03`). If only part of the list could be examined, the link to the next page
    /// has a `cursor`, which `X-Next-Cursor` contains as well, and the next page has no number.
    pub fn offset_headers<T>(self, requested: OffsetPage, page: &Page<T>) -> Vec<Header> {
        let (number, size) = (requested.page(), u64::from(requested.per_page()));
        let pages = match page.total {
            Total::Exact(rows) => Some(rows.div_ceil(size).max(1)),
            Total::Beyond | Total::Uncounted | Total::Unfinished(_) => None,
        };
        let cursor = match page.total {
            Total::Unfinished(position) => Some(position.to_string()),
            _ => None,
        };
        let next = (page.has_next && cursor.is_none()).then(|| number + 1);
        // Beyond the last page there is no previous or next page, however near the last page is.
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
        let mut links: Vec<String> = relations
            .into_iter()
            .filter_map(|(relation, number)| Some((relation, number?.to_string())))
            .map(|(relation, number)| {
                self.link(
                    relation,
                    &[("page", &number), ("per_page", &size.to_string())],
                )
            })
            .collect();
        if let Some(cursor) = cursor {
            let size = size.to_string();
            let set = [("cursor", &*cursor), ("page", "1"), ("per_page", &*size)];
            links.push(self.link("next", &set));
            headers.push(("X-Next-Cursor", cursor));
        }
        headers.push(("Link", links.join(", ")));
        headers
    }

    /// Returns the header of a keyset page: the link to the next page, or nothing at the end (`PAGE-06`).
    ///
    /// `last_id` is the id of the page's last row if more rows follow.
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

    /// Returns the header of a page from an external list, whose cursors give the start of the previous and the next
    /// page.
    pub fn cursor_headers(self, previous: Option<&str>, next: Option<&str>) -> Vec<Header> {
        let link = |relation: &str, cursor: Option<&str>| {
            cursor.map(|cursor| self.link(relation, &[("cursor", cursor)]))
        };
        let links = [link("prev", previous), link("next", next)];
        let links: Vec<String> = links.into_iter().flatten().collect();
        if links.is_empty() {
            return Vec::new();
        }
        vec![("Link", links.join(", "))]
    }

    /// Returns the header of a page by name: the link to the next page, or nothing at the end. `last` is the page's
    /// last row if more rows follow.
    pub fn name_headers(self, last: Option<&NameCursor>) -> Vec<Header> {
        let link = |last: &NameCursor| self.link("next", &[("cursor", &last.to_string())]);
        last.map(|last| ("Link", link(last))).into_iter().collect()
    }

    /// Returns the URL with one path segment replaced, and without secrets. `position` counts segments from 1; a
    /// position beyond the last one leaves the path unchanged.
    pub fn with_segment(self, position: usize, replacement: &str) -> String {
        // An absolute path begins with a slash, so index 0 is the empty part before the first segment.
        let segments = self.path.split('/').enumerate();
        let segments = segments.map(|(index, segment)| {
            if index == position && index > 0 {
                replacement.to_owned()
            } else {
                escape_for_header(segment)
            }
        });
        let path = segments.collect::<Vec<_>>().join("/");
        let kept: Vec<String> = self.kept_parameters(&[]).collect();
        let query = if kept.is_empty() { "" } else { "?" };
        format!("{}{path}{query}{}", self.base_url, kept.join("&"))
    }

    /// Returns the request's parameters without secrets, and without those that `set` replaces.
    fn kept_parameters(self, set: &[(&str, &str)]) -> impl Iterator<Item = String> {
        let kept = self.query.split('&').filter(|pair| {
            let name = pair.split('=').next().unwrap_or_default();
            let name = crate::reference::decode_segment(name).unwrap_or_default();
            !pair.is_empty()
                && !SECRET_PARAMETERS.contains(&name.as_str())
                && !set.iter().any(|(replaced, _)| *replaced == name)
        });
        kept.map(escape_for_header)
    }

    /// Builds a link that keeps the request's other parameters and leaves out secrets.
    fn link(self, relation: &str, set: &[(&str, &str)]) -> String {
        let pairs: Vec<String> = self
            .kept_parameters(set)
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

/// Escapes characters that would end a link early; a request line cannot contain spaces or control characters.
fn escape_for_header(text: &str) -> String {
    text.replace('<', "%3C")
        .replace('>', "%3E")
        .replace('"', "%22")
        .replace(',', "%2C")
}

#[cfg(test)]
mod tests;
