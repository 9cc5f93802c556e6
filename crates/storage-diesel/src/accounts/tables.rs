//! Tables of users and their credentials, the same in both databases.

use diesel::table;

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
        name_key -> Text,
        private_profile -> Bool,
        sign_in_count -> BigInt,
        current_sign_in_at -> Nullable<BigInt>,
        last_sign_in_at -> Nullable<BigInt>,
        blocked_as -> SmallInt,
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
    user_statuses (user_id) {
        user_id -> BigInt,
        emoji -> Text,
        message -> Text,
        availability -> SmallInt,
        clear_at -> Nullable<BigInt>,
    }
}

#[cfg(test)]
use super::rows::{
    audit::audit_entries, deploy_tokens::deploy_tokens, invitations::invitations,
    sessions::sessions, tokens::access_tokens,
};

#[cfg(test)]
crate::schema::described!(
    users,
    recovery_codes,
    sign_in_failures,
    auth_epoch,
    revocations,
    sessions,
    access_tokens,
    deploy_tokens,
    audit_entries,
    invitations,
    user_statuses,
);
