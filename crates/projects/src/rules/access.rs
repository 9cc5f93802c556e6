//! Permissions of a viewer in a project (`API-16`, `AUTH-10`, `AUTH-11`).

use api_conventions::access::{AccessLevel, Visibility};

use crate::model::{Membership, Viewer};

/// A viewer's permissions in one project that it may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProjectAccess {
    membership: Membership,
    is_administrator: bool,
}

impl ProjectAccess {
    /// Decides what `viewer` with these roles may see of a project with this visibility.
    ///
    /// Returns `None` if the viewer may not know that the project exists.
    pub fn decide(viewer: Viewer, membership: Membership, visibility: Visibility) -> Option<Self> {
        let is_administrator = matches!(viewer, Viewer::Administrator(_));
        let visible = match visibility {
            Visibility::Public => true,
            Visibility::Internal => viewer.user_id().is_some(),
            Visibility::Private => membership.highest().is_some(),
        };
        (visible || is_administrator).then_some(Self {
            membership,
            is_administrator,
        })
    }

    /// True if the viewer has at least the role `needed`.
    /// Administrators may do everything.
    pub fn allows(self, needed: AccessLevel) -> bool {
        self.is_administrator || self.level().is_some_and(|level| level >= needed)
    }

    /// The viewer's role as a member, inherited ones included.
    pub fn level(self) -> Option<AccessLevel> {
        self.membership.highest()
    }

    /// The viewer's direct and inherited roles.
    pub const fn membership(self) -> Membership {
        self.membership
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use api_conventions::ids::UserId;

    const NONE: Membership = Membership {
        own: None,
        inherited: None,
        shared: None,
    };
    const USER: Viewer = Viewer::User(UserId::new(1));
    const ADMIN: Viewer = Viewer::Administrator(UserId::new(2));

    #[test]
    fn visibility_decides_for_those_without_a_role() {
        let cases = [
            (Viewer::Anonymous, Visibility::Public, true),
            (Viewer::Anonymous, Visibility::Internal, false),
            (Viewer::Anonymous, Visibility::Private, false),
            (USER, Visibility::Internal, true),
            (USER, Visibility::Private, false),
            (ADMIN, Visibility::Private, true),
        ];
        for (viewer, visibility, visible) in cases {
            let access = ProjectAccess::decide(viewer, NONE, visibility);
            assert_eq!(access.is_some(), visible, "{viewer:?} {visibility:?}");
        }
    }

    #[test]
    fn a_role_includes_itself_and_lower_roles() {
        let developer = Membership {
            inherited: Some(AccessLevel::Developer),
            ..NONE
        };
        let access = ProjectAccess::decide(USER, developer, Visibility::Private).unwrap();
        assert!(access.allows(AccessLevel::Reporter) && access.allows(AccessLevel::Developer));
        assert!(!access.allows(AccessLevel::Maintainer));
    }

    #[test]
    fn seeing_a_public_project_allows_no_action() {
        let access = ProjectAccess::decide(Viewer::Anonymous, NONE, Visibility::Public).unwrap();
        assert!(!access.allows(AccessLevel::Guest));
        assert!(
            ProjectAccess::decide(ADMIN, NONE, Visibility::Private)
                .unwrap()
                .allows(AccessLevel::Owner)
        );
    }
}
