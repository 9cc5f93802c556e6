//! Families of tokens on PostgreSQL: many at once, because every statement costs a round trip.

use std::collections::{HashMap, HashSet};

use api_conventions::ids::TokenPairId;
use api_conventions::secret::SecretDigest;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use oauth_provider::{
    CodeRedemption, GrantQueries as _, NewTokenPair, PairRotation, Redemption, Rotation,
};
use storage::StoreError;

use super::statements::{RedeemCodes, RotatePairs};
use crate::oauth::rows::grants::GrantRow;
use crate::oauth::rows::pairs::PairRow;
use crate::oauth::rows::subject_columns;
use crate::oauth::tables::{oauth_grants as grants, oauth_token_pairs as pairs};
use crate::postgres::PgWriteTx as Tx;
use crate::transaction::Transaction as _;

/// Query that locks only the rows of grants in its result.
/// A transaction that changes a family locks its grant first; if this query locked a pair before that, another
/// transaction that holds the grant could wait for it.
struct LockingGrants<Q>(Q);

impl<Q: QueryId> QueryId for LockingGrants<Q> {
    type QueryId = LockingGrants<Q::QueryId>;
    const HAS_STATIC_QUERY_ID: bool = Q::HAS_STATIC_QUERY_ID;
}

impl<Q: Query> Query for LockingGrants<Q> {
    type SqlType = Q::SqlType;
}

impl<Q> RunQueryDsl<PgConnection> for LockingGrants<Q> {}

impl<Q: QueryFragment<Pg>> QueryFragment<Pg> for LockingGrants<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.0.walk_ast(out.reborrow())?;
        out.push_sql(" FOR NO KEY UPDATE OF oauth_grants");
        Ok(())
    }
}

/// Finds the pairs with these refresh tokens, and locks their grants in id order.
/// A pair is returned as it was before the wait for its grant, if there was one; the rotation checks again whether it
/// is current.
pub(crate) fn lock_families(
    connection: &mut PgConnection,
    refresh: &[SecretDigest],
) -> QueryResult<Vec<Option<(PairRow, GrantRow)>>> {
    let wanted: Vec<&[u8]> = refresh
        .iter()
        .map(|digest| &digest.as_bytes()[..])
        .collect();
    let families = pairs::table
        .inner_join(grants::table)
        .filter(pairs::refresh_digest.eq_any(wanted))
        .order(grants::id.asc())
        .select((
            pairs::refresh_digest,
            PairRow::as_select(),
            GrantRow::as_select(),
        ));
    let found: Vec<(Option<Vec<u8>>, PairRow, GrantRow)> =
        LockingGrants(families).load(connection)?;
    let found = found
        .into_iter()
        .filter_map(|(digest, pair, grant)| digest.map(|digest| (digest, (pair, grant))));
    Ok(in_order(refresh, found))
}

/// Finds the grants with these codes, and locks them in id order, with the lock that an update takes.
pub(crate) fn lock_grants_by_code(
    connection: &mut PgConnection,
    codes: &[SecretDigest],
) -> QueryResult<Vec<Option<GrantRow>>> {
    let wanted: Vec<&[u8]> = codes.iter().map(|code| &code.as_bytes()[..]).collect();
    let found: Vec<(Option<Vec<u8>>, GrantRow)> = grants::table
        .filter(grants::code_digest.eq_any(wanted))
        .order(grants::id.asc())
        .select((grants::code_digest, GrantRow::as_select()))
        .for_no_key_update()
        .load(connection)?;
    let found = found
        .into_iter()
        .filter_map(|(digest, grant)| digest.map(|digest| (digest, grant)));
    Ok(in_order(codes, found))
}

/// Returns the found values at the places of the requested ones.
/// A value that is requested twice is returned twice.
fn in_order<T: Clone>(
    wanted: &[SecretDigest],
    found: impl Iterator<Item = (Vec<u8>, T)>,
) -> Vec<Option<T>> {
    let found: HashMap<Vec<u8>, T> = found.collect();
    let place = |digest: &SecretDigest| found.get(&digest.as_bytes()[..]).cloned();
    wanted.iter().map(place).collect()
}

/// Rotates pairs in one statement.
/// If a refresh token occurs twice, the first rotation wins.
pub(crate) fn rotate_pairs(
    tx: &mut Tx<'_>,
    rotations: &[PairRotation],
) -> Result<Vec<Rotation>, StoreError> {
    let mut seen = HashSet::new();
    let mut columns = RotatePairs::default();
    for each in rotations.iter().filter(|each| seen.insert(each.refresh)) {
        let next = &each.successor;
        columns.refresh.push(each.refresh.as_bytes());
        columns.seed.push(each.seed.as_bytes());
        columns.rotated_at.push(each.now.as_micros());
        columns.access.push(next.access.as_bytes());
        columns.next_refresh.push(refresh_of(next));
        columns.refresh_expires_at.push(refresh_end(next));
        let (user_id, application_id) = subject_columns(next.subject);
        columns.user_id.push(user_id);
        columns.application_id.push(application_id);
        columns.scopes.push(next.scopes.to_string());
        columns.created_at.push(next.created_at.as_micros());
        columns.expires_at.push(next.expires_at.as_micros());
    }
    let issued: Vec<(i64, Vec<u8>)> = tx.values("rotate token pairs", columns)?;
    let mut issued: HashMap<Vec<u8>, i64> = issued.into_iter().map(swapped).collect();
    let mut outcomes = Vec::with_capacity(rotations.len());
    for each in rotations {
        let successor = issued.remove(&each.successor.access.as_bytes()[..]);
        outcomes.push(match successor {
            Some(id) => Rotation::Rotated(TokenPairId::new(id)),
            None => tx
                .find_pair_by_refresh(&each.refresh)?
                .map_or(Rotation::Unknown, |pair| {
                    Rotation::NotCurrent(Box::new(pair))
                }),
        });
    }
    Ok(outcomes)
}

/// Redeems codes in one statement.
/// If a code occurs twice, the first redemption wins.
pub(crate) fn redeem_codes(
    tx: &mut Tx<'_>,
    redemptions: &[CodeRedemption],
) -> Result<Vec<Redemption>, StoreError> {
    let mut seen = HashSet::new();
    let mut columns = RedeemCodes::default();
    for each in redemptions.iter().filter(|each| seen.insert(each.code)) {
        let pair = &each.pair;
        columns.code.push(each.code.as_bytes());
        columns.redeemed_at.push(each.now.as_micros());
        columns.access.push(pair.access.as_bytes());
        columns.refresh.push(refresh_of(pair));
        columns.refresh_expires_at.push(refresh_end(pair));
        let (user_id, application_id) = subject_columns(pair.subject);
        columns.user_id.push(user_id);
        columns.application_id.push(application_id);
        columns.scopes.push(pair.scopes.to_string());
        columns.created_at.push(pair.created_at.as_micros());
        columns.expires_at.push(pair.expires_at.as_micros());
    }
    let issued: Vec<(i64, Vec<u8>)> = tx.values("redeem codes", columns)?;
    let mut issued: HashMap<Vec<u8>, i64> = issued.into_iter().map(swapped).collect();
    let mut outcomes = Vec::with_capacity(redemptions.len());
    for each in redemptions {
        let first = issued.remove(&each.pair.access.as_bytes()[..]);
        outcomes.push(match first {
            Some(id) => Redemption::Redeemed(TokenPairId::new(id)),
            None => tx
                .find_grant_by_code(&each.code)?
                .map_or(Redemption::Unknown, |grant| {
                    Redemption::AlreadyUsed(grant.id)
                }),
        });
    }
    Ok(outcomes)
}

fn swapped<A, B>((one, other): (A, B)) -> (B, A) {
    (other, one)
}

fn refresh_of(pair: &NewTokenPair) -> Option<&[u8]> {
    pair.refresh
        .as_ref()
        .map(|(digest, _)| &digest.as_bytes()[..])
}

fn refresh_end(pair: &NewTokenPair) -> Option<i64> {
    pair.refresh.map(|(_, end)| end.as_micros())
}
