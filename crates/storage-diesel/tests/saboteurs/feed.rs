//! Saboteurs of the feed.

use api_conventions::ids::ProjectId;
use api_conventions::page::{OffsetPage, Page};
use events::{Audience, EventFilter, FeedEvent, NewEvent};
use storage::StoreError;

use crate::fault_injection::{ReadHook, Saboteur, WriteHook};

pub(crate) struct CutsBatches;

impl Saboteur for CutsBatches {
    fn insert_events(&self, at: &mut WriteHook<'_>, events: &[NewEvent]) -> Result<(), StoreError> {
        at.tx.insert_events(&events[..events.len().min(1000)])
    }
}

/// Defines a saboteur that lists entries by another filter, or returns another page than the one found.
macro_rules! lists_otherwise {
    ($name:ident, |$at:ident, $filter:ident, $page:ident| $body:expr) => {
        pub(crate) struct $name;

        impl Saboteur for $name {
            fn list_project_events(
                &self,
                $at: &mut ReadHook<'_>,
                $filter: &EventFilter,
                $page: OffsetPage,
            ) -> Result<Page<FeedEvent>, StoreError> {
                $body
            }
        }
    };
}

lists_otherwise!(MixesUpProjects, |at, filter, page| {
    let mut filter = *filter;
    filter.project_id = ProjectId::new(1);
    at.tx.list_project_events(&filter, page)
});

lists_otherwise!(FiltersAfterTheLimit, |at, filter, page| {
    let visible = at.tx.list_project_events(filter, OffsetPage::new(1, 100))?;
    let mut everything = *filter;
    everything.rights.audience = Audience::Developers;
    let mut listed = at.tx.list_project_events(&everything, page)?;
    listed.items.retain(|event| visible.items.contains(event));
    Ok(listed)
});

lists_otherwise!(EndsEarly, |at, filter, page| {
    let mut listed = at.tx.list_project_events(filter, page)?;
    listed.has_next = false;
    Ok(listed)
});
