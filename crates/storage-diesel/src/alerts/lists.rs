//! Pages of alerts and receipts.
//! The numbers of a page come from indexes; only the rows of the page itself are read in full.

use alert_intake::model::{AlertOrder, AlertSummary};
use alert_intake::search::{candidates, first_iid, part_of};
use api_conventions::ids::{AlertIid, ProjectId};
use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, Page, Total};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use storage_diesel_macros::for_each_database;

use crate::alerts::hits::{Hits, TEXTS_AT_ONCE, TextRow, edge, groups, position, unordered, width};
use crate::alerts::rows::AlertRow;
use crate::alerts::search_parts::changed_between;
use crate::alerts::tables::alerts;
use crate::alerts::{LIST, PARTS_AT_ONCE, SEARCH, statements};
use crate::transaction::row_limit;
use crate::window::Window;

use std::collections::BTreeMap;

use alert_intake::model::AlertFilter;
use alert_intake::search::{SLICE_BYTES, Slice};
use api_conventions::page::{Position, SortOrder};
use diesel::sql_types::{BigInt, Binary, Integer};
use storage::StoreError;

use crate::rows::RowReader;

#[derive(diesel::QueryableByName)]
pub(super) struct AlertNumberRow {
    #[diesel(sql_type = BigInt)]
    pub(super) number: i64,
}

#[derive(diesel::QueryableByName)]
pub(super) struct IidRow {
    #[diesel(sql_type = BigInt)]
    pub(super) iid: i64,
}

#[derive(diesel::QueryableByName)]
pub(super) struct KindRow {
    #[diesel(sql_type = Integer)]
    pub(super) status: i32,
    #[diesel(sql_type = Integer)]
    pub(super) severity: i32,
}

#[derive(diesel::QueryableByName)]
pub(super) struct ReachRow {
    #[diesel(sql_type = BigInt)]
    pub(super) first_iid: i64,
    #[diesel(sql_type = BigInt)]
    pub(super) last_iid: i64,
    #[diesel(sql_type = BigInt)]
    pub(super) parts: i64,
}

#[derive(diesel::QueryableByName)]
pub(super) struct SliceRow {
    #[diesel(sql_type = BigInt)]
    part: i64,
    #[diesel(sql_type = Integer)]
    pub(super) slot: i32,
    #[diesel(sql_type = Binary)]
    pub(super) blocks: Vec<u8>,
}

/// Groups slices by part.
/// A part that lacks one of the `wanted` slots contains no hit and is left out.
pub(super) fn by_part(
    rows: Vec<SliceRow>,
    wanted: usize,
) -> Result<BTreeMap<i64, Vec<Slice>>, StoreError> {
    let mut parts: BTreeMap<i64, Vec<Slice>> = BTreeMap::new();
    for row in rows {
        let slice: [u8; SLICE_BYTES] = row.blocks.try_into().map_err(|_| {
            let reader = RowReader::new("alert_search", row.part);
            reader.inconsistent(&format!("slot {} has a different length", row.slot))
        })?;
        parts.entry(row.part).or_default().push(slice);
    }
    parts.retain(|_, slices| slices.len() == wanted);
    Ok(parts)
}

/// Returns status and severity as stored in rows.
/// A number that no row can contain matches nothing.
pub(super) fn small(row: &KindRow) -> Option<(i16, i16)> {
    Some((row.status.try_into().ok()?, row.severity.try_into().ok()?))
}

/// True if a filter matches so few alerts that a search reads all of them.
pub(super) fn is_few(filter: &AlertFilter, count: i64) -> bool {
    let is_narrow = filter.after.is_some() || !statements::takes_all(filter);
    is_narrow && count < Total::COUNT_LIMIT
}

/// Restricts ranges of numbers to those behind the position at which the list begins.
pub(super) fn clamp(filter: &AlertFilter, ranges: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
    let Some(after) = filter.after.map(Position::number) else {
        return ranges;
    };
    let clamped = ranges.into_iter().map(|(first, last)| match filter.sort {
        SortOrder::Ascending => (first.max(after + 1), last),
        SortOrder::Descending => (first, last.min(after - 1)),
    });
    clamped.filter(|(first, last)| first <= last).collect()
}

/// Adds single numbers to ascending ranges that do not overlap, and keeps them so.
fn with_single(mut ranges: Vec<(i64, i64)>, single: Vec<IidRow>) -> Vec<(i64, i64)> {
    let is_beside = |iid: &i64| {
        let place = ranges.partition_point(|(_, last)| last < iid);
        ranges.get(place).is_none_or(|(first, _)| iid < first)
    };
    let beside = single.into_iter().map(|row| row.iid).filter(is_beside);
    let beside: Vec<(i64, i64)> = beside.map(|iid| (iid, iid)).collect();
    ranges.extend(beside);
    ranges.sort_unstable();
    ranges
}

#[for_each_database(dialect = crate::alerts)]
pub(crate) mod database {
    impl ReadTx<'_> {
        fn count_of_alerts(&mut self, filter: &AlertFilter) -> Result<i64, StoreError> {
            let text = statements::count(filter, Total::COUNT_LIMIT);
            let count = statements::query(&text, filter);
            let row: AlertNumberRow = self.value("count alerts", count)?;
            Ok(row.number)
        }

        /// Returns a page of a list without a search.
        pub(in crate::alerts) fn page_of_alerts(
            &mut self,
            filter: &AlertFilter,
            page: OffsetPage,
        ) -> Result<Page<AlertSummary>, StoreError> {
            let window = Window::of(page, self.count_of_alerts(filter)?);
            if window.is_empty() {
                return Ok(window.page(Vec::new()));
            }
            let direction = window.direction(filter.sort);
            let iids = self.iids_of(filter, direction, window.skip, window.take)?;
            let iids = window.in_order(iids);
            Ok(window.page(self.alerts_at(filter.project_id, &iids)?))
        }

        /// Counts the alerts that match a filter.
        pub(in crate::alerts) fn total_of_alerts(
            &mut self,
            filter: &AlertFilter,
        ) -> Result<Total, StoreError> {
            let whole = AlertFilter {
                after: None,
                ..filter.clone()
            };
            // One more than is reported exactly.
            let count = self.count_of_alerts(&whole)?;
            Ok(Total::from_capped_count(
                u64::try_from(count).unwrap_or_default(),
            ))
        }

        /// Returns a keyset page of the alerts that match a filter.
        pub(in crate::alerts) fn slice_of_alerts(
            &mut self,
            filter: &AlertFilter,
            beyond: Option<AlertIid>,
            page: KeysetPage,
        ) -> Result<KeysetSlice<AlertSummary>, StoreError> {
            let rest = AlertFilter {
                order_by: AlertOrder::Created,
                sort: page.sort(),
                after: beyond.map(|iid| Position::new(iid.get(), iid.get())),
                ..filter.clone()
            };
            let iids = self.iids_of(&rest, rest.sort, 0, page.fetch_limit())?;
            let found = self.alerts_at(filter.project_id, &iids)?;
            Ok(KeysetSlice::from_fetched(found, page))
        }

        /// Returns the numbers of a section of the list in a direction, with an offset and a limit.
        fn iids_of(
            &mut self,
            filter: &AlertFilter,
            direction: SortOrder,
            skip: i64,
            take: i64,
        ) -> Result<Vec<i64>, StoreError> {
            let is_stored = filter.order_by == AlertOrder::Created;
            let text = if statements::takes_all(filter) && is_stored {
                statements::stored(filter, direction, skip, take)
            } else {
                let kinds = statements::query(&statements::kinds(filter), filter);
                let kinds: Vec<KindRow> = self.values(LIST, kinds)?;
                let kinds: Vec<(i16, i16)> = kinds.iter().filter_map(small).collect();
                if kinds.is_empty() {
                    return Ok(Vec::new());
                }
                return self.iids_of_kinds(filter, direction, kinds, skip, take);
            };
            let rows: Vec<IidRow> = self.values(LIST, statements::query(&text, filter))?;
            Ok(rows.into_iter().map(|row| row.iid).collect())
        }

        /// Returns the numbers of a section of a list that merges those of some kinds.
        fn iids_of_kinds(
            &mut self,
            filter: &AlertFilter,
            direction: SortOrder,
            kinds: Vec<(i16, i16)>,
            mut skip: i64,
            mut take: i64,
        ) -> Result<Vec<i64>, StoreError> {
            let mut sections = statements::sections(filter.order_by, direction, kinds);
            let last = sections.pop().unwrap_or_default();
            let mut iids = Vec::new();
            for kinds in sections {
                // Only the rows of a section tell how many of the skipped ones are in it.
                let found =
                    self.iids_of_section(filter, direction, &kinds, 0, skip.saturating_add(take))?;
                let length = i64::try_from(found.len()).unwrap_or(i64::MAX);
                let skipped = length.min(skip);
                iids.extend(
                    found
                        .into_iter()
                        .skip(usize::try_from(skipped).unwrap_or_default()),
                );
                (skip, take) = (skip - skipped, take - (length - skipped));
            }
            if take > 0 {
                iids.extend(self.iids_of_section(filter, direction, &last, skip, take)?);
            }
            Ok(iids)
        }

        fn iids_of_section(
            &mut self,
            filter: &AlertFilter,
            direction: SortOrder,
            kinds: &[(i16, i16)],
            skip: i64,
            take: i64,
        ) -> Result<Vec<i64>, StoreError> {
            let text =
                statements::merged(filter, kinds, dialect::sorted_list, direction, skip, take);
            let rows: Vec<IidRow> = self.values(LIST, statements::query(&text, filter))?;
            Ok(rows.into_iter().map(|row| row.iid).collect())
        }

        /// Returns the alerts with these numbers, in the same order.
        fn alerts_at(
            &mut self,
            project: ProjectId,
            iids: &[i64],
        ) -> Result<Vec<AlertSummary>, StoreError> {
            let wanted = alerts::table.filter(sql::<Bool>(&dialect::numbered(project, iids)));
            self.list_in_order::<AlertRow>(LIST, iids, wanted)
        }

        pub(in crate::alerts) fn search_alerts(
            &mut self,
            filter: &AlertFilter,
            text: &str,
            page: OffsetPage,
        ) -> Result<Page<AlertSummary>, StoreError> {
            let mut hits = Hits::new(filter, text, page);
            if is_few(filter, self.count_of_alerts(filter)?) {
                let texts = statements::query(&statements::texts(filter), filter);
                hits.examine(self.values(SEARCH, texts)?);
            } else if filter.after.is_none() || filter.order_by == AlertOrder::Created {
                self.look_through(filter, &mut hits)?;
            } else {
                hits = self.walk_through(filter, text, page)?;
            }
            let found = match hits.page() {
                Some(found) => found,
                // The hits found do not determine the order, so the search runs in the order of the list.
                None => self
                    .walk_through(filter, text, page)?
                    .page()
                    .ok_or_else(unordered)?,
            };
            Ok(Page {
                items: self.alerts_at(filter.project_id, &found.iids)?,
                has_next: found.has_next,
                total: found.total,
            })
        }

        /// Examines alerts in the order of the list, until the page is full or the limit is reached.
        fn walk_through(
            &mut self,
            filter: &AlertFilter,
            text: &str,
            page: OffsetPage,
        ) -> Result<Hits, StoreError> {
            let mut hits = Hits::in_order(filter, text, page);
            let mut rest = filter.clone();
            while hits.may_examine(TEXTS_AT_ONCE) {
                let iids = self.iids_of(&rest, rest.sort, 0, TEXTS_AT_ONCE)?;
                let Some(last) = iids.last() else { break };
                let texts =
                    diesel::sql_query(statements::texts_at(&rest, &iids, dialect::numbered));
                let rows: Vec<TextRow> = self.values(SEARCH, texts)?;
                let edge = rows.iter().find(|row| row.iid == *last);
                rest.after = edge.map(|row| position(rest.order_by, row));
                hits.examine(rows);
                hits.reach(rest.after);
                if row_limit(iids.len()) < TEXTS_AT_ONCE {
                    break;
                }
            }
            Ok(hits)
        }

        /// Examines all alerts that may be hits, in the direction of the list: those of matching blocks in prepared
        /// parts, and every alert beyond them.
        fn look_through(
            &mut self,
            filter: &AlertFilter,
            hits: &mut Hits,
        ) -> Result<(), StoreError> {
            let reach = diesel::sql_query(statements::reach(filter));
            let reach: ReachRow = self.value(SEARCH, reach)?;
            let rest = (first_iid(reach.parts).max(reach.first_iid), reach.last_iid);
            let rest = if rest.0 <= rest.1 {
                vec![rest]
            } else {
                Vec::new()
            };
            // Alerts before the first one that is left were deleted.
            let mut parts: Vec<i64> = (part_of(reach.first_iid)..reach.parts).collect();
            if filter.sort == SortOrder::Descending {
                parts.reverse();
                if !self.look_at(filter, hits, rest.clone())? {
                    return Ok(());
                }
            }
            for parts in parts.chunks(PARTS_AT_ONCE) {
                let ranges = self.ranges_of(filter, hits, parts)?;
                if !self.look_at(filter, hits, ranges)? {
                    return Ok(());
                }
            }
            if filter.sort == SortOrder::Ascending {
                self.look_at(filter, hits, rest)?;
            }
            Ok(())
        }

        /// Returns the numbers that may be hits in some parts, ascending.
        fn ranges_of(
            &mut self,
            filter: &AlertFilter,
            hits: &Hits,
            parts: &[i64],
        ) -> Result<Vec<(i64, i64)>, StoreError> {
            let mut ascending = parts.to_vec();
            ascending.sort_unstable();
            let slots = hits.term.slots();
            if slots.is_empty() {
                let whole = ascending.into_iter().flat_map(|part| candidates(part, &[]));
                return Ok(whole.collect());
            }
            let slices = diesel::sql_query(statements::slices(filter, parts, slots));
            let rows: Vec<SliceRow> = self.values(SEARCH, slices)?;
            let slices = by_part(rows, slots.len())?.into_iter();
            let ranges = slices.flat_map(|(part, slices)| candidates(part, &slices));
            let ranges = ranges.collect();
            let (Some(first), Some(last)) = (ascending.first(), ascending.last()) else {
                return Ok(ranges);
            };
            let changed = changed_between(
                filter.project_id,
                first_iid(*first),
                first_iid(last + 1) - 1,
            );
            let changed: Vec<IidRow> = self.values(SEARCH, diesel::sql_query(changed))?;
            Ok(with_single(ranges, changed))
        }

        /// Examines the alerts with numbers in these ranges.
        /// Returns true if the search continues.
        fn look_at(
            &mut self,
            filter: &AlertFilter,
            hits: &mut Hits,
            ranges: Vec<(i64, i64)>,
        ) -> Result<bool, StoreError> {
            for group in groups(clamp(filter, ranges), filter.sort) {
                if !hits.may_examine(group.iter().copied().map(width).sum()) {
                    return Ok(false);
                }
                let texts = statements::texts_between(filter, &group, dialect::in_ranges);
                hits.examine(self.values(SEARCH, statements::query(&texts, filter))?);
                hits.reach(edge(&group, filter.sort));
            }
            Ok(true)
        }
    }
}
