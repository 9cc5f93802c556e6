//! Navigation beside the pages of a project or group.

use api_conventions::access::AccessLevel;
use projects::{GroupAccess, ProjectAccess};

/// Section of a project or group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// Overview of the place.
    Overview,
    /// Alerts.
    Alerts,
    /// Incidents: issues about alerts.
    Incidents,
    /// Errors reported by programs.
    Errors,
    /// Issues and incidents.
    Issues,
    /// Milestones.
    Milestones,
    /// Labels.
    Labels,
    /// Environments.
    Environments,
    /// Snippets.
    Snippets,
    /// Activity.
    Activity,
    /// Members.
    Members,
    /// Open alerts of the projects of a group.
    GroupAlerts,
    /// Settings for Owners of a group.
    GroupSettings,
    /// Settings of a project.
    Settings,
}

/// Entry of the navigation.
/// A new section is one more line: in `ENTRIES` for projects, in `OF_GROUPS` for groups.
#[derive(Debug, Clone, Copy)]
pub struct NavItem {
    section: Section,
    /// Name of the section.
    pub name: &'static str,
    /// Path after the path of the place.
    end: &'static str,
    /// Role required to see it, besides access to the place.
    least: Option<AccessLevel>,
}

/// All entries of projects, in order.
const ENTRIES: [NavItem; 12] = [
    entry(Section::Overview, "Overview", "", None),
    entry(
        Section::Alerts,
        "Alerts",
        "/-/alert_management",
        Some(AccessLevel::Developer),
    ),
    entry(
        Section::Incidents,
        "Incidents",
        "/-/issues?issue_type=incident",
        None,
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
    entry(
        Section::Environments,
        "Environments",
        "/-/environments",
        None,
    ),
    entry(Section::Snippets, "Snippets", "/-/snippets", None),
    entry(Section::Activity, "Activity", "/-/activity", None),
    entry(Section::Members, "Members", "/-/project_members", None),
    entry(
        Section::Settings,
        "Settings",
        "/-/settings",
        Some(AccessLevel::Maintainer),
    ),
];

/// All entries of groups, in order.
const OF_GROUPS: [NavItem; 4] = [
    entry(Section::Overview, "Overview", "", None),
    entry(
        Section::GroupAlerts,
        "Open alerts",
        "/-/alerts",
        Some(AccessLevel::Developer),
    ),
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
) -> NavItem {
    NavItem {
        section,
        name,
        end,
        least,
    }
}

/// Navigation as one visitor sees it.
#[derive(Debug, Clone)]
pub struct Navigation {
    /// Kind of place.
    pub label: &'static str,
    path: String,
    current: Section,
    entries: Vec<NavItem>,
}

impl Navigation {
    /// Navigation for the project at `path`, without slashes around it, on a page of one section.
    pub fn new(path: &str, access: ProjectAccess, current: Section) -> Self {
        let is_seen = |entry: &NavItem| entry.least.is_none_or(|least| access.allows(least));
        Self {
            label: "Project",
            path: format!("/{path}"),
            current,
            entries: ENTRIES.into_iter().filter(is_seen).collect(),
        }
    }

    /// Navigation without one section.
    #[must_use]
    pub fn without(mut self, section: Section) -> Self {
        self.entries.retain(|entry| entry.section != section);
        self
    }

    /// Navigation for the group at `path`, without slashes around it, on a page of one section.
    pub fn of_group(path: &str, access: GroupAccess, current: Section) -> Self {
        let is_seen = |entry: &NavItem| entry.least.is_none_or(|least| access.allows(least));
        Self {
            label: "Group",
            path: format!("/groups/{path}"),
            current,
            entries: OF_GROUPS.into_iter().filter(is_seen).collect(),
        }
    }

    /// Entries that the visitor sees.
    pub fn entries(&self) -> &[NavItem] {
        &self.entries
    }

    /// Address of an entry, below the root of the server.
    pub fn href(&self, entry: &NavItem) -> String {
        format!("{}{}", self.path, entry.end)
    }

    /// True if the page belongs to this section.
    pub fn is_current(&self, entry: &NavItem) -> bool {
        entry.section == self.current
    }

    /// Name of the section to which the page belongs.
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
            (AccessLevel::Reporter, 10, "/acme/shop/-/project_members"),
            (AccessLevel::Developer, 11, "/acme/shop/-/project_members"),
            (AccessLevel::Maintainer, 12, "/acme/shop/-/settings"),
        ] {
            let viewer = Viewer::User(UserId::new(1));
            let membership = Membership {
                own: Some(level),
                ..Membership::default()
            };
            let access = ProjectAccess::decide(viewer, membership, Visibility::Private).unwrap();
            let side = Navigation::new("acme/shop", access, Section::Labels);
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
            let side = Navigation::of_group("acme", access, Section::Overview);
            assert_eq!(side.href(side.entries().last().unwrap()), last);
        }
    }
}
