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

/// A row of a list, by what the list is ordered by and the number that breaks ties. Positions of one order compare as its rows
/// do, ascending.
///
/// Its text is the `cursor` of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    value: i64,
    number: i64,
}

impl Position {
    /// The largest amount of either part, far beyond what a row has, so that adapters may calculate with them.
    const MAX: i64 = i64::MAX / 4;

    /// The row that has this value of the order, and this number among those of the same value. Both are held to what
    /// [`Self::parse`] reads.
    pub fn new(value: i64, number: i64) -> Self {
        let held = |part: i64| part.clamp(-Self::MAX, Self::MAX);
        Self {
            value: held(value),
            number: held(number),
        }
    }

    /// Regular expression of its text, for documents. An empty text is none.
    pub const PATTERN: &str = r"^((0|-?[1-9][0-9]{0,17})\.(0|-?[1-9][0-9]{0,17}))?$";

    /// Reads the `cursor` of a link; `None` for a text that is no cursor.
    pub fn parse(text: &str) -> Option<Self> {
        let (value, number) = text.split_once('.')?;
        let (value, number) = (value.parse().ok()?, number.parse().ok()?);
        let position = Self::new(value, number);
        (position.to_string() == text).then_some(position)
    }

    /// What the list is ordered by.
    pub const fn value(self) -> i64 {
        self.value
    }

    /// The number that breaks ties.
    pub const fn number(self) -> i64 {
        self.number
    }

    /// True if a list in this direction has `self` behind `other`.
    pub fn is_behind(self, other: Self, sort: SortOrder) -> bool {
        match sort {
            SortOrder::Ascending => self > other,
            SortOrder::Descending => self < other,
        }
    }
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.value, self.number)
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
    /// Not counted, and the page has what was found up to this row, behind which the list goes on: finding more would
    /// examine more rows than one request may. Clients go on with a `cursor`, not with the next number.
    Unfinished(Position),
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
    fn a_position_comes_back_from_its_text_and_compares_as_rows_do() {
        let position = Position::new(-5, 12);
        assert_eq!(position.to_string(), "-5.12");
        assert_eq!(Position::parse("-5.12"), Some(position));
        let bad = [
            "",
            "5",
            "a.1",
            "1.",
            "+1.2",
            "01.2",
            "1.2.3",
            "9223372036854775807.1",
        ];
        for bad in bad {
            assert_eq!(Position::parse(bad), None, "{bad}");
        }
        let later = Position::new(-5, 13);
        assert!(later.is_behind(position, SortOrder::Ascending));
        assert!(position.is_behind(later, SortOrder::Descending));
        assert!(!position.is_behind(position, SortOrder::Descending));
    }

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
