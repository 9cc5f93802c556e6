//! Tables of namespaces, projects and members, the same in both databases.

#[cfg(test)]
use super::labels::labels;
use diesel::{allow_tables_to_appear_in_same_query, joinable, table};

table! {
    namespaces (id) {
        id -> BigInt,
        kind -> SmallInt,
        name -> Text,
        path -> Text,
        full_path -> Text,
        parent_id -> Nullable<BigInt>,
        owner_id -> BigInt,
        visibility -> SmallInt,
        created_at -> BigInt,
        description -> Text,
        updated_at -> BigInt,
        project_creation_level -> SmallInt,
        subgroup_creation_level -> SmallInt,
        share_with_group_lock -> Bool,
        name_key -> Text,
        path_key -> Text,
        deletion_id -> Nullable<BigInt>,
        settings -> Text,
    }
}

table! {
    namespace_lineage (namespace_id, ancestor_id) {
        namespace_id -> BigInt,
        ancestor_id -> BigInt,
    }
}

table! {
    projects (id) {
        id -> BigInt,
        namespace_id -> BigInt,
        name -> Text,
        path -> Text,
        full_path -> Text,
        description -> Text,
        visibility -> SmallInt,
        creator_id -> BigInt,
        created_at -> BigInt,
        updated_at -> BigInt,
        last_activity_at -> BigInt,
        name_key -> Text,
        path_key -> Text,
        last_milestone_iid -> BigInt,
        last_issue_iid -> BigInt,
        archived -> Bool,
        topics -> Text,
        deletion_id -> Nullable<BigInt>,
        open_issues -> BigInt,
        open_confidential_issues -> BigInt,
        closed_issues -> BigInt,
        closed_confidential_issues -> BigInt,
        settings -> Text,
        merge_requests_enabled -> Bool,
    }
}

table! {
    project_topics (topic_key, project_id) {
        topic_key -> Text,
        project_id -> BigInt,
    }
}

table! {
    deletions (id) {
        id -> BigInt,
        namespace_id -> Nullable<BigInt>,
        project_id -> Nullable<BigInt>,
        requested_by -> BigInt,
        requested_at -> BigInt,
        due_at -> BigInt,
        started -> Bool,
    }
}

table! {
    full_paths (path_key) {
        path_key -> Text,
        namespace_id -> Nullable<BigInt>,
        project_id -> Nullable<BigInt>,
    }
}

table! {
    former_paths (path_key) {
        path_key -> Text,
        namespace_id -> Nullable<BigInt>,
        project_id -> Nullable<BigInt>,
    }
}

table! {
    namespace_members (namespace_id, user_id) {
        namespace_id -> BigInt,
        user_id -> BigInt,
        access_level -> SmallInt,
        expires_on -> Nullable<Integer>,
        created_at -> BigInt,
        created_by -> Nullable<BigInt>,
    }
}

table! {
    project_members (project_id, user_id) {
        project_id -> BigInt,
        user_id -> BigInt,
        access_level -> SmallInt,
        expires_on -> Nullable<Integer>,
        created_at -> BigInt,
        created_by -> Nullable<BigInt>,
    }
}

use super::members::project_shares;

joinable!(projects -> namespaces (namespace_id));
allow_tables_to_appear_in_same_query!(
    projects,
    namespaces,
    namespace_lineage,
    namespace_members,
    project_members,
    project_shares,
    full_paths,
    former_paths,
    project_topics,
    deletions,
);

#[cfg(test)]
use super::image_cleanups::image_cleanups;
#[cfg(test)]
use super::image_repositories::image_repositories;
#[cfg(test)]
use super::issues::{issue_assignees, issue_labels, issues};
#[cfg(test)]
use super::milestones::milestones;
#[cfg(test)]
use super::notes::notes;
#[cfg(test)]
use super::snippets::{snippet_files, snippets};
#[cfg(test)]
use super::spam::spam_logs;
#[cfg(test)]
crate::schema::described!(
    namespaces,
    namespace_lineage,
    projects,
    full_paths,
    former_paths,
    namespace_members,
    project_members,
    project_topics,
    deletions,
    project_shares,
    labels,
    milestones,
    issues,
    issue_labels,
    issue_assignees,
    notes,
    snippets,
    snippet_files,
    spam_logs,
    image_repositories,
    image_cleanups,
);
