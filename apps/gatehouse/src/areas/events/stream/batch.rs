//! Next events of a stream, limited to what the viewer may see now.

use std::collections::BTreeMap;
use std::sync::Arc;

use api_conventions::access::AccessLevel;
use api_conventions::ids::{EventId, ProjectId, UserId};
use api_conventions::page::SortOrder;
use api_conventions::time::Timestamp;
use events::{AuthoredEvent, Days, EventIdRange, FeedEvent, ProjectSetFilter};
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::feed_watch::FeedInterest;
use projects::Viewer;
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IdsToRead {
    pub(super) after: EventId,
    pub(super) through: EventId,
}

/// Read of the next events of a stream.
#[derive(Debug, Clone, Copy)]
pub(super) struct StreamRead {
    pub(super) scope: StreamScope,
    pub(super) ids: IdsToRead,
    pub(super) viewer: Viewer,
    pub(super) now: Timestamp,
}

/// Next events of a stream.
pub(super) struct StreamBatch {
    /// Events that the viewer may see, in the order of their ids.
    pub(super) events: Vec<FeedEvent>,
    /// Events that were found, visible or not.
    pub(super) found: Arc<FoundEvents>,
}

/// Next events of a scope, for all viewers.
pub(super) struct FoundEvents {
    events: Vec<AuthoredEvent>,
    /// Authors and notes of the events.
    pub(super) context: EventContext,
    /// Last event that was read.
    pub(super) last: Option<EventId>,
    /// True if there may be more events in the range.
    pub(super) has_more: bool,
    /// Projects of the scope.
    pub(super) interest: FeedInterest,
}

/// Rights and events that several reads share. They are looked up after the reads were requested, so they are never older
/// than a request.
#[derive(Default)]
pub(super) struct SharedReads {
    /// Rights by the id of the viewer, and whether it reads as an administrator.
    rights: BTreeMap<(Option<UserId>, bool), FeedRightsCache>,
    found: Vec<(StreamScope, IdsToRead, Arc<FoundEvents>)>,
}

impl StreamRead {
    /// Reads the next events of a range. Returns `None` if the viewer may no longer see the project of the stream.
    pub(super) fn run(
        self,
        tx: &mut dyn ReadTransaction,
        shared: &mut SharedReads,
    ) -> Result<Option<StreamBatch>, StoreError> {
        let SharedReads { rights, found } = shared;
        let is_administrator = matches!(self.viewer, Viewer::Administrator(_));
        let rights = rights
            .entry((self.viewer.user_id(), is_administrator))
            .or_insert_with(|| FeedRightsCache::new(self.viewer, self.now));
        if let StreamScope::Project(id) = self.scope {
            rights.look_up(tx, std::iter::once(id))?;
            if rights.rights(id).is_none() {
                return Ok(None);
            }
        }
        let found = find(tx, found, self)?;
        let projects = found.events.iter().map(|one| one.event.project_id);
        rights.look_up(tx, projects)?;
        let visible = found.events.iter().filter(|one| rights.allow(one));
        Ok(Some(StreamBatch {
            events: visible.map(|one| one.event.clone()).collect(),
            found,
        }))
    }
}

/// Events of a scope, read once for all of its streams that are at the same event.
fn find(
    tx: &mut dyn ReadTransaction,
    known: &mut Vec<(StreamScope, IdsToRead, Arc<FoundEvents>)>,
    read: StreamRead,
) -> Result<Arc<FoundEvents>, StoreError> {
    let mut same = known.iter();
    let same = same.find(|(scope, ids, _)| (*scope, *ids) == (read.scope, read.ids));
    if let Some((_, _, found)) = same {
        return Ok(Arc::clone(found));
    }
    let found = Arc::new(read_events(tx, read)?);
    known.push((read.scope, read.ids, Arc::clone(&found)));
    Ok(found)
}

fn read_events(tx: &mut dyn ReadTransaction, read: StreamRead) -> Result<FoundEvents, StoreError> {
    let project_ids = match read.scope {
        StreamScope::Project(id) => vec![id],
        StreamScope::ProjectsOf(user) => {
            let today = read.now.date();
            tx.list_project_ids_of_user(user, AccessLevel::Guest, today, MAX_PROJECTS)?
        }
    };
    let interest = FeedInterest::of(project_ids.iter().copied());
    let filter = ProjectSetFilter {
        project_ids,
        days: Days::default(),
        ids: EventIdRange {
            first: None,
            end: Some(EventId::new(read.ids.through.get().saturating_add(1))),
        },
        sort: SortOrder::Ascending,
        after_id: Some(read.ids.after),
    };
    let mut events = tx.list_events_of_projects(&filter, MAX_EVENTS)?;
    let mut has_more = events.len() >= MAX_EVENTS;
    let notes = events.iter().enumerate();
    let mut notes = notes.filter(|(_, one)| note_of(&one.event).is_some());
    if let Some((last_note, _)) = notes.nth(MAX_NOTES - 1) {
        has_more |= last_note + 1 < events.len();
        events.truncate(last_note + 1);
    }
    Ok(FoundEvents {
        context: EventContext::read(tx, events.iter().map(|one| &one.event))?,
        last: events.last().map(|one| one.event.id),
        events,
        has_more,
        interest,
    })
}
