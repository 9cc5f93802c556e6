//! Users and access tokens.

use accounts::{
    AccessToken, AccountQueries, AccountRepository, InsertUser, NewToken, NewUser, Revocation,
    Revoked, User, UserKind,
};
use api_conventions::ids::{TokenId, UserId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use storage::{StoreError, StoreErrorKind};

use crate::cached_statement::cached;
use crate::error::from_diesel;
use crate::rows::accounts::{
    TokenRow, UserRow, read_revoked, revoked_parts, token_kind, user_kind,
};
use crate::schema::{access_tokens, auth_epoch, revocations, users};

/// How many revocations one statement writes: each takes three parameters.
const ROWS_AT_ONCE: usize = 1000;

macro_rules! queries {
    ($tx:path, $connection:ty) => {
        const _: () = {
            use $tx as Tx;

            impl AccountQueries for Tx<'_> {
                fn find_user(&mut self, id: UserId) -> Result<Option<User>, StoreError> {
                    let row = users::table.find(id.get()).select(UserRow::as_select());
                    let row = row.get_result(self.connection()?).optional();
                    row.map_err(|e| from_diesel("find user", e))?
                        .map(UserRow::read)
                        .transpose()
                }

                fn find_user_by_username(
                    &mut self,
                    username: &str,
                ) -> Result<Option<User>, StoreError> {
                    let key = username.to_lowercase();
                    let row = users::table
                        .filter(users::username_key.eq(key))
                        .select(UserRow::as_select());
                    let row = row.get_result(self.connection()?).optional();
                    row.map_err(|e| from_diesel("find user", e))?
                        .map(UserRow::read)
                        .transpose()
                }

                fn list_users_by_id(&mut self, ids: &[UserId]) -> Result<Vec<User>, StoreError> {
                    let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
                    let rows = users::table
                        .filter(users::id.eq_any(ids))
                        .select(UserRow::as_select());
                    let rows = rows
                        .load(self.connection()?)
                        .map_err(|e| from_diesel("list users", e))?;
                    rows.into_iter().map(UserRow::read).collect()
                }

                fn find_bot(&mut self, kind: UserKind) -> Result<Option<User>, StoreError> {
                    if kind == UserKind::Human {
                        return Ok(None);
                    }
                    let row = users::table
                        .filter(users::kind.eq(user_kind(kind)))
                        .select(UserRow::as_select());
                    let row = row.first(self.connection()?).optional();
                    row.map_err(|e| from_diesel("find bot", e))?
                        .map(UserRow::read)
                        .transpose()
                }

                fn find_token_by_digest(
                    &mut self,
                    digest: &SecretDigest,
                ) -> Result<Option<AccessToken>, StoreError> {
                    let row = access_tokens::table
                        .filter(access_tokens::digest.eq(&digest.as_bytes()[..]))
                        .select(TokenRow::as_select());
                    let row = row.get_result(self.connection()?).optional();
                    row.map_err(|e| from_diesel("find token", e))?
                        .map(TokenRow::read)
                        .transpose()
                }

                fn auth_epoch(&mut self) -> Result<i64, StoreError> {
                    let epoch = auth_epoch::table
                        .select(auth_epoch::epoch)
                        .get_result(self.connection()?);
                    epoch.map_err(|e| from_diesel("read the authentication epoch", e))
                }

                fn list_revocations_after(
                    &mut self,
                    epoch: i64,
                    limit: usize,
                ) -> Result<Vec<Revocation>, StoreError> {
                    let rows = revocations::table
                        .filter(revocations::epoch.gt(epoch))
                        .order((
                            revocations::epoch,
                            revocations::kind,
                            revocations::subject_id,
                        ))
                        .limit(i64::try_from(limit).unwrap_or(i64::MAX))
                        .load::<(i64, i16, i64)>(self.connection()?);
                    let rows = rows.map_err(|e| from_diesel("list revocations", e))?;
                    let read = |(epoch, kind, id)| Revocation {
                        epoch,
                        revoked: read_revoked(kind, id),
                    };
                    Ok(rows.into_iter().map(read).collect())
                }
            }
        };
    };
}

macro_rules! repository {
    ($connection:ty) => {
        impl AccountRepository for WriteTx<'_> {
            fn insert_user(&mut self, user: &NewUser) -> Result<InsertUser, StoreError> {
                let username_key = user.username.lookup_key();
                let email_key = (!user.email.is_empty()).then(|| user.email.to_lowercase());
                let inserted = diesel::insert_into(users::table)
                    .values((
                        users::username.eq(user.username.as_str()),
                        users::username_key.eq(&username_key),
                        users::name.eq(&user.name),
                        users::email.eq(&user.email),
                        users::email_key.eq(&email_key),
                        users::kind.eq(user_kind(user.kind)),
                        users::is_admin.eq(user.is_admin),
                        users::password_hash.eq(user.password.as_ref().map(|hash| hash.as_str())),
                        users::created_at.eq(user.created_at.as_micros()),
                    ))
                    .on_conflict_do_nothing()
                    .returning(users::id)
                    .get_result::<i64>(self.connection()?)
                    .optional();
                let inserted = inserted.map_err(|e| from_diesel("insert user", e))?;
                if let Some(id) = inserted {
                    return Ok(InsertUser::Inserted(UserId::new(id)));
                }
                let same_name = users::table.filter(users::username_key.eq(username_key));
                let taken =
                    diesel::select(diesel::dsl::exists(same_name)).get_result(self.connection()?);
                if taken.map_err(|e| from_diesel("find user", e))? {
                    return Ok(InsertUser::UsernameTaken);
                }
                let same_email = users::table.filter(users::email_key.eq(email_key));
                let taken =
                    diesel::select(diesel::dsl::exists(same_email)).get_result(self.connection()?);
                if taken.map_err(|e| from_diesel("find user", e))? {
                    return Ok(InsertUser::EmailTaken);
                }
                // Neither: another transaction made the same kind of bot, or ended between the statements.
                Err(StoreError::new(StoreErrorKind::Contention, "insert user"))
            }

            fn insert_token(&mut self, token: &NewToken) -> Result<TokenId, StoreError> {
                let id = diesel::insert_into(access_tokens::table)
                    .values((
                        access_tokens::user_id.eq(token.user_id.get()),
                        access_tokens::name.eq(&token.name),
                        access_tokens::kind.eq(token_kind(token.kind)),
                        access_tokens::scopes.eq(token.scopes.to_string()),
                        access_tokens::digest.eq(&token.digest.as_bytes()[..]),
                        access_tokens::expires_on.eq(token.expires_on.as_days()),
                        access_tokens::created_at.eq(token.created_at.as_micros()),
                    ))
                    .returning(access_tokens::id)
                    .get_result(self.connection()?);
                id.map(TokenId::new)
                    .map_err(|e| from_diesel("insert token", e))
            }

            fn revoke_token(&mut self, id: TokenId, at: Timestamp) -> Result<bool, StoreError> {
                let active = access_tokens::table
                    .find(id.get())
                    .filter(access_tokens::revoked_at.is_null());
                let revoked = diesel::update(active)
                    .set(access_tokens::revoked_at.eq(at.as_micros()))
                    .execute(self.connection()?);
                revoked
                    .map(|rows| rows > 0)
                    .map_err(|e| from_diesel("revoke token", e))
            }

            fn touch_tokens(&mut self, used: &[(TokenId, Timestamp)]) -> Result<(), StoreError> {
                // In the order of their numbers: two batches that lock the same rows would wait for each other.
                let mut used = used.to_vec();
                used.sort_unstable();
                for (id, at) in used {
                    let at = at.as_micros();
                    let earlier = access_tokens::last_used_at
                        .is_null()
                        .or(access_tokens::last_used_at.lt(at));

                    diesel::update(access_tokens::table.find(id.get()).filter(earlier))
                        .set(access_tokens::last_used_at.eq(at))
                        .execute(self.connection()?)
                        .map_err(|e| from_diesel("touch token", e))?;
                }
                Ok(())
            }

            fn raise_auth_epoch(&mut self, revoked: &[Revoked]) -> Result<i64, StoreError> {
                let epoch = cached(
                    diesel::update(auth_epoch::table)
                        .set(auth_epoch::epoch.eq(auth_epoch::epoch + 1))
                        .returning(auth_epoch::epoch),
                )
                .get_result::<i64>(self.connection()?)
                .map_err(|e| from_diesel("raise the authentication epoch", e))?;
                // The row above is locked until the commit, so the numbers are committed in their order.
                for part in revoked.chunks(ROWS_AT_ONCE) {
                    let rows: Vec<_> = part
                        .iter()
                        .map(|revoked| {
                            let (kind, id) = revoked_parts(*revoked);
                            (
                                revocations::epoch.eq(epoch),
                                revocations::kind.eq(kind),
                                revocations::subject_id.eq(id),
                            )
                        })
                        .collect();
                    diesel::insert_into(revocations::table)
                        .values(&rows)
                        .execute(self.connection()?)
                        .map_err(|e| from_diesel("keep revocations", e))?;
                }
                Ok(epoch)
            }

            fn forget_revocations_through(&mut self, epoch: i64) -> Result<usize, StoreError> {
                diesel::delete(revocations::table.filter(revocations::epoch.le(epoch)))
                    .execute(self.connection()?)
                    .map_err(|e| from_diesel("forget revocations", e))
            }
        }
    };
}

super::for_each_database!(queries, repository);
