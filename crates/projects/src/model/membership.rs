//! Roles of a user in a project, and groups of a user.

use api_conventions::access::AccessLevel;
use api_conventions::reference::FullPath;

/// A user's roles in a project on one day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Membership {
    /// The role given in the project itself.
    pub own: Option<AccessLevel>,
    /// The highest role given in any namespace above it.
    pub inherited: Option<AccessLevel>,
    /// The highest role through the groups with which the project is shared.
    pub shared: Option<AccessLevel>,
}

impl Membership {
    /// Effective role: the highest of all.
    pub fn highest(self) -> Option<AccessLevel> {
        self.own.max(self.inherited).max(self.shared)
    }
}

/// A group that a user is a member of on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserGroup {
    /// Full path of the group.
    pub full_path: FullPath,
    /// True if the user has a role in the group itself, and not only in a group above it.
    pub is_direct: bool,
    /// The highest role that counts in the group: given in the group itself or in a group above it.
    pub level: AccessLevel,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_of_all_roles_counts() {
        let [low, middle, high] = [
            Some(AccessLevel::Guest),
            Some(AccessLevel::Developer),
            Some(AccessLevel::Owner),
        ];
        for (own, inherited, shared, highest) in [
            (None, None, None, None),
            (low, None, None, low),
            (low, high, middle, high),
            (high, low, None, high),
            (low, middle, high, high),
        ] {
            let membership = Membership {
                own,
                inherited,
                shared,
            };
            assert_eq!(membership.highest(), highest);
        }
    }
}
