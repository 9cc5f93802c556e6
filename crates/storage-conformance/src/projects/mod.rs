//! `P`: what a store promises about namespaces, projects, members, labels and milestones.

mod lists;
mod members;
mod places;
mod records;
mod stored_project;

pub use records::{StoredLabel, StoredMilestone};
pub use stored_project::StoredProject;

use api_conventions::access::Visibility;
use api_conventions::ids::{ProjectId, UserId};
use projects::{
    InsertNamespace, InsertProject, Namespace, NamespaceKind, NewNamespace, NewProject, Project,
    ProjectRepository,
};
use storage::StoreError;

use crate::samples::{refused, timestamp};
use crate::store_traits::Projects;
use crate::suite::suite;

suite! {
    $
    /// Tests that a [`Harness`](crate::Harness)'s store keeps the promises of the repositories of `projects`.
    projects_suite = projects::cases where Store: Projects;
    places {
        p01_a_namespace_comes_back_as_it_was_written,
        p03_absence_is_none,
        p04_a_path_is_taken_in_any_case_by_namespaces_and_projects_alike,
        p05_one_of_many_racing_projects_gets_the_path,
        p06_activity_is_noted_once_an_hour_and_forward_only,
        p07_a_full_name_begins_with_the_outermost,
    }
    members {
        p10_the_owner_of_a_namespace_is_an_owner_of_what_is_in_it,
        p11_the_highest_role_of_all_places_counts,
        p12_a_role_counts_until_its_day_of_expiry_begins,
        p13_a_role_is_changed_in_its_place_only,
        p14_own_and_inherited_roles_are_distinguished,
        p15_the_groups_of_a_user_are_those_with_a_role_and_all_below_them,
    }
    lists {
        p20_a_reader_lists_what_it_may_see,
        p21_each_filter_holds,
        p22_search_is_for_text_in_any_case_and_has_no_wildcards,
        p23_every_order_breaks_ties_by_id,
        p25_a_role_that_expired_hides_the_project,
    }
    [StoredProject] {
        p02_a_project_comes_back_as_it_was_written = clauses::comes_back,
        p08_a_refused_write_leaves_no_project = clauses::rollback,
        p09_a_path_is_taken_once_by_racing_projects = clauses::unique,
        p24_pages_hold_every_row_once = lists::pages,
        p26_a_walk_by_id_holds_every_row_once = lists::walks,
        p27_a_list_of_own_projects_holds_no_others = lists::isolation,
        p28_projects_of_one_moment_are_listed_by_id = lists::ties,
        p29_projects_outlive_the_store = clauses::survives needs Durable,
    }
    records {
        label: StoredLabel,
        milestone: StoredMilestone,
    }
}

/// A top-level group.
pub(crate) fn group(path: &str, owner: UserId) -> NewNamespace {
    NewNamespace {
        kind: NamespaceKind::Group,
        name: format!("The group {path}"),
        path: path.to_owned(),
        parent: None,
        visibility: Visibility::Public,
        owner,
        created_at: timestamp(0),
    }
}

/// A project.
pub(crate) fn project(namespace: &Namespace, path: &str, creator: UserId) -> NewProject {
    NewProject {
        namespace: namespace.clone(),
        name: format!("The project {path}"),
        path: path.to_owned(),
        description: String::new(),
        visibility: Visibility::Public,
        creator_id: creator,
        created_at: timestamp(0),
    }
}

/// Inserts a namespace whose path is free.
pub(crate) fn insert_namespace(
    tx: &mut dyn ProjectRepository,
    new: &NewNamespace,
) -> Result<Namespace, StoreError> {
    match tx.insert_namespace(new)? {
        InsertNamespace::Inserted(namespace) => Ok(namespace),
        InsertNamespace::PathTaken => Err(refused("insert a namespace", &format!("{new:?}"))),
    }
}

/// Inserts a project whose path is free.
pub(crate) fn insert_project(
    tx: &mut dyn ProjectRepository,
    new: &NewProject,
) -> Result<Project, StoreError> {
    match tx.insert_project(new)? {
        InsertProject::Inserted(project) => Ok(*project),
        InsertProject::PathTaken => Err(refused("insert a project", &format!("{new:?}"))),
    }
}

/// Inserts the projects that a [`Harness`](crate::Harness) is asked for when the store checks references.
///
/// # Panics
/// If the store fails, or has them already.
pub fn insert_places<S: Projects>(store: &S, owner: UserId) -> [ProjectId; 2] {
    let inserted = store.write_projects(move |tx| {
        let group = insert_namespace(tx, &group("places", owner))?;
        let first = insert_project(tx, &project(&group, "first", owner))?;
        let second = insert_project(tx, &project(&group, "second", owner))?;
        Ok([first.id, second.id])
    });
    inserted.wait().unwrap()
}
