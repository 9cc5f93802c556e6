//! Tables of error tracking that are not declared as [entities](crate::entity), the same in both databases.

use diesel::table;

table! {
    error_settings (project_id) {
        project_id -> BigInt,
        active -> Bool,
        integrated -> Bool,
        api_url -> Nullable<Text>,
        project_name -> Nullable<Text>,
        token -> Nullable<Binary>,
        options -> Text,
    }
}

table! {
    error_links (project_id, external_id) {
        project_id -> BigInt,
        external_id -> BigInt,
        issue_id -> BigInt,
    }
}

table! {
    monitors (id) {
        id -> BigInt,
        project_id -> BigInt,
        slug -> Text,
        environment -> Text,
        due_at -> Nullable<BigInt>,
        state -> Text,
    }
}

table! {
    error_redirects (id) {
        id -> BigInt,
        project_id -> BigInt,
        iid -> BigInt,
        error_id -> BigInt,
    }
}

table! {
    error_keys (id) {
        id -> BigInt,
        project_id -> BigInt,
        group_key -> Binary,
        error_id -> BigInt,
        explanation -> Text,
        first_seen -> BigInt,
        events -> BigInt,
        kept -> BigInt,
    }
}

table! {
    error_tags (key_id, name, value) {
        key_id -> BigInt,
        name -> Text,
        value -> Text,
        project_id -> BigInt,
        events -> BigInt,
        last_seen -> BigInt,
    }
}

table! {
    error_tallies (project_id, day, key_id, category, outcome) {
        project_id -> BigInt,
        day -> BigInt,
        key_id -> BigInt,
        category -> SmallInt,
        outcome -> SmallInt,
        quantity -> BigInt,
    }
}

table! {
    error_sessions (project_id, day, release, environment) {
        project_id -> BigInt,
        day -> BigInt,
        release -> Text,
        environment -> Text,
        started -> BigInt,
        errored -> BigInt,
        crashed -> BigInt,
        abnormal -> BigInt,
    }
}

#[cfg(test)]
use super::rows::{
    attachments_and_comments::{error_attachments, error_comments},
    errors::errors,
    events::error_events,
    keys::error_client_keys,
    shared::error_shared,
};

#[cfg(test)]
crate::schema::described!(
    error_attachments,
    error_client_keys,
    error_comments,
    error_events,
    error_keys,
    error_links,
    error_redirects,
    error_sessions,
    error_settings,
    error_shared,
    error_tags,
    error_tallies,
    errors,
    monitors,
);
