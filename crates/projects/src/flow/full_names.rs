//! Full names of the namespaces of projects and groups.

use std::collections::BTreeSet;

use api_conventions::ids::NamespaceId;
use storage::StoreError;

use crate::model::{FullNames, Group, Project};
use crate::store::ProjectQueries;

/// Names that [`FullNames::of_project`] needs for these projects.
/// Runs one query, however many projects there are, and none if no project is in a subgroup.
///
/// # Errors
/// Failures of the store, and a subgroup without names in the store.
pub fn full_names<R: ProjectQueries + ?Sized>(
    repos: &mut R,
    projects: &[Project],
) -> Result<FullNames, StoreError> {
    let nested = projects
        .iter()
        .filter(|project| project.namespace.parent_id.is_some());
    names_of(repos, nested.map(|project| project.namespace.id).collect())
}

/// Names that [`FullNames::of_group`] needs for these groups, as [`full_names`] returns them for projects.
///
/// # Errors
/// Failures of the store, and a subgroup without names in the store.
pub fn full_names_of_groups<R: ProjectQueries + ?Sized>(
    repos: &mut R,
    groups: &[Group],
) -> Result<FullNames, StoreError> {
    let nested = groups.iter().filter(|group| group.parent_id.is_some());
    names_of(repos, nested.map(|group| group.id).collect())
}

fn names_of<R: ProjectQueries + ?Sized>(
    repos: &mut R,
    ids: BTreeSet<NamespaceId>,
) -> Result<FullNames, StoreError> {
    if ids.is_empty() {
        return Ok(FullNames::default());
    }
    let ids: Vec<NamespaceId> = ids.into_iter().collect();
    let names = repos.list_full_names(&ids)?;
    match ids.iter().find(|id| !names.contains(**id)) {
        None => Ok(names),
        Some(id) => {
            let what = "the names of its ancestors are missing";
            Err(StoreError::inconsistent("namespaces", id.get(), what))
        }
    }
}
