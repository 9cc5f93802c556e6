//! The repository traits of members and shares.

use api_conventions::access::AccessLevel;
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::CalendarDate;
use storage::{Locked, StoreError};

use crate::model::{
    Member, MemberFilter, MemberScope, MemberSource, Membership, NewMember, NewShare, ProjectShare,
    UserRole, UserRoleFilter,
};

/// Read queries on members, in read and write transactions.
/// A role or a share counts until its day of expiry begins; those expired on the day `today` are not found.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error. Reading
/// the members of [all](MemberScope::All) scopes gives [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork) if they
/// come from more than 400 groups.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::queries]
pub trait MemberQueries {
    /// The role of a user in a place.
    fn find_member(
        &mut self,
        source: MemberSource,
        scope: MemberScope,
        user: UserId,
        today: CalendarDate,
    ) -> Result<Option<Member>, StoreError>;

    /// Page of the members of a place, one row per user, ordered by user id.
    /// The total stops counting at [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows.
    fn list_members(
        &mut self,
        source: MemberSource,
        scope: MemberScope,
        filter: &MemberFilter,
        today: CalendarDate,
        page: OffsetPage,
    ) -> Result<Page<Member>, StoreError>;

    /// First `limit` matching members of a place, ordered by id.
    fn list_member_ids(
        &mut self,
        source: MemberSource,
        scope: MemberScope,
        filter: &MemberFilter,
        today: CalendarDate,
        limit: usize,
    ) -> Result<Vec<UserId>, StoreError>;

    /// Roles of a user in each of these projects, as [`find_membership`](super::ProjectQueries::find_membership)
    /// returns them.
    /// Projects in which the user has no role are left out.
    fn list_memberships(
        &mut self,
        user: UserId,
        projects: &[ProjectId],
        today: CalendarDate,
    ) -> Result<Vec<(ProjectId, Membership)>, StoreError>;

    /// Page of the direct roles of a user: those in projects first, then those in groups, each ordered by the id of the
    /// place. Personal namespaces, and what is pending deletion, are left out.
    fn list_roles_of_user(
        &mut self,
        filter: UserRoleFilter,
        page: OffsetPage,
    ) -> Result<Page<UserRole>, StoreError>;

    /// Ids of the newest projects in which a user has at least the role `least`, direct, inherited or through a share,
    /// newest first.
    /// There are at most `limit`. If the user has roles in more than 100,000 projects, they are among the newest 100,000
    /// projects of the store.
    fn list_project_ids_of_user(
        &mut self,
        user: UserId,
        least: AccessLevel,
        today: CalendarDate,
        limit: usize,
    ) -> Result<Vec<ProjectId>, StoreError>;

    /// True if a user other than `user` is an Owner of a group by a direct role that never expires.
    fn has_other_owner(&mut self, group: NamespaceId, user: UserId) -> Result<bool, StoreError>;

    /// Top-level groups whose only Owner by a direct role that never expires is this user, ordered by id, at most `limit`.
    fn list_groups_owned_alone(
        &mut self,
        user: UserId,
        limit: usize,
    ) -> Result<Vec<NamespaceId>, StoreError>;

    /// Shares of a project, in order of creation.
    /// There are at most [`ProjectShare::MAX_PER_PROJECT`].
    fn list_shares(
        &mut self,
        project: ProjectId,
        today: CalendarDate,
    ) -> Result<Vec<ProjectShare>, StoreError>;
}

/// Write operations on members.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::repository(keeps(
    lock_members,
    put_member,
    remove_member,
    remove_members_below,
    insert_share,
    remove_share,
    take_expired_members,
    take_expired_shares
))]
pub trait MemberRepository: MemberQueries {
    /// Locks the members and shares of a place, but not the place itself, against changes until the transaction ends.
    /// Returns `None` if there is no such place. For a namespace, all members in its tree of namespaces are locked, so
    /// that two changes in one tree cannot deadlock.
    fn lock_members(
        &mut self,
        source: MemberSource,
    ) -> Result<Option<Locked<MemberSource>>, StoreError>;

    /// Adds a member to a place, or updates the role that the user has there.
    /// An existing role keeps its creator and its time of creation, unless it has expired.
    fn put_member(
        &mut self,
        source: &Locked<MemberSource>,
        member: &NewMember,
    ) -> Result<(), StoreError>;

    /// Removes the role of a user in a place and returns it, even if it has expired.
    fn remove_member(
        &mut self,
        source: &Locked<MemberSource>,
        user: UserId,
    ) -> Result<Option<Member>, StoreError>;

    /// Removes all direct roles of a user below a namespace and returns them.
    /// Those in namespaces come first, and each kind is ordered by id. A project has nothing below it.
    fn remove_members_below(
        &mut self,
        source: &Locked<MemberSource>,
        user: UserId,
    ) -> Result<Vec<Member>, StoreError>;

    /// Shares a project with a group.
    /// Returns `None` if it is shared with the group already; an expired share is replaced. Does nothing for a
    /// namespace, which cannot be shared.
    fn insert_share(
        &mut self,
        project: &Locked<MemberSource>,
        share: &NewShare,
    ) -> Result<Option<ProjectShare>, StoreError>;

    /// Removes the share of a project with a group and returns it, even if it has expired.
    fn remove_share(
        &mut self,
        project: &Locked<MemberSource>,
        group: NamespaceId,
    ) -> Result<Option<ProjectShare>, StoreError>;

    /// Deletes and returns at most `limit` expired roles.
    /// Skips roles that another transaction is changing.
    fn take_expired_members(
        &mut self,
        today: CalendarDate,
        limit: usize,
    ) -> Result<Vec<Member>, StoreError>;

    /// Deletes and returns at most `limit` expired shares.
    /// Skips shares that another transaction is changing.
    fn take_expired_shares(
        &mut self,
        today: CalendarDate,
        limit: usize,
    ) -> Result<Vec<ProjectShare>, StoreError>;
}
