//! Permissions of a viewer in a group (`API-16`, `AUTH-11`).

use api_conventions::access::{AccessLevel, Visibility};

use crate::model::{GroupMembership, Viewer};

/// A viewer's permissions in one group that it may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupAccess {
    role: Option<AccessLevel>,
    is_administrator: bool,
}

impl GroupAccess {
    /// Decides what `viewer` with this membership may see of a group with this visibility.
    ///
    /// Returns `None` if the viewer may not know that the group exists.
    pub fn decide(
        viewer: Viewer,
        membership: GroupMembership,
        visibility: Visibility,
    ) -> Option<Self> {
        let is_administrator = matches!(viewer, Viewer::Administrator(_));
        let visible = match visibility {
            Visibility::Public => true,
            Visibility::Internal => viewer.user_id().is_some(),
            Visibility::Private => membership.role.is_some() || membership.is_below,
        };
        (visible || is_administrator).then_some(Self {
            role: membership.role,
            is_administrator,
        })
    }

    /// True if the viewer has at least the role `needed`.
    /// Administrators may do everything.
    pub fn allows(self, needed: AccessLevel) -> bool {
        self.is_administrator || self.role.is_some_and(|role| role >= needed)
    }

    /// True if the viewer has at least the role `least`.
    /// If it is `None`, only administrators are permitted.
    pub fn allows_at_least(self, least: Option<AccessLevel>) -> bool {
        least.map_or(self.is_administrator, |least| self.allows(least))
    }

    /// The viewer's role in the group, inherited ones included.
    pub const fn role(self) -> Option<AccessLevel> {
        self.role
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use api_conventions::ids::UserId;

    const USER: Viewer = Viewer::User(UserId::new(1));
    const ADMIN: Viewer = Viewer::Administrator(UserId::new(2));

    fn member(role: Option<AccessLevel>, is_below: bool) -> GroupMembership {
        GroupMembership { role, is_below }
    }

    #[test]
    fn private_groups_are_visible_to_members_of_the_group_or_descendants() {
        let [private, internal, public] = [
            Visibility::Private,
            Visibility::Internal,
            Visibility::Public,
        ];
        let guest = Some(AccessLevel::Guest);
        for (viewer, membership, visibility, visible) in [
            (Viewer::Anonymous, member(None, false), public, true),
            (Viewer::Anonymous, member(None, false), internal, false),
            (USER, member(None, false), internal, true),
            (USER, member(None, false), private, false),
            (USER, member(None, true), private, true),
            (USER, member(guest, false), private, true),
            (ADMIN, member(None, false), private, true),
        ] {
            let access = GroupAccess::decide(viewer, membership, visibility);
            assert_eq!(
                access.is_some(),
                visible,
                "{viewer:?} {membership:?} {visibility:?}"
            );
        }
    }

    #[test]
    fn descendant_members_get_no_role_and_an_unset_level_admits_only_admins() {
        let below = GroupAccess::decide(USER, member(None, true), Visibility::Private).unwrap();
        assert!(!below.allows(AccessLevel::Guest));
        let owner = member(Some(AccessLevel::Owner), false);
        let owner = GroupAccess::decide(USER, owner, Visibility::Private).unwrap();
        assert!(owner.allows_at_least(Some(AccessLevel::Owner)) && !owner.allows_at_least(None));
        let admin = GroupAccess::decide(ADMIN, member(None, false), Visibility::Private).unwrap();
        assert!(admin.allows_at_least(None));
    }
}
