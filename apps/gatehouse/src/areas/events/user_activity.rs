//! Feed of several projects, limited to what the viewer may see: the activity of a user, or that in the projects of a
//! member.
//!
//! The entries are spread over many projects, and visibility is decided per project. So the entries are read in
//! batches, from the newest on, and those hidden from the viewer are skipped. Pages are full, and reveal nothing about
//! the skipped entries.

use std::collections::{BTreeMap, BTreeSet};

use api_conventions::access::AccessLevel;
use api_conventions::ids::ProjectId;
use api_conventions::page::{OffsetPage, Page, Position, Total};
use api_conventions::time::Timestamp;
use events::{Action, Audience, AuthoredEvent, EventFilter, FeedEvent, TargetType};
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::git_access::may_fetch;
use projects::rules::features::Feature;
use projects::{ProjectAccess, Viewer};
use storage::StoreError;

use super::batches::{ActivityScope, BATCH_SIZE, EventBatches};

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
    after: Option<Position>,
) -> Result<Page<FeedEvent>, StoreError> {
    let skipped = u64::try_from(paging.offset()).unwrap_or_default();
    let full = usize::from(paging.per_page());
    let mut accesses = AccessCache::new(viewer, now);
    let mut batches = EventBatches::begin(tx, scope, filter, after, now.date())?;
    let (mut items, mut seen, mut examined) = (Vec::new(), 0_u64, 0);
    let total = loop {
        let batch = batches.next(tx)?;
        accesses.look_up(tx, &batch)?;
        let is_last = batch.len() < BATCH_SIZE;
        examined += batch.len();
        let last_id = batch.last().map(|last| last.event.id);
        for one in batch {
            if filter.is_about(&one.event) && accesses.allows(&one) {
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

/// Access of a viewer to the feed of a project.
#[derive(Debug, Clone, Copy)]
struct FeedAccess {
    access: ProjectAccess,
    may_fetch: bool,
    sees_snippets: bool,
}

/// Access of a viewer to the projects seen so far.
struct AccessCache {
    viewer: Viewer,
    now: Timestamp,
    by_project: BTreeMap<ProjectId, Option<FeedAccess>>,
}

impl AccessCache {
    fn new(viewer: Viewer, now: Timestamp) -> Self {
        Self {
            viewer,
            now,
            by_project: BTreeMap::new(),
        }
    }

    /// Loads the projects of entries that are not known yet, all at once.
    fn look_up(
        &mut self,
        tx: &mut dyn ReadTransaction,
        entries: &[AuthoredEvent],
    ) -> Result<(), StoreError> {
        let all = entries.iter().map(|one| one.event.project_id);
        let new: BTreeSet<ProjectId> = all.filter(|id| !self.by_project.contains_key(id)).collect();
        let new: Vec<ProjectId> = new.into_iter().collect();
        if new.is_empty() {
            return Ok(());
        }
        let memberships = match self.viewer.user_id() {
            Some(user) => tx.list_memberships(user, &new, self.now.date())?,
            None => Vec::new(),
        };
        let memberships: BTreeMap<ProjectId, _> = memberships.into_iter().collect();
        // Projects that are not found stay hidden from everyone.
        self.by_project.extend(new.iter().map(|id| (*id, None)));
        for project in tx.list_projects_by_id(&new)? {
            let membership = memberships.get(&project.id).copied().unwrap_or_default();
            let access = ProjectAccess::decide(self.viewer, membership, project.visibility);
            let access = access.map(|access| FeedAccess {
                access,
                may_fetch: may_fetch(&project, access),
                sees_snippets: Feature::Snippets.is_read_by(&project.settings, access),
            });
            self.by_project.insert(project.id, access);
        }
        Ok(())
    }

    fn allows(&self, one: &AuthoredEvent) -> bool {
        let known = self.by_project.get(&one.event.project_id);
        let Some(known) = known.copied().flatten() else {
            return false;
        };
        let access = known.access;
        let is_in_audience = match one.audience {
            Audience::Everyone => true,
            Audience::Reporters => access.allows(AccessLevel::Reporter),
            Audience::Developers => access.allows(AccessLevel::Developer),
        };
        let target = one.event.target.as_ref();
        let is_snippet = target.is_some_and(|target| target.kind == TargetType::Snippet);
        is_in_audience
            && (known.may_fetch || one.event.action != Action::Pushed)
            && (known.sees_snippets || !is_snippet)
    }
}
