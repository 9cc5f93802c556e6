//! Feed of several projects, limited to what the viewer may see: the activity of a user, or that in the projects of a
//! member.
//!
//! The entries are spread over many projects, and visibility is decided per project. So the entries are read in
//! batches, from the newest on, and those hidden from the viewer are skipped. Pages are full, and reveal nothing about
//! the skipped entries.

use api_conventions::ids::ProjectId;
use api_conventions::page::{OffsetPage, Page, Position, Total};
use api_conventions::time::Timestamp;
use events::{EventFilter, FeedEvent, FeedRights};
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::feed_rights::FeedRightsCache;
use projects::Viewer;
use storage::StoreError;

use super::batches::{ActivityScope, BATCH_SIZE, EventBatches, LARGE_BATCH_SIZE};

/// Most entries examined for one page.
const MAX_EXAMINED: usize = 10_000;
/// Entries examined to count those after a page.
const MAX_COUNTED: usize = 2_000;

/// Returns a page of the activity in a scope, reduced by the filter and the viewer's access.
/// The project of the filter is ignored. If a page would need more entries than one request may examine, it holds those
/// found so far, and its total carries the position at which the list continues.
///
/// # Errors
/// Failures of the store.
pub(super) fn list_activity(
    tx: &mut dyn ReadTransaction,
    filter: &EventFilter,
    scope: ActivityScope,
    viewer: Viewer,
    now: Timestamp,
    paging: OffsetPage,
) -> Result<Page<FeedEvent>, StoreError> {
    let skipped = u64::try_from(paging.offset()).unwrap_or_default();
    let full = usize::from(paging.per_page());
    let mut accesses = FeedRightsCache::new(viewer, now);
    let mut batches = EventBatches::begin(tx, scope, filter, now.date())?;
    let (mut items, mut seen, mut examined) = (Vec::new(), 0_u64, 0);
    let mut size = BATCH_SIZE;
    let total = loop {
        let batch = batches.next(tx, size)?;
        accesses.look_up(tx, batch.iter().map(|one| one.event.project_id))?;
        let is_last = batch.len() < size;
        size = LARGE_BATCH_SIZE;
        examined += batch.len();
        let last_id = batch.last().map(|last| last.event.id);
        for one in batch {
            if filter.is_about(&one.event) && accesses.allow(&one) {
                seen += 1;
                if seen > skipped && items.len() < full {
                    items.push(one.event);
                }
            }
        }
        let has_next = seen > skipped + u64::from(paging.per_page());
        if is_last {
            break Total::Exact(seen);
        }
        if has_next && examined >= MAX_COUNTED {
            break Total::Uncounted;
        }
        if let Some(last) = last_id.filter(|_| examined >= MAX_EXAMINED) {
            break Total::Unfinished(Position::new(last.get(), last.get()));
        }
    };
    let is_part = matches!(total, Total::Unfinished(_));
    Ok(Page {
        items,
        has_next: is_part || seen > skipped + u64::from(paging.per_page()),
        total,
    })
}

/// Returns the latest entries of a scope that the viewer may see, at most `count`, without a total.
/// Among the [`MAX_EXAMINED`] newest entries of the scope; those hidden from the viewer are skipped.
///
/// # Errors
/// Failures of the store.
pub(super) fn list_latest_activity(
    tx: &mut dyn ReadTransaction,
    scope: ActivityScope,
    viewer: Viewer,
    now: Timestamp,
    count: usize,
) -> Result<Vec<FeedEvent>, StoreError> {
    let all = EventFilter::new(ProjectId::new(0), FeedRights::LEAST);
    let mut accesses = FeedRightsCache::new(viewer, now);
    let mut batches = EventBatches::begin(tx, scope, &all, now.date())?;
    let (mut items, mut examined, mut size) = (Vec::new(), 0, count);
    while examined < MAX_EXAMINED {
        let batch = batches.next(tx, size)?;
        accesses.look_up(tx, batch.iter().map(|one| one.event.project_id))?;
        let is_last = batch.len() < size;
        examined += batch.len();
        let visible = batch.into_iter().filter(|one| accesses.allow(one));
        items.extend(visible.map(|one| one.event));
        if is_last || items.len() >= count {
            break;
        }
        size = BATCH_SIZE;
    }
    items.truncate(count);
    Ok(items)
}
