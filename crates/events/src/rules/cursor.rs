//! Position of a reader that follows the feed.

use api_conventions::ids::EventId;

/// Position of a reader that follows the feed from one event on, without losing or repeating any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeedCursor {
    /// Last event that was read, or the id after which the reader began.
    position: EventId,
    /// Ids up to which all events were read.
    read_through: Option<EventId>,
}

impl FeedCursor {
    /// Begins after an event that the reader knows already, or with the first event that is new now.
    /// `last_assigned` is the greatest id that was assigned when the reader began. A reader that knows a greater one
    /// comes from another time of the database, before a restore, and begins with what is new now.
    pub fn begin(known: Option<EventId>, last_assigned: EventId) -> Self {
        let known = known.filter(|known| *known <= last_assigned);
        Self {
            position: known.unwrap_or(last_assigned),
            read_through: None,
        }
    }

    /// Id after which the reader continues.
    pub fn position(self) -> EventId {
        self.position
    }

    /// True if all events up to the horizon were read once the reader has reached it.
    /// Before the horizon reaches the position, an event that is new to the reader may not be visible yet.
    pub fn is_open(self, horizon: EventId) -> bool {
        horizon >= self.position
    }

    /// True if there may be unread events up to the horizon.
    pub fn is_behind(self, horizon: EventId) -> bool {
        self.is_open(horizon) && self.read_through < Some(horizon)
    }

    /// True if all events up to an id were read.
    pub fn has_read_through(self, id: EventId) -> bool {
        self.read_through >= Some(id)
    }

    /// Notes the events that were read up to the horizon: the last one of them, and if more of them are left.
    pub fn advance(&mut self, last: Option<EventId>, has_more: bool, horizon: EventId) {
        self.position = last.map_or(self.position, |last| last.max(self.position));
        if !has_more {
            self.read_through = Some(horizon);
        }
    }

    /// Notes that the horizon went back, so that ids after it come again.
    pub fn go_back(&mut self, horizon: EventId) {
        self.position = self.position.min(horizon);
        self.read_through = self.read_through.filter(|through| *through <= horizon);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn id(number: i64) -> EventId {
        EventId::new(number)
    }

    #[test]
    fn a_reader_begins_after_what_it_knows() {
        for (known, last_assigned, expected) in [
            (None, 7, 7),
            (None, 0, 0),
            (Some(3), 7, 3),
            (Some(7), 7, 7),
            (Some(0), 7, 0),
            // From before a restore.
            (Some(8), 7, 7),
        ] {
            let cursor = FeedCursor::begin(known.map(id), id(last_assigned));
            assert_eq!(
                cursor.position(),
                id(expected),
                "{known:?} of {last_assigned}"
            );
        }
    }

    #[test]
    fn every_range_up_to_the_horizon_is_read_once() {
        let mut cursor = FeedCursor::begin(None, id(7));
        // Ids up to 7 may be those of open transactions.
        assert!(!cursor.is_open(id(6)) && !cursor.is_behind(id(6)));
        assert!(cursor.is_open(id(7)) && cursor.is_behind(id(7)));
        cursor.advance(None, false, id(7));
        assert!(!cursor.is_behind(id(7)) && cursor.is_behind(id(12)));
        assert!(cursor.has_read_through(id(7)) && !cursor.has_read_through(id(8)));
        cursor.advance(Some(id(10)), true, id(12));
        assert!(cursor.is_behind(id(12)), "there is more");
        assert_eq!(cursor.position(), id(10));
        cursor.advance(Some(id(11)), false, id(12));
        assert!(!cursor.is_behind(id(12)));
        assert_eq!(cursor.position(), id(11));
    }

    #[test]
    fn ids_that_come_again_are_read_again() {
        let mut cursor = FeedCursor::begin(Some(id(12)), id(12));
        cursor.advance(None, false, id(12));
        cursor.go_back(id(9));
        assert_eq!(cursor.position(), id(9));
        assert!(cursor.is_behind(id(9)));
        // A horizon that did not go back changes nothing.
        cursor.advance(None, false, id(10));
        cursor.go_back(id(10));
        assert!(!cursor.is_behind(id(10)));
    }
}
