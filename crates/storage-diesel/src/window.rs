//! Window of the rows that a page needs, read from the nearer end of the list.

use api_conventions::page::{OffsetPage, Page, SortOrder, Total};

use crate::capped_count::count_of;

/// Number of rows to skip and to read.
/// A page in the second half of a list whose length is known is read from the end, so that the last page costs as much
/// as the first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    /// Rows to skip.
    pub(crate) skip: i64,
    /// Rows to read.
    pub(crate) take: i64,
    backwards: bool,
    per_page: usize,
    has_next: Option<bool>,
    total: Total,
}

impl Window {
    /// Returns the window of a page in a list with `count` counted rows, at most [`Total::COUNT_LIMIT`].
    pub(crate) fn of(page: OffsetPage, count: i64) -> Self {
        let total = Total::from_capped_count(count_of(count));
        let per_page = usize::from(page.per_page());
        if total == Total::Beyond {
            return Self {
                skip: page.offset(),
                take: page.fetch_limit(),
                backwards: false,
                per_page,
                has_next: None,
                total,
            };
        }
        let before = page.offset().min(count);
        let here = i64::from(page.per_page()).min(count - before);
        let after = count - before - here;
        let backwards = after < before;
        // From the beginning, the query asks for a full page even if fewer rows were counted: in a write transaction of
        // PostgreSQL, other transactions may have added rows since, and these must not displace the counted ones.
        let is_cut = backwards || here == 0;
        let whole = i64::from(page.per_page());
        Self {
            skip: if backwards { after } else { before },
            take: if is_cut { here } else { whole },
            backwards,
            per_page,
            has_next: Some(after > 0),
            total,
        }
    }

    /// Returns the window of a page in a list of which `count` rows were counted before counting stopped, so there may
    /// be more.
    /// `None` if these rows do not fill the page and show that another one follows.
    pub(crate) fn of_some(page: OffsetPage, count: i64) -> Option<Self> {
        if count >= Total::COUNT_LIMIT {
            return Some(Self::of(page, count));
        }
        let needed = page.offset().saturating_add(page.fetch_limit());
        (needed <= count).then(|| Self {
            skip: page.offset(),
            take: page.fetch_limit(),
            backwards: false,
            per_page: usize::from(page.per_page()),
            has_next: None,
            total: Total::Uncounted,
        })
    }

    /// True if the page is known to have no rows, so that no query is needed.
    pub(crate) fn is_empty(self) -> bool {
        self.take == 0
    }

    /// True if there are more rows than are counted.
    pub(crate) fn is_of_many(self) -> bool {
        self.total == Total::Beyond
    }

    /// True if as many keys were found as the window takes.
    pub(crate) fn is_filled_by(self, keys: &[i64]) -> bool {
        i64::try_from(keys.len()) == Ok(self.take)
    }

    /// Returns the direction in which to read a list whose direction is `sort`.
    pub(crate) fn direction(self, sort: SortOrder) -> SortOrder {
        match (self.backwards, sort) {
            (true, SortOrder::Descending) | (false, SortOrder::Ascending) => SortOrder::Ascending,
            (true, SortOrder::Ascending) | (false, SortOrder::Descending) => SortOrder::Descending,
        }
    }

    /// Sorts keys that were read in [`Self::direction`] in the order of the list.
    pub(crate) fn in_order<K>(self, mut keys: Vec<K>) -> Vec<K> {
        if self.backwards {
            keys.reverse();
        }
        keys
    }

    /// Returns the page of these rows, which are in the order of the list.
    pub(crate) fn page<T>(self, mut items: Vec<T>) -> Page<T> {
        let has_next = self.has_next.unwrap_or(items.len() > self.per_page);
        items.truncate(self.per_page);
        Page {
            items,
            has_next,
            total: self.total,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a page of the numbers up to `count` as a database would.
    fn read(page: OffsetPage, count: i64) -> (Page<i64>, i64) {
        let window = Window::of(page, count.min(Total::COUNT_LIMIT));
        let mut rows: Vec<i64> = (1..=count).collect();
        if window.direction(SortOrder::Ascending) == SortOrder::Descending {
            rows.reverse();
        }
        let skip = usize::try_from(window.skip).unwrap();
        let take = usize::try_from(window.take).unwrap();
        let mut read: Vec<i64> = rows.into_iter().skip(skip).take(take).collect();
        read.sort_unstable();
        (window.page(read), window.skip)
    }

    #[test]
    fn pages_from_either_end_hold_every_row_once() {
        for count in [0, 1, 19, 20, 21, 40, 41, 10_000, 10_001, 10_050] {
            let mut seen = Vec::new();
            for number in 1.. {
                let (page, _) = read(OffsetPage::new(number, 20), count);
                seen.extend(page.items);
                if !page.has_next {
                    break;
                }
            }
            assert_eq!(seen, (1..=count).collect::<Vec<i64>>(), "{count}");
        }
    }

    #[test]
    fn the_last_page_is_read_from_the_end() {
        let (page, skipped) = read(OffsetPage::new(500, 20), 10_000);
        assert_eq!((page.items.first(), skipped), (Some(&9981), 0));
        let (page, skipped) = read(OffsetPage::new(250, 20), 10_000);
        assert_eq!((page.items.first(), skipped), (Some(&4981), 4980));
    }

    #[test]
    #[cfg(feature = "projects")]
    fn a_partially_counted_list_returns_only_full_pages() {
        let total = |page, count| Window::of_some(page, count).map(|window| window.total);
        assert_eq!(total(OffsetPage::new(2, 20), 41), Some(Total::Uncounted));
        assert_eq!(total(OffsetPage::new(2, 20), 40), None);
        assert_eq!(total(OffsetPage::new(u64::MAX, 20), 40), None);
        let beyond = total(OffsetPage::new(900, 20), Total::COUNT_LIMIT);
        assert_eq!(beyond, Some(Total::Beyond));
    }

    #[test]
    fn a_page_beyond_the_end_is_empty_and_reads_nothing() {
        for number in [3, u64::MAX] {
            let window = Window::of(OffsetPage::new(number, 20), 40);
            assert_eq!((window.skip, window.take), (0, 0));
            assert!(!window.page(Vec::<i64>::new()).has_next);
        }
    }
}
