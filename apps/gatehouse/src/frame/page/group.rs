//! Pages of groups.

use api_conventions::ids::NamespaceId;
use api_conventions::reference::{FullPath, NamespaceRef, decode_segment};
use api_conventions::time::Timestamp;
use gatehouse_core::database::ReadTransaction;
use projects::flow::groups::find_moved_group;
use projects::{Doomed, Group, GroupAccess, Namespace, Viewer};
use storage::StoreError;

use super::failure::PageFailure;
use super::place::{PagePlace, PlaceForm, PlacePage};
use super::shell::{Crumb, Place};
use super::shown_name::ShownName;
use super::side::{Section, Side};
use crate::frame::group::{DoomedGroups, Groups};
use crate::frame::scopes::Role;

/// Page of a group, requested by a visitor who may see the group and meets the requirement `N`.
pub type GroupPage<N> = PlacePage<Groups, N>;
/// Form of a group page, sent by a visitor who may see the group and meets the requirement `N`.
pub type GroupForm<N> = PlaceForm<Groups, N>;
/// Page of a group pending deletion.
pub type DoomedGroupPage<N> = PlacePage<DoomedGroups, N>;
/// Form of such a page.
pub type DoomedGroupForm<N> = PlaceForm<DoomedGroups, N>;

/// Most groups in the breadcrumbs besides the outermost one: more would not fit.
const NAMED_ABOVE: usize = 3;

/// Group of a page, as found in its transaction.
#[derive(Debug, Clone)]
pub struct FoundGroup {
    /// The group.
    pub group: Group,
    /// Access of the visitor.
    pub access: GroupAccess,
    /// Ancestors of the group, the outermost first.
    /// Everyone who may see a group may see these.
    pub above: Vec<Namespace>,
}

impl FoundGroup {
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
    type Shown = FoundGroup;
    const PARAMETER: &'static str = "group";
    const BEFORE_NAME: &'static str = "/groups/";
    const PART: Place = Place::Group;

    fn named(raw: &str) -> Option<NamespaceRef> {
        // Ids are for the API only: a group's name may be a number.
        let path = decode_segment(raw)?;
        FullPath::parse(&path).map(NamespaceRef::Path)
    }

    fn moved(
        tx: &mut dyn ReadTransaction,
        reference: &NamespaceRef,
        viewer: Viewer,
        now: Timestamp,
    ) -> Result<Option<String>, StoreError> {
        let moved = find_moved_group(tx, reference, viewer, now)?;
        Ok(moved.map(|(group, _)| path_of_group(group.full_path.as_str())))
    }

    fn dress(
        tx: &mut dyn ReadTransaction,
        group: Group,
        access: GroupAccess,
    ) -> Result<FoundGroup, PageFailure> {
        let mut above = match group.parent_id {
            Some(_) => tx.list_lineage(group.id)?,
            None => Vec::new(),
        };
        above.pop();
        Ok(FoundGroup {
            group,
            access,
            above,
        })
    }

    fn standing(found: &FoundGroup) -> GroupAccess {
        found.access
    }

    fn name(found: &FoundGroup) -> &str {
        &found.group.content.name
    }

    fn crumbs(found: &FoundGroup) -> Vec<Crumb> {
        let above = found.above.iter();
        let mut crumbs: Vec<Crumb> = above
            .map(|group| crumb(&group.name, group.full_path.as_str()))
            .collect();
        if crumbs.len() > NAMED_ABOVE {
            let left_out = 1..crumbs.len() + 1 - NAMED_ABOVE;
            let dots = Crumb {
                name: ShownName::of("…"),
                path: None,
            };
            crumbs.splice(left_out, [dots]);
        }
        let group = &found.group;
        crumbs.push(crumb(&group.content.name, group.full_path.as_str()));
        crumbs
    }

    fn side(found: &FoundGroup, section: Section) -> Option<Side> {
        let path = found.group.full_path.as_str();
        Some(Side::of_group(path, found.access, section))
    }
}

fn crumb(name: &str, full_path: &str) -> Crumb {
    Crumb {
        name: ShownName::of(name),
        path: Some(path_of_group(full_path)),
    }
}

/// Group pending deletion, as found in the transaction of its page.
#[derive(Debug, Clone)]
pub struct FoundDoomedGroup {
    /// The group.
    pub group: Group,
    /// Access that the visitor would have.
    pub access: GroupAccess,
    /// Time from which it may be permanently deleted.
    pub due_at: Timestamp,
    /// True if the deletion has begun and can no longer be cancelled.
    pub is_begun: bool,
}

impl PagePlace for DoomedGroups {
    type Shown = FoundDoomedGroup;
    const PARAMETER: &'static str = "id";
    const BEFORE_NAME: &'static str = "/";
    const PART: Place = Place::Groups;

    fn named(raw: &str) -> Option<NamespaceId> {
        raw.parse().ok().map(NamespaceId::new)
    }

    /// Groups that wait for the deletion of an ancestor have no page of their own.
    fn dress(
        tx: &mut dyn ReadTransaction,
        group: Group,
        access: GroupAccess,
    ) -> Result<FoundDoomedGroup, PageFailure> {
        let deletion = tx.find_deletion(Doomed::Group(group.id))?;
        let deletion = deletion.ok_or_else(PageFailure::not_found)?;
        Ok(FoundDoomedGroup {
            group,
            access,
            due_at: deletion.due_at,
            is_begun: deletion.started,
        })
    }

    fn standing(found: &FoundDoomedGroup) -> GroupAccess {
        found.access
    }

    fn name(found: &FoundDoomedGroup) -> &str {
        &found.group.content.name
    }

    fn crumbs(_: &FoundDoomedGroup) -> Vec<Crumb> {
        Vec::new()
    }

    fn side(_: &FoundDoomedGroup, _: Section) -> Option<Side> {
        None
    }
}
