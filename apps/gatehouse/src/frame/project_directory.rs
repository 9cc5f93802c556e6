//! Names and paths of the projects that a list of several projects names.

use std::collections::{BTreeMap, BTreeSet};

use api_conventions::ids::ProjectId;
use gatehouse_core::database::ReadTransaction;
use projects::flow::full_names::full_names;
use storage::StoreError;

use crate::frame::page::display_name::DisplayName;

/// Names and paths of projects.
#[derive(Debug)]
pub struct ProjectDirectory {
    by_id: BTreeMap<ProjectId, (DisplayName, String)>,
}

impl ProjectDirectory {
    /// Loads the names and paths of projects.
    ///
    /// # Errors
    /// Failures of the store.
    pub fn of(
        tx: &mut dyn ReadTransaction,
        ids: impl Iterator<Item = ProjectId>,
    ) -> Result<Self, StoreError> {
        let ids: BTreeSet<ProjectId> = ids.collect();
        if ids.is_empty() {
            return Ok(Self {
                by_id: BTreeMap::new(),
            });
        }
        let ids: Vec<ProjectId> = ids.into_iter().collect();
        let projects = tx.list_projects_by_id(&ids)?;
        let names = full_names(tx, &projects)?;
        let links = projects.iter().map(|project| {
            let name = DisplayName::of(&names.of_project(project));
            (project.id, (name, project.full_path.as_str().to_owned()))
        });
        Ok(Self {
            by_id: links.collect(),
        })
    }

    /// Name and path of a project; `None` if it does not exist any more.
    pub fn get(&self, id: ProjectId) -> Option<(&DisplayName, &str)> {
        let (name, path) = self.by_id.get(&id)?;
        Some((name, path))
    }
}
