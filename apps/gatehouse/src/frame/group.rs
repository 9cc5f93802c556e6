//! Requests about a group.

use api_conventions::access::AccessLevel;
use api_conventions::ids::NamespaceId;
use api_conventions::reference::NamespaceRef;
use api_conventions::time::Timestamp;
use gatehouse_core::database::ReadTransaction;
use projects::flow::groups::{find_moved_group, find_visible_group, standing};
use projects::{Group, GroupAccess, Viewer};
use storage::StoreError;
use web_conventions::operations::{Kind, Parameter, Place};

use super::place::{In, NAME, PlaceKind, Sees};

/// Path parameter that identifies the group.
pub const GROUP: Parameter = Parameter::path(
    NAME,
    Kind::Place,
    "The number of the group, or its full path, percent-encoded.",
);

/// Groups.
#[derive(Debug)]
pub struct Groups;

/// Request about a group by a caller who may see it.
pub type SeesGroup<S> = Sees<Groups, S>;
/// Request about a group by a member with a role.
pub type InGroup<R, S> = In<Groups, R, S>;

/// Groups pending deletion, which a path identifies by id only.
#[derive(Debug)]
pub struct DoomedGroups;

/// Request about a group pending deletion, by a member with a role.
pub type InDoomedGroup<R, S> = In<DoomedGroups, R, S>;

impl PlaceKind for DoomedGroups {
    const PLACE: Place = Place::Group;
    const THING: &'static str = "Group";
    type Reference = NamespaceId;
    type Found = Group;
    type Standing = GroupAccess;

    fn parse(raw: &str) -> Option<NamespaceId> {
        raw.parse().ok().map(NamespaceId::new)
    }

    fn find(
        tx: &mut dyn ReadTransaction,
        id: &NamespaceId,
        viewer: Viewer,
        now: Timestamp,
    ) -> Result<Option<(Group, GroupAccess)>, StoreError> {
        let Some(group) = tx.find_doomed_group(*id)? else {
            return Ok(None);
        };
        let access = standing(tx, viewer, &group, now)?;
        Ok(access.map(|access| (group, access)))
    }

    fn allows(standing: GroupAccess, needed: AccessLevel) -> bool {
        standing.allows(needed)
    }
}

impl PlaceKind for Groups {
    const PLACE: Place = Place::Group;
    const THING: &'static str = "Group";
    type Reference = NamespaceRef;
    type Found = Group;
    type Standing = GroupAccess;

    fn parse(raw: &str) -> Option<NamespaceRef> {
        NamespaceRef::parse(raw)
    }

    fn find(
        tx: &mut dyn ReadTransaction,
        reference: &NamespaceRef,
        viewer: Viewer,
        now: Timestamp,
    ) -> Result<Option<(Group, GroupAccess)>, StoreError> {
        find_visible_group(tx, reference, viewer, now)
    }

    fn find_moved(
        tx: &mut dyn ReadTransaction,
        reference: &NamespaceRef,
        viewer: Viewer,
        now: Timestamp,
    ) -> Result<Option<i64>, StoreError> {
        let moved = find_moved_group(tx, reference, viewer, now)?;
        Ok(moved.map(|(group, _)| group.id.get()))
    }

    fn allows(standing: GroupAccess, needed: AccessLevel) -> bool {
        standing.allows(needed)
    }
}
