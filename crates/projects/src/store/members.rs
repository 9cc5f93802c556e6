//! The repository traits of members and shares.

use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::CalendarDate;
use storage::{Locked, StoreError};

use crate::model::{
    Member, MemberFilter, MemberPlace, MemberScope, Membership, NewMember, NewShare, ProjectShare,
};

/// What a transaction of either kind can tell about members. A role or a share counts until its day of expiry begins;
/// what no longer counts on the day `today` is not there.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error. What reads
/// the members of [all](MemberScope::All) scopes gives [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork) where they
/// come from more than 400 groups.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::queries]
pub trait MemberQueries {
    /// The role of a user in a place.
    fn find_member(
        &mut self,
        place: MemberPlace,
        scope: MemberScope,
        user: UserId,
        today: CalendarDate,
    ) -> Result<Option<Member>, StoreError>;

    /// One page of the members of a place, one row for each user, in the order of the users' ids. The total stops counting
    /// at [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows.
    fn list_members(
        &mut self,
        place: MemberPlace,
        scope: MemberScope,
        filter: &MemberFilter,
        today: CalendarDate,
        page: OffsetPage,
    ) -> Result<Page<Member>, StoreError>;

    /// The first `limit` members of a place that match, in the order of their ids.
    fn list_member_ids(
        &mut self,
        place: MemberPlace,
        scope: MemberScope,
        filter: &MemberFilter,
        today: CalendarDate,
        limit: usize,
    ) -> Result<Vec<UserId>, StoreError>;

    /// The roles of a user in each of these projects, as [`find_membership`](super::ProjectQueries::find_membership) tells
    /// them. A project in which the user has none is left out.
    fn list_memberships(
        &mut self,
        user: UserId,
        projects: &[ProjectId],
        today: CalendarDate,
    ) -> Result<Vec<(ProjectId, Membership)>, StoreError>;

    /// Whether somebody else than `user` is an Owner of a group by a role that was given there and never expires.
    fn has_other_owner(&mut self, group: NamespaceId, user: UserId) -> Result<bool, StoreError>;

    /// The groups with which a project is shared, in the order in which that was done. There are at most
    /// [`ProjectShare::MAX_PER_PROJECT`].
    fn list_shares(
        &mut self,
        project: ProjectId,
        today: CalendarDate,
    ) -> Result<Vec<ProjectShare>, StoreError>;
}

/// What a write transaction can change about members.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
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
    /// Locks the members and shares of a place, and not the place itself, against every change until the transaction ends. `None` when there is no
    /// such place. For a namespace all members in its tree of namespaces are locked, so that no two changes of one tree
    /// wait for each other in a circle.
    fn lock_members(
        &mut self,
        place: MemberPlace,
    ) -> Result<Option<Locked<MemberPlace>>, StoreError>;

    /// Gives a role in a place, or changes the one that the user has there. When it was given, and by whom, stays then,
    /// unless the old one no longer counts.
    fn put_member(
        &mut self,
        place: &Locked<MemberPlace>,
        member: &NewMember,
    ) -> Result<(), StoreError>;

    /// Takes the role of a user in a place away, and gives it as it was, also where it no longer counts.
    fn remove_member(
        &mut self,
        place: &Locked<MemberPlace>,
        user: UserId,
    ) -> Result<Option<Member>, StoreError>;

    /// Takes all roles of a user away that were given below a namespace, and gives them as they were, those in namespaces
    /// first and each kind in the order of its ids. A project has nothing below it.
    fn remove_members_below(
        &mut self,
        place: &Locked<MemberPlace>,
        user: UserId,
    ) -> Result<Vec<Member>, StoreError>;

    /// Shares a project with a group. `None` when it is already; a share that no longer counts gives way. A namespace is
    /// not shared, so nothing happens there.
    fn insert_share(
        &mut self,
        project: &Locked<MemberPlace>,
        share: &NewShare,
    ) -> Result<Option<ProjectShare>, StoreError>;

    /// Ends the share of a project with a group, and gives it as it was, also where it no longer counts.
    fn remove_share(
        &mut self,
        project: &Locked<MemberPlace>,
        group: NamespaceId,
    ) -> Result<Option<ProjectShare>, StoreError>;

    /// Deletes at most `limit` roles that no longer count, and gives them. What another transaction is changing is passed
    /// over.
    fn take_expired_members(
        &mut self,
        today: CalendarDate,
        limit: usize,
    ) -> Result<Vec<Member>, StoreError>;

    /// Deletes at most `limit` shares that no longer count, and gives them. What another transaction is changing is passed
    /// over.
    fn take_expired_shares(
        &mut self,
        today: CalendarDate,
        limit: usize,
    ) -> Result<Vec<ProjectShare>, StoreError>;
}
