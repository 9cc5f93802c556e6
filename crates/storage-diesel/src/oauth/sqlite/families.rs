//! Families of tokens on SQLite: one after the other, because a prepared statement costs no round trip.
//! There is one writer, so the rows found do not change until the commit.

use api_conventions::secret::SecretDigest;
use diesel::prelude::*;
use oauth_provider::{CodeRedemption, GrantRepository as _, PairRotation, Redemption, Rotation};
use storage::StoreError;

use crate::oauth::rows::grants::GrantRow;
use crate::oauth::rows::pairs::PairRow;
use crate::oauth::tables::{oauth_grants as grants, oauth_token_pairs as pairs};
use crate::sqlite::SqliteWriteTx as Tx;

/// Finds the pairs with these refresh tokens, together with their grants.
pub(crate) fn lock_families(
    connection: &mut SqliteConnection,
    refresh: &[SecretDigest],
) -> QueryResult<Vec<Option<(PairRow, GrantRow)>>> {
    let find = |digest: &SecretDigest| {
        pairs::table
            .inner_join(grants::table)
            .filter(pairs::refresh_digest.eq(&digest.as_bytes()[..]))
            .select((PairRow::as_select(), GrantRow::as_select()))
            .get_result(connection)
            .optional()
    };
    refresh.iter().map(find).collect()
}

/// Finds the grants with these codes.
pub(crate) fn lock_grants_by_code(
    connection: &mut SqliteConnection,
    codes: &[SecretDigest],
) -> QueryResult<Vec<Option<GrantRow>>> {
    let find = |code: &SecretDigest| {
        grants::table
            .filter(grants::code_digest.eq(&code.as_bytes()[..]))
            .select(GrantRow::as_select())
            .get_result(connection)
            .optional()
    };
    codes.iter().map(find).collect()
}

pub(crate) fn rotate_pairs(
    tx: &mut Tx<'_>,
    rotations: &[PairRotation],
) -> Result<Vec<Rotation>, StoreError> {
    let rotate =
        |each: &PairRotation| tx.rotate_pair(&each.refresh, each.seed, &each.successor, each.now);
    rotations.iter().map(rotate).collect()
}

pub(crate) fn redeem_codes(
    tx: &mut Tx<'_>,
    redemptions: &[CodeRedemption],
) -> Result<Vec<Redemption>, StoreError> {
    let redeem = |each: &CodeRedemption| tx.redeem_code(&each.code, &each.pair, each.now);
    redemptions.iter().map(redeem).collect()
}
