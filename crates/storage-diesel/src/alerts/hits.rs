//! Hits of a search so far, and the conditions under which the search ends.

use alert_intake::model::{AlertFilter, AlertOrder};
use alert_intake::search::{SearchTerm, SearchedTexts};
use api_conventions::page::{OffsetPage, Position, SortOrder, Total};
use storage::{StoreError, StoreErrorKind};

use super::statements::{EXAMINED, WALKED};

/// Alerts whose texts one statement reads, at most.
pub(super) const TEXTS_AT_ONCE: i64 = 1024;
/// Ranges of one statement, at most.
const RANGES_AT_ONCE: usize = 64;

/// Alert that a search examines.
#[derive(diesel::QueryableByName)]
pub(super) struct TextRow {
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    pub(super) iid: i64,
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    pub(super) place: i64,
    #[diesel(sql_type = diesel::sql_types::Text)]
    pub(super) title: String,
    #[diesel(sql_type = diesel::sql_types::Text)]
    pub(super) description: String,
    #[diesel(sql_type = diesel::sql_types::Text)]
    pub(super) service: String,
    #[diesel(sql_type = diesel::sql_types::Text)]
    pub(super) monitoring_tool: String,
}

/// The hits of a search.
pub(super) struct Hits {
    pub(super) term: SearchTerm,
    requested: OffsetPage,
    sort: SortOrder,
    order_by: AlertOrder,
    /// True if alerts are examined in the order of the list.
    is_in_order: bool,
    /// Number of hits to find, even beyond the page, so that they can be counted.
    counted: usize,
    /// Position of each hit in the order of the list. Its number is that of the alert, or its negative.
    places: Vec<Position>,
    /// Alerts that may still be examined.
    left: i64,
    is_exhausted: bool,
    /// True if the rest was not examined because the page was full.
    is_page_full: bool,
    /// Position up to which the list was examined.
    reached: Option<Position>,
}

/// The numbers of one page of hits.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PageOfHits {
    pub(super) iids: Vec<i64>,
    pub(super) has_next: bool,
    pub(super) total: Total,
}

impl Hits {
    /// Creates a search in the order of numbers, regardless of the order of the list.
    pub(super) fn new(filter: &AlertFilter, text: &str, requested: OffsetPage) -> Self {
        Self {
            term: SearchTerm::new(text),
            requested,
            sort: filter.sort,
            order_by: filter.order_by,
            is_in_order: filter.order_by == AlertOrder::Created,
            counted: usize::try_from(Total::COUNT_LIMIT).unwrap_or(usize::MAX),
            places: Vec::new(),
            left: EXAMINED,
            is_exhausted: false,
            is_page_full: false,
            reached: None,
        }
    }

    /// Creates a search in the order of the list, which ends when the page is full.
    pub(super) fn in_order(filter: &AlertFilter, text: &str, requested: OffsetPage) -> Self {
        Self {
            is_in_order: true,
            counted: 0,
            left: WALKED,
            ..Self::new(filter, text, requested)
        }
    }

    /// Records the position up to which the list was examined.
    pub(super) fn reach(&mut self, edge: Option<Position>) {
        self.reached = edge.or(self.reached);
    }

    /// True if `more` further alerts may be examined and could still change the result.
    /// If the list is in the order of numbers, they have to be examined in that order.
    pub(super) fn may_examine(&mut self, more: i64) -> bool {
        // In the order of the list, the first hits are the page: later ones change neither the page nor the count.
        self.is_page_full = self.is_in_order && self.places.len() >= self.end().max(self.counted);
        if self.is_page_full {
            return false;
        }
        self.left -= more;
        self.is_exhausted |= self.left < 0;
        !self.is_exhausted
    }

    /// Returns the number of hits to find, including the one that shows that another page follows.
    fn end(&self) -> usize {
        let end = self
            .requested
            .offset()
            .saturating_add(self.requested.fetch_limit());
        usize::try_from(end).unwrap_or(usize::MAX)
    }

    /// Adds the rows that contain the term.
    pub(super) fn examine(&mut self, mut rows: Vec<TextRow>) {
        rows.sort_unstable_by_key(|row| row.iid);
        if self.sort == SortOrder::Descending {
            rows.reverse();
        }
        let term = &self.term;
        let hits = rows.iter().filter(|row| {
            term.is_in(SearchedTexts {
                title: &row.title,
                description: &row.description,
                service: &row.service,
                monitoring_tool: &row.monitoring_tool,
            })
        });
        let order_by = self.order_by;
        self.places.extend(hits.map(|row| position(order_by, row)));
    }

    /// Returns the requested page; `None` if hits are missing that the order of the list needs.
    pub(super) fn page(mut self) -> Option<PageOfHits> {
        if self.is_exhausted && !self.is_in_order {
            return None;
        }
        self.places.sort_unstable();
        if self.sort == SortOrder::Descending {
            self.places.reverse();
        }
        let count = self.places.len();
        let is_full = count >= self.end();
        let is_cut = self.is_exhausted || self.is_page_full;
        let total = match Total::from_capped_count(u64::try_from(count).unwrap_or(u64::MAX)) {
            Total::Exact(_) if is_cut && is_full => Total::Uncounted,
            Total::Exact(_) if is_cut => self.reached.map_or(Total::Uncounted, Total::Unfinished),
            total => total,
        };
        let has_next = is_full || is_cut;
        let skipped = usize::try_from(self.requested.offset()).unwrap_or(usize::MAX);
        let here = self.places.iter().skip(skipped);
        let here = here.take(self.requested.per_page().into());
        Some(PageOfHits {
            iids: here.map(|place| place.number().abs()).collect(),
            has_next,
            total,
        })
    }
}

/// Returns the error of a search in the order of the list that has no order.
pub(super) fn unordered() -> StoreError {
    StoreError::new(StoreErrorKind::Internal, "search alerts")
        .with_detail("a search in list order has no sort key")
}

/// Returns the position of an alert in a list.
pub(super) fn position(order_by: AlertOrder, row: &TextRow) -> Position {
    match order_by {
        AlertOrder::Urgency => Position::new(row.place, -row.iid),
        _ => Position::new(row.place, row.iid),
    }
}

/// Returns the position up to which ranges of numbers were examined in a direction.
pub(super) fn edge(ranges: &[(i64, i64)], sort: SortOrder) -> Option<Position> {
    let edge = match sort {
        SortOrder::Ascending => ranges.iter().map(|(_, last)| *last).max(),
        SortOrder::Descending => ranges.iter().map(|(first, _)| *first).min(),
    };
    edge.map(|iid| Position::new(iid, iid))
}

/// Splits ranges of numbers into groups, one for each statement.
pub(super) fn groups(ranges: Vec<(i64, i64)>, sort: SortOrder) -> Vec<Vec<(i64, i64)>> {
    let mut groups: Vec<Vec<(i64, i64)>> = Vec::new();
    let mut room = 0;
    let cut = ranges.into_iter().flat_map(|(first, last)| {
        let starts = (first..=last).step_by(1024);
        starts.map(move |start| (start, last.min(start + TEXTS_AT_ONCE - 1)))
    });
    let mut cut: Vec<(i64, i64)> = cut.collect();
    if sort == SortOrder::Descending {
        cut.reverse();
    }
    for (first, last) in cut {
        let size = width((first, last));
        match groups.last_mut() {
            Some(group) if group.len() < RANGES_AT_ONCE && size <= room => {
                group.push((first, last));
                room -= size;
            }
            _ => {
                groups.push(vec![(first, last)]);
                room = TEXTS_AT_ONCE - size;
            }
        }
    }
    groups
}

/// Returns the size of a range of numbers.
pub(super) fn width((first, last): (i64, i64)) -> i64 {
    last - first + 1
}

#[cfg(test)]
mod tests {
    use api_conventions::ids::ProjectId;

    use super::*;

    fn row(iid: i64, place: i64, title: &str) -> TextRow {
        TextRow {
            iid,
            place,
            title: title.to_owned(),
            description: String::new(),
            service: String::new(),
            monitoring_tool: String::new(),
        }
    }

    fn hits(order_by: AlertOrder, page: OffsetPage) -> Hits {
        let filter = AlertFilter {
            order_by,
            ..AlertFilter::new(ProjectId::new(1))
        };
        Hits::new(&filter, "disk", page)
    }

    #[test]
    fn a_page_that_was_filled_before_the_limit_is_reported_without_a_total() {
        let mut found = hits(AlertOrder::Created, OffsetPage::new(1, 1));
        assert!(found.may_examine(2));
        found.examine(vec![row(1, 1, "Disk full"), row(2, 2, "disk slow")]);
        assert!(
            !found.may_examine(EXAMINED),
            "more rows than a request may examine"
        );
        let page = found.page().unwrap();
        assert_eq!(
            (page.iids, page.has_next, page.total),
            (vec![2], true, Total::Uncounted)
        );
    }

    #[test]
    fn a_partial_page_at_the_limit_returns_its_hits_and_continues() {
        let mut found = hits(AlertOrder::Created, OffsetPage::new(1, 2));
        assert!(found.may_examine(8));
        found.examine(vec![row(9, 9, "disk"), row(12, 12, "other")]);
        found.reach(edge(&[(9, 16)], SortOrder::Descending));
        assert!(!found.may_examine(EXAMINED));
        let page = found.page().unwrap();
        assert_eq!((page.iids, page.has_next), (vec![9], true));
        assert_eq!(page.total, Total::Unfinished(Position::new(9, 9)));
    }

    #[test]
    fn other_orders_over_the_limit_are_examined_in_list_order() {
        let mut found = hits(AlertOrder::UpdatedAt, OffsetPage::new(1, 1));
        found.examine(vec![row(1, 1, "disk"), row(2, 0, "disk")]);
        assert!(!found.may_examine(EXAMINED + 1));
        assert_eq!(found.page(), None);

        let filter = AlertFilter {
            order_by: AlertOrder::UpdatedAt,
            ..AlertFilter::new(ProjectId::new(1))
        };
        let mut found = Hits::in_order(&filter, "disk", OffsetPage::new(1, 1));
        found.examine(vec![row(1, 9, "disk"), row(4, 7, "disk")]);
        assert!(!found.may_examine(1), "the page is full");
        let page = found.page().unwrap();
        assert_eq!(
            (page.iids, page.has_next, page.total),
            (vec![1], true, Total::Uncounted)
        );
    }

    #[test]
    fn other_orders_are_sorted_from_all_hits() {
        let mut found = hits(AlertOrder::UpdatedAt, OffsetPage::new(1, 2));
        found.examine(vec![
            row(1, 9, "disk"),
            row(2, 3, "disk"),
            row(3, 9, "other"),
            row(4, 9, "disk"),
        ]);
        let page = found.page().unwrap();
        assert_eq!(
            (page.iids, page.has_next, page.total),
            (vec![4, 1], true, Total::Exact(3))
        );
    }

    #[test]
    fn groups_stay_within_the_row_limit_of_a_statement() {
        let groups = groups(vec![(1, 8), (17, 24), (100, 2200)], SortOrder::Ascending);
        assert_eq!(groups[0], [(1, 8), (17, 24)]);
        assert!(
            groups
                .iter()
                .all(|group| group.iter().copied().map(width).sum::<i64>() <= TEXTS_AT_ONCE)
        );
        let all: i64 = groups.iter().flatten().copied().map(width).sum();
        assert_eq!(all, 8 + 8 + 2101);
    }

    #[test]
    fn groups_hold_no_more_ranges_than_a_statement_may_have() {
        let blocks: Vec<(i64, i64)> = (0..100)
            .map(|block| (1 + 16 * block, 8 + 16 * block))
            .collect();
        let sizes: Vec<usize> = groups(blocks, SortOrder::Descending)
            .iter()
            .map(Vec::len)
            .collect();
        assert_eq!(sizes, [RANGES_AT_ONCE, 36]);
    }
}
