//! The tables, as both databases have them. The migrations are the source; this is written by hand, because the
//! databases' own descriptions of the same portable columns differ.

use diesel::{allow_tables_to_appear_in_same_query, joinable, table};

table! {
    users (id) {
        id -> BigInt,
        username -> Text,
        username_key -> Text,
        name -> Text,
        email -> Text,
        email_key -> Nullable<Text>,
        kind -> SmallInt,
        is_admin -> Bool,
        password_hash -> Nullable<Text>,
        blocked_at -> Nullable<BigInt>,
        created_at -> BigInt,
        second_factor_enabled_at -> Nullable<BigInt>,
        second_factor_sealed -> Nullable<Binary>,
        second_factor_last_step -> Nullable<BigInt>,
    }
}

table! {
    recovery_codes (user_id, digest) {
        user_id -> BigInt,
        digest -> Binary,
    }
}

table! {
    sign_in_failures (key_digest) {
        key_digest -> Binary,
        failures -> BigInt,
        since -> BigInt,
    }
}

table! {
    sessions (id) {
        id -> BigInt,
        digest -> Binary,
        user_id -> BigInt,
        stage -> SmallInt,
        user_agent -> Text,
        address -> Text,
        authenticated_at -> BigInt,
        last_seen_at -> BigInt,
        expires_at -> BigInt,
    }
}

table! {
    access_tokens (id) {
        id -> BigInt,
        user_id -> BigInt,
        name -> Text,
        kind -> SmallInt,
        scopes -> Text,
        digest -> Binary,
        expires_on -> Integer,
        revoked_at -> Nullable<BigInt>,
        created_at -> BigInt,
        last_used_at -> Nullable<BigInt>,
    }
}

table! {
    auth_epoch (id) {
        id -> SmallInt,
        epoch -> BigInt,
    }
}

table! {
    revocations (epoch, kind, subject_id) {
        epoch -> BigInt,
        kind -> SmallInt,
        subject_id -> BigInt,
    }
}

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
    namespace_members (namespace_id, user_id) {
        namespace_id -> BigInt,
        user_id -> BigInt,
        access_level -> SmallInt,
        expires_on -> Nullable<Integer>,
        created_at -> BigInt,
    }
}

table! {
    project_members (project_id, user_id) {
        project_id -> BigInt,
        user_id -> BigInt,
        access_level -> SmallInt,
        expires_on -> Nullable<Integer>,
        created_at -> BigInt,
    }
}

table! {
    alert_integrations (id) {
        id -> BigInt,
        project_id -> BigInt,
        source -> SmallInt,
        name -> Text,
        endpoint_identifier -> Text,
        active -> Bool,
        key_digest -> Binary,
        created_at -> BigInt,
    }
}

table! {
    alert_counters (project_id) {
        project_id -> BigInt,
        next_iid -> BigInt,
    }
}

table! {
    alerts (id) {
        id -> BigInt,
        project_id -> BigInt,
        iid -> BigInt,
        integration_id -> BigInt,
        identity -> Binary,
        closed_slot -> BigInt,
        source -> SmallInt,
        title -> Text,
        description -> Text,
        severity -> SmallInt,
        status -> SmallInt,
        service -> Text,
        monitoring_tool -> Text,
        hosts -> Text,
        environment_name -> Nullable<Text>,
        started_at -> BigInt,
        last_started_at -> BigInt,
        last_start_stated -> Bool,
        ended_at -> Nullable<BigInt>,
        occurrences -> BigInt,
        deliveries -> BigInt,
        payload -> Text,
        created_at -> BigInt,
        updated_at -> BigInt,
    }
}

table! {
    alert_receipts (id) {
        id -> BigInt,
        project_id -> BigInt,
        integration_id -> BigInt,
        received_at -> BigInt,
        body_bytes -> BigInt,
        created -> BigInt,
        counted -> BigInt,
        resolved -> BigInt,
        repeated -> BigInt,
        user_agent -> Nullable<Text>,
        group_key -> Nullable<Text>,
        truncated_alerts -> BigInt,
        skipped_alerts -> BigInt,
        notes -> Text,
    }
}

table! {
    alert_search (project_id, part, slot) {
        project_id -> BigInt,
        part -> BigInt,
        slot -> Integer,
        blocks -> Binary,
    }
}

table! {
    alert_kept_answers (id) {
        id -> BigInt,
        integration_id -> BigInt,
        key_digest -> Binary,
        body_digest -> Binary,
        alerts -> Text,
        received_at -> BigInt,
    }
}

table! {
    events (id) {
        id -> BigInt,
        project_id -> BigInt,
        author_id -> BigInt,
        action -> SmallInt,
        target_type -> Nullable<SmallInt>,
        target_id -> Nullable<BigInt>,
        target_iid -> Nullable<BigInt>,
        target_title -> Nullable<Text>,
        audience -> SmallInt,
        created_at -> BigInt,
    }
}

table! {
    oauth_applications (id) {
        id -> BigInt,
        uid -> Text,
        secret_digest -> Binary,
        name -> Text,
        redirect_uris -> Text,
        scopes -> Text,
        client_type -> SmallInt,
        trusted -> Bool,
        owner_id -> Nullable<BigInt>,
        created_at -> BigInt,
        post_logout_redirect_uris -> Text,
    }
}

table! {
    oauth_authorization_requests (handle_digest) {
        handle_digest -> Binary,
        application_id -> BigInt,
        user_id -> BigInt,
        session_id -> BigInt,
        redirect_uri -> Text,
        scopes -> Text,
        state -> Nullable<Text>,
        nonce -> Nullable<Text>,
        challenge -> Nullable<Text>,
        auth_time -> BigInt,
        created_at -> BigInt,
        expires_at -> BigInt,
    }
}

table! {
    oauth_grants (id) {
        id -> BigInt,
        code_digest -> Nullable<Binary>,
        code_expires_at -> Nullable<BigInt>,
        user_id -> BigInt,
        application_id -> Nullable<BigInt>,
        session_id -> Nullable<BigInt>,
        scopes -> Text,
        redirect_uri -> Nullable<Text>,
        challenge -> Nullable<Text>,
        nonce -> Nullable<Text>,
        auth_time -> BigInt,
        created_at -> BigInt,
        expires_at -> BigInt,
        redeemed_at -> Nullable<BigInt>,
        revoked_at -> Nullable<BigInt>,
    }
}

table! {
    oauth_token_pairs (id) {
        id -> BigInt,
        grant_id -> BigInt,
        access_digest -> Binary,
        refresh_digest -> Nullable<Binary>,
        refresh_expires_at -> Nullable<BigInt>,
        user_id -> BigInt,
        application_id -> Nullable<BigInt>,
        scopes -> Text,
        created_at -> BigInt,
        expires_at -> BigInt,
        rotated_at -> Nullable<BigInt>,
        rotation_seed -> Nullable<Binary>,
        revoked_at -> Nullable<BigInt>,
    }
}

table! {
    oauth_signing_keys (id) {
        id -> BigInt,
        kid -> Text,
        algorithm -> Text,
        generation -> BigInt,
        public_jwk -> Text,
        sealed -> Binary,
        created_at -> BigInt,
        signs_from -> BigInt,
    }
}

joinable!(projects -> namespaces (namespace_id));
allow_tables_to_appear_in_same_query!(
    projects,
    namespaces,
    namespace_lineage,
    namespace_members,
    project_members,
    full_paths,
);
joinable!(oauth_token_pairs -> oauth_grants (grant_id));
allow_tables_to_appear_in_same_query!(oauth_grants, oauth_token_pairs);
