//! Which entries a feed holds.

use api_conventions::ids::ProjectId;
use api_conventions::page::SortOrder;
use api_conventions::time::{CalendarDate, Timestamp};

use super::{Action, Audience, TargetType};

/// Which entries of one project to list. All conditions must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventFilter {
    /// The project.
    pub project_id: ProjectId,
    /// The widest audience whose entries the reader may see.
    pub audience: Audience,
    /// Only this action.
    pub action: Option<Action>,
    /// Only this kind of target.
    pub target_type: Option<TargetType>,
    /// Only entries from before this day; the day itself is out (`EVT-04`).
    pub before: Option<CalendarDate>,
    /// Only entries from after this day; the day itself is out (`EVT-04`).
    pub after: Option<CalendarDate>,
    /// The direction; the order is always that of ids.
    pub sort: SortOrder,
}

impl EventFilter {
    /// All entries of a project that `audience` may read, newest first.
    pub fn new(project_id: ProjectId, audience: Audience) -> Self {
        Self {
            project_id,
            audience,
            action: None,
            target_type: None,
            before: None,
            after: None,
            sort: SortOrder::default(),
        }
    }

    /// The first instant that is too late, if there is a bound.
    pub fn created_before(&self) -> Option<Timestamp> {
        self.before.map(CalendarDate::start)
    }

    /// The first instant that is late enough, if there is a bound: the start of the day after `after`. After the
    /// last day of all there is no such time, so nothing matches.
    pub fn created_from(&self) -> Option<Timestamp> {
        self.after
            .map(|day| day.next().map_or(Timestamp::MAX, CalendarDate::start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_days_are_left_out() {
        let mut filter = EventFilter::new(ProjectId::new(1), Audience::Everyone);
        filter.before = CalendarDate::parse("2024-03-02");
        filter.after = CalendarDate::parse("2024-02-28");
        let text = |timestamp: Option<Timestamp>| timestamp.map(|timestamp| timestamp.to_string());
        assert_eq!(
            text(filter.created_before()).as_deref(),
            Some("2024-03-02T00:00:00.000Z")
        );
        assert_eq!(
            text(filter.created_from()).as_deref(),
            Some("2024-02-29T00:00:00.000Z")
        );
    }
}
