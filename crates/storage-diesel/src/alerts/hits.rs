//! What a search has found so far, and when it has looked at enough.

use alert_intake::model::{AlertFilter, AlertOrder};
use alert_intake::search::{SearchTerm, SearchedTexts};
use api_conventions::page::{OffsetPage, SortOrder, Total};
use storage::{StoreError, StoreErrorKind};

use super::statements::EXAMINED;

/// Alerts whose texts one statement reads, at most.
const TEXTS_AT_ONCE: i64 = 1024;
/// Ranges of one statement, at most.
const RANGES_AT_ONCE: usize = 64;

/// An alert that a search looks at.
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
    asked: OffsetPage,
    order: AlertOrder,
    sort: SortOrder,
    /// Where each hit stands in the order of the list, and its number.
    places: Vec<(i64, i64)>,
    /// Alerts that may still be examined.
    left: i64,
    is_exhausted: bool,
}

/// The numbers of one page of hits.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PageOfHits {
    pub(super) iids: Vec<i64>,
    pub(super) has_next: bool,
    pub(super) total: Total,
}

impl Hits {
    pub(super) fn new(filter: &AlertFilter, text: &str, asked: OffsetPage) -> Self {
        Self {
            term: SearchTerm::new(text),
            asked,
            order: filter.order_by,
            sort: filter.sort,
            places: Vec::new(),
            left: EXAMINED,
            is_exhausted: false,
        }
    }

    /// Whether so many more alerts may be examined, and whether that could still change the answer. They are to be
    /// offered in the order of the list when that is the order of numbers.
    pub(super) fn want(&mut self, more: i64) -> bool {
        if self.is_settled() {
            return false;
        }
        self.left -= more;
        self.is_exhausted |= self.left < 0;
        !self.is_exhausted
    }

    /// In the order of numbers the first hits are the list: beyond the page, and beyond what is counted, none matter.
    fn is_settled(&self) -> bool {
        let counted = usize::try_from(Total::COUNT_LIMIT).unwrap_or(usize::MAX);
        self.order == AlertOrder::Created && self.places.len() >= self.end().max(counted)
    }

    /// Hits up to the one that tells that another page follows.
    fn end(&self) -> usize {
        let end = self.asked.offset().saturating_add(self.asked.fetch_limit());
        usize::try_from(end).unwrap_or(usize::MAX)
    }

    /// Takes those of the rows that hold the term.
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
        self.places.extend(hits.map(|row| (row.place, row.iid)));
    }

    /// The page that was asked for.
    ///
    /// # Errors
    /// When the page cannot be told without examining more alerts than one request may.
    pub(super) fn page(mut self) -> Result<PageOfHits, StoreError> {
        let is_reported = self.order == AlertOrder::Created && self.places.len() >= self.end();
        if self.is_exhausted && !is_reported {
            return Err(too_much());
        }
        self.places.sort_unstable();
        if self.sort == SortOrder::Descending {
            self.places.reverse();
        }
        let count = self.places.len();
        let total = match Total::from_capped_count(u64::try_from(count).unwrap_or(u64::MAX)) {
            Total::Exact(_) if self.is_exhausted => Total::Uncounted,
            total => total,
        };
        let has_next = count >= self.end();
        let skipped = usize::try_from(self.asked.offset()).unwrap_or(usize::MAX);
        let here = self.places.iter().skip(skipped);
        let here = here.take(self.asked.per_page().into());
        Ok(PageOfHits {
            iids: here.map(|(_, iid)| *iid).collect(),
            has_next,
            total,
        })
    }
}

/// The refusal of a list that would examine too many rows.
pub(super) fn too_much() -> StoreError {
    StoreError::new(StoreErrorKind::TooMuchWork, "list alerts")
        .with_detail(format!("more than {EXAMINED} alerts would be examined"))
}

/// Cuts ranges of numbers into groups for one statement each.
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

/// How many numbers a range has.
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
        assert!(found.want(2));
        found.examine(vec![row(1, 1, "Disk full"), row(2, 2, "disk slow")]);
        assert!(
            !found.want(EXAMINED),
            "that would be more than one request may examine"
        );
        let page = found.page().unwrap();
        assert_eq!(
            (page.iids, page.has_next, page.total),
            (vec![2], true, Total::Uncounted)
        );
    }

    #[test]
    fn a_page_that_was_not_filled_before_the_limit_is_refused() {
        for order in [AlertOrder::Created, AlertOrder::UpdatedAt] {
            let mut found = hits(order, OffsetPage::new(1, 1));
            found.examine(vec![row(1, 1, "disk")]);
            if order != AlertOrder::Created {
                found.examine(vec![row(2, 0, "disk")]);
            }
            assert!(!found.want(EXAMINED + 1));
            let refused = found.page().unwrap_err();
            assert_eq!(refused.kind(), StoreErrorKind::TooMuchWork, "{order:?}");
        }
    }

    #[test]
    fn other_orders_are_made_from_all_hits() {
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
    fn groups_hold_what_one_statement_may_read() {
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
