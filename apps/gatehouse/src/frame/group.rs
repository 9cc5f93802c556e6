//! Requests about a group.

use api_conventions::access::AccessLevel;
use api_conventions::ids::NamespaceId;
use api_conventions::reference::NamespaceRef;
use api_conventions::time::Timestamp;
use gatehouse_core::database::ReadTransaction;
use projects::flow::groups::{find_redirected_group, find_visible_group, group_access};
use projects::{Group, GroupAccess, Viewer};
use storage::StoreError;
use web_conventions::operations::{Parameter, ParameterKind, ResourceKind};

use super::place::{In, PLACE_PARAMETER, PlaceKind, Sees};

/// Path parameter that identifies the group.
pub const GROUP: Parameter = Parameter::path(
    PLACE_PARAMETER,
    ParameterKind::IdOrPath,
    "ID of the group, or its percent-encoded full path.",
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
pub struct GroupsPendingDeletion;

/// Request about a group pending deletion, by a member with a role.
pub type InGroupPendingDeletion<R, S> = In<GroupsPendingDeletion, R, S>;

impl PlaceKind for GroupsPendingDeletion {
    const RESOURCE_KIND: ResourceKind = ResourceKind::Group;
    const RESOURCE: &'static str = "Group";
    type Reference = NamespaceId;
    type Place = Group;
    type Access = GroupAccess;

    fn parse(raw: &str) -> Option<NamespaceId> {
        raw.parse().ok().map(NamespaceId::new)
    }

    fn find(
        tx: &mut dyn ReadTransaction,
        id: &NamespaceId,
        viewer: Viewer,
        now: Timestamp,
    ) -> Result<Option<(Group, GroupAccess)>, StoreError> {
        let Some(group) = tx.find_group_pending_deletion(*id)? else {
            return Ok(None);
        };
        let access = group_access(tx, viewer, &group, now)?;
        Ok(access.map(|access| (group, access)))
    }

    fn allows(access: GroupAccess, needed: AccessLevel) -> bool {
        access.allows(needed)
    }
}

impl PlaceKind for Groups {
    const RESOURCE_KIND: ResourceKind = ResourceKind::Group;
    const RESOURCE: &'static str = "Group";
    type Reference = NamespaceRef;
    type Place = Group;
    type Access = GroupAccess;

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

    fn find_redirected(
        tx: &mut dyn ReadTransaction,
        reference: &NamespaceRef,
        viewer: Viewer,
        now: Timestamp,
    ) -> Result<Option<i64>, StoreError> {
        let moved = find_redirected_group(tx, reference, viewer, now)?;
        Ok(moved.map(|(group, _)| group.id.get()))
    }

    fn allows(access: GroupAccess, needed: AccessLevel) -> bool {
        access.allows(needed)
    }
}
