//! `P`: promises of a store about namespaces, projects, members, labels, milestones and issues.

mod changes;
mod deletions;
mod group_lists;
mod groups;
mod image_cleanups;
mod image_repositories;
mod issue_filters;
mod issues;
mod lists;
mod member_rows;
mod members;
mod moved;
mod notes;
mod places;
mod records;
mod released;
mod sequences;
mod shares;
mod snippets;
mod spam;
mod stored_issue;
mod stored_project;

pub use image_repositories::StoredImageRepository;
pub use notes::StoredNote;
pub use records::{StoredLabel, StoredMilestone};
pub use snippets::StoredSnippet;
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
        p04_paths_are_unique_regardless_of_case_across_namespaces_and_projects,
        p05_exactly_one_concurrent_insertion_of_a_project_path_succeeds,
        p06_activity_is_recorded_once_an_hour_and_only_forward_in_time,
        p07_a_full_name_begins_with_the_outermost,
    }
    members {
        p10_a_namespace_owner_is_an_owner_of_everything_inside_it,
        p11_the_highest_role_of_all_places_counts,
        p12_a_role_counts_until_its_day_of_expiry_begins,
        p13_a_role_is_changed_in_its_place_only,
        p14_own_and_inherited_roles_are_distinguished,
        p15_the_groups_of_a_user_are_those_with_a_role_and_all_below_them,
    }
    lists {
        p20_a_viewer_lists_exactly_the_visible_projects,
        p21_each_filter_holds,
        p22_search_is_for_text_in_any_case_and_has_no_wildcards,
        p23_every_order_breaks_ties_by_id,
        p25_a_role_that_expired_hides_the_project,
    }
    member_rows {
        p30_a_role_comes_back_as_it_was_given,
        p31_members_are_listed_by_user_once_with_the_highest_role,
        p32_each_filter_of_members_holds_on_every_page,
        p33_a_role_is_removed_once_and_on_request_with_the_roles_below,
        p34_the_check_for_another_owner_counts_only_owners_without_expiry,
        p35_only_existing_groups_and_projects_can_be_locked,
        p36_of_owners_who_remove_each_other_one_stays,
        p37_expired_roles_are_deleted_up_to_a_limit,
    }
    shares {
        p40_a_share_reads_back_as_created_and_exists_once_per_group,
        p41_a_share_gives_the_lower_of_both_roles,
        p42_a_share_is_in_lists_of_projects_and_members,
        p43_a_share_counts_until_its_day_of_expiry_begins,
        p18_the_projects_of_a_user_are_those_with_a_role,
        p94_the_projects_of_a_group_are_those_of_all_its_descendants,
    }
    groups {
        p70_a_group_is_found_by_id_and_by_path_in_any_case,
        p71_a_changed_group_takes_everything_below_it_along,
        p72_a_moved_group_brings_the_roles_of_its_new_place,
        p73_a_move_or_rename_to_an_existing_path_leaves_the_group_unchanged,
        p79_a_move_or_rename_beyond_the_depth_or_path_limit_is_refused,
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
        p82_project_names_are_unique_per_namespace,
        p83_topics_and_archived_projects_are_found_by_filters,
        p84_concurrent_moves_of_two_groups_into_each_other_create_no_cycle,
    }
    moved {
        p92_an_old_project_path_redirects_until_deletion_or_reuse,
        p93_a_renamed_group_leaves_the_paths_of_everything_below_it,
        i17_open_issues_are_counted_with_every_change,
    }
    deletions {
        p85_only_restore_queries_find_projects_and_groups_pending_deletion,
        p86_a_cancelled_deletion_leaves_all_as_it_was,
        p87_a_deletion_is_cancelled_until_it_begins_and_if_its_paths_are_free,
        p88_a_deletion_goes_in_steps_and_leaves_nothing,
        p89_deletions_are_due_in_the_order_of_their_times,
        p90_roles_under_pending_deletion_reveal_no_parent_group_but_are_removable,
    }
    released {
        u09_rows_of_a_user_get_another_user_or_are_deleted_in_steps,
        u10_the_deletion_of_a_personal_namespace_cannot_be_cancelled,
        u11_groups_of_one_owner_are_found,
        u12_direct_roles_of_a_user_are_listed_with_their_places,
    }
    sequences {
        p91_invariants_hold_after_any_sequence_of_changes,
    }
    issues {
        i10_numbers_have_no_gaps_under_load,
        i11_concurrent_changes_of_one_issue_are_all_applied,
        i12_deleting_a_label_or_milestone_removes_it_from_its_issues,
        i13_issues_are_counted_by_label,
        i14_a_viewer_lists_exactly_the_visible_issues,
        i18_numbers_that_are_left_out_are_never_given,
    }
    issue_filters {
        i15_each_filter_of_issues_holds,
        i16_every_order_of_issues_breaks_ties_by_id,
    }
    notes {
        n10_a_viewer_lists_notes_by_kind_with_or_without_internal_notes,
        n11_notes_of_people_are_counted_on_their_issue,
        n12_an_issue_that_is_deleted_takes_its_notes_with_it,
        n13_notes_on_alerts_are_deleted_up_to_a_limit,
    }
    spam {
        k03_a_repeated_submission_is_counted_in_its_entry,
        k04_submissions_that_differ_in_user_or_content_have_separate_entries,
        k05_entries_are_listed_the_last_held_first,
        k06_trimming_retains_the_last_held_entries_of_a_user,
        k07_an_entry_stores_the_time_of_the_last_solved_captcha,
        k08_old_entries_are_deleted_up_to_a_limit,
        k09_entries_outlive_the_store needs Durable,
        k10_concurrent_submissions_are_all_counted,
    }
    image_repositories {
        g07_a_name_belongs_to_the_project_that_had_it_first,
        g08_one_of_many_racing_repositories_gets_the_name,
    }
    image_cleanups {
        g09_a_deletion_of_images_comes_back_in_place_of_the_previous_one,
        g10_the_deletion_of_images_that_is_due_first_is_found,
        g11_one_of_many_racing_transactions_reschedules_a_deletion_of_images,
        g12_a_deletion_of_images_is_deleted_once,
        g13_the_list_of_a_group_holds_the_image_repositories_of_its_projects_at_any_depth,
    }
    snippets {
        q10_files_keep_their_order_and_are_replaced_and_deleted_with_the_snippet,
        q11_each_scope_lists_the_snippets_that_its_viewers_see,
        q12_pages_of_visible_snippets_hold_every_row_once,
        q13_the_snippets_of_an_author_are_deleted_up_to_a_limit,
        q14_a_personal_snippet_is_not_found_in_a_project,
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
    [StoredImageRepository] {
        g01_an_image_repository_comes_back_as_it_was_written = clauses::comes_back,
        g02_a_refused_write_leaves_no_image_repository = clauses::rollback,
        g03_an_image_repository_is_deleted_once = clauses::deleted_once,
        g04_a_list_holds_the_image_repositories_of_its_project = lists::isolation,
        g05_pages_of_image_repositories_hold_every_row_once = lists::pages,
        g06_image_repositories_outlive_the_store = clauses::survives needs Durable,
    }
    [StoredSnippet] {
        q01_a_snippet_comes_back_as_it_was_written = clauses::comes_back,
        q02_a_snippet_is_not_found_in_another_project = clauses::absence,
        q03_a_refused_write_leaves_no_snippet = clauses::rollback,
        q04_a_snippet_is_changed_in_its_project_only = clauses::changes,
        q05_a_snippet_is_deleted_once = clauses::deleted_once,
        q06_a_list_holds_the_snippets_of_its_project = lists::isolation,
        q07_snippets_are_listed_the_newest_first = lists::ties,
        q08_pages_of_snippets_hold_every_row_once = lists::pages,
        q09_snippets_outlive_the_store = clauses::survives needs Durable,
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
