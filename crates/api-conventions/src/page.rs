//! Offset paging: which rows a request asks for, and what a repository answers.

/// How rows are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SortOrder {
    /// Smallest first.
    Ascending,
    /// Largest first, the default of every list.
    #[default]
    Descending,
}

impl SortOrder {
    /// The words of both orders, for documents.
    pub const NAMES: [&str; 2] = ["asc", "desc"];

    /// The order with this word (`asc` or `desc`).
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "asc" => Some(Self::Ascending),
            "desc" => Some(Self::Descending),
            _ => None,
        }
    }
}

/// A page of an offset-paged list. Valid once made: the page is at least 1, its size between 1 and 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OffsetPage {
    page: u64,
    per_page: u16,
}

impl OffsetPage {
    /// The size when none is asked for (`PAGE-01`).
    pub const DEFAULT_SIZE: u16 = 20;
    /// The largest size; larger requests are held to it (`PAGE-01`).
    pub const MAX_SIZE: u16 = 100;

    /// The page `page` of `per_page` rows, both held to their bounds.
    pub fn new(page: u64, per_page: u64) -> Self {
        let size = u16::try_from(per_page)
            .unwrap_or(Self::MAX_SIZE)
            .clamp(1, Self::MAX_SIZE);
        Self {
            page: page.max(1),
            per_page: size,
        }
    }

    /// The number of the page, from 1.
    pub const fn page(self) -> u64 {
        self.page
    }

    /// Rows on a full page.
    pub const fn per_page(self) -> u16 {
        self.per_page
    }

    /// Rows before this page, held to what a database can count.
    pub fn offset(self) -> i64 {
        let rows = (self.page - 1).saturating_mul(self.per_page.into());
        i64::try_from(rows).unwrap_or(i64::MAX)
    }

    /// Rows to fetch: one more than fit, so that the fetch itself tells whether a next page exists.
    pub fn fetch_limit(self) -> i64 {
        i64::from(self.per_page) + 1
    }
}

impl Default for OffsetPage {
    fn default() -> Self {
        Self {
            page: 1,
            per_page: Self::DEFAULT_SIZE,
        }
    }
}

/// How many rows match, as far as anyone counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Total {
    /// Exactly this many.
    Exact(u64),
    /// More than [`Total::COUNTED`]; nobody counted further (`PAGE-03`).
    Beyond,
    /// Not counted, because counting would examine more rows than one request may. Clients see it as
    /// [`Total::Beyond`]: there is no total and no last page.
    Uncounted,
}

impl Total {
    /// The largest number that is told exactly (`PAGE-03`).
    pub const COUNTED: u64 = 10_000;
    /// Rows that a counting query may look at: one more than is told, which shows that there are more.
    pub const COUNT_LIMIT: i64 = 10_001;

    /// From a count that stopped at [`Self::COUNT_LIMIT`].
    pub fn from_capped_count(count: u64) -> Self {
        if count > Self::COUNTED {
            Self::Beyond
        } else {
            Self::Exact(count)
        }
    }
}

/// One page of a list, as a repository answers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The rows, at most as many as were asked for.
    pub items: Vec<T>,
    /// Whether more rows follow.
    pub has_next: bool,
    /// How many rows match in all.
    pub total: Total,
}

impl<T> Page<T> {
    /// From rows fetched with [`OffsetPage::fetch_limit`] and a count capped at [`Total::COUNT_LIMIT`].
    pub fn from_fetched(mut rows: Vec<T>, asked: OffsetPage, capped_count: u64) -> Self {
        let has_next = rows.len() > usize::from(asked.per_page);
        rows.truncate(asked.per_page.into());
        Self {
            items: rows,
            has_next,
            total: Total::from_capped_count(capped_count),
        }
    }

    /// The same page of other items.
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> Page<U> {
        Page {
            items: self.items.into_iter().map(change).collect(),
            has_next: self.has_next,
            total: self.total,
        }
    }
}

/// A page of a list that is walked by its key: so many rows in one direction. Where it begins is a condition of the
/// list (`id_after`, `id_before`), so there is no row to pass over and nothing to count (`PAGE-05`, `PAGE-06`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeysetPage {
    per_page: u16,
    sort: SortOrder,
}

impl KeysetPage {
    /// `per_page` rows, held between 1 and [`OffsetPage::MAX_SIZE`], in this direction of the key.
    pub fn new(per_page: u16, sort: SortOrder) -> Self {
        Self {
            per_page: per_page.clamp(1, OffsetPage::MAX_SIZE),
            sort,
        }
    }

    /// Rows on a full page.
    pub const fn per_page(self) -> u16 {
        self.per_page
    }

    /// The direction of the key.
    pub const fn sort(self) -> SortOrder {
        self.sort
    }

    /// Rows to fetch: one more than fit, so that the fetch itself tells whether more follow.
    pub fn fetch_limit(self) -> i64 {
        i64::from(self.per_page) + 1
    }
}

/// The rows of a [`KeysetPage`]. It has no total: anyone who walks a list by its key never asks how long it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch<T> {
    /// The rows, at most as many as were asked for.
    pub items: Vec<T>,
    /// Whether more rows follow.
    pub has_next: bool,
}

impl<T> Stretch<T> {
    /// From rows fetched with [`KeysetPage::fetch_limit`].
    pub fn from_fetched(mut rows: Vec<T>, asked: KeysetPage) -> Self {
        let has_next = rows.len() > usize::from(asked.per_page);
        rows.truncate(asked.per_page.into());
        Self {
            items: rows,
            has_next,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_has_no_more_rows_than_were_asked_for() {
        let asked = KeysetPage::new(2, SortOrder::Ascending);
        let full = Stretch::from_fetched(vec![1, 2, 3], asked);
        assert_eq!((full.items, full.has_next), (vec![1, 2], true));
        let last = Stretch::from_fetched(vec![3], asked);
        assert_eq!((last.items, last.has_next), (vec![3], false));
        assert_eq!(KeysetPage::new(0, SortOrder::Ascending).per_page(), 1);
        assert_eq!(KeysetPage::new(900, SortOrder::Ascending).per_page(), 100);
    }

    #[test]
    fn sizes_and_numbers_are_held_to_their_bounds() {
        assert_eq!(
            OffsetPage::new(0, 0),
            OffsetPage {
                page: 1,
                per_page: 1
            }
        );
        assert_eq!(OffsetPage::new(3, 1_000_000).per_page(), 100);
        assert_eq!(OffsetPage::new(3, 100).offset(), 200);
        assert_eq!(OffsetPage::new(u64::MAX, 100).offset(), i64::MAX);
    }

    #[test]
    fn the_extra_row_tells_of_a_next_page_and_is_not_shown() {
        let page = Page::from_fetched(vec![1, 2, 3], OffsetPage::new(1, 2), 3);
        assert_eq!(page.items, [1, 2]);
        assert!(page.has_next);
        assert_eq!(page.total, Total::Exact(3));
    }

    #[test]
    fn ten_thousand_is_reported_and_one_more_is_not() {
        assert_eq!(Total::from_capped_count(10_000), Total::Exact(10_000));
        assert_eq!(Total::from_capped_count(10_001), Total::Beyond);
    }
}
