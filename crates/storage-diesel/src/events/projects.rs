//! Events of a set of projects.
//!
//! The index of each project gives its event that is nearest to the beginning of the list, its head. As many projects
//! as the list has events, those with the nearest heads, have all events of the list. So the cost depends on the number
//! of projects, and not on the number of their events.

use std::collections::BTreeSet;

use ::events::{AuthoredEvent, Days, EventIdRange, ProjectSetFilter};
use api_conventions::ids::{EventId, ProjectId};
use api_conventions::page::SortOrder;
use api_conventions::time::Timestamp;
use diesel::dsl::{max, sql};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, SmallInt};
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use crate::events::range::IdRange;
use crate::events::rows::{COLUMNS, EventRow, events};
use crate::events::{DISORDER_SECONDS, with_audience};
use crate::rows::DomainRow as _;
use crate::transaction::{Backend, row_limit};

const LIST: &str = "list events of projects";

/// Number of projects in which the days of a list are looked for first.
const SAMPLE: usize = 64;

/// Number of ids that a search for a day leaves unresolved.
/// Ids are unique, so there are no more events that a list reads in vain.
const UNRESOLVED: i64 = 8192;

/// Number of ids that a search in a few projects leaves unresolved.
const SAMPLE_UNRESOLVED: i64 = 512;

/// Event of a project that is nearest to the beginning of a list.
#[derive(Debug, diesel::QueryableByName)]
struct ProjectHead {
    #[diesel(sql_type = BigInt)]
    project_id: i64,
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = BigInt)]
    created_at: i64,
}

/// Project with events in a range of ids.
#[derive(Debug, diesel::QueryableByName)]
struct RangeProject {
    #[diesel(sql_type = BigInt)]
    id: i64,
}

/// Range of events that every project of a set contributes to a list, in the direction of the list.
#[derive(Debug, Clone, Copy)]
pub(super) struct EventSlice {
    ids: IdRange,
    days: Days,
    sort: SortOrder,
}

impl EventSlice {
    fn of(filter: &ProjectSetFilter) -> Self {
        let ids = IdRange {
            first: filter.ids.first.map(EventId::get),
            end: filter.ids.end.map(EventId::get),
        };
        Self {
            ids: ids.beyond(filter.after_id, filter.sort),
            days: filter.days,
            sort: filter.sort,
        }
    }

    /// Returns the part up to an event, which is included.
    fn up_to(self, last: Option<i64>) -> Self {
        Self {
            ids: self.ids.up_to(last, self.sort),
            ..self
        }
    }

    /// Returns the number of ids in the range, if both of its ends are known.
    fn width(&self) -> Option<usize> {
        let width = self.ids.end?.saturating_sub(self.ids.first?);
        usize::try_from(width.max(0)).ok()
    }

    /// Returns the last id that the range may contain, if it is limited, and the range without this limit.
    #[cfg(feature = "sqlite")]
    pub(super) fn split_off_last(self) -> (Option<i64>, Self) {
        let IdRange { first, end } = self.ids;
        let (last, ids) = match self.sort {
            SortOrder::Ascending => (end.map(|end| end - 1), IdRange { first, end: None }),
            SortOrder::Descending => (first, IdRange { first: None, end }),
        };
        (last, Self { ids, ..self })
    }

    /// Returns the conditions of the range on a table with this name.
    pub(super) fn conditions(&self, table: &str) -> String {
        let from = self.days.created_from().map(Timestamp::as_micros);
        let before = self.days.created_before().map(Timestamp::as_micros);
        let bounds = [
            ("id >=", self.ids.first),
            ("id <", self.ids.end),
            ("created_at >=", from),
            ("created_at <", before),
        ];
        let bounds = bounds.into_iter().filter_map(|(operator, bound)| {
            let bound = bound?;
            Some(format!(" AND {table}.{operator} {bound}"))
        });
        bounds.collect()
    }

    /// Returns the direction of the list.
    pub(super) const fn direction(&self) -> &'static str {
        match self.sort {
            SortOrder::Ascending => "ASC",
            SortOrder::Descending => "DESC",
        }
    }
}

#[for_each_database(dialect = crate::events)]
mod database {
    type Columns = <<EventRow as Selectable<Backend<WriteTx<'static>>>>::SelectExpression as Expression>::SqlType;

    impl ReadTx<'_> {
        /// Returns the nearest heads of these projects, at most `limit`.
        fn heads(
            &mut self,
            project_ids: &[i64],
            slice: &EventSlice,
            limit: i64,
        ) -> Result<Vec<ProjectHead>, StoreError> {
            let heads = diesel::sql_query(dialect::heads(slice, limit));
            let heads = heads.bind::<dialect::ProjectIdList, _>(dialect::id_list(project_ids));
            self.values(LIST, heads)
        }

        /// Returns those of the projects that may have events in the range. A range with fewer ids than there are projects is
        /// read itself: the news of a member of thousands of projects are in a few of them.
        fn projects_in_range(
            &mut self,
            mut project_ids: Vec<i64>,
            slice: &EventSlice,
        ) -> Result<Vec<i64>, StoreError> {
            let is_narrow = slice.width().is_some_and(|width| width < project_ids.len());
            if !dialect::READS_BY_ID || !is_narrow {
                return Ok(project_ids);
            }
            let statement = format!(
                "SELECT DISTINCT e.project_id AS id FROM events AS e WHERE TRUE{}",
                slice.conditions("e")
            );
            let found: Vec<RangeProject> = self.values(LIST, diesel::sql_query(statement))?;
            let found: BTreeSet<i64> = found.into_iter().map(|row| row.id).collect();
            project_ids.retain(|id| found.contains(id));
            Ok(project_ids)
        }

        /// Returns the first matching events of a set of projects.
        pub(in crate::events) fn events_of_projects(
            &mut self,
            filter: &ProjectSetFilter,
            limit: usize,
        ) -> Result<Vec<AuthoredEvent>, StoreError> {
            let slice = EventSlice::of(filter);
            let project_ids = filter.project_ids.iter().map(|id| id.get()).collect();
            let project_ids = self.projects_in_range(project_ids, &slice)?;
            let heads = self.heads(&project_ids, &slice, row_limit(limit))?;
            // If every event of the list may be a head, the last head ends the list.
            let last = (heads.len() == limit).then(|| heads.last().map(|head| head.id));
            let slice = slice.up_to(last.flatten());
            let project_ids: Vec<i64> = heads.iter().map(|head| head.project_id).collect();
            if project_ids.is_empty() {
                return Ok(Vec::new());
            }
            let [before, after] = dialect::first_events(COLUMNS, &slice, row_limit(limit));
            let rows = sql::<(Columns, SmallInt)>(&before)
                .bind::<dialect::ProjectIdList, _>(dialect::id_list(&project_ids))
                .sql(&after);
            let rows: Vec<(EventRow, i16)> = self.values(LIST, rows)?;
            rows.into_iter()
                .map(|(row, audience)| with_audience(row.read()?, Some(audience)))
                .collect()
        }

        /// Returns a range of ids that contains the events of these projects on some days.
        pub(in crate::events) fn ids_of_days(
            &mut self,
            project_ids: &[ProjectId],
            days: Days,
        ) -> Result<EventIdRange, StoreError> {
            let project_ids: Vec<i64> = project_ids.iter().map(|id| id.get()).collect();
            let bounds = [
                (days.created_from(), -DISORDER_SECONDS),
                (days.created_before(), DISORDER_SECONDS),
            ];
            let newest = events::table.select(max(events::id));
            let newest: Option<i64> = self.value(LIST, newest)?;
            let Some(newest) = newest else {
                return Ok(EventIdRange::default());
            };
            let all = (0, newest.saturating_add(1));
            let mut ranges = [None, None];
            for (range, (timestamp, disorder)) in ranges.iter_mut().zip(bounds) {
                let Some(timestamp) = timestamp else { continue };
                let micros = timestamp.plus_seconds(disorder).as_micros();
                // A few projects narrow the range at little cost.
                let sample = project_ids.get(..SAMPLE).unwrap_or_default();
                let narrow = self.ids_around(sample, micros, all, false)?;
                *range = Some(self.ids_around(&project_ids, micros, narrow, true)?);
            }
            let [from, before] = ranges;
            Ok(EventIdRange {
                first: from.map(|(first, _)| EventId::new(first)),
                end: before.map(|(_, end)| EventId::new(end)),
            })
        }

        /// Narrows a range of ids, by binary search among the events of these projects: all events before it are older
        /// than a time, and all after it are not.
        /// Gaps between the events are part of the range, unless the projects are all of the list.
        fn ids_around(
            &mut self,
            project_ids: &[i64],
            micros: i64,
            mut range: (i64, i64),
            is_all: bool,
        ) -> Result<(i64, i64), StoreError> {
            let (mut low, mut high) = range;
            let unresolved = if is_all {
                UNRESOLVED
            } else {
                SAMPLE_UNRESOLVED
            };
            while low < high && range.1 - range.0 > unresolved && !project_ids.is_empty() {
                let middle = low + (high - low) / 2;
                let slice = EventSlice {
                    ids: IdRange {
                        first: Some(middle),
                        end: Some(range.1),
                    },
                    days: Days::default(),
                    sort: SortOrder::Ascending,
                };
                match self.heads(project_ids, &slice, 1)?.pop() {
                    Some(head) if head.created_at < micros => {
                        low = head.id.saturating_add(1);
                        range.0 = low;
                    }
                    Some(head) => {
                        high = middle;
                        range.1 = head.id;
                    }
                    None => high = middle,
                }
                if is_all {
                    range = (low, high);
                }
            }
            Ok(range)
        }
    }
}
