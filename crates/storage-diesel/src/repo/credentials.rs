//! What people sign in with, and how often they failed to.

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

use crate::cached_statement::cached;
use crate::error::from_diesel;
use crate::rows::accounts::{UserRow, user_kind};
use crate::rows::credentials::{CredentialRow, read_failures};
use crate::schema::{recovery_codes, sign_in_failures as failures, users};

macro_rules! queries {
    ($tx:path, $connection:ty) => {
        const _: () = {
            use $tx as Tx;

            /// Reads what a person signs in with, given the row of the user.
            fn read(
                connection: &mut $connection,
                row: Option<(UserRow, CredentialRow)>,
            ) -> Result<Option<Credentials>, StoreError> {
                let Some((user, row)) = row else {
                    return Ok(None);
                };
                let user = user.read()?;
                let mut codes_left = 0;
                if row.has_second_factor() {
                    codes_left = recovery_codes::table
                        .filter(recovery_codes::user_id.eq(user.id.get()))
                        .count()
                        .get_result(connection)
                        .map_err(|e| from_diesel("count recovery codes", e))?;
                }
                row.read(user, codes_left).map(Some)
            }

            impl CredentialQueries for Tx<'_> {
                fn find_credentials(
                    &mut self,
                    login: &str,
                ) -> Result<Option<Credentials>, StoreError> {
                    let failed = |e| from_diesel("find credentials", e);
                    let key = login.to_lowercase();
                    let people = users::table
                        .filter(users::kind.eq(user_kind(UserKind::Human)))
                        .select((UserRow::as_select(), CredentialRow::as_select()));
                    let by_name = people.filter(users::username_key.eq(&key));
                    let by_name = by_name.get_result(self.connection()?).optional();
                    let mut row = by_name.map_err(failed)?;
                    if row.is_none() {
                        let by_email = people.filter(users::email_key.eq(&key));
                        let by_email = by_email.get_result(self.connection()?).optional();
                        row = by_email.map_err(failed)?;
                    }
                    read(self.connection()?, row)
                }

                fn find_credentials_of(
                    &mut self,
                    id: UserId,
                ) -> Result<Option<Credentials>, StoreError> {
                    let row = users::table
                        .find(id.get())
                        .filter(users::kind.eq(user_kind(UserKind::Human)))
                        .select((UserRow::as_select(), CredentialRow::as_select()))
                        .get_result(self.connection()?)
                        .optional()
                        .map_err(|e| from_diesel("find credentials", e))?;
                    read(self.connection()?, row)
                }

                fn find_failures(
                    &mut self,
                    key: &SecretDigest,
                ) -> Result<Option<Failures>, StoreError> {
                    let row = failures::table
                        .find(&key.as_bytes()[..])
                        .select((failures::failures, failures::since))
                        .get_result(self.connection()?)
                        .optional();
                    row.map_err(|e| from_diesel("find failures", e))?
                        .map(read_failures)
                        .transpose()
                }
            }
        };
    };
}

macro_rules! repository {
    ($connection:ty) => {
        impl WriteTx<'_> {
            /// Locks the user whose second factor is on: the write that changes nothing waits for others that
            /// change it. `false` when it is off.
            fn lock_second_factor(&mut self, id: UserId) -> Result<bool, StoreError> {
                let on = users::second_factor_enabled_at.is_not_null();
                let locked = diesel::update(users::table.find(id.get()).filter(on))
                    .set(users::second_factor_enabled_at.eq(users::second_factor_enabled_at))
                    .execute(self.connection()?);
                locked
                    .map(|rows| rows > 0)
                    .map_err(|e| from_diesel("lock second factor", e))
            }

            /// Puts codes in place of all others of a user that is locked.
            fn put_recovery_codes(
                &mut self,
                id: UserId,
                codes: &[SecretDigest],
            ) -> Result<(), StoreError> {
                let failed = |e| from_diesel("put recovery codes", e);
                diesel::delete(recovery_codes::table.filter(recovery_codes::user_id.eq(id.get())))
                    .execute(self.connection()?)
                    .map_err(failed)?;
                for code in codes {
                    diesel::insert_into(recovery_codes::table)
                        .values((
                            recovery_codes::user_id.eq(id.get()),
                            recovery_codes::digest.eq(&code.as_bytes()[..]),
                        ))
                        .execute(self.connection()?)
                        .map_err(failed)?;
                }
                Ok(())
            }
        }

        impl CredentialRepository for WriteTx<'_> {
            fn lock_user(&mut self, id: UserId) -> Result<bool, StoreError> {
                credentials::lock(self.connection()?, id.get())
                    .map_err(|e| from_diesel("lock user", e))
            }

            fn set_password(
                &mut self,
                id: UserId,
                password: &PasswordHash,
            ) -> Result<bool, StoreError> {
                let changed = diesel::update(users::table.find(id.get()))
                    .set(users::password_hash.eq(password.as_str()))
                    .execute(self.connection()?);
                changed
                    .map(|rows| rows > 0)
                    .map_err(|e| from_diesel("set password", e))
            }

            fn set_user_state(&mut self, id: UserId, state: UserState) -> Result<bool, StoreError> {
                let blocked_at = match state {
                    UserState::Active => None,
                    UserState::Blocked { at } => Some(at.as_micros()),
                };
                let changed = diesel::update(users::table.find(id.get()))
                    .set(users::blocked_at.eq(blocked_at))
                    .execute(self.connection()?);
                changed
                    .map(|rows| rows > 0)
                    .map_err(|e| from_diesel("set user state", e))
            }

            fn put_second_factor(
                &mut self,
                id: UserId,
                sealed: &[u8],
                last_step: i64,
                recovery_codes: &[SecretDigest],
                now: Timestamp,
            ) -> Result<bool, StoreError> {
                let changed = diesel::update(users::table.find(id.get()))
                    .set((
                        users::second_factor_enabled_at.eq(now.as_micros()),
                        users::second_factor_sealed.eq(sealed),
                        users::second_factor_last_step.eq(last_step),
                    ))
                    .execute(self.connection()?);
                if changed.map_err(|e| from_diesel("put second factor", e))? == 0 {
                    return Ok(false);
                }
                self.put_recovery_codes(id, recovery_codes)?;
                Ok(true)
            }

            fn delete_second_factor(&mut self, id: UserId) -> Result<bool, StoreError> {
                let on = users::second_factor_enabled_at.is_not_null();
                let changed = diesel::update(users::table.find(id.get()).filter(on))
                    .set((
                        users::second_factor_enabled_at.eq(None::<i64>),
                        users::second_factor_sealed.eq(None::<&[u8]>),
                        users::second_factor_last_step.eq(None::<i64>),
                    ))
                    .execute(self.connection()?);
                if changed.map_err(|e| from_diesel("delete second factor", e))? == 0 {
                    return Ok(false);
                }
                self.put_recovery_codes(id, &[])?;
                Ok(true)
            }

            fn take_time_step(&mut self, id: UserId, step: i64) -> Result<bool, StoreError> {
                let unspent = users::second_factor_last_step.lt(step);
                let taken = diesel::update(users::table.find(id.get()).filter(unspent))
                    .set(users::second_factor_last_step.eq(step))
                    .execute(self.connection()?);
                taken
                    .map(|rows| rows > 0)
                    .map_err(|e| from_diesel("take time step", e))
            }

            fn take_recovery_code(
                &mut self,
                id: UserId,
                code: &SecretDigest,
            ) -> Result<bool, StoreError> {
                if !self.lock_second_factor(id)? {
                    return Ok(false);
                }
                let its = recovery_codes::table.find((id.get(), &code.as_bytes()[..]));
                let taken = diesel::delete(its).execute(self.connection()?);
                taken
                    .map(|rows| rows > 0)
                    .map_err(|e| from_diesel("take recovery code", e))
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
                let row = cached(
                    diesel::insert_into(failures::table)
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
                            failures::since.eq(case_when(old, excluded(failures::since))
                                .otherwise(failures::since)),
                        ))
                        .returning((failures::failures, failures::since)),
                )
                .get_result(self.connection()?);
                row.map_err(|e| from_diesel("count failure", e))
                    .and_then(read_failures)
            }

            fn forget_failures(&mut self, key: &SecretDigest) -> Result<(), StoreError> {
                diesel::delete(failures::table.find(&key.as_bytes()[..]))
                    .execute(self.connection()?)
                    .map(drop)
                    .map_err(|e| from_diesel("forget failures", e))
            }

            fn delete_old_failures(&mut self, before: Timestamp) -> Result<usize, StoreError> {
                diesel::delete(failures::table.filter(failures::since.lt(before.as_micros())))
                    .execute(self.connection()?)
                    .map_err(|e| from_diesel("delete old failures", e))
            }
        }
    };
}

super::for_each_database!(queries, repository, credentials);
