//! Projects and groups for their member pages.

use gatehouse_core::database::ReadTransaction;
use projects::flow::members::MemberContext;
use projects::{Namespace, ProjectShare};
use storage::StoreError;

use crate::areas::members::place::HasMembers;
use crate::frame::group::Groups;
use crate::frame::page::group::GroupContext;
use crate::frame::page::place::PagePlace;
use crate::frame::page::project::ProjectContext;
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
    fn members_of(context: &Self::Context) -> MemberContext;

    /// Path of the place, below the root of the server.
    fn path(context: &Self::Context) -> String;

    /// Lists the namespaces from which the place inherits members.
    ///
    /// # Errors
    /// Failures of the store.
    fn above(
        tx: &mut dyn ReadTransaction,
        context: &Self::Context,
    ) -> Result<Vec<Namespace>, StoreError>;

    /// Lists the groups with which the place is shared; `None` if its kind cannot be shared.
    ///
    /// # Errors
    /// Failures of the store.
    fn shares(
        tx: &mut dyn ReadTransaction,
        context: &Self::Context,
        today: CalendarDate,
    ) -> Result<Option<Vec<ProjectShare>>, StoreError>;

    /// Path of the member list, below the root of the server.
    fn list(context: &Self::Context) -> String {
        format!("{}{}", Self::path(context), Self::END)
    }

    /// True if the visitor has the role `level` or a higher one.
    fn may(context: &Self::Context, level: AccessLevel) -> bool {
        Self::allows(Self::access(context), level)
    }

    /// True if the visitor manages the members.
    fn manages(context: &Self::Context) -> bool {
        Self::may(context, Self::Manager::LEAST)
    }
}

impl MembersPlace for Projects {
    const KIND: &'static str = "project";
    const END: &'static str = "/-/project_members";

    fn members_of(context: &ProjectContext) -> MemberContext {
        Self::members(&context.project)
    }

    fn path(context: &ProjectContext) -> String {
        context.path()
    }

    fn above(
        tx: &mut dyn ReadTransaction,
        context: &ProjectContext,
    ) -> Result<Vec<Namespace>, StoreError> {
        tx.list_lineage(context.project.namespace.id)
    }

    fn shares(
        tx: &mut dyn ReadTransaction,
        context: &ProjectContext,
        today: CalendarDate,
    ) -> Result<Option<Vec<ProjectShare>>, StoreError> {
        tx.list_shares(context.project.id, today).map(Some)
    }
}

impl MembersPlace for Groups {
    const KIND: &'static str = "group";
    const END: &'static str = "/-/group_members";

    fn members_of(context: &GroupContext) -> MemberContext {
        Self::members(&context.group)
    }

    fn path(context: &GroupContext) -> String {
        context.path()
    }

    fn above(
        _: &mut dyn ReadTransaction,
        context: &GroupContext,
    ) -> Result<Vec<Namespace>, StoreError> {
        Ok(context.above.clone())
    }

    fn shares(
        _: &mut dyn ReadTransaction,
        _: &GroupContext,
        _: CalendarDate,
    ) -> Result<Option<Vec<ProjectShare>>, StoreError> {
        Ok(None)
    }
}
