//! The repository traits of groups.

use api_conventions::access::Visibility;
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, Page};
use api_conventions::reference::NamespaceRef;
use api_conventions::time::{CalendarDate, Timestamp};
use storage::{Locked, StoreError};

use crate::model::{Group, GroupContent, GroupFilter, GroupMembership, Namespace, NamespaceFilter};

/// Read queries on groups, in read and write transactions.
/// Groups that are pending deletion are not found.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::queries]
pub trait GroupQueries {
    /// Returns the group with this id or full path (in any case), without an access check.
    fn find_group(&mut self, reference: &NamespaceRef) -> Result<Option<Group>, StoreError>;

    /// Membership of a user in a group on the day `today`.
    /// An unknown group has no members.
    fn find_group_membership(
        &mut self,
        user: UserId,
        group: NamespaceId,
        today: CalendarDate,
    ) -> Result<GroupMembership, StoreError>;

    /// Page of the matching groups.
    /// Roles count on the day `today`. The total stops counting at
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows. If more than 100,000 groups would have
    /// to be examined, it may be [`Uncounted`](api_conventions::page::Total::Uncounted).
    ///
    /// # Errors
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork) when the page cannot be determined within that limit.
    fn list_groups(
        &mut self,
        filter: &GroupFilter,
        today: CalendarDate,
        page: OffsetPage,
    ) -> Result<Page<Group>, StoreError>;

    /// Keyset page of the matching groups, by name in lower case and id, ascending.
    /// The sort orders of the filter and of the page are ignored. Starts after the row with this name (in any case) and
    /// id.
    /// # Errors
    /// As [`Self::list_groups`].
    fn list_groups_by_name(
        &mut self,
        filter: &GroupFilter,
        after: Option<(&str, NamespaceId)>,
        today: CalendarDate,
        page: KeysetPage,
    ) -> Result<KeysetSlice<Group>, StoreError>;

    /// Page of the matching namespaces, by id, ascending.
    ///
    /// # Errors
    /// As [`Self::list_groups`].
    fn list_namespaces(
        &mut self,
        filter: &NamespaceFilter,
        today: CalendarDate,
        page: OffsetPage,
    ) -> Result<Page<Namespace>, StoreError>;

    /// A namespace with all its ancestors, outermost first and the namespace itself last.
    /// Empty if there is none.
    fn list_lineage(&mut self, namespace: NamespaceId) -> Result<Vec<Namespace>, StoreError>;

    /// Ids of the newest projects of a group and of all its descendants, at most `limit`, newest first, without an access
    /// check. Projects that are pending deletion are left out. An adapter may limit the projects that it examines to no
    /// fewer than 100,000.
    fn list_project_ids_of_group(
        &mut self,
        group: NamespaceId,
        limit: usize,
    ) -> Result<Vec<ProjectId>, StoreError>;

    /// Widest visibility of the projects and subgroups in a group, at any depth; `None` when it is empty.
    fn find_widest_below(&mut self, group: NamespaceId) -> Result<Option<Visibility>, StoreError>;
}

/// Outcome of updating a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SaveGroup {
    /// The group was updated.
    Saved(Box<Group>),
    /// A namespace or project has this full path. Nothing was written.
    PathTaken,
    /// A descendant would be nested more deeply, or have a longer path, than [`fits`](crate::rules::nesting::fits)
    /// allows.
    /// Nothing was written.
    TooDeep,
}

/// Write operations on groups.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::repository(revokes(update_group), keeps(lock_group))]
pub trait GroupRepository: GroupQueries {
    /// Locks a group with its whole tree of groups, and the trees of these other namespaces, for a transfer to one of
    /// them.
    fn lock_group(
        &mut self,
        group: NamespaceId,
        others: &[NamespaceId],
    ) -> Result<Option<Locked<Group>>, StoreError>;

    /// Replaces the content of a group, and moves the group to `parent` or to the top level.
    /// Updates the full paths of all descendants. The caller has locked the tree of the parent, which is not a
    /// descendant of the group.
    fn update_group(
        &mut self,
        group: Locked<Group>,
        content: &GroupContent,
        parent: Option<&Namespace>,
        now: Timestamp,
    ) -> Result<SaveGroup, StoreError>;
}
