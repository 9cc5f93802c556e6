//! Ranges of ids of a feed.

use api_conventions::ids::EventId;
use api_conventions::page::SortOrder;

/// Range of ids, such as that which contains the entries of some days; `None` for an open end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct IdRange {
    pub(super) first: Option<i64>,
    pub(super) end: Option<i64>,
}

impl IdRange {
    /// Returns the part behind an entry, which is not included, in the direction of a list.
    pub(super) fn beyond(self, after: Option<EventId>, sort: SortOrder) -> Self {
        let Some(after) = after.map(EventId::get) else {
            return self;
        };
        match sort {
            SortOrder::Ascending => Self {
                first: self.first.max(Some(after.saturating_add(1))),
                ..self
            },
            SortOrder::Descending => Self {
                end: Some(self.end.map_or(after, |end| end.min(after))),
                ..self
            },
        }
    }

    /// Returns the part up to an entry, which is included, in the direction of a list.
    pub(super) fn up_to(self, last: Option<i64>, sort: SortOrder) -> Self {
        match (last, sort) {
            (None, _) => self,
            (Some(last), SortOrder::Ascending) => Self {
                end: Some(last.saturating_add(1)),
                ..self
            },
            (Some(last), SortOrder::Descending) => Self {
                first: Some(last),
                ..self
            },
        }
    }
}
