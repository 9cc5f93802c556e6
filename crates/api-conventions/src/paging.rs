//! What a client asks of a list, and the headers that lead it through the pages (`PAGE-01` to `PAGE-07`).

mod cursor;

use serde_json::Value;

pub use cursor::NameCursor;

use crate::error::ApiError;
use crate::page::{OffsetPage, Page, Position, SortOrder, Total};
use crate::params::Params;

/// Parameters that carry credentials. They never stand in a link, because links end in logs and histories.
const SECRET_PARAMETERS: [&str; 3] = ["private_token", "access_token", "job_token"];

/// Message of the refusal of keyset paging where a list has none. It names no route: which lists can be paged by keyset is
/// for the documents of the host to say.
pub const NO_KEYSET: &str =
    "Keyset pagination is not yet available for this type of request: use page and per_page";

/// Message of the refusal of keyset paging in another order than that of ids.
const KEYSET_BY_ID: &str =
    "Keyset pagination is not yet available for this type of request: send order_by=id";

/// Message of the refusal of keyset paging in another order than that of names.
const KEYSET_BY_NAME: &str = "Keyset pagination is not yet available for this type of request: \
                              send order_by=name and sort=asc";

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
    /// 400 for what is no number and for a size of 0; 405 for keyset paging.
    pub fn offset(params: &Params) -> Result<OffsetPage, ApiError> {
        if Self::is_keyset(params) {
            return Err(ApiError::paging_not_allowed(NO_KEYSET));
        }
        let (page, per_page) = numbers(params)?;
        let page = u64::try_from(page).unwrap_or(1);
        Ok(OffsetPage::new(page, per_page.into()))
    }

    /// Reads the row behind which a list begins: the `cursor` of a link that led on from a page on which only a part of the
    /// list could be examined.
    ///
    /// # Errors
    /// 400 for a text that is no cursor.
    pub fn cursor(params: &Params) -> Result<Option<Position>, ApiError> {
        let mut reader = params.reader();
        let cursor = reader.word("cursor", Position::parse);
        reader.finish()?;
        Ok(cursor)
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
            return Err(ApiError::paging_not_allowed(KEYSET_BY_ID));
        }
        Ok(Self::Keyset { per_page, sort })
    }
}

/// How a client wants to be led through a list that callers without credentials walk by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamePaging {
    /// By page number.
    Offset(OffsetPage),
    /// By the name and the id of the last row, ascending.
    Keyset {
        /// Rows on a full page.
        per_page: u16,
        /// The last row of the page before; none for the first page.
        after: Option<NameCursor>,
    },
}

impl NamePaging {
    /// Reads the paging. Only callers without credentials walk the list by name, and only their pages by number are bounded,
    /// because others have no other way (`PAGE-05`).
    ///
    /// # Errors
    /// As [`Paging::by_id`]: keyset paging has the order of names, ascending; 400 for a cursor that is none of ours.
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
    /// page are left out beyond 10,000 rows (`PAGE-03`). Where only a part of the list could be examined, the link to the next
    /// page has a `cursor`, which stands in `X-Next-Cursor` as well, and the next page has no number.
    pub fn offset_headers<T>(self, asked: OffsetPage, page: &Page<T>) -> Vec<Header> {
        let (number, size) = (asked.page(), u64::from(asked.per_page()));
        let pages = match page.total {
            Total::Exact(rows) => Some(rows.div_ceil(size).max(1)),
            Total::Beyond | Total::Uncounted | Total::Unfinished(_) => None,
        };
        let cursor = match page.total {
            Total::Unfinished(position) => Some(position.to_string()),
            _ => None,
        };
        let next = (page.has_next && cursor.is_none()).then(|| number + 1);
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

    /// The one header of a page of a list that somebody else keeps, who says by cursors where the pages before and after it begin.
    pub fn cursor_headers(self, (previous, next): (Option<&str>, Option<&str>)) -> Vec<Header> {
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

    /// The one header of a page of a list that is walked by name: the link to the next one, or nothing at the end. `last` is
    /// the last row of a page that others follow.
    pub fn name_headers(self, last: Option<&NameCursor>) -> Vec<Header> {
        let link = |last: &NameCursor| self.link("next", &[("cursor", &last.to_string())]);
        last.map(|last| ("Link", link(last))).into_iter().collect()
    }

    /// The same address with one segment of the path replaced, and without secrets. `position` counts segments from 1;
    /// a position beyond the last one leaves the path as it is.
    pub fn with_segment(self, position: usize, replacement: &str) -> String {
        // An absolute path begins with a slash, so the part before its first segment is the empty one at 0.
        let segments = self.path.split('/').enumerate();
        let segments = segments.map(|(index, segment)| {
            if index == position && index > 0 {
                replacement.to_owned()
            } else {
                escape_for_header(segment)
            }
        });
        let path = segments.collect::<Vec<_>>().join("/");
        let kept: Vec<String> = self.kept(&[]).collect();
        let query = if kept.is_empty() { "" } else { "?" };
        format!("{}{path}{query}{}", self.base_url, kept.join("&"))
    }

    /// The parameters of the request without secrets, and without those that are `set` anew.
    fn kept(self, set: &[(&str, &str)]) -> impl Iterator<Item = String> {
        let kept = self.query.split('&').filter(|pair| {
            let name = pair.split('=').next().unwrap_or_default();
            let name = crate::reference::decode_segment(name).unwrap_or_default();
            !pair.is_empty()
                && !SECRET_PARAMETERS.contains(&name.as_str())
                && !set.iter().any(|(replaced, _)| *replaced == name)
        });
        kept.map(escape_for_header)
    }

    /// A link that keeps the request's other parameters and leaves secrets out.
    fn link(self, relation: &str, set: &[(&str, &str)]) -> String {
        let pairs: Vec<String> = self
            .kept(set)
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
mod tests;
