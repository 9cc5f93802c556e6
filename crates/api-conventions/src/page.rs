//! Offset and keyset paging: requested pages, and the results of a repository.

/// Sort direction of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SortOrder {
    /// Smallest first.
    Ascending,
    /// Largest first, the default of every list.
    #[default]
    Descending,
}

impl SortOrder {
    /// Names of both directions, for documentation.
    pub const NAMES: [&str; 2] = ["asc", "desc"];

    /// Parses the name of a direction (`asc` or `desc`).
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "asc" => Some(Self::Ascending),
            "desc" => Some(Self::Descending),
            _ => None,
        }
    }
}

/// A page of an offset-paged list. Always valid: the page is at least 1, its size between 1 and 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OffsetPage {
    page: u64,
    per_page: u16,
}

impl OffsetPage {
    /// Default page size (`PAGE-01`).
    pub const DEFAULT_SIZE: u16 = 20;
    /// Largest page size; larger requests are limited to it (`PAGE-01`).
    pub const MAX_SIZE: u16 = 100;

    /// Creates the page `page` of `per_page` rows, both clamped to their bounds.
    pub fn new(page: u64, per_page: u64) -> Self {
        let size = u16::try_from(per_page)
            .unwrap_or(Self::MAX_SIZE)
            .clamp(1, Self::MAX_SIZE);
        Self {
            page: page.max(1),
            per_page: size,
        }
    }

    /// Number of the page, from 1.
    pub const fn page(self) -> u64 {
        self.page
    }

    /// Number of rows on a full page.
    pub const fn per_page(self) -> u16 {
        self.per_page
    }

    /// Number of rows before this page, limited to what a database can count.
    pub fn offset(self) -> i64 {
        let rows = (self.page - 1).saturating_mul(self.per_page.into());
        i64::try_from(rows).unwrap_or(i64::MAX)
    }

    /// Number of rows to fetch: one more than fit, which shows whether there is a next page.
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

/// Position of a row in a list: the value of the sort column and the number that breaks ties. Positions of one order
/// compare like its rows, ascending.
///
/// Its text is the `cursor` of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    value: i64,
    number: i64,
}

impl Position {
    /// Largest absolute value of either part, far beyond real rows, so that adapters may calculate with positions.
    const MAX: i64 = i64::MAX / 4;

    /// Creates the position of the row with this sort value, and this number among rows with the same value. Both are
    /// clamped to the range that [`Self::parse`] accepts.
    pub fn new(value: i64, number: i64) -> Self {
        let held = |part: i64| part.clamp(-Self::MAX, Self::MAX);
        Self {
            value: held(value),
            number: held(number),
        }
    }

    /// Regular expression of the text form, for documentation. An empty text means no position.
    pub const PATTERN: &str = r"^((0|-?[1-9][0-9]{0,17})\.(0|-?[1-9][0-9]{0,17}))?$";

    /// Parses the `cursor` of a link; returns `None` for an invalid cursor.
    pub fn parse(text: &str) -> Option<Self> {
        let (value, number) = text.split_once('.')?;
        let (value, number) = (value.parse().ok()?, number.parse().ok()?);
        let position = Self::new(value, number);
        (position.to_string() == text).then_some(position)
    }

    /// Value of the sort column.
    pub const fn value(self) -> i64 {
        self.value
    }

    /// Number that breaks ties.
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

/// Number of matching rows, as far as they were counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Total {
    /// Exactly this many rows.
    Exact(u64),
    /// More than [`Total::COUNTED`] rows; counting stopped there (`PAGE-03`).
    Beyond,
    /// Not counted, because counting would examine more rows than one request may. Clients see it as [`Total::Beyond`]:
    /// there is no total and no last page.
    Uncounted,
    /// Not counted; the page has the rows found up to this position, and the list continues behind it, because finding
    /// more would examine more rows than one request may. Clients continue with a `cursor`, not with the next page
    /// number.
    Unfinished(Position),
}

impl Total {
    /// Largest total that is reported exactly (`PAGE-03`).
    pub const COUNTED: u64 = 10_000;
    /// Number of rows that a counting query may examine: one more than is reported, which shows that there are more.
    pub const COUNT_LIMIT: i64 = 10_001;

    /// Creates a total from a count that stopped at [`Self::COUNT_LIMIT`].
    pub fn from_capped_count(count: u64) -> Self {
        if count > Self::COUNTED {
            Self::Beyond
        } else {
            Self::Exact(count)
        }
    }
}

/// Page of a list, as a repository returns it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// Rows, at most as many as requested.
    pub items: Vec<T>,
    /// True if more rows follow.
    pub has_next: bool,
    /// Total number of matching rows.
    pub total: Total,
}

impl<T> Page<T> {
    /// Creates a page from rows fetched with [`OffsetPage::fetch_limit`] and a count capped at [`Total::COUNT_LIMIT`].
    pub fn from_fetched(mut rows: Vec<T>, requested: OffsetPage, capped_count: u64) -> Self {
        let has_next = rows.len() > usize::from(requested.per_page);
        rows.truncate(requested.per_page.into());
        Self {
            items: rows,
            has_next,
            total: Total::from_capped_count(capped_count),
        }
    }

    /// Creates a page of a list that is small enough to be in memory.
    pub fn of_all(rows: Vec<T>, requested: OffsetPage) -> Self {
        let count = u64::try_from(rows.len()).unwrap_or(u64::MAX);
        let [skipped, fetched] = [requested.offset(), requested.fetch_limit()]
            .map(|rows| usize::try_from(rows).unwrap_or(usize::MAX));
        let rows = rows.into_iter().skip(skipped).take(fetched).collect();
        Self::from_fetched(rows, requested, count)
    }

    /// Converts the items of the page.
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> Page<U> {
        Page {
            items: self.items.into_iter().map(change).collect(),
            has_next: self.has_next,
            total: self.total,
        }
    }
}

/// A page of a keyset-paged list: a number of rows in one direction. Its start is a condition of the list (`id_after`,
/// `id_before`), so there are no rows to skip and nothing to count (`PAGE-05`, `PAGE-06`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeysetPage {
    per_page: u16,
    sort: SortOrder,
}

impl KeysetPage {
    /// Creates a page of `per_page` rows, clamped between 1 and [`OffsetPage::MAX_SIZE`], in this direction of the key.
    pub fn new(per_page: u16, sort: SortOrder) -> Self {
        Self {
            per_page: per_page.clamp(1, OffsetPage::MAX_SIZE),
            sort,
        }
    }

    /// Number of rows on a full page.
    pub const fn per_page(self) -> u16 {
        self.per_page
    }

    /// Direction of the key.
    pub const fn sort(self) -> SortOrder {
        self.sort
    }

    /// Number of rows to fetch: one more than fit, which shows whether more follow.
    pub fn fetch_limit(self) -> i64 {
        i64::from(self.per_page) + 1
    }
}

/// Rows of a [`KeysetPage`]. There is no total, because clients that page by key do not need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeysetSlice<T> {
    /// Rows, at most as many as requested.
    pub items: Vec<T>,
    /// True if more rows follow.
    pub has_next: bool,
}

impl<T> KeysetSlice<T> {
    /// Creates the result from rows fetched with [`KeysetPage::fetch_limit`].
    pub fn from_fetched(mut rows: Vec<T>, requested: KeysetPage) -> Self {
        let has_next = rows.len() > usize::from(requested.per_page);
        rows.truncate(requested.per_page.into());
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
    fn a_page_of_a_list_in_memory_is_a_part_of_it() {
        let page = |number| Page::of_all(vec![1, 2, 3], OffsetPage::new(number, 2));
        let (first, last, behind) = (page(1), page(2), page(3));
        assert_eq!((first.items, first.has_next), (vec![1, 2], true));
        assert_eq!((last.items, last.has_next), (vec![3], false));
        assert_eq!(
            (behind.items, behind.total),
            (vec![], Total::from_capped_count(3))
        );
    }

    #[test]
    fn a_keyset_slice_has_at_most_the_requested_rows() {
        let requested = KeysetPage::new(2, SortOrder::Ascending);
        let full = KeysetSlice::from_fetched(vec![1, 2, 3], requested);
        assert_eq!((full.items, full.has_next), (vec![1, 2], true));
        let last = KeysetSlice::from_fetched(vec![3], requested);
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
    fn the_extra_row_signals_a_next_page_and_is_not_returned() {
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
