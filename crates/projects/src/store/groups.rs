//! The repository traits of groups.

use api_conventions::access::Visibility;
use api_conventions::ids::{NamespaceId, UserId};
use api_conventions::page::{KeysetPage, OffsetPage, Page, Stretch};
use api_conventions::reference::NamespaceRef;
use api_conventions::time::{CalendarDate, Timestamp};
use storage::{Locked, StoreError};

use crate::model::{Group, GroupContent, GroupFilter, GroupMembership, Namespace, NamespaceFilter};

/// What a transaction of either kind can tell about groups. What waits for its deletion is not there.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::queries]
pub trait GroupQueries {
    /// The group with this id or full path, the path given in any case, without a check of who may see it.
    fn find_group(&mut self, reference: &NamespaceRef) -> Result<Option<Group>, StoreError>;

    /// What a user is in a group on the day `today`. Nobody is anything in an unknown group.
    fn find_group_membership(
        &mut self,
        user: UserId,
        group: NamespaceId,
        today: CalendarDate,
    ) -> Result<GroupMembership, StoreError>;

    /// One page of the groups that match. Roles count on the day `today`. The total stops counting at
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows. Where more than 100,000 groups would have to be
    /// examined, it may be [`Uncounted`](api_conventions::page::Total::Uncounted).
    ///
    /// # Errors
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork) when the page cannot be determined within that limit.
    fn list_groups(
        &mut self,
        filter: &GroupFilter,
        today: CalendarDate,
        page: OffsetPage,
    ) -> Result<Page<Group>, StoreError>;

    /// A stretch of the groups that match, by name in lower case and id, ascending; the order and the direction of the filter
    /// and of the page mean nothing here. It begins after the row with this name, which may be given in any case, and id.
    ///
    /// # Errors
    /// As [`Self::list_groups`].
    fn list_groups_by_name(
        &mut self,
        filter: &GroupFilter,
        after: Option<(&str, NamespaceId)>,
        today: CalendarDate,
        page: KeysetPage,
    ) -> Result<Stretch<Group>, StoreError>;

    /// One page of the namespaces that match, by id, ascending.
    ///
    /// # Errors
    /// As [`Self::list_groups`].
    fn list_namespaces(
        &mut self,
        filter: &NamespaceFilter,
        today: CalendarDate,
        page: OffsetPage,
    ) -> Result<Page<Namespace>, StoreError>;

    /// A namespace with all that are above it, the outermost first and the namespace itself last. Empty when there is none.
    fn list_lineage(&mut self, namespace: NamespaceId) -> Result<Vec<Namespace>, StoreError>;

    /// The widest visibility of the projects and subgroups in a group, at any depth; `None` when it is empty.
    fn find_widest_below(&mut self, group: NamespaceId) -> Result<Option<Visibility>, StoreError>;
}

/// What happened to a group that was to be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SaveGroup {
    /// It is as it was to be.
    Saved(Box<Group>),
    /// A namespace or project has this full path. Nothing was written.
    PathTaken,
    /// Something in it would be nested more deeply, or have a longer path, than [`fits`](crate::rules::nesting::fits).
    /// Nothing was written.
    TooDeep,
}

/// What a write transaction can change about groups.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::repository(revokes(update_group), keeps(lock_group))]
pub trait GroupRepository: GroupQueries {
    /// Locks a group with the whole tree that it is in, and the trees of these other namespaces, for a move to one of them.
    fn lock_group(
        &mut self,
        group: NamespaceId,
        others: &[NamespaceId],
    ) -> Result<Option<Locked<Group>>, StoreError>;

    /// Writes the content of a group anew, and puts it into `parent`, or into none. The full paths of all that is below it
    /// follow. The caller has locked the tree of the parent, which is not below the group.
    fn update_group(
        &mut self,
        group: Locked<Group>,
        content: &GroupContent,
        parent: Option<&Namespace>,
        now: Timestamp,
    ) -> Result<SaveGroup, StoreError>;
}
