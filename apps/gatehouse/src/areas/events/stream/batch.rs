//! Next events of a stream, limited to what the viewer may see now.

use api_conventions::access::AccessLevel;
use api_conventions::ids::{EventId, ProjectId, UserId};
use api_conventions::page::SortOrder;
use api_conventions::reference::ProjectRef;
use api_conventions::time::Timestamp;
use events::{Days, EventIdRange, FeedEvent, ProjectSetFilter};
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::feed_watch::FeedInterest;
use projects::Viewer;
use projects::flow::find_visible::find_visible_project;
use storage::StoreError;

use crate::areas::events::api::{EventContext, note_of};
use crate::areas::events::batches::MAX_PROJECTS;
use gatehouse_core::flows::feed_rights::FeedRightsCache;

/// Most events that are read and sent at once.
const MAX_EVENTS: usize = 100;

/// Most notes that are sent at once, because each may be long.
const MAX_NOTES: usize = 20;

/// Events of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamScope {
    /// Events of one project.
    Project(ProjectId),
    /// Events of all users in the projects in which one user has a role.
    ProjectsOf(UserId),
}

/// Range of ids to read: after one of them, up to another one.
#[derive(Debug, Clone, Copy)]
pub(super) struct IdsToRead {
    pub(super) after: EventId,
    pub(super) through: EventId,
}

/// Next events of a stream.
pub(super) struct StreamBatch {
    /// Events that the viewer may see, in the order of their ids.
    pub(super) events: Vec<FeedEvent>,
    /// Authors and notes of the events.
    pub(super) context: EventContext,
    /// Last event that was read, visible or not.
    pub(super) last: Option<EventId>,
    /// True if there may be more events in the range.
    pub(super) has_more: bool,
    /// Projects of the stream.
    pub(super) interest: FeedInterest,
}

impl StreamScope {
    /// Reads the next events of a range. Returns `None` if the viewer may no longer see the project of the stream.
    pub(super) fn read(
        self,
        tx: &mut dyn ReadTransaction,
        viewer: Viewer,
        now: Timestamp,
        ids: IdsToRead,
    ) -> Result<Option<StreamBatch>, StoreError> {
        let project_ids = match self {
            Self::Project(id) => {
                let found = find_visible_project(tx, &ProjectRef::Id(id), viewer, now)?;
                if found.is_none() {
                    return Ok(None);
                }
                vec![id]
            }
            Self::ProjectsOf(user) => {
                tx.list_project_ids_of_user(user, AccessLevel::Guest, now.date(), MAX_PROJECTS)?
            }
        };
        let interest = FeedInterest::of(project_ids.iter().copied());
        let filter = ProjectSetFilter {
            project_ids,
            days: Days::default(),
            ids: EventIdRange {
                first: None,
                end: Some(EventId::new(ids.through.get().saturating_add(1))),
            },
            sort: SortOrder::Ascending,
            after_id: Some(ids.after),
        };
        let found = tx.list_events_of_projects(&filter, MAX_EVENTS)?;
        let mut has_more = found.len() >= MAX_EVENTS;
        let mut accesses = FeedRightsCache::new(viewer, now);
        accesses.look_up(tx, found.iter().map(|one| one.event.project_id))?;
        let (mut events, mut notes, mut last) = (Vec::new(), 0, None);
        for one in found {
            if notes >= MAX_NOTES {
                has_more = true;
                break;
            }
            last = Some(one.event.id);
            if accesses.allow(&one) {
                notes += usize::from(note_of(&one.event).is_some());
                events.push(one.event);
            }
        }
        Ok(Some(StreamBatch {
            context: EventContext::read(tx, &events)?,
            events,
            last,
            has_more,
            interest,
        }))
    }
}
