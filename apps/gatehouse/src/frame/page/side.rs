//! The list beside the pages of a project or a group.

use api_conventions::access::AccessLevel;
use projects::{GroupAccess, ProjectAccess};

/// A part of a project or a group that has pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// What the place is.
    Overview,
    /// Its alerts.
    Alerts,
    /// What its programs reported.
    Errors,
    /// Its issues and incidents.
    Issues,
    /// Its milestones.
    Milestones,
    /// Its labels.
    Labels,
    /// What happened in it.
    Activity,
    /// Its members.
    Members,
    /// What Owners of a group change.
    GroupSettings,
    /// How it is set up.
    Settings,
}

/// An entry of the list: a new part of projects is one line more in `ENTRIES`, and one of groups in `OF_GROUPS`.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    section: Section,
    /// What it is called.
    pub name: &'static str,
    /// The end of its address, after the path of the place.
    end: &'static str,
    /// Who sees it, of those who see the place.
    least: Option<AccessLevel>,
}

/// All entries of projects, in their order.
const ENTRIES: [Entry; 9] = [
    entry(Section::Overview, "Overview", "", None),
    entry(
        Section::Alerts,
        "Alerts",
        "/-/alert_management",
        Some(AccessLevel::Developer),
    ),
    entry(
        Section::Errors,
        "Errors",
        "/-/error_tracking",
        Some(AccessLevel::Reporter),
    ),
    entry(Section::Issues, "Issues", "/-/issues", None),
    entry(Section::Milestones, "Milestones", "/-/milestones", None),
    entry(Section::Labels, "Labels", "/-/labels", None),
    entry(Section::Activity, "Activity", "/-/activity", None),
    entry(Section::Members, "Members", "/-/project_members", None),
    entry(
        Section::Settings,
        "Settings",
        "/-/settings",
        Some(AccessLevel::Maintainer),
    ),
];

/// All entries of groups, in their order.
const OF_GROUPS: [Entry; 3] = [
    entry(Section::Overview, "Overview", "", None),
    entry(Section::Members, "Members", "/-/group_members", None),
    entry(
        Section::GroupSettings,
        "Settings",
        "/-/edit",
        Some(AccessLevel::Owner),
    ),
];

const fn entry(
    section: Section,
    name: &'static str,
    end: &'static str,
    least: Option<AccessLevel>,
) -> Entry {
    Entry {
        section,
        name,
        end,
        least,
    }
}

/// The list as one visitor sees it.
#[derive(Debug, Clone)]
pub struct Side {
    /// What the place is.
    pub label: &'static str,
    path: String,
    current: Section,
    entries: Vec<Entry>,
}

impl Side {
    /// The list for the project at `path`, with no slash around it, on a page of one section.
    pub fn new(path: &str, access: ProjectAccess, current: Section) -> Self {
        let is_seen = |entry: &Entry| entry.least.is_none_or(|least| access.allows(least));
        Self {
            label: "Project",
            path: format!("/{path}"),
            current,
            entries: ENTRIES.into_iter().filter(is_seen).collect(),
        }
    }

    /// The list for the group at `path`, with no slash around it, on a page of one section.
    pub fn of_group(path: &str, access: GroupAccess, current: Section) -> Self {
        let is_seen = |entry: &Entry| entry.least.is_none_or(|least| access.allows(least));
        Self {
            label: "Group",
            path: format!("/groups/{path}"),
            current,
            entries: OF_GROUPS.into_iter().filter(is_seen).collect(),
        }
    }

    /// What the visitor sees of it.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The address of an entry, below the root of the server.
    pub fn href(&self, entry: &Entry) -> String {
        format!("{}{}", self.path, entry.end)
    }

    /// Whether the page is in this part.
    pub fn is_current(&self, entry: &Entry) -> bool {
        entry.section == self.current
    }

    /// What the part is called in which the page is.
    pub fn current_name(&self) -> &'static str {
        let all = ENTRIES.iter().chain(&OF_GROUPS);
        let mut found = all.filter(|entry| entry.section == self.current);
        found.next().map_or("Menu", |entry| entry.name)
    }
}

#[cfg(test)]
mod tests {
    use api_conventions::access::Visibility;
    use api_conventions::ids::UserId;
    use projects::{GroupMembership, Membership, Viewer};

    use super::*;

    #[test]
    fn alerts_are_listed_for_developers_and_settings_for_maintainers() {
        for (level, count, end) in [
            (AccessLevel::Reporter, 7, "/acme/shop/-/project_members"),
            (AccessLevel::Developer, 8, "/acme/shop/-/project_members"),
            (AccessLevel::Maintainer, 9, "/acme/shop/-/settings"),
        ] {
            let viewer = Viewer::User(UserId::new(1));
            let membership = Membership {
                own: Some(level),
                ..Membership::default()
            };
            let access = ProjectAccess::decide(viewer, membership, Visibility::Private).unwrap();
            let side = Side::new("acme/shop", access, Section::Labels);
            assert_eq!(side.entries().len(), count);
            assert_eq!(side.current_name(), "Labels");
            let last = side.entries().last().unwrap();
            assert_eq!(side.href(last), end);
        }
    }

    #[test]
    fn the_settings_of_a_group_are_listed_for_owners() {
        for (level, last) in [
            (AccessLevel::Maintainer, "/groups/acme/-/group_members"),
            (AccessLevel::Owner, "/groups/acme/-/edit"),
        ] {
            let viewer = Viewer::User(UserId::new(1));
            let membership = GroupMembership {
                role: Some(level),
                is_below: false,
            };
            let access = GroupAccess::decide(viewer, membership, Visibility::Private).unwrap();
            let side = Side::of_group("acme", access, Section::Overview);
            assert_eq!(side.href(side.entries().last().unwrap()), last);
        }
    }
}
