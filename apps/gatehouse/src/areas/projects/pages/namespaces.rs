//! Namespaces in which a user may create projects.

use api_conventions::access::AccessLevel;
use api_conventions::ids::NamespaceId;
use api_conventions::page::OffsetPage;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::groups::Actor;
use projects::flow::groups::find_visible_group;
use projects::{Group, GroupFilter, ProjectCreation, Viewer};
use storage::StoreError;

use api_conventions::reference::NamespaceRef;

use crate::frame::page::display_name::DisplayName;

/// Maximum number of groups that a form offers.
const MAX_GROUPS: u64 = 100;

/// A namespace to choose from.
#[derive(Debug, Clone)]
pub(super) struct NamespaceChoice {
    /// Id of the namespace.
    pub(super) value: String,
    /// Full path of the namespace.
    pub(super) name: DisplayName,
}

/// Namespaces that a form offers.
#[derive(Debug, Clone, Default)]
pub(super) struct NamespaceChoices {
    /// The user's own namespace first, then groups by path.
    pub(super) choices: Vec<NamespaceChoice>,
    /// True if there are more than the form offers.
    pub(super) is_cut: bool,
}

impl NamespaceChoices {
    /// Lists the namespaces in which a user may create projects.
    /// Includes `preselected` if it is one of them.
    ///
    /// # Errors
    /// Failures of the store.
    pub(super) fn read(
        tx: &mut dyn ReadTransaction,
        by: Actor,
        preselected: Option<NamespaceId>,
    ) -> Result<Self, StoreError> {
        let (mut groups, is_cut) = groups(tx, by)?;
        let missing = preselected.filter(|id| groups.iter().all(|group| group.id != *id));
        if let Some(id) = missing {
            groups.extend(group_for(tx, by, id)?);
        }
        groups.sort_by(|one, other| one.full_path.as_str().cmp(other.full_path.as_str()));
        let own = tx.find_namespace_of(by.id)?;
        let own = own.map(|own| NamespaceChoice {
            value: own.id.to_string(),
            name: DisplayName::of(own.full_path.as_str()),
        });
        let groups = groups.iter().map(|group| NamespaceChoice {
            value: group.id.to_string(),
            name: DisplayName::of(group.full_path.as_str()),
        });
        Ok(Self {
            choices: own.into_iter().chain(groups).collect(),
            is_cut,
        })
    }

    /// Removes a namespace from the choices.
    pub(super) fn without(mut self, namespace: NamespaceId) -> Self {
        let value = namespace.to_string();
        self.choices.retain(|choice| choice.value != value);
        self
    }
}

/// Lists the groups in which the user's role permits creating projects.
/// The flag is true if there are more. Each group sets its own minimum role, so there is one query per setting.
fn groups(tx: &mut dyn ReadTransaction, by: Actor) -> Result<(Vec<Group>, bool), StoreError> {
    let page = OffsetPage::new(1, MAX_GROUPS);
    let mut filter = GroupFilter::new(by.viewer);
    if matches!(by.viewer, Viewer::Administrator(_)) {
        let found = tx.list_groups(&filter, by.now.date(), page)?;
        return Ok((found.items, found.has_next));
    }
    let mut groups = Vec::new();
    let mut is_cut = false;
    for creation in [ProjectCreation::Developer, ProjectCreation::Maintainer] {
        filter.min_access_level = creation.min_level();
        let found = tx.list_groups(&filter, by.now.date(), page)?;
        is_cut |= found.has_next;
        let is_it = |group: &Group| group.content.project_creation_level == creation;
        groups.extend(found.items.into_iter().filter(is_it));
    }
    Ok((groups, is_cut))
}

/// Finds one group, if the user may create projects in it.
fn group_for(
    tx: &mut dyn ReadTransaction,
    by: Actor,
    id: NamespaceId,
) -> Result<Option<Group>, StoreError> {
    let found = find_visible_group(tx, &NamespaceRef::Id(id), by.viewer, by.now)?;
    let may = |(group, access): &(Group, projects::GroupAccess)| {
        let least: Option<AccessLevel> = group.content.project_creation_level.min_level();
        access.allows_at_least(least)
    };
    Ok(found.filter(may).map(|(group, _)| group))
}
