//! Pages of groups.

use api_conventions::ids::NamespaceId;
use api_conventions::reference::{FullPath, NamespaceRef, decode_segment};
use api_conventions::time::Timestamp;
use gatehouse_core::database::ReadTransaction;
use projects::flow::groups::find_redirected_group;
use projects::{DeletionTarget, Group, GroupAccess, Namespace, Viewer};
use storage::StoreError;

use super::display_name::DisplayName;
use super::failure::PageFailure;
use super::place::{PagePlace, PlaceForm, PlacePage};
use super::shell::{PageBreadcrumb, SiteArea};
use super::side::{Navigation, Section};
use crate::frame::group::{Groups, GroupsPendingDeletion};
use crate::frame::scopes::Role;

/// Page of a group, requested by a visitor who may see the group and meets the requirement `N`.
pub type GroupPage<N> = PlacePage<Groups, N>;
/// Form of a group page, sent by a visitor who may see the group and meets the requirement `N`.
pub type GroupForm<N> = PlaceForm<Groups, N>;
/// Page of a group pending deletion.
pub type GroupPendingDeletionPage<N> = PlacePage<GroupsPendingDeletion, N>;
/// Form of such a page.
pub type GroupPendingDeletionForm<N> = PlaceForm<GroupsPendingDeletion, N>;

/// Most groups in the breadcrumbs besides the outermost one: more would not fit.
const NAMED_ABOVE: usize = 3;

/// Group of a page, as found in its transaction.
#[derive(Debug, Clone)]
pub struct GroupContext {
    /// The group.
    pub group: Group,
    /// Access of the visitor.
    pub access: GroupAccess,
    /// Ancestors of the group, the outermost first.
    /// Everyone who may see a group may see these.
    pub above: Vec<Namespace>,
}

impl GroupContext {
    /// True if the visitor has at least the role `R`.
    pub fn allows<R: Role>(&self) -> bool {
        self.access.allows(R::LEAST)
    }

    /// Path of the group's page, below the root of the server.
    pub fn path(&self) -> String {
        path_of_group(self.group.full_path.as_str())
    }
}

/// Path of the page of a group with this full path, below the root of the server.
pub fn path_of_group(full_path: &str) -> String {
    format!("/groups/{full_path}")
}

impl PagePlace for Groups {
    type Context = GroupContext;
    const PARAMETER: &'static str = "group";
    const BEFORE_NAME: &'static str = "/groups/";
    const AREA: SiteArea = SiteArea::Group;

    fn parse_segment(raw: &str) -> Option<NamespaceRef> {
        // Ids are for the API only: a group's name may be a number.
        let path = decode_segment(raw)?;
        FullPath::parse(&path).map(NamespaceRef::Path)
    }

    fn redirect_path(
        tx: &mut dyn ReadTransaction,
        reference: &NamespaceRef,
        viewer: Viewer,
        now: Timestamp,
    ) -> Result<Option<String>, StoreError> {
        let moved = find_redirected_group(tx, reference, viewer, now)?;
        Ok(moved.map(|(group, _)| path_of_group(group.full_path.as_str())))
    }

    fn load_context(
        tx: &mut dyn ReadTransaction,
        group: Group,
        access: GroupAccess,
    ) -> Result<GroupContext, PageFailure> {
        let mut above = match group.parent_id {
            Some(_) => tx.list_lineage(group.id)?,
            None => Vec::new(),
        };
        above.pop();
        Ok(GroupContext {
            group,
            access,
            above,
        })
    }

    fn access(found: &GroupContext) -> GroupAccess {
        found.access
    }

    fn name(found: &GroupContext) -> &str {
        &found.group.content.name
    }

    fn breadcrumbs(found: &GroupContext) -> Vec<PageBreadcrumb> {
        let above = found.above.iter();
        let mut crumbs: Vec<PageBreadcrumb> = above
            .map(|group| crumb(&group.name, group.full_path.as_str()))
            .collect();
        if crumbs.len() > NAMED_ABOVE {
            let left_out = 1..crumbs.len() + 1 - NAMED_ABOVE;
            let dots = PageBreadcrumb {
                name: DisplayName::of("…"),
                path: None,
            };
            crumbs.splice(left_out, [dots]);
        }
        let group = &found.group;
        crumbs.push(crumb(&group.content.name, group.full_path.as_str()));
        crumbs
    }

    fn navigation(found: &GroupContext, section: Section) -> Option<Navigation> {
        let path = found.group.full_path.as_str();
        Some(Navigation::of_group(path, found.access, section))
    }
}

fn crumb(name: &str, full_path: &str) -> PageBreadcrumb {
    PageBreadcrumb {
        name: DisplayName::of(name),
        path: Some(path_of_group(full_path)),
    }
}

/// Group pending deletion, as found in the transaction of its page.
#[derive(Debug, Clone)]
pub struct GroupPendingDeletion {
    /// The group.
    pub group: Group,
    /// Access that the visitor would have.
    pub access: GroupAccess,
    /// Time from which it may be permanently deleted.
    pub due_at: Timestamp,
    /// True if the deletion has begun and can no longer be cancelled.
    pub is_begun: bool,
}

impl PagePlace for GroupsPendingDeletion {
    type Context = GroupPendingDeletion;
    const PARAMETER: &'static str = "id";
    const BEFORE_NAME: &'static str = "/";
    const AREA: SiteArea = SiteArea::Groups;

    fn parse_segment(raw: &str) -> Option<NamespaceId> {
        raw.parse().ok().map(NamespaceId::new)
    }

    /// Groups that wait for the deletion of an ancestor have no page of their own.
    fn load_context(
        tx: &mut dyn ReadTransaction,
        group: Group,
        access: GroupAccess,
    ) -> Result<GroupPendingDeletion, PageFailure> {
        let deletion = tx.find_deletion(DeletionTarget::Group(group.id))?;
        let deletion = deletion.ok_or_else(PageFailure::not_found)?;
        Ok(GroupPendingDeletion {
            group,
            access,
            due_at: deletion.due_at,
            is_begun: deletion.started,
        })
    }

    fn access(found: &GroupPendingDeletion) -> GroupAccess {
        found.access
    }

    fn name(found: &GroupPendingDeletion) -> &str {
        &found.group.content.name
    }

    fn breadcrumbs(_: &GroupPendingDeletion) -> Vec<PageBreadcrumb> {
        Vec::new()
    }

    fn navigation(_: &GroupPendingDeletion, _: Section) -> Option<Navigation> {
        None
    }
}
