//! Filters for lists of events.

use api_conventions::ids::{EventId, ProjectId, UserId};
use api_conventions::page::SortOrder;
use api_conventions::time::{CalendarDate, Timestamp};

use super::{Action, Audience, FeedEvent, TargetType};

/// Rights of a viewer in the feed of one project.
/// They follow from the role of the viewer and from the settings of the project, so they are decided on reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeedRights {
    /// Widest audience whose events the viewer may read.
    pub audience: Audience,
    /// True if the viewer may read pushes, because it may fetch from the repository.
    pub reads_pushes: bool,
    /// True if the viewer may read snippets, because the settings of the project show them.
    pub reads_snippets: bool,
}

impl FeedRights {
    /// The fewest rights: events for everyone, without pushes and snippets.
    pub const LEAST: Self = Self {
        audience: Audience::Everyone,
        reads_pushes: false,
        reads_snippets: false,
    };

    /// All rights.
    pub const ALL: Self = Self {
        audience: Audience::Developers,
        reads_pushes: true,
        reads_snippets: true,
    };

    /// True if the viewer may read an event for this audience.
    pub fn allow(self, event: &FeedEvent, audience: Audience) -> bool {
        let kind = event.target.as_ref().map(|target| target.kind);
        audience <= self.audience
            && (self.reads_pushes || event.action != Action::Pushed)
            && (self.reads_snippets || kind != Some(TargetType::Snippet))
    }
}

/// Filter for the events of one project.
/// All conditions must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventFilter {
    /// The project.
    pub project_id: ProjectId,
    /// Rights of the viewer: only events that they allow.
    pub rights: FeedRights,
    /// Only this action.
    pub action: Option<Action>,
    /// Only this target type.
    pub target_type: Option<TargetType>,
    /// Only events before this day, exclusive (`EVT-04`).
    pub before: Option<CalendarDate>,
    /// Only events after this day, exclusive (`EVT-04`).
    pub after: Option<CalendarDate>,
    /// Sort direction; events are always ordered by id.
    pub sort: SortOrder,
    /// Only events beyond this one, in the sort direction.
    pub after_id: Option<EventId>,
}

impl EventFilter {
    /// Most events that one request examines for an action or a target type, which no index finds.
    pub const MAX_EXAMINED: i64 = 50_000;

    /// All events of a project that a viewer with these rights may read, newest first.
    pub fn new(project_id: ProjectId, rights: FeedRights) -> Self {
        Self {
            project_id,
            rights,
            action: None,
            target_type: None,
            before: None,
            after: None,
            sort: SortOrder::default(),
            after_id: None,
        }
    }

    /// True if the list may be short although the feed is long, so that it examines only a part of the feed.
    pub fn is_selective(&self) -> bool {
        self.action.is_some() || self.target_type.is_some()
    }

    /// Range of days of the events.
    pub fn days(&self) -> Days {
        Days {
            before: self.before,
            after: self.after,
        }
    }

    /// True if an event has the action and the target type of the filter.
    pub fn is_about(&self, event: &FeedEvent) -> bool {
        let kind = event.target.as_ref().map(|target| target.kind);
        self.action.is_none_or(|action| event.action == action)
            && self
                .target_type
                .is_none_or(|requested| kind == Some(requested))
    }
}

/// Range of days.
/// Both named days are excluded (`EVT-04`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Days {
    /// Only events before this day.
    pub before: Option<CalendarDate>,
    /// Only events after this day.
    pub after: Option<CalendarDate>,
}

impl Days {
    /// First instant after the range, if there is an upper bound.
    pub fn created_before(self) -> Option<Timestamp> {
        self.before.map(CalendarDate::start)
    }

    /// First instant of the range, if there is a lower bound: the start of the day after `after`.
    /// The last day of the calendar has no next day, so nothing matches after it.
    pub fn created_from(self) -> Option<Timestamp> {
        self.after
            .map(|day| day.next().map_or(Timestamp::MAX, CalendarDate::start))
    }

    /// True if the time is within the range.
    pub fn contains(self, time: Timestamp) -> bool {
        self.created_from().is_none_or(|from| time >= from)
            && self.created_before().is_none_or(|before| time < before)
    }
}

/// Filter for the events of one author, in all projects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuthorFilter {
    /// Author of the events.
    pub author_id: UserId,
    /// Range of days.
    pub days: Days,
    /// Sort direction; events are always ordered by id.
    pub sort: SortOrder,
    /// Only events beyond this one, in the sort direction.
    pub after_id: Option<EventId>,
}

/// Range of ids of events; `None` for an open end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EventIdRange {
    /// First id of the range.
    pub first: Option<EventId>,
    /// First id after the range.
    pub end: Option<EventId>,
}

/// Filter for the events of a set of projects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectSetFilter {
    /// The projects, each once.
    pub project_ids: Vec<ProjectId>,
    /// Range of days.
    pub days: Days,
    /// Range of ids that contains the events of these days, from
    /// [`find_event_ids`](crate::EventQueries::find_event_ids). Events outside of it are left out.
    pub ids: EventIdRange,
    /// Sort direction; events are always ordered by id.
    pub sort: SortOrder,
    /// Only events beyond this one, in the sort direction.
    pub after_id: Option<EventId>,
}

/// An event with its audience.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AuthoredEvent {
    /// The event.
    pub event: FeedEvent,
    /// Audience that may read it, among those who can see its project.
    pub audience: Audience,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_days_are_left_out() {
        let mut filter = EventFilter::new(ProjectId::new(1), FeedRights::LEAST);
        filter.before = CalendarDate::parse("2024-03-02");
        filter.after = CalendarDate::parse("2024-02-28");
        let text = |timestamp: Option<Timestamp>| timestamp.map(|timestamp| timestamp.to_string());
        assert_eq!(
            text(filter.days().created_before()).as_deref(),
            Some("2024-03-02T00:00:00.000Z")
        );
        assert_eq!(
            text(filter.days().created_from()).as_deref(),
            Some("2024-02-29T00:00:00.000Z")
        );
    }
}
