//! Changes of grants and tokens, for write transactions.

use api_conventions::ids::{ApplicationId, GrantId, SessionId, TokenPairId, UserId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use oauth_provider::GrantQueries as _;
use oauth_provider::rules::pkce::CodeChallenge;
use oauth_provider::{
    AuthorizationRequest, CodeRedemption, Family, Grant, GrantRepository, NewGrant, NewTokenPair,
    PairRotation, Redemption, Rotation, RotationSeed,
};
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use crate::cached_statement::cached;
use crate::delete_some::UserReference;
use crate::oauth::rows::grants::{GrantRow, NewGrantRow};
use crate::oauth::rows::pairs::{NewPairRow, PairRow};
use crate::oauth::rows::requests::{RequestRow, response_mode_number};
use crate::oauth::tables::{
    oauth_authorization_requests as requests, oauth_grants as grants, oauth_token_pairs as pairs,
};
use crate::rows::DomainRow as _;
use crate::transaction::row_limit;

#[for_each_database(dialect = crate::oauth)]
mod database {
    impl WriteTx<'_> {
        fn insert_pair_of(
            &mut self,
            grant_id: i64,
            pair: &NewTokenPair,
        ) -> Result<TokenPairId, StoreError> {
            let row = NewPairRow::new(grant_id, pair);
            let insert = diesel::insert_into(pairs::table).values(row);
            self.value("insert token pair", insert.returning(pairs::id))
                .map(TokenPairId::new)
        }
    }

    impl GrantRepository for WriteTx<'_> {
        fn insert_authorization_request(
            &mut self,
            handle: &SecretDigest,
            request: &AuthorizationRequest,
        ) -> Result<(), StoreError> {
            let challenge = request.challenge.as_ref();
            let insert = diesel::insert_into(requests::table).values((
                requests::handle_digest.eq(&handle.as_bytes()[..]),
                requests::application_id.eq(request.application_id.get()),
                requests::user_id.eq(request.user_id.get()),
                requests::session_id.eq(request.session_id.get()),
                requests::redirect_uri.eq(&request.redirect_uri),
                requests::scopes.eq(request.scopes.to_string()),
                requests::state.eq(&request.state),
                requests::nonce.eq(&request.nonce),
                requests::challenge.eq(challenge.map(CodeChallenge::as_str)),
                requests::response_mode.eq(response_mode_number(request.response_mode)),
                requests::auth_time.eq(request.auth_time.as_micros()),
                requests::created_at.eq(request.created_at.as_micros()),
                requests::expires_at.eq(request.expires_at.as_micros()),
            ));
            self.execute("insert authorization request", insert)
                .map(drop)
        }

        fn take_authorization_request(
            &mut self,
            handle: &SecretDigest,
            session_id: SessionId,
            now: Timestamp,
        ) -> Result<Option<AuthorizationRequest>, StoreError> {
            let answerable = requests::table
                .find(&handle.as_bytes()[..])
                .filter(requests::session_id.eq(session_id.get()))
                .filter(requests::expires_at.gt(now.as_micros()));
            let take = diesel::delete(answerable).returning(RequestRow::as_returning());
            let row = self.value_if("redeem authorization request", take)?;
            row.map(RequestRow::read).transpose()
        }

        fn insert_grant(&mut self, grant: &NewGrant) -> Result<GrantId, StoreError> {
            let insert = diesel::insert_into(grants::table).values(NewGrantRow::from(grant));
            self.value("insert grant", insert.returning(grants::id))
                .map(GrantId::new)
        }

        fn redeem_code(
            &mut self,
            code: &SecretDigest,
            pair: &NewTokenPair,
            now: Timestamp,
        ) -> Result<Redemption, StoreError> {
            let its = grants::code_digest.eq(&code.as_bytes()[..]);
            let unused = grants::redeemed_at
                .is_null()
                .and(grants::revoked_at.is_null());
            let redeem = diesel::update(grants::table.filter(its).filter(unused))
                .set(grants::redeemed_at.eq(now.as_micros()))
                .returning(grants::id);
            if let Some(id) = self.value_if("redeem code", cached(redeem))? {
                return self.insert_pair_of(id, pair).map(Redemption::Redeemed);
            }
            let known = grants::table.filter(its).select(grants::id);
            let known = self.value_if("find grant by code", known)?;
            Ok(known.map_or(Redemption::Unknown, |id| {
                Redemption::AlreadyUsed(GrantId::new(id))
            }))
        }

        fn lock_grants_by_code(
            &mut self,
            codes: &[SecretDigest],
        ) -> Result<Vec<Option<Grant>>, StoreError> {
            let rows = self.run("lock grants by code", |connection| {
                dialect::lock_grants_by_code(connection, codes)
            })?;
            let read = |row: Option<GrantRow>| row.map(GrantRow::read).transpose();
            rows.into_iter().map(read).collect()
        }

        fn redeem_codes(
            &mut self,
            redemptions: &[CodeRedemption],
        ) -> Result<Vec<Redemption>, StoreError> {
            dialect::redeem_codes(self, redemptions)
        }

        fn insert_pair(&mut self, pair: &NewTokenPair) -> Result<TokenPairId, StoreError> {
            self.insert_pair_of(pair.grant_id.get(), pair)
        }

        fn rotate_pair(
            &mut self,
            refresh: &SecretDigest,
            seed: RotationSeed,
            successor: &NewTokenPair,
            now: Timestamp,
        ) -> Result<Rotation, StoreError> {
            let digest = &refresh.as_bytes()[..];
            self.run("rotate token pair", |connection| {
                dialect::lock_family(connection, digest)
            })?;
            let current = pairs::table
                .filter(pairs::refresh_digest.eq(digest))
                .filter(pairs::rotated_at.is_null().and(pairs::revoked_at.is_null()));
            let rotate = diesel::update(current)
                .set((
                    pairs::rotated_at.eq(now.as_micros()),
                    pairs::rotation_seed.eq(&seed.as_bytes()[..]),
                ))
                .returning(pairs::grant_id);
            if let Some(grant_id) = self.value_if("rotate token pair", cached(rotate))? {
                return self
                    .insert_pair_of(grant_id, successor)
                    .map(Rotation::Rotated);
            }
            let known = self.find_pair_by_refresh(refresh)?.map(Box::new);
            Ok(known.map_or(Rotation::Unknown, Rotation::NotCurrent))
        }

        fn lock_families(
            &mut self,
            refresh: &[SecretDigest],
        ) -> Result<Vec<Option<Family>>, StoreError> {
            let rows = self.run("lock token families", |connection| {
                dialect::lock_families(connection, refresh)
            })?;
            let read = |row: Option<(PairRow, GrantRow)>| match row {
                Some((pair, grant)) => Ok(Some((pair.read()?, grant.read()?))),
                None => Ok(None),
            };
            rows.into_iter().map(read).collect()
        }

        fn rotate_pairs(
            &mut self,
            rotations: &[PairRotation],
        ) -> Result<Vec<Rotation>, StoreError> {
            dialect::rotate_pairs(self, rotations)
        }

        fn revoke_grant(&mut self, id: GrantId, now: Timestamp) -> Result<bool, StoreError> {
            self.run("revoke grant", |connection| {
                let live = grants::revoked_at.is_null();
                let ended = diesel::update(grants::table.find(id.get()).filter(live))
                    .set(grants::revoked_at.eq(now.as_micros()))
                    .execute(connection)?;
                if ended > 0 {
                    let its = pairs::table.filter(pairs::grant_id.eq(id.get()));
                    let end = pairs::revoked_at.eq(now.as_micros());
                    diesel::update(its).set(end).execute(connection)?;
                }
                Ok(ended > 0)
            })
        }

        fn revoke_grants_of_user(
            &mut self,
            user_id: UserId,
            application_id: Option<ApplicationId>,
            now: Timestamp,
        ) -> Result<usize, StoreError> {
            self.run("revoke grants of user", |connection| {
                let its = grants::user_id.assume_not_null().eq(user_id.get());
                let live = its.and(grants::revoked_at.is_null());
                let which: dialect::GrantCondition = match application_id {
                    Some(application) => {
                        let application_id = grants::application_id.assume_not_null();
                        Box::new(live.and(application_id.eq(application.get())))
                    }
                    None => Box::new(live),
                };
                dialect::end_grants_where(connection, which, now)
            })
        }

        fn delete_grants_of_user(
            &mut self,
            user_id: UserId,
            limit: usize,
        ) -> Result<usize, StoreError> {
            // Foreign keys delete their tokens.
            let some = UserReference::new("oauth_grants", "id", "user_id").delete(user_id);
            let delete = diesel::sql_query(format!("{some}{limit})"));
            self.execute("delete grants of user", delete)
        }

        fn revoke_unredeemed(
            &mut self,
            session_id: SessionId,
            now: Timestamp,
        ) -> Result<usize, StoreError> {
            self.run("revoke unredeemed grants", |connection| {
                let waiting = requests::session_id.eq(session_id.get());
                diesel::delete(requests::table.filter(waiting)).execute(connection)?;
                let its = grants::session_id.assume_not_null();
                let which = its
                    .eq(session_id.get())
                    .and(grants::redeemed_at.is_null())
                    .and(grants::revoked_at.is_null());
                dialect::end_grants_where(connection, Box::new(which), now)
            })
        }

        fn delete_spent_grants(
            &mut self,
            before: Timestamp,
            limit: usize,
        ) -> Result<usize, StoreError> {
            self.run("delete spent grants", |connection| {
                let limit = row_limit(limit);
                let late = dialect::delete_late_requests(connection, before, limit)?;
                let spent = dialect::delete_spent_grants(connection, before, limit)?;
                Ok(late + spent)
            })
        }
    }
}
