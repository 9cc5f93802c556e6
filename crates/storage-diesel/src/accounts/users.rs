//! Users, access tokens, and revocations.

use accounts::model::{GHOST_NAME, GHOST_USERNAME};
use accounts::password::PasswordHash;
use accounts::{
    AccessToken, AccountQueries, AccountRepository, DeployToken, DeployTokenFilter, InsertUser,
    NewDeployToken, NewToken, NewUser, Revocation, RevocationSubject, TokenFilter, TokenPlace,
    UpdateUser, User, UserChange, UserDeletion, UserFilter, UserKind,
};
use api_conventions::ids::{DeployTokenId, TokenId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::secret::SecretDigest;
use api_conventions::time::{CalendarDate, Timestamp};
use diesel::dsl::{exists, sql};
use diesel::prelude::*;
use diesel::sql_types::Bool;
use storage::{StoreError, StoreErrorKind};
use storage_diesel_macros::for_each_database;

use super::rows::deploy_tokens::{DeployTokenRow, NewDeployTokenRow, deploy_tokens};
use super::rows::tokens::{NewTokenRow, TokenRow, access_tokens};
use super::rows::users::{
    UserChangeRow, UserRow, email_key, read_revoked, revoked_parts, user_kind,
};
use super::tables::{auth_epoch, revocations, users};
use crate::cached_statement::cached;
use crate::delete_some::UserReference;
use crate::rows::DomainRow as _;
use crate::transaction::row_limit;

/// Maximum number of revocations per statement: each takes three parameters.
const ROWS_AT_ONCE: usize = 1000;

/// Returns the statements that end the access of a user, each to be completed with a limit and a parenthesis.
fn access_of(user: UserId, successor: UserId) -> [String; 7] {
    let deleted = |table, key| UserReference::new(table, key, "user_id").delete(user);
    [
        deleted("sessions", "id"),
        deleted("access_tokens", "id"),
        deleted("recovery_codes", "user_id, digest"),
        deleted("user_statuses", "user_id"),
        UserReference::new("invitations", "id", "creator_id").delete(user),
        UserReference::new("access_tokens", "id", "creator_id").replace(user, None),
        UserReference::new("deploy_tokens", "id", "creator_id").replace(user, Some(successor)),
    ]
}

#[for_each_database(dialect = crate::accounts)]
mod database {
    impl ::accounts::AccountQueriesWrapper for WriteTx<'_> {}

    impl AccountQueries for ReadTx<'_> {
        fn find_user(&mut self, id: UserId) -> Result<Option<User>, StoreError> {
            self.find::<UserRow>("find user", users::table.find(id.get()))
        }

        fn find_user_by_username(&mut self, username: &str) -> Result<Option<User>, StoreError> {
            let with_name = users::username_key.eq(username.to_lowercase());
            self.find::<UserRow>("find user", users::table.filter(with_name))
        }

        fn list_users_by_id(&mut self, ids: &[UserId]) -> Result<Vec<User>, StoreError> {
            let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
            self.list::<UserRow>("list users", users::table.filter(users::id.eq_any(ids)))
        }

        fn list_users_by_username(&mut self, names: &[&str]) -> Result<Vec<User>, StoreError> {
            let keys: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
            let with_keys = users::table.filter(users::username_key.eq_any(keys));
            self.list::<UserRow>("list users", with_keys)
        }

        fn list_users(
            &mut self,
            filter: &UserFilter,
            page: OffsetPage,
        ) -> Result<Page<User>, StoreError> {
            self.page_of_users(filter, page)
        }

        fn find_bot(&mut self, kind: UserKind) -> Result<Option<User>, StoreError> {
            if !matches!(kind, UserKind::AlertBot | UserKind::Ghost) {
                return Ok(None);
            }
            let of_kind = users::table.filter(users::kind.eq(user_kind(kind)));
            self.find::<UserRow>("find bot", of_kind.limit(1))
        }

        fn list_user_deletions(&mut self, limit: usize) -> Result<Vec<UserDeletion>, StoreError> {
            // As text, not as a parameter: only then can the planner choose the partial index.
            let deleted = users::table.filter(sql::<Bool>("users.kind > 4"));
            let deleted = deleted.order(users::id).limit(row_limit(limit));
            let users = self.list::<UserRow>("list user deletions", deleted)?;
            let deletion = |user: User| UserDeletion {
                user_id: user.id,
                with_contributions: user.kind
                    == UserKind::Deleted {
                        with_contributions: true,
                    },
            };
            Ok(users.into_iter().map(deletion).collect())
        }

        fn find_token(&mut self, id: TokenId) -> Result<Option<AccessToken>, StoreError> {
            self.find::<TokenRow>("find token", access_tokens::table.find(id.get()))
        }

        fn list_tokens(
            &mut self,
            filter: &TokenFilter,
            page: OffsetPage,
        ) -> Result<Page<AccessToken>, StoreError> {
            self.page_of_tokens(filter, page)
        }

        fn find_token_by_digest(
            &mut self,
            digest: &SecretDigest,
        ) -> Result<Option<AccessToken>, StoreError> {
            let with_digest = access_tokens::digest.eq(&digest.as_bytes()[..]);
            self.find::<TokenRow>("find token", access_tokens::table.filter(with_digest))
        }

        fn find_successor_token(
            &mut self,
            family: TokenId,
            after: TokenId,
        ) -> Result<Option<AccessToken>, StoreError> {
            let later = access_tokens::table
                .filter(access_tokens::family_id.eq(family.get()))
                .filter(access_tokens::id.gt(after.get()))
                .filter(access_tokens::revoked_at.is_null())
                .order(access_tokens::id)
                .limit(1);
            self.find::<TokenRow>("find successor token", later)
        }

        fn list_token_names(
            &mut self,
            ids: &[TokenId],
        ) -> Result<Vec<(TokenId, String)>, StoreError> {
            let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
            let named = access_tokens::table.filter(access_tokens::id.eq_any(ids));
            let columns = (access_tokens::id, access_tokens::name);
            let named: Vec<(i64, String)> =
                self.values("list token names", named.select(columns))?;
            let named = named.into_iter();
            Ok(named.map(|(id, name)| (TokenId::new(id), name)).collect())
        }

        fn find_deploy_token(
            &mut self,
            id: DeployTokenId,
        ) -> Result<Option<DeployToken>, StoreError> {
            let with_id = deploy_tokens::table.find(id.get());
            self.find::<DeployTokenRow>("find deploy token", with_id)
        }

        fn find_deploy_token_by_digest(
            &mut self,
            digest: &SecretDigest,
        ) -> Result<Option<DeployToken>, StoreError> {
            let with_digest = deploy_tokens::digest.eq(&digest.as_bytes()[..]);
            let found = deploy_tokens::table.filter(with_digest);
            self.find::<DeployTokenRow>("find deploy token", found)
        }

        fn list_deploy_tokens(
            &mut self,
            filter: &DeployTokenFilter,
            page: OffsetPage,
        ) -> Result<Page<DeployToken>, StoreError> {
            self.page_of_deploy_tokens(filter, page)
        }

        fn auth_epoch(&mut self) -> Result<i64, StoreError> {
            let epoch = auth_epoch::table.select(auth_epoch::epoch);
            self.value("read authentication epoch", epoch)
        }

        fn list_revocations_after(
            &mut self,
            epoch: i64,
            limit: usize,
        ) -> Result<Vec<Revocation>, StoreError> {
            let columns = (
                revocations::epoch,
                revocations::kind,
                revocations::subject_id,
            );
            let after = revocations::table
                .filter(revocations::epoch.gt(epoch))
                .order(columns)
                .limit(row_limit(limit))
                .select(columns);
            let rows: Vec<(i64, i16, i64)> = self.values("list revocations", after)?;
            let read = |(epoch, kind, id)| Revocation {
                epoch,
                revoked: read_revoked(kind, id),
            };
            Ok(rows.into_iter().map(read).collect())
        }
    }

    impl AccountRepository for WriteTx<'_> {
        fn insert_user(&mut self, user: &NewUser) -> Result<InsertUser, StoreError> {
            let username_key = user.username.lookup_key();
            let email_key = email_key(&user.email);
            let insert = diesel::insert_into(users::table)
                .values((
                    users::username.eq(user.username.as_str()),
                    users::username_key.eq(&username_key),
                    users::name.eq(&user.name),
                    users::name_key.eq(user.name.to_lowercase()),
                    users::email.eq(&user.email),
                    users::email_key.eq(&email_key),
                    users::kind.eq(user_kind(user.kind)),
                    users::is_admin.eq(user.is_admin),
                    users::password_hash.eq(user.password.as_ref().map(PasswordHash::as_str)),
                    users::created_at.eq(user.created_at.as_micros()),
                ))
                .on_conflict_do_nothing()
                .returning(users::id);
            if let Some(id) = self.value_if("insert user", insert)? {
                return Ok(InsertUser::Inserted(UserId::new(id)));
            }
            let same_name = users::table.filter(users::username_key.eq(username_key));
            if self.value("find user", diesel::select(exists(same_name)))? {
                return Ok(InsertUser::UsernameTaken);
            }
            let same_email = users::table.filter(users::email_key.eq(email_key));
            if self.value("find user", diesel::select(exists(same_email)))? {
                return Ok(InsertUser::EmailTaken);
            }
            // Neither: another transaction created the same kind of bot, or ended between the statements.
            Err(StoreError::new(StoreErrorKind::Contention, "insert user"))
        }

        fn update_user(
            &mut self,
            id: UserId,
            change: &UserChange,
        ) -> Result<UpdateUser, StoreError> {
            if let Some(key) = change.email.as_deref().and_then(email_key) {
                let others = users::email_key.eq(key).and(users::id.ne(id.get()));
                let taken = exists(users::table.filter(others));
                let is_there = exists(users::table.find(id.get()));
                let found = diesel::select((is_there, taken));
                if self.value::<(bool, bool)>("find user", found)? == (true, true) {
                    return Ok(UpdateUser::EmailTaken);
                }
            }
            let is_written = change.is_empty()
                || self.run("update user", |connection| {
                    dialect::update_user(connection, id.get(), UserChangeRow::from(change))
                })?;
            if !is_written {
                return Ok(UpdateUser::EmailTaken);
            }
            let user = self.find_user(id)?.map(Box::new);
            Ok(user.map_or(UpdateUser::Unknown, UpdateUser::Updated))
        }

        fn insert_token(&mut self, token: &NewToken) -> Result<TokenId, StoreError> {
            let insert = diesel::insert_into(access_tokens::table).values(NewTokenRow::from(token));
            self.value("insert token", insert.returning(access_tokens::id))
                .map(TokenId::new)
        }

        fn revoke_token(&mut self, id: TokenId, at: Timestamp) -> Result<bool, StoreError> {
            let active = access_tokens::revoked_at.is_null();
            let revoke = diesel::update(access_tokens::table.find(id.get()).filter(active))
                .set(access_tokens::revoked_at.eq(at.as_micros()));
            self.changes("revoke token", revoke)
        }

        fn touch_tokens(&mut self, used: &[(TokenId, Timestamp)]) -> Result<(), StoreError> {
            // In id order: otherwise two batches that lock the same rows would wait for each other.
            let mut used = used.to_vec();
            used.sort_unstable();
            for (id, at) in used {
                let at = at.as_micros();
                let earlier = access_tokens::last_used_at
                    .is_null()
                    .or(access_tokens::last_used_at.lt(at));
                let touch = diesel::update(access_tokens::table.find(id.get()).filter(earlier))
                    .set(access_tokens::last_used_at.eq(at));
                self.execute("touch token", touch)?;
            }
            Ok(())
        }

        fn announce_expiring_tokens(
            &mut self,
            after: CalendarDate,
            before: CalendarDate,
            limit: usize,
        ) -> Result<Vec<AccessToken>, StoreError> {
            let is_due = access_tokens::revoked_at
                .is_null()
                .and(access_tokens::expiry_announced.eq(false));
            let due = access_tokens::table
                .filter(is_due)
                .filter(access_tokens::expires_on.gt(after.as_days()))
                .filter(access_tokens::expires_on.lt(before.as_days()))
                .order(access_tokens::expires_on)
                .limit(row_limit(limit))
                .select(access_tokens::id);
            let ids: Vec<i64> = self.values("list expiring tokens", due)?;
            // Another process may have announced some of them in the meantime.
            let found = access_tokens::table.filter(access_tokens::id.eq_any(ids));
            let announce = diesel::update(found.filter(is_due))
                .set(access_tokens::expiry_announced.eq(true))
                .returning(TokenRow::as_returning());
            let rows: Vec<TokenRow> = self.values("announce expiring tokens", announce)?;
            rows.into_iter().map(TokenRow::read).collect()
        }

        fn insert_deploy_token(
            &mut self,
            token: &NewDeployToken,
        ) -> Result<DeployTokenId, StoreError> {
            let row = NewDeployTokenRow::from(token);
            let insert = diesel::insert_into(deploy_tokens::table).values(row);
            self.value("insert deploy token", insert.returning(deploy_tokens::id))
                .map(DeployTokenId::new)
        }

        fn delete_deploy_token(&mut self, id: DeployTokenId) -> Result<bool, StoreError> {
            let its = deploy_tokens::table.find(id.get());
            self.changes("delete deploy token", diesel::delete(its))
        }

        fn delete_deploy_tokens_of(&mut self, place: TokenPlace) -> Result<usize, StoreError> {
            let (kind, id) = place.numbers();
            let its = deploy_tokens::table
                .filter(deploy_tokens::place_id.eq(id))
                .filter(deploy_tokens::place_kind.eq(kind));
            self.execute("delete deploy tokens", diesel::delete(its))
        }

        fn start_user_deletion(
            &mut self,
            deletion: UserDeletion,
            now: Timestamp,
        ) -> Result<bool, StoreError> {
            let id = deletion.user_id;
            let kind = UserKind::Deleted {
                with_contributions: deletion.with_contributions,
            };
            let person = users::table.find(id.get());
            let person = person.filter(users::kind.eq(user_kind(UserKind::Human)));
            let names = (
                users::username.eq(GHOST_USERNAME),
                // No username has this character, so the key is unique and finds nothing.
                users::username_key.eq(format!("#{id}")),
                users::name.eq(GHOST_NAME),
                users::name_key.eq(GHOST_NAME.to_lowercase()),
                users::email.eq(""),
                users::email_key.eq(None::<String>),
            );
            let rights = (
                users::kind.eq(user_kind(kind)),
                users::is_admin.eq(false),
                users::password_hash.eq(None::<String>),
                users::blocked_at.eq(now.as_micros()),
                users::blocked_as.eq(0),
                users::second_factor_enabled_at.eq(None::<i64>),
                users::second_factor_sealed.eq(None::<Vec<u8>>),
                users::second_factor_last_step.eq(None::<i64>),
                users::private_profile.eq(true),
            );
            let start = diesel::update(person).set((names, rights));
            self.changes("start user deletion", start)
        }

        fn delete_access_of_user(
            &mut self,
            user: UserId,
            successor: UserId,
            limit: usize,
        ) -> Result<usize, StoreError> {
            let mut left = limit;
            for text in access_of(user, successor) {
                if left == 0 {
                    break;
                }
                let statement = diesel::sql_query(format!("{text}{left})"));
                left -= self.execute("delete access of user", statement)?;
            }
            Ok(limit - left)
        }

        fn finish_user_deletion(&mut self, user: UserId) -> Result<bool, StoreError> {
            let deleted = users::table.find(user.get());
            let deleted = deleted.filter(sql::<Bool>("users.kind > 4"));
            self.changes("finish user deletion", diesel::delete(deleted))
        }

        fn raise_auth_epoch(&mut self, revoked: &[RevocationSubject]) -> Result<i64, StoreError> {
            let raise = diesel::update(auth_epoch::table)
                .set(auth_epoch::epoch.eq(auth_epoch::epoch + 1))
                .returning(auth_epoch::epoch);
            let epoch: i64 = self.value("increment authentication epoch", cached(raise))?;
            // The row above is locked until the commit, so epochs are committed in order.
            for part in revoked.chunks(ROWS_AT_ONCE) {
                let rows = part.iter().map(|revoked| {
                    let (kind, id) = revoked_parts(*revoked);
                    (
                        revocations::epoch.eq(epoch),
                        revocations::kind.eq(kind),
                        revocations::subject_id.eq(id),
                    )
                });
                let rows: Vec<_> = rows.collect();
                let keep = diesel::insert_into(revocations::table).values(rows);
                self.run("insert revocations", |connection| keep.execute(connection))?;
            }
            Ok(epoch)
        }

        fn forget_revocations_through(&mut self, epoch: i64) -> Result<usize, StoreError> {
            let old = revocations::table.filter(revocations::epoch.le(epoch));
            self.execute("delete revocations", diesel::delete(old))
        }
    }
}
