//! Projects and groups for their member pages.

use gatehouse_core::database::ReadTransaction;
use projects::flow::members::MembersOf;
use projects::{Namespace, ProjectShare};
use storage::StoreError;

use crate::areas::members::place::HasMembers;
use crate::frame::group::Groups;
use crate::frame::page::group::FoundGroup;
use crate::frame::page::place::PagePlace;
use crate::frame::page::project::Found;
use crate::frame::project::Projects;
use crate::frame::scopes::Role;
use api_conventions::access::AccessLevel;
use api_conventions::time::CalendarDate;

/// A kind of place with member pages.
pub(super) trait MembersPlace: HasMembers + PagePlace {
    /// Name of the kind.
    const KIND: &'static str;
    /// Path of the member list, relative to the place.
    const END: &'static str;

    /// Converts the place to the type that the member flows take.
    fn members_of(shown: &Self::Shown) -> MembersOf;

    /// Path of the place, below the root of the server.
    fn path(shown: &Self::Shown) -> String;

    /// Lists the namespaces from which the place inherits members.
    ///
    /// # Errors
    /// Failures of the store.
    fn above(
        tx: &mut dyn ReadTransaction,
        shown: &Self::Shown,
    ) -> Result<Vec<Namespace>, StoreError>;

    /// Lists the groups with which the place is shared; `None` if its kind cannot be shared.
    ///
    /// # Errors
    /// Failures of the store.
    fn shares(
        tx: &mut dyn ReadTransaction,
        shown: &Self::Shown,
        today: CalendarDate,
    ) -> Result<Option<Vec<ProjectShare>>, StoreError>;

    /// Path of the member list, below the root of the server.
    fn list(shown: &Self::Shown) -> String {
        format!("{}{}", Self::path(shown), Self::END)
    }

    /// True if the visitor has the role `level` or a higher one.
    fn may(shown: &Self::Shown, level: AccessLevel) -> bool {
        Self::allows(Self::standing(shown), level)
    }

    /// True if the visitor manages the members.
    fn manages(shown: &Self::Shown) -> bool {
        Self::may(shown, Self::Manager::LEAST)
    }
}

impl MembersPlace for Projects {
    const KIND: &'static str = "project";
    const END: &'static str = "/-/project_members";

    fn members_of(shown: &Found) -> MembersOf {
        Self::members(&shown.project)
    }

    fn path(shown: &Found) -> String {
        shown.path()
    }

    fn above(tx: &mut dyn ReadTransaction, shown: &Found) -> Result<Vec<Namespace>, StoreError> {
        tx.list_lineage(shown.project.namespace.id)
    }

    fn shares(
        tx: &mut dyn ReadTransaction,
        shown: &Found,
        today: CalendarDate,
    ) -> Result<Option<Vec<ProjectShare>>, StoreError> {
        tx.list_shares(shown.project.id, today).map(Some)
    }
}

impl MembersPlace for Groups {
    const KIND: &'static str = "group";
    const END: &'static str = "/-/group_members";

    fn members_of(shown: &FoundGroup) -> MembersOf {
        Self::members(&shown.group)
    }

    fn path(shown: &FoundGroup) -> String {
        shown.path()
    }

    fn above(
        _: &mut dyn ReadTransaction,
        shown: &FoundGroup,
    ) -> Result<Vec<Namespace>, StoreError> {
        Ok(shown.above.clone())
    }

    fn shares(
        _: &mut dyn ReadTransaction,
        _: &FoundGroup,
        _: CalendarDate,
    ) -> Result<Option<Vec<ProjectShare>>, StoreError> {
        Ok(None)
    }
}
