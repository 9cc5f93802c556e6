//! Tables of the OAuth provider that need columns of special types, the same in both databases.

use diesel::{allow_tables_to_appear_in_same_query, joinable, table};

pub(super) use super::rows::applications::oauth_applications;
pub(super) use super::rows::grants::oauth_grants;
pub(super) use super::rows::keys::oauth_signing_keys;
pub(super) use super::rows::pairs::oauth_token_pairs;

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
        response_mode -> SmallInt,
        auth_time -> BigInt,
        created_at -> BigInt,
        expires_at -> BigInt,
    }
}

joinable!(oauth_token_pairs -> oauth_grants (grant_id));
allow_tables_to_appear_in_same_query!(oauth_grants, oauth_token_pairs);

#[cfg(test)]
crate::schema::described!(
    oauth_applications,
    oauth_authorization_requests,
    oauth_grants,
    oauth_token_pairs,
    oauth_signing_keys,
);
