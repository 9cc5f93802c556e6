//! Managers of runners, and the places of runners.

use api_conventions::access::AccessLevel;
use api_conventions::ids::{RunnerId, UserId};
use api_conventions::page::OffsetPage;
use api_conventions::reference::{NamespaceRef, ProjectRef};
use api_conventions::time::Timestamp;
use pipelines::flow::CiError;
use pipelines::model::{Runner, RunnerPlace};
use projects::flow::find_visible::find_visible_project;
use projects::flow::groups::find_visible_group;
use projects::{Group, GroupFilter, Project, ProjectFilter, Viewer};
use storage::{StoreError, StoreErrorKind};

use super::RunnerError;
use crate::database::ReadTransaction;

/// Places that one list of runners may be about.
const MAX_PLACES: usize = 1000;

/// Runner with the groups and projects that a viewer may see.
#[derive(Debug, Clone)]
pub struct RunnerAndPlaces {
    /// The runner.
    pub runner: Runner,
    /// Projects of the runner.
    pub projects: Vec<Project>,
    /// Groups of the runner.
    pub groups: Vec<Group>,
}

/// Finds a runner that a viewer manages.
///
/// # Errors
/// See [`RunnerError`].
pub fn find_managed_runner(
    tx: &mut dyn ReadTransaction,
    viewer: Viewer,
    id: RunnerId,
    now: Timestamp,
) -> Result<Runner, RunnerError> {
    let runner = tx.find_runner(id)?.ok_or(CiError::Unknown("Runner"))?;
    if is_manager(tx, viewer, &runner, now)? {
        return Ok(runner);
    }
    Err(RunnerError::NotManager)
}

/// True if the viewer manages the runner: as an administrator, Owner of its group, or Maintainer of one of its projects.
fn is_manager(
    tx: &mut dyn ReadTransaction,
    viewer: Viewer,
    runner: &Runner,
    now: Timestamp,
) -> Result<bool, StoreError> {
    if matches!(viewer, Viewer::Administrator(_)) {
        return Ok(true);
    }
    for place in tx.list_runner_places(runner.id)? {
        if manages_place(tx, viewer, place, now)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// True if the viewer manages the runners of a place.
///
/// # Errors
/// Failures of the store.
pub fn manages_place(
    tx: &mut dyn ReadTransaction,
    viewer: Viewer,
    place: RunnerPlace,
    now: Timestamp,
) -> Result<bool, StoreError> {
    match place {
        RunnerPlace::Instance => Ok(matches!(viewer, Viewer::Administrator(_))),
        RunnerPlace::Group(id) => {
            let found = find_visible_group(tx, &NamespaceRef::Id(id), viewer, now)?;
            Ok(found.is_some_and(|(_, access)| access.allows(AccessLevel::Owner)))
        }
        RunnerPlace::Project(id) => {
            let found = find_visible_project(tx, &ProjectRef::Id(id), viewer, now)?;
            Ok(found.is_some_and(|(_, access)| access.allows(AccessLevel::Maintainer)))
        }
    }
}

/// Loads the groups and projects of a runner that the viewer may see.
///
/// # Errors
/// Failures of the store.
pub fn with_places(
    tx: &mut dyn ReadTransaction,
    viewer: Viewer,
    runner: Runner,
    now: Timestamp,
) -> Result<RunnerAndPlaces, StoreError> {
    let mut loaded = RunnerAndPlaces {
        runner,
        projects: Vec::new(),
        groups: Vec::new(),
    };
    for place in tx.list_runner_places(loaded.runner.id)? {
        match place {
            RunnerPlace::Instance => {}
            RunnerPlace::Group(id) => {
                let found = find_visible_group(tx, &NamespaceRef::Id(id), viewer, now)?;
                loaded.groups.extend(found.map(|(group, _)| group));
            }
            RunnerPlace::Project(id) => {
                let found = find_visible_project(tx, &ProjectRef::Id(id), viewer, now)?;
                loaded.projects.extend(found.map(|(project, _)| project));
            }
        }
    }
    Ok(loaded)
}

/// Lists the groups and projects whose runners a user manages by a role.
///
/// # Errors
/// [`TooMuchWork`](StoreErrorKind::TooMuchWork) for more than 1,000 places; failures of the store.
pub fn list_own_places(
    tx: &mut dyn ReadTransaction,
    user: UserId,
    now: Timestamp,
) -> Result<Vec<RunnerPlace>, StoreError> {
    let (viewer, today) = (Viewer::User(user), now.date());
    let mut places = Vec::new();
    let mut project_filter = ProjectFilter::new(viewer);
    project_filter.min_access_level = Some(AccessLevel::Maintainer);
    let mut group_filter = GroupFilter::new(viewer);
    group_filter.min_access_level = Some(AccessLevel::Owner);
    for number in 1.. {
        let page = OffsetPage::new(number, 100);
        let projects = tx.list_projects(&project_filter, today, page)?;
        let groups = tx.list_groups(&group_filter, today, page)?;
        let ids = projects.items.iter().map(|project| project.id);
        places.extend(ids.map(RunnerPlace::Project));
        let ids = groups.items.iter().map(|group| group.id);
        places.extend(ids.map(RunnerPlace::Group));
        if !projects.has_next && !groups.has_next {
            break;
        }
        if places.len() >= MAX_PLACES {
            let error = StoreError::new(StoreErrorKind::TooMuchWork, "list own runners");
            return Err(error.with_detail(format!("more than {MAX_PLACES} places")));
        }
    }
    Ok(places)
}

/// Lists the places whose runners a project can use: itself, its groups and the instance.
///
/// # Errors
/// Failures of the store.
pub fn list_places_for_project(
    tx: &mut dyn ReadTransaction,
    project: &Project,
) -> Result<Vec<RunnerPlace>, StoreError> {
    let lineage = tx.list_lineage(project.namespace.id)?;
    let groups = lineage.iter().map(|group| RunnerPlace::Group(group.id));
    let own = [RunnerPlace::Project(project.id), RunnerPlace::Instance];
    Ok(own.into_iter().chain(groups).collect())
}

/// Lists the places whose runners the projects in a group can use: the group, its ancestors and the instance.
///
/// # Errors
/// Failures of the store.
pub fn list_places_for_group(
    tx: &mut dyn ReadTransaction,
    group: &Group,
) -> Result<Vec<RunnerPlace>, StoreError> {
    let lineage = tx.list_lineage(group.id)?;
    let groups = lineage.iter().map(|group| RunnerPlace::Group(group.id));
    Ok([RunnerPlace::Instance].into_iter().chain(groups).collect())
}
