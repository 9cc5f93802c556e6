//! Which entries a feed holds.

use api_conventions::ids::{EventId, ProjectId, UserId};
use api_conventions::page::SortOrder;
use api_conventions::time::{CalendarDate, Timestamp};

use super::{Action, Audience, Event, TargetType};

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

    /// The days that entries may be of.
    pub fn days(&self) -> Days {
        Days {
            before: self.before,
            after: self.after,
        }
    }

    /// Whether an entry has the action and the kind of target that are asked for.
    pub fn is_about(&self, event: &Event) -> bool {
        let kind = event.target.as_ref().map(|target| target.kind);
        self.action.is_none_or(|action| event.action == action)
            && self.target_type.is_none_or(|asked| kind == Some(asked))
    }
}

/// The days that entries may be of. Both days that are named are left out (`EVT-04`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Days {
    /// Only entries from before this day.
    pub before: Option<CalendarDate>,
    /// Only entries from after this day.
    pub after: Option<CalendarDate>,
}

impl Days {
    /// The first instant that is too late, if there is a bound.
    pub fn created_before(self) -> Option<Timestamp> {
        self.before.map(CalendarDate::start)
    }

    /// The first instant that is late enough, if there is a bound: the start of the day after `after`. After the
    /// last day of all there is no such time, so nothing matches.
    pub fn created_from(self) -> Option<Timestamp> {
        self.after
            .map(|day| day.next().map_or(Timestamp::MAX, CalendarDate::start))
    }

    /// Whether an entry of this time is one of the days.
    pub fn hold(self, time: Timestamp) -> bool {
        self.created_from().is_none_or(|from| time >= from)
            && self.created_before().is_none_or(|before| time < before)
    }
}

/// Which entries of one author to read, in all projects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuthorFilter {
    /// Who did it.
    pub author_id: UserId,
    /// The days.
    pub days: Days,
    /// The direction; the order is always that of ids.
    pub sort: SortOrder,
    /// Only entries beyond this one, in that direction.
    pub beyond: Option<EventId>,
}

/// An entry with who may read it, of those who may see its project.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AuthoredEvent {
    /// The entry.
    pub event: Event,
    /// Who may read it.
    pub audience: Audience,
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
            text(filter.days().created_before()).as_deref(),
            Some("2024-03-02T00:00:00.000Z")
        );
        assert_eq!(
            text(filter.days().created_from()).as_deref(),
            Some("2024-02-29T00:00:00.000Z")
        );
    }
}
