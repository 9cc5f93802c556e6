//! Statements of the OAuth provider.

use diesel::sql_types::{BigInt, Binary, Nullable, Text};

use crate::postgres::over_arrays;

over_arrays! {
    /// Replaces pairs by their successors, each only if it is current, and returns the id and the access token of each
    /// successor.
    /// The grants are locked first, in id order. The limit inside keeps the planner from joining by a scan of the whole
    /// table.
    RotatePairs {
        refresh: Binary => &'v [u8],
        seed: Binary => &'v [u8],
        rotated_at: BigInt => i64,
        access: Binary => &'v [u8],
        next_refresh: Nullable<Binary> => Option<&'v [u8]>,
        refresh_expires_at: Nullable<BigInt> => Option<i64>,
        user_id: Nullable<BigInt> => Option<i64>,
        application_id: Nullable<BigInt> => Option<i64>,
        scopes: Text => String,
        created_at: BigInt => i64,
        expires_at: BigInt => i64,
    }
    "WITH wanted AS (SELECT * FROM unnest(",
    ") AS w (refresh, seed, rotated_at, access, next_refresh, refresh_expires_at, user_id, application_id, scopes, \
     created_at, expires_at)), locked AS MATERIALIZED (SELECT p.id AS pair_id, p.grant_id, w.* FROM wanted AS w \
     CROSS JOIN LATERAL (SELECT id, grant_id FROM oauth_token_pairs WHERE refresh_digest = w.refresh LIMIT 1) AS p \
     JOIN oauth_grants AS g ON g.id = p.grant_id ORDER BY g.id FOR NO KEY UPDATE OF g), \
     rotated AS (UPDATE oauth_token_pairs AS p SET rotated_at = l.rotated_at, rotation_seed = l.seed \
     FROM locked AS l WHERE p.id = l.pair_id AND p.rotated_at IS NULL AND p.revoked_at IS NULL RETURNING l.*) \
     INSERT INTO oauth_token_pairs (grant_id, access_digest, refresh_digest, refresh_expires_at, user_id, \
     application_id, scopes, created_at, expires_at) SELECT grant_id, access, next_refresh, refresh_expires_at, \
     user_id, application_id, scopes, created_at, expires_at FROM rotated RETURNING id, access_digest",
    gives (BigInt, Binary)
}

over_arrays! {
    /// Redeems codes, each only if it was neither redeemed nor revoked, and returns the id and the access token of each
    /// first pair.
    /// The grants are locked first, in id order.
    RedeemCodes {
        code: Binary => &'v [u8],
        redeemed_at: BigInt => i64,
        access: Binary => &'v [u8],
        refresh: Nullable<Binary> => Option<&'v [u8]>,
        refresh_expires_at: Nullable<BigInt> => Option<i64>,
        user_id: Nullable<BigInt> => Option<i64>,
        application_id: Nullable<BigInt> => Option<i64>,
        scopes: Text => String,
        created_at: BigInt => i64,
        expires_at: BigInt => i64,
    }
    "WITH wanted AS (SELECT * FROM unnest(",
    ") AS w (code, redeemed_at, access, refresh, refresh_expires_at, user_id, application_id, scopes, created_at, \
     expires_at)), locked AS MATERIALIZED (SELECT g.id AS grant_id, w.* FROM wanted AS w \
     JOIN oauth_grants AS g ON g.code_digest = w.code ORDER BY g.id FOR NO KEY UPDATE OF g), \
     redeemed AS (UPDATE oauth_grants AS g SET redeemed_at = l.redeemed_at FROM locked AS l \
     WHERE g.id = l.grant_id AND g.redeemed_at IS NULL AND g.revoked_at IS NULL RETURNING l.*) \
     INSERT INTO oauth_token_pairs (grant_id, access_digest, refresh_digest, refresh_expires_at, user_id, \
     application_id, scopes, created_at, expires_at) SELECT grant_id, access, refresh, refresh_expires_at, \
     user_id, application_id, scopes, created_at, expires_at FROM redeemed RETURNING id, access_digest",
    gives (BigInt, Binary)
}
