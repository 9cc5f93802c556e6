//! Credentials of users, and counters of failed sign-ins.

use accounts::password::PasswordHash;
use accounts::{
    CredentialQueries, CredentialRepository, Credentials, Failures, UserKind, UserState,
};
use api_conventions::ids::UserId;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use diesel::dsl::case_when;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use diesel::upsert::excluded;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::rows::credentials::{CredentialRow, read_failures};
use super::rows::users::{UserRow, blocked_as, user_kind};
use super::tables::{recovery_codes, sign_in_failures as failures, users};
use crate::cached_statement::cached;
use crate::rows::DomainRow as _;

/// Name of the operation that looks up credentials.
const FIND: &str = "find credentials";

#[for_each_database(dialect = crate::accounts)]
mod database {
    impl ReadTx<'_> {
        /// Reads the credentials of a user from the joined row.
        fn read_credentials(
            &mut self,
            row: Option<(UserRow, CredentialRow)>,
        ) -> Result<Option<Credentials>, StoreError> {
            let Some((user, row)) = row else {
                return Ok(None);
            };
            let user = user.read()?;
            let mut codes_left = 0;
            if row.has_second_factor() {
                let its = recovery_codes::user_id.eq(user.id.get());
                let count = recovery_codes::table.filter(its).count();
                codes_left = self.value("count recovery codes", count)?;
            }
            row.read(user, codes_left).map(Some)
        }
    }

    impl ::accounts::CredentialQueriesWrapper for WriteTx<'_> {}

    impl CredentialQueries for ReadTx<'_> {
        fn find_credentials(&mut self, login: &str) -> Result<Option<Credentials>, StoreError> {
            let key = login.to_lowercase();
            let people = users::table
                .filter(users::kind.eq(user_kind(UserKind::Human)))
                .select((UserRow::as_select(), CredentialRow::as_select()));
            let mut row = self.value_if(FIND, people.filter(users::username_key.eq(&key)))?;
            if row.is_none() {
                row = self.value_if(FIND, people.filter(users::email_key.eq(&key)))?;
            }
            self.read_credentials(row)
        }

        fn find_credentials_of(&mut self, id: UserId) -> Result<Option<Credentials>, StoreError> {
            let person = users::table
                .find(id.get())
                .filter(users::kind.eq(user_kind(UserKind::Human)))
                .select((UserRow::as_select(), CredentialRow::as_select()));
            let row = self.value_if(FIND, person)?;
            self.read_credentials(row)
        }

        fn find_failures(&mut self, key: &SecretDigest) -> Result<Option<Failures>, StoreError> {
            let row = failures::table
                .find(&key.as_bytes()[..])
                .select((failures::failures, failures::since));
            let row = self.value_if("find failed attempts", row)?;
            row.map(read_failures).transpose()
        }
    }

    impl WriteTx<'_> {
        /// Locks a user whose second factor is enabled, by an update that changes nothing and so waits for concurrent
        /// changes.
        /// Returns `false` if the second factor is disabled.
        fn lock_second_factor(&mut self, id: UserId) -> Result<bool, StoreError> {
            let on = users::second_factor_enabled_at.is_not_null();
            let lock = diesel::update(users::table.find(id.get()).filter(on))
                .set(users::second_factor_enabled_at.eq(users::second_factor_enabled_at));
            self.changes("lock second factor", lock)
        }

        /// Replaces all recovery codes of a locked user.
        fn put_recovery_codes(
            &mut self,
            id: UserId,
            codes: &[SecretDigest],
        ) -> Result<(), StoreError> {
            self.run("put recovery codes", |connection| {
                let others = recovery_codes::user_id.eq(id.get());
                diesel::delete(recovery_codes::table.filter(others)).execute(connection)?;
                for code in codes {
                    let code = (
                        recovery_codes::user_id.eq(id.get()),
                        recovery_codes::digest.eq(&code.as_bytes()[..]),
                    );
                    let insert = diesel::insert_into(recovery_codes::table).values(code);
                    insert.execute(connection)?;
                }
                Ok(())
            })
        }
    }

    impl CredentialRepository for WriteTx<'_> {
        fn lock_user(&mut self, id: UserId) -> Result<bool, StoreError> {
            self.run("lock user", |connection| {
                dialect::lock_user(connection, id.get())
            })
        }

        fn set_password(
            &mut self,
            id: UserId,
            password: &PasswordHash,
            replaced: Option<&PasswordHash>,
        ) -> Result<bool, StoreError> {
            let change = users::password_hash.eq(password.as_str());
            let user = users::table.find(id.get());
            let Some(replaced) = replaced else {
                return self.changes("set password", diesel::update(user).set(change));
            };
            let user = user.filter(users::password_hash.eq(replaced.as_str()));
            self.changes("replace password", diesel::update(user).set(change))
        }

        fn set_user_state(&mut self, id: UserId, state: UserState) -> Result<bool, StoreError> {
            let change = (
                users::blocked_at.eq(state.since().map(Timestamp::as_micros)),
                users::blocked_as.eq(blocked_as(state)),
            );
            let user = users::table.find(id.get());
            self.changes("set user state", diesel::update(user).set(change))
        }

        fn put_second_factor(
            &mut self,
            id: UserId,
            sealed: &[u8],
            last_step: i64,
            recovery_codes: &[SecretDigest],
            now: Timestamp,
        ) -> Result<bool, StoreError> {
            let change = (
                users::second_factor_enabled_at.eq(now.as_micros()),
                users::second_factor_sealed.eq(sealed),
                users::second_factor_last_step.eq(last_step),
            );
            let put = diesel::update(users::table.find(id.get())).set(change);
            if !self.changes("put second factor", put)? {
                return Ok(false);
            }
            self.put_recovery_codes(id, recovery_codes)?;
            Ok(true)
        }

        fn delete_second_factor(&mut self, id: UserId) -> Result<bool, StoreError> {
            let on = users::second_factor_enabled_at.is_not_null();
            let change = (
                users::second_factor_enabled_at.eq(None::<i64>),
                users::second_factor_sealed.eq(None::<&[u8]>),
                users::second_factor_last_step.eq(None::<i64>),
            );
            let delete = diesel::update(users::table.find(id.get()).filter(on)).set(change);
            if !self.changes("delete second factor", delete)? {
                return Ok(false);
            }
            self.put_recovery_codes(id, &[])?;
            Ok(true)
        }

        fn take_time_step(&mut self, id: UserId, step: i64) -> Result<bool, StoreError> {
            let unspent = users::second_factor_last_step.lt(step);
            let take = diesel::update(users::table.find(id.get()).filter(unspent))
                .set(users::second_factor_last_step.eq(step));
            self.changes("use time step", take)
        }

        fn take_recovery_code(
            &mut self,
            id: UserId,
            code: &SecretDigest,
        ) -> Result<bool, StoreError> {
            if !self.lock_second_factor(id)? {
                return Ok(false);
            }
            let code = recovery_codes::table.find((id.get(), &code.as_bytes()[..]));
            self.changes("use recovery code", diesel::delete(code))
        }

        fn replace_recovery_codes(
            &mut self,
            id: UserId,
            codes: &[SecretDigest],
        ) -> Result<bool, StoreError> {
            if !self.lock_second_factor(id)? {
                return Ok(false);
            }
            self.put_recovery_codes(id, codes)?;
            Ok(true)
        }

        fn count_failure(
            &mut self,
            key: &SecretDigest,
            window_seconds: i64,
            now: Timestamp,
        ) -> Result<Failures, StoreError> {
            let window = window_seconds.saturating_mul(1_000_000);
            let old = failures::since.le(now.as_micros().saturating_sub(window));
            let count = diesel::insert_into(failures::table)
                .values((
                    failures::key_digest.eq(&key.as_bytes()[..]),
                    failures::failures.eq(1_i64),
                    failures::since.eq(now.as_micros()),
                ))
                .on_conflict(failures::key_digest)
                .do_update()
                .set((
                    failures::failures.eq(case_when(old, 1_i64.into_sql::<BigInt>())
                        .otherwise(failures::failures + 1)),
                    failures::since
                        .eq(case_when(old, excluded(failures::since)).otherwise(failures::since)),
                ))
                .returning((failures::failures, failures::since));
            self.value("count failed attempt", cached(count))
                .and_then(read_failures)
        }

        fn forget_failures(&mut self, key: &SecretDigest) -> Result<(), StoreError> {
            let its = failures::table.find(&key.as_bytes()[..]);
            self.execute("delete failed attempts", diesel::delete(its))
                .map(drop)
        }

        fn delete_old_failures(&mut self, before: Timestamp) -> Result<usize, StoreError> {
            let old = failures::table.filter(failures::since.lt(before.as_micros()));
            self.execute("delete old failed attempts", diesel::delete(old))
        }
    }
}
