//! Groups and projects as rows of lists.

use api_conventions::time::Timestamp;
use projects::{FullNames, Group, Project};

use crate::frame::page::display_name::DisplayName;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::group::path_of_group;
use crate::frame::page::pill::Pill;

/// Maximum length of a description in a row, in characters.
const MAX_DESCRIPTION: usize = 200;

/// A group or a project in a list.
pub(super) struct PlaceRow {
    /// Parent names, if the list does not imply them.
    pub(super) above: Option<DisplayName>,
    pub(super) name: DisplayName,
    /// Path of the page, below the root of the server.
    pub(super) path: String,
    pub(super) description: String,
    pub(super) visibility: Pill,
    /// Creation time of a group, or time of a project's last activity.
    pub(super) time: DisplayTime,
}

impl PlaceRow {
    /// Row of a group in a list of arbitrary groups.
    pub(super) fn of_group(group: &Group, names: &FullNames, now: Timestamp) -> Self {
        let whole = names.of_group(group);
        let above = whole.strip_suffix(&group.content.name);
        Self {
            above: above.and_then(above_of),
            ..Self::of_subgroup(group, now)
        }
    }

    /// Row of a group in a list of subgroups.
    pub(super) fn of_subgroup(group: &Group, now: Timestamp) -> Self {
        let content = &group.content;
        Self {
            above: None,
            name: DisplayName::of(&content.name),
            path: path_of_group(group.full_path.as_str()),
            description: content.description.chars().take(MAX_DESCRIPTION).collect(),
            visibility: content.visibility.into(),
            time: DisplayTime::at(group.created_at, now),
        }
    }

    /// Row of a project in the list of the group with this full path.
    /// Parent names are shown only for a project shared with the group.
    pub(super) fn of_project(
        project: &Project,
        group: &str,
        names: &FullNames,
        now: Timestamp,
    ) -> Self {
        let whole = names.of_project(project);
        let above = whole.strip_suffix(&project.name);
        let is_shared = project.namespace.full_path.as_str() != group;
        Self {
            above: above.filter(|_| is_shared).and_then(above_of),
            name: DisplayName::of(&project.name),
            path: format!("/{}", project.full_path.as_str()),
            description: project.description.chars().take(MAX_DESCRIPTION).collect(),
            visibility: project.visibility.into(),
            time: DisplayTime::at(project.last_activity_at, now),
        }
    }
}

fn above_of(text: &str) -> Option<DisplayName> {
    let text = text.trim_end_matches(" / ");
    (!text.is_empty()).then(|| DisplayName::of(text))
}
