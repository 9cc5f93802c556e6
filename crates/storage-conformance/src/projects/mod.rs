//! `P`: promises of a store about namespaces, projects, members, labels, milestones and issues.

mod changes;
mod deletions;
mod group_lists;
mod groups;
mod issue_filters;
mod issues;
mod lists;
mod member_rows;
mod members;
mod moved;
mod notes;
mod places;
mod records;
mod sequences;
mod shares;
mod spam;
mod stored_issue;
mod stored_project;

pub use notes::StoredNote;
pub use records::{StoredLabel, StoredMilestone};
pub use spam::StoredSpamLog;
pub use stored_issue::StoredIssue;
pub use stored_project::StoredProject;

use api_conventions::access::Visibility;
use api_conventions::ids::{ProjectId, UserId};
use projects::{
    InsertNamespace, InsertProject, MemberRepository, MemberSource, Namespace, NamespaceKind,
    NewMember, NewNamespace, NewProject, Project, ProjectRepository, ProjectSettings,
};
use storage::{StoreError, StoreExt as _};

use crate::areas::Projects;
use crate::samples::{timestamp, unexpected_conflict};
use crate::suite::suite;

suite! {
    $
    /// Tests that a [`Harness`](crate::Harness)'s store keeps the promises of the repositories of `projects`.
    projects_suite = projects::cases for Projects;
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
    member_rows {
        p30_a_role_comes_back_as_it_was_given,
        p31_members_are_listed_by_user_once_with_the_highest_role,
        p32_each_filter_of_members_holds_on_every_page,
        p33_a_role_is_taken_away_once_and_with_it_those_below,
        p34_an_owner_who_stays_is_told_from_one_who_does_not,
        p35_only_what_is_there_is_locked,
        p36_of_owners_who_remove_each_other_one_stays,
        p37_what_expired_is_taken_up_to_a_limit,
    }
    shares {
        p40_a_share_comes_back_as_it_was_made_and_is_made_once,
        p41_a_share_gives_the_lower_of_both_roles,
        p42_a_share_is_in_lists_of_projects_and_members,
        p43_a_share_counts_until_its_day_of_expiry_begins,
    }
    groups {
        p70_a_group_is_found_by_id_and_by_path_in_any_case,
        p71_a_changed_group_takes_everything_below_it_along,
        p72_a_moved_group_brings_the_roles_of_its_new_place,
        p73_a_path_that_is_taken_changes_no_group,
        p79_what_would_be_too_deep_changes_no_group,
    }
    group_lists {
        p74_a_reader_lists_the_groups_that_it_may_see,
        p75_each_filter_of_groups_holds,
        p76_a_walk_by_name_holds_every_group_once,
        p77_the_namespaces_of_a_user_are_its_own_and_those_with_a_role,
        p78_the_widest_visibility_below_a_group_is_known,
    }
    changes {
        p80_a_changed_project_is_found_as_it_was_changed,
        p81_a_moved_project_is_in_its_new_namespace_alone,
        p82_a_name_is_taken_once_in_a_namespace,
        p83_topics_and_archived_projects_are_found_by_filters,
        p84_two_who_move_groups_into_each_other_make_no_circle,
    }
    moved {
        p92_an_old_path_leads_to_what_left_it_until_it_is_taken_anew,
        p93_a_renamed_group_leaves_the_paths_of_everything_below_it,
        i17_open_issues_are_counted_with_every_change,
    }
    deletions {
        p85_what_is_to_be_deleted_is_found_by_nobody,
        p86_a_cancelled_deletion_leaves_all_as_it_was,
        p87_a_deletion_is_cancelled_until_it_begins_and_if_its_paths_are_free,
        p88_a_deletion_goes_in_steps_and_leaves_nothing,
        p89_deletions_are_due_in_the_order_of_their_times,
        p90_roles_in_what_waits_tell_of_nothing_and_can_be_taken_away,
    }
    sequences {
        p91_any_sequence_of_changes_leaves_what_it_must,
    }
    issues {
        i10_numbers_have_no_gaps_under_load,
        i11_changes_at_the_same_time_are_all_kept,
        i12_labels_and_milestones_that_go_are_taken_away,
        i13_issues_are_counted_by_label,
        i14_a_reader_lists_what_it_may_see,
        i18_numbers_that_are_left_out_are_never_given,
    }
    issue_filters {
        i15_each_filter_of_issues_holds,
        i16_every_order_of_issues_breaks_ties_by_id,
    }
    notes {
        n10_a_reader_lists_what_it_may_see_and_asks_for,
        n11_notes_of_people_are_counted_on_their_issue,
        n12_an_issue_that_is_deleted_takes_its_notes_with_it,
    }
    spam {
        k03_what_is_sent_again_is_counted_in_its_entry,
        k04_what_others_send_and_what_differs_has_entries_of_its_own,
        k05_entries_are_listed_the_last_held_first,
        k06_only_so_many_entries_of_a_user_are_kept,
        k07_a_solved_captcha_is_noted_in_its_entry,
        k08_old_entries_are_deleted_up_to_a_limit,
        k09_entries_outlive_the_store needs Durable,
        k10_what_is_sent_at_the_same_time_is_all_counted,
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
    [StoredIssue] {
        i01_an_issue_comes_back_as_it_was_written = clauses::comes_back,
        i02_an_issue_is_not_found_in_another_project = clauses::absence,
        i03_a_refused_write_leaves_no_issue = clauses::rollback,
        i04_an_issue_is_changed_in_its_project_only = clauses::changes,
        i05_an_issue_is_deleted_once = clauses::deleted_once,
        i06_a_list_holds_the_issues_of_its_project = lists::isolation,
        i07_issues_are_listed_the_newest_first = lists::ties,
        i08_pages_of_issues_hold_every_row_once = lists::pages,
        i09_issues_outlive_the_store = clauses::survives needs Durable,
    }
    [StoredNote] {
        n01_a_note_comes_back_as_it_was_written = clauses::comes_back,
        n02_a_note_is_not_found_on_another_thing = clauses::absence,
        n03_a_refused_write_leaves_no_note = clauses::rollback,
        n04_a_note_is_changed_on_its_thing_only = clauses::changes,
        n05_a_note_is_deleted_once = clauses::deleted_once,
        n06_a_list_holds_the_notes_on_its_thing = lists::isolation,
        n07_notes_are_listed_the_newest_first = lists::ties,
        n08_pages_of_notes_hold_every_row_once = lists::pages,
        n09_notes_outlive_the_store = clauses::survives needs Durable,
    }
    [StoredSpamLog] {
        k01_an_entry_comes_back_as_it_was_written = clauses::comes_back,
        k02_a_refused_write_leaves_no_entry = clauses::rollback,
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

/// Settings of a project that all differ from the defaults.
pub(crate) fn some_settings() -> ProjectSettings {
    let settings =
        r#"{"merge_requests_access_level": "private", "default_branch": "'\\\"%_ Äß漢"}"#;
    ProjectSettings::from_json(settings).unwrap()
}

/// A project.
pub(crate) fn project(namespace: &Namespace, path: &str, creator: UserId) -> NewProject {
    NewProject {
        namespace: namespace.clone(),
        name: format!("The project {path}"),
        path: path.to_owned(),
        description: String::new(),
        visibility: Visibility::Public,
        topics: Vec::new(),
        settings: ProjectSettings::default(),
        creator_id: creator,
        created_at: timestamp(0),
    }
}

/// Inserts a namespace whose path is not taken.
pub(crate) fn insert_namespace(
    tx: &mut dyn ProjectRepository,
    new: &NewNamespace,
) -> Result<Namespace, StoreError> {
    match tx.insert_namespace(new)? {
        InsertNamespace::Inserted(namespace) => Ok(namespace),
        InsertNamespace::PathTaken => Err(unexpected_conflict(
            "insert a namespace",
            &format!("{new:?}"),
        )),
    }
}

/// Grants a role in a place, which must exist.
pub(crate) fn give(
    tx: &mut dyn MemberRepository,
    place: MemberSource,
    member: &NewMember,
) -> Result<(), StoreError> {
    match tx.lock_members(place)? {
        Some(locked) => tx.put_member(&locked, member),
        None => Err(unexpected_conflict("give a role", &format!("{place:?}"))),
    }
}

/// Inserts a project whose path is not taken.
pub(crate) fn insert_project(
    tx: &mut dyn ProjectRepository,
    new: &NewProject,
) -> Result<Project, StoreError> {
    match tx.insert_project(new)? {
        InsertProject::Inserted(project) => Ok(*project),
        InsertProject::PathTaken | InsertProject::NameTaken => {
            Err(unexpected_conflict("insert a project", &format!("{new:?}")))
        }
    }
}

/// Inserts the projects that a [`Harness`](crate::Harness) returns when its store checks references.
///
/// # Panics
/// If the store fails, or already has the projects.
pub fn insert_places(store: &Projects, owner: UserId) -> [ProjectId; 2] {
    let inserted = store.change(move |tx| {
        let group = insert_namespace(tx, &group("places", owner))?;
        let first = insert_project(tx, &project(&group, "first", owner))?;
        let second = insert_project(tx, &project(&group, "second", owner))?;
        Ok([first.id, second.id])
    });
    inserted.wait().unwrap()
}
