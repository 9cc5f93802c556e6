//! Saboteurs of groups and of deletions.

use ::projects::{
    CancelDeletion, Group, GroupContent, GroupFilter, Locked, Namespace, Project, SaveGroup,
    ScheduledDeletion, Viewer,
};
use api_conventions::access::Visibility;
use api_conventions::ids::{DeletionId, NamespaceId, ProjectId, UserId};
use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, Page};
use api_conventions::reference::{NamespaceRef, ProjectRef};
use api_conventions::time::{CalendarDate, Timestamp};
use storage::StoreError;

use crate::fault_injection::{ReadHook, Saboteur, WriteHook};

/// Lists private groups for all viewers.
pub(crate) struct ShowsEveryGroup;

impl Saboteur for ShowsEveryGroup {
    fn list_groups(
        &self,
        at: &mut ReadHook<'_>,
        filter: &GroupFilter,
        today: CalendarDate,
        page: OffsetPage,
    ) -> Result<Page<Group>, StoreError> {
        let user = filter.viewer.user_id().unwrap_or(UserId::new(-1));
        let mut filter = filter.clone();
        filter.viewer = Viewer::Administrator(user);
        at.tx.list_groups(&filter, today, page)
    }
}

/// Begins each page of groups with the first one.
pub(crate) struct RestartsGroups;

impl Saboteur for RestartsGroups {
    fn list_groups_by_name(
        &self,
        at: &mut ReadHook<'_>,
        filter: &GroupFilter,
        _: Option<(&str, NamespaceId)>,
        today: CalendarDate,
        page: KeysetPage,
    ) -> Result<KeysetSlice<Group>, StoreError> {
        at.tx.list_groups_by_name(filter, None, today, page)
    }
}

/// Moves each updated group out of its parent.
pub(crate) struct UprootsGroups;

impl Saboteur for UprootsGroups {
    fn update_group(
        &self,
        at: &mut WriteHook<'_>,
        group: Locked<Group>,
        content: &GroupContent,
        _: Option<&Namespace>,
        now: Timestamp,
    ) -> Result<SaveGroup, StoreError> {
        at.tx.update_group(group, content, None, now)
    }
}

/// Finds nothing in a group.
pub(crate) struct IgnoresGroupContents;

impl Saboteur for IgnoresGroupContents {
    fn find_widest_below(
        &self,
        _: &mut ReadHook<'_>,
        _: NamespaceId,
    ) -> Result<Option<Visibility>, StoreError> {
        Ok(None)
    }
}

/// Finds projects and groups that are pending deletion.
pub(crate) struct FindsPendingDeletions;

impl Saboteur for FindsPendingDeletions {
    fn find_project(
        &self,
        at: &mut ReadHook<'_>,
        reference: &ProjectRef,
    ) -> Result<Option<Project>, StoreError> {
        let found = at.tx.find_project(reference)?;
        match reference {
            ProjectRef::Id(id) if found.is_none() => at.tx.find_project_pending_deletion(*id),
            _ => Ok(found),
        }
    }

    fn find_group(
        &self,
        at: &mut ReadHook<'_>,
        reference: &NamespaceRef,
    ) -> Result<Option<Group>, StoreError> {
        let found = at.tx.find_group(reference)?;
        match reference {
            NamespaceRef::Id(id) if found.is_none() => at.tx.find_group_pending_deletion(*id),
            _ => Ok(found),
        }
    }
}

/// Reports that a deletion is cancelled, but keeps it.
pub(crate) struct FakesCancellation;

impl Saboteur for FakesCancellation {
    fn cancel_deletion(
        &self,
        _: &mut WriteHook<'_>,
        _: DeletionId,
    ) -> Result<CancelDeletion, StoreError> {
        Ok(CancelDeletion::Cancelled)
    }
}

/// Starts deletions that are not due.
pub(crate) struct BeginsTooEarly;

impl Saboteur for BeginsTooEarly {
    fn start_deletion(
        &self,
        at: &mut WriteHook<'_>,
        id: DeletionId,
        _: Timestamp,
    ) -> Result<bool, StoreError> {
        at.tx.start_deletion(id, Timestamp::MAX)
    }
}

/// Deletes all rows of a project at once.
pub(crate) struct DeletesInOneGo;

impl Saboteur for DeletesInOneGo {
    fn delete_rows_of_project(
        &self,
        at: &mut WriteHook<'_>,
        project: ProjectId,
        _: usize,
    ) -> Result<usize, StoreError> {
        at.tx.delete_rows_of_project(project, usize::MAX)
    }
}

/// Deletes projects but keeps the groups that contained them.
pub(crate) struct LeavesEmptyGroups;

impl Saboteur for LeavesEmptyGroups {
    fn delete_groups_of(
        &self,
        _: &mut WriteHook<'_>,
        _: DeletionId,
        _: usize,
    ) -> Result<Vec<NamespaceId>, StoreError> {
        Ok(Vec::new())
    }
}

/// Lists the latest deletion first.
pub(crate) struct ReversesDeletions;

impl Saboteur for ReversesDeletions {
    fn list_due_deletions(
        &self,
        at: &mut ReadHook<'_>,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<ScheduledDeletion>, StoreError> {
        let mut due = at.tx.list_due_deletions(now, limit)?;
        due.reverse();
        Ok(due)
    }
}
