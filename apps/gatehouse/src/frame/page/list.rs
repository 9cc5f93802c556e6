//! Helpers for pages with lists: the query, links to the neighbouring pages, tabs, and sortable columns.
//! The parameters are those of the API, so that each view has an address to share.

use actix_web::HttpRequest;
use api_conventions::page::{OffsetPage, Page, Position, SortOrder, Total};
use api_conventions::paging::Paging;
use api_conventions::params::Params;
use serde_json::Value;
use url::form_urlencoded;

use super::format::{counted, grouped};
use crate::frame::page::failure::PageFailure;

/// Query of a list page.
#[derive(Debug, Clone)]
pub struct ListQuery {
    path: String,
    pairs: Vec<(String, String)>,
    params: Params,
}

impl ListQuery {
    /// Parses the query of a request.
    /// An empty filter field sets no filter.
    ///
    /// # Errors
    /// 400 if the parameters cannot be parsed.
    pub fn of(request: &HttpRequest) -> Result<Self, PageFailure> {
        let pairs: Vec<(String, String)> =
            form_urlencoded::parse(request.query_string().as_bytes())
                .filter(|(_, value)| !value.is_empty())
                .map(|(name, value)| (name.into_owned(), value.into_owned()))
                .collect();
        Ok(Self {
            path: request.path().trim_end_matches('/').to_owned(),
            params: Params::from_query(&encode_pairs(&pairs))?,
            pairs,
        })
    }

    /// Joins all values of `names` into one parameter, separated by commas.
    ///
    /// # Errors
    /// 400 if the parameters cannot be parsed.
    pub fn joined(mut self, names: &[&str], into: &str) -> Result<Self, PageFailure> {
        let is_named = |(name, _): &&(String, String)| names.contains(&name.as_str());
        let values = self.pairs.iter().filter(is_named);
        let values: Vec<&str> = values.map(|(_, value)| value.as_str()).collect();
        let joined = values.join(",");
        self.pairs.retain(|pair| !is_named(&pair));
        if !joined.is_empty() {
            self.pairs.push((into.to_owned(), joined));
        }
        self.params = Params::from_query(&encode_pairs(&self.pairs))?;
        Ok(self)
    }

    /// Parameters, for the filter parsers shared with the API.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Text of a parameter; empty if it is missing.
    pub fn text(&self, name: &str) -> &str {
        let found = self.params.get(name).and_then(Value::as_str);
        found.unwrap_or_default()
    }

    /// True if the query has a value for one of these names.
    pub fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.params.get(name).is_some())
    }

    /// Requested page: 20 rows by default.
    ///
    /// # Errors
    /// 400 if a value is not a number.
    pub fn paging(&self) -> Result<OffsetPage, PageFailure> {
        Ok(Paging::offset(&self.params)?)
    }

    /// Row after which the list starts, if the query has a cursor.
    ///
    /// # Errors
    /// 400 if it is not a valid cursor.
    pub fn cursor(&self) -> Result<Option<Position>, PageFailure> {
        Ok(Paging::cursor(&self.params)?)
    }

    /// Returns the address with other values for some parameters.
    /// It selects the first page, unless the changes name another one. An empty value removes a parameter.
    pub fn with(&self, changes: &[(&str, &str)]) -> String {
        let is_kept = |(name, _): &&(String, String)| {
            !matches!(name.as_str(), "page" | "cursor")
                && changes.iter().all(|(changed, _)| changed != name)
        };
        let kept = self.pairs.iter().filter(is_kept).cloned();
        let set = changes.iter().filter(|(_, value)| !value.is_empty());
        let set = set.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let pairs: Vec<_> = kept.chain(set).collect();
        if pairs.is_empty() {
            return self.path.clone();
        }
        format!("{}?{}", self.path, encode_pairs(&pairs))
    }

    /// Query of a list at a path without parameters.
    pub fn empty(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            pairs: Vec::new(),
            params: Params::default(),
        }
    }

    /// Same query at another path.
    #[must_use]
    pub fn with_path(&self, path: &str) -> Self {
        Self {
            path: path.to_owned(),
            ..self.clone()
        }
    }

    /// Address of another list with the same query.
    pub fn at(&self, path: &str) -> String {
        self.with_path(path).with(&[])
    }

    /// Parameters of these names that have a value, for the hidden fields of a form.
    pub fn hidden_fields(&self, names: &[&'static str]) -> Vec<(&'static str, String)> {
        let given = names.iter().filter(|name| !self.text(name).is_empty());
        given
            .map(|name| (*name, self.text(name).to_owned()))
            .collect()
    }

    /// Address of another page of the list, with the same cursor if there is one.
    fn page(&self, number: u64) -> String {
        let address = self.with(&[("cursor", self.text("cursor"))]);
        let mark = if address.contains('?') { '&' } else { '?' };
        match number {
            1 => address,
            _ => format!("{address}{mark}page={number}"),
        }
    }
}

fn encode_pairs(pairs: &[(String, String)]) -> String {
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish()
}

/// Links to the neighbouring pages of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pager {
    /// Range of rows shown, and the total: `21–40 of 57`.
    pub shown: String,
    /// Address of the previous page.
    pub previous: Option<String>,
    /// Address of the next page.
    pub next: Option<String>,
    /// True if only part of the list was examined, so that an empty page is not the final result.
    pub is_part: bool,
}

impl Pager {
    /// Links around a page of a list.
    pub fn new<T>(query: &ListQuery, paging: OffsetPage, page: &Page<T>) -> Self {
        let number = paging.page();
        let first = u64::try_from(paging.offset()).unwrap_or(u64::MAX);
        let last = first.saturating_add(page.items.len() as u64);
        let rows = format!("{}–{}", grouped(first.saturating_add(1)), grouped(last));
        let shown = match (page.total, page.items.is_empty()) {
            (Total::Unfinished(_), true) => "Nothing found so far.".to_owned(),
            (Total::Unfinished(_), false) => format!("{rows}, found so far."),
            (_, true) => String::new(),
            (Total::Exact(total), _) => format!("{rows} of {}", grouped(total)),
            (Total::Beyond, _) => format!("{rows} of more than {}", grouped(Total::COUNTED)),
            (Total::Uncounted, _) => rows,
        };
        let next = match page.total {
            Total::Unfinished(position) => query.with(&[("cursor", &position.to_string())]),
            _ => query.page(number + 1),
        };
        Self {
            shown,
            previous: (number > 1).then(|| query.page(number - 1)),
            next: page.has_next.then_some(next),
            is_part: matches!(page.total, Total::Unfinished(_)),
        }
    }

    /// Links around a page of an external list, which provides cursors for the neighbouring pages.
    pub fn by_cursors(query: &ListQuery, previous: Option<&str>, next: Option<&str>) -> Self {
        let at = |cursor: &str| query.with(&[("cursor", cursor)]);
        Self {
            shown: String::new(),
            previous: previous.map(at),
            next: next.map(at),
            is_part: false,
        }
    }

    /// True if there is another page.
    pub fn has_other_pages(&self) -> bool {
        self.previous.is_some() || self.next.is_some()
    }
}

/// Formats the number of rows; empty if it was not counted.
pub fn total(total: Total, one: &str, many: &str) -> String {
    match total {
        Total::Exact(number) => counted(number, one, many),
        Total::Beyond => format!("more than {} {many}", grouped(Total::COUNTED)),
        Total::Uncounted | Total::Unfinished(_) => String::new(),
    }
}

/// Formats a number of rows for a tab; empty if it was not counted.
pub fn count(total: Total) -> String {
    match total {
        Total::Exact(number) => grouped(number),
        Total::Beyond => format!("{}+", grouped(Total::COUNTED)),
        Total::Uncounted | Total::Unfinished(_) => String::new(),
    }
}

/// View of a list, as a tab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tab {
    /// Name of the view.
    pub name: &'static str,
    /// Address of the view.
    pub href: String,
    /// Number of rows; empty if it was not counted.
    pub count: String,
    /// True if it is the current view.
    pub is_current: bool,
}

/// Sortable column of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListColumn {
    /// Name of the column.
    pub name: &'static str,
    /// Address that sorts by this column, or reverses the direction if the list is already sorted by it.
    pub href: String,
    /// Direction if the list is sorted by this column: `ascending` or `descending`.
    pub sorted: Option<&'static str>,
}

impl ListColumn {
    /// Creates a column with its `order_by` value in the API.
    /// `first` is its usual direction; `current` and `direction` are the order of the list.
    pub fn new(
        query: &ListQuery,
        name: &'static str,
        word: &str,
        first: SortOrder,
        current: &str,
        direction: SortOrder,
    ) -> Self {
        let is_current = current == word;
        let next = match (is_current, direction) {
            (true, SortOrder::Ascending) => SortOrder::Descending,
            (true, SortOrder::Descending) => SortOrder::Ascending,
            (false, _) => first,
        };
        let (next, sorted) = match (next, direction) {
            (SortOrder::Ascending, now) => ("asc", now),
            (SortOrder::Descending, now) => ("desc", now),
        };
        Self {
            name,
            href: query.with(&[("order_by", word), ("sort", next)]),
            sorted: is_current.then_some(match sorted {
                SortOrder::Ascending => "ascending",
                SortOrder::Descending => "descending",
            }),
        }
    }
}

impl ListColumn {
    /// Creates a column of a list that can only be sorted in descending order.
    pub fn downward(query: &ListQuery, name: &'static str, word: &str, current: &str) -> Self {
        Self {
            name,
            href: query.with(&[("order_by", word), ("sort", "")]),
            sorted: (current == word).then_some("descending"),
        }
    }
}

/// Value of a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Value in the query.
    pub value: &'static str,
    /// Display name.
    pub name: String,
    /// True if it is selected.
    pub is_chosen: bool,
}

impl Choice {
    /// Creates the choices of a parameter, with the selected one marked.
    pub fn all(words: &'static [&'static str], chosen: &str) -> Vec<Self> {
        let choice = |word: &&'static str| Self {
            value: word,
            name: sentence_case(word),
            is_chosen: *word == chosen,
        };
        words.iter().map(choice).collect()
    }
}

/// Formats a value of the API for display: `merge_request` becomes `Merge request`.
pub fn sentence_case(word: &str) -> String {
    let word = word.replace('_', " ");
    let mut letters = word.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn query(uri: &str) -> ListQuery {
        ListQuery::of(&TestRequest::get().uri(uri).to_http_request()).unwrap()
    }

    fn page(items: usize, has_next: bool, total: Total) -> Page<()> {
        Page {
            items: vec![(); items],
            has_next,
            total,
        }
    }

    #[test]
    fn list_links_keep_other_parameters_and_reset_the_page() {
        let query = query("/a/b/-/x?search=a+b%26&page=3&severity=&status=open");
        assert_eq!(query.with(&[]), "/a/b/-/x?search=a+b%26&status=open");
        assert_eq!(query.with(&[("status", ""), ("search", "")]), "/a/b/-/x");
        assert_eq!((query.text("search"), query.text("severity")), ("a b&", ""));
        assert!(query.has_any(&["status"]) && !query.has_any(&["severity"]));
    }

    #[test]
    fn a_pager_shows_the_range_and_links_to_neighbouring_pages() {
        let behind = query("/x?cursor=7.3&page=2");
        let query = query("/x?search=a&page=2");
        let paging = query.paging().unwrap();
        let pager = Pager::new(&query, paging, &page(20, true, Total::Exact(57)));
        assert_eq!(pager.shown, "21–40 of 57");
        assert_eq!(pager.previous.as_deref(), Some("/x?search=a"));
        assert_eq!(pager.next.as_deref(), Some("/x?search=a&page=3"));
        let beyond = Pager::new(&query, paging, &page(20, true, Total::Beyond));
        assert_eq!(beyond.shown, "21–40 of more than 10,000");
        let part = Total::Unfinished(Position::new(7, 3));
        let part = Pager::new(&query, paging, &page(0, true, part));
        assert_eq!(part.next.as_deref(), Some("/x?search=a&cursor=7.3"));
        assert!(part.is_part && part.shown == "Nothing found so far.");

        let pager = Pager::new(&behind, paging, &page(20, true, Total::Uncounted));
        assert_eq!(pager.previous.as_deref(), Some("/x?cursor=7.3"));
        assert_eq!(pager.next.as_deref(), Some("/x?cursor=7.3&page=3"));
        let none = Pager::new(
            &query,
            OffsetPage::default(),
            &page(0, false, Total::Exact(0)),
        );
        assert!(none.shown.is_empty() && !none.has_other_pages());
    }

    #[test]
    fn a_column_orders_and_then_turns_round() {
        let query = query("/x");
        let (current, direction) = ("name", SortOrder::Ascending);
        let name = ListColumn::new(
            &query,
            "Name",
            "name",
            SortOrder::Ascending,
            current,
            direction,
        );
        assert_eq!(name.href, "/x?order_by=name&sort=desc");
        assert_eq!(name.sorted, Some("ascending"));
        let other = ListColumn::new(
            &query,
            "Since",
            "since",
            SortOrder::Descending,
            current,
            direction,
        );
        assert_eq!(
            (&*other.href, other.sorted),
            ("/x?order_by=since&sort=desc", None)
        );
    }

    #[test]
    fn words_are_read_as_sentences() {
        assert_eq!(sentence_case("merge_request"), "Merge request");
        assert_eq!(sentence_case(""), "");
        let choices = Choice::all(&["asc", "desc"], "desc");
        assert!(choices[1].is_chosen && !choices[0].is_chosen);
    }
}
