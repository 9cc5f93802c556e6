//! The namespaces in which somebody may make projects.

use api_conventions::access::AccessLevel;
use api_conventions::ids::NamespaceId;
use api_conventions::page::OffsetPage;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::groups::Actor;
use projects::flow::groups::find_visible_group;
use projects::{Group, GroupFilter, ProjectCreation, Viewer};
use storage::StoreError;

use api_conventions::reference::NamespaceRef;

use crate::frame::page::shown_name::ShownName;

/// Groups that a form offers.
const OFFERED: u64 = 100;

/// A namespace that can be chosen.
#[derive(Debug, Clone)]
pub(super) struct NamespaceChoice {
    /// Its number.
    pub(super) value: String,
    /// Its full path.
    pub(super) name: ShownName,
}

/// What a form offers.
#[derive(Debug, Clone, Default)]
pub(super) struct Offered {
    /// The own namespace first, then groups by their paths.
    pub(super) choices: Vec<NamespaceChoice>,
    /// Whether there are more.
    pub(super) is_cut: bool,
}

impl Offered {
    /// The namespaces in which somebody may make projects, with `wanted` among them, if it is one of them.
    ///
    /// # Errors
    /// Failures of the store.
    pub(super) fn read(
        tx: &mut dyn ReadTransaction,
        by: Actor,
        wanted: Option<NamespaceId>,
    ) -> Result<Self, StoreError> {
        let (mut groups, is_cut) = groups(tx, by)?;
        let missing = wanted.filter(|id| groups.iter().all(|group| group.id != *id));
        if let Some(id) = missing {
            groups.extend(group_for(tx, by, id)?);
        }
        groups.sort_by(|one, other| one.full_path.as_str().cmp(other.full_path.as_str()));
        let own = tx.find_namespace_of(by.id)?;
        let own = own.map(|own| NamespaceChoice {
            value: own.id.to_string(),
            name: ShownName::of(own.full_path.as_str()),
        });
        let groups = groups.iter().map(|group| NamespaceChoice {
            value: group.id.to_string(),
            name: ShownName::of(group.full_path.as_str()),
        });
        Ok(Self {
            choices: own.into_iter().chain(groups).collect(),
            is_cut,
        })
    }

    /// The same without one of them.
    pub(super) fn without(mut self, namespace: NamespaceId) -> Self {
        let value = namespace.to_string();
        self.choices.retain(|choice| choice.value != value);
        self
    }
}

/// The groups in which the role of somebody is enough, and whether there are more. Each group says which role that is, so
/// those with the higher role are listed on their own.
fn groups(tx: &mut dyn ReadTransaction, by: Actor) -> Result<(Vec<Group>, bool), StoreError> {
    let page = OffsetPage::new(1, OFFERED);
    let mut filter = GroupFilter::new(by.viewer);
    if matches!(by.viewer, Viewer::Administrator(_)) {
        let found = tx.list_groups(&filter, by.now.date(), page)?;
        return Ok((found.items, found.has_next));
    }
    let mut groups = Vec::new();
    let mut is_cut = false;
    for creation in [ProjectCreation::Developer, ProjectCreation::Maintainer] {
        filter.min_access_level = creation.least();
        let found = tx.list_groups(&filter, by.now.date(), page)?;
        is_cut |= found.has_next;
        let is_it = |group: &Group| group.content.project_creation_level == creation;
        groups.extend(found.items.into_iter().filter(is_it));
    }
    Ok((groups, is_cut))
}

/// One group, if projects may be made in it.
fn group_for(
    tx: &mut dyn ReadTransaction,
    by: Actor,
    id: NamespaceId,
) -> Result<Option<Group>, StoreError> {
    let found = find_visible_group(tx, &NamespaceRef::Id(id), by.viewer, by.now)?;
    let may = |(group, access): &(Group, projects::GroupAccess)| {
        let least: Option<AccessLevel> = group.content.project_creation_level.least();
        access.allows_from(least)
    };
    Ok(found.filter(may).map(|(group, _)| group))
}
