//! Sessions.

use std::collections::BTreeMap;

use accounts::{NewSession, Session, SessionQueries, SessionRepository};
use api_conventions::ids::{SessionId, UserId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use storage::StoreError;

use crate::error::from_diesel;
use crate::rows::sessions::{SessionRow, stage_number};
use crate::schema::sessions as session_table;

macro_rules! queries {
    ($tx:path, $connection:ty) => {
        const _: () = {
            use $tx as Tx;

            impl SessionQueries for Tx<'_> {
                fn find_session(
                    &mut self,
                    digest: &SecretDigest,
                ) -> Result<Option<Session>, StoreError> {
                    let row = session_table::table
                        .filter(session_table::digest.eq(&digest.as_bytes()[..]))
                        .select(SessionRow::as_select());
                    let row = row.get_result(self.connection()?).optional();
                    row.map_err(|e| from_diesel("find session", e))?
                        .map(SessionRow::read)
                        .transpose()
                }

                fn list_sessions(&mut self, user_id: UserId) -> Result<Vec<Session>, StoreError> {
                    let rows = session_table::table
                        .filter(session_table::user_id.eq(user_id.get()))
                        .order((session_table::last_seen_at.desc(), session_table::id.desc()))
                        .select(SessionRow::as_select())
                        .load(self.connection()?)
                        .map_err(|e| from_diesel("list sessions", e))?;
                    rows.into_iter().map(SessionRow::read).collect()
                }
            }
        };
    };
}

macro_rules! repository {
    ($connection:ty) => {
        impl SessionRepository for WriteTx<'_> {
            fn insert_session(&mut self, new: &NewSession) -> Result<SessionId, StoreError> {
                let id = diesel::insert_into(session_table::table)
                    .values((
                        session_table::digest.eq(&new.digest.as_bytes()[..]),
                        session_table::user_id.eq(new.user_id.get()),
                        session_table::stage.eq(stage_number(new.stage)),
                        session_table::user_agent.eq(&new.user_agent),
                        session_table::address.eq(&new.address),
                        session_table::authenticated_at.eq(new.authenticated_at.as_micros()),
                        session_table::last_seen_at.eq(new.authenticated_at.as_micros()),
                        session_table::expires_at.eq(new.expires_at.as_micros()),
                    ))
                    .returning(session_table::id)
                    .get_result(self.connection()?);
                id.map(SessionId::new)
                    .map_err(|e| from_diesel("insert session", e))
            }

            fn renew_session(
                &mut self,
                id: SessionId,
                digest: &SecretDigest,
                now: Timestamp,
            ) -> Result<bool, StoreError> {
                let now = now.as_micros();
                let seen = diesel::dsl::case_when(
                    session_table::last_seen_at.lt(now),
                    now.into_sql::<diesel::sql_types::BigInt>(),
                )
                .otherwise(session_table::last_seen_at);
                let renewed = diesel::update(session_table::table.find(id.get()))
                    .set((
                        session_table::digest.eq(&digest.as_bytes()[..]),
                        session_table::authenticated_at.eq(now),
                        session_table::last_seen_at.eq(seen),
                    ))
                    .execute(self.connection()?);
                renewed
                    .map(|rows| rows > 0)
                    .map_err(|e| from_diesel("renew session", e))
            }

            fn lock_session(&mut self, id: SessionId) -> Result<bool, StoreError> {
                sessions::lock(self.connection()?, id.get())
                    .map_err(|e| from_diesel("lock session", e))
            }

            fn touch_sessions(
                &mut self,
                used: &[(SessionId, Timestamp)],
            ) -> Result<(), StoreError> {
                let mut latest = BTreeMap::new();
                for (id, at) in used {
                    let noted = latest.entry(id.get()).or_insert_with(|| at.as_micros());
                    *noted = at.as_micros().max(*noted);
                }
                sessions::touch(self.connection()?, &latest)
                    .map_err(|e| from_diesel("touch sessions", e))
            }

            fn delete_session(&mut self, id: SessionId) -> Result<bool, StoreError> {
                // The requests that wait in it go with it by their foreign key.
                let deleted = diesel::delete(session_table::table.find(id.get()));
                deleted
                    .execute(self.connection()?)
                    .map(|rows| rows > 0)
                    .map_err(|e| from_diesel("delete session", e))
            }

            fn delete_sessions_of(
                &mut self,
                user_id: UserId,
                except: Option<SessionId>,
            ) -> Result<usize, StoreError> {
                let except = except.map(SessionId::get);
                sessions::delete_of(self.connection()?, user_id.get(), except)
                    .map_err(|e| from_diesel("delete sessions of a user", e))
            }

            fn delete_ended_sessions(
                &mut self,
                before: Timestamp,
                unused_since: Timestamp,
                limit: usize,
            ) -> Result<usize, StoreError> {
                let failed = |e| from_diesel("delete ended sessions", e);
                let bound = |limit: usize| i64::try_from(limit).unwrap_or(i64::MAX);
                // One statement for each cause, so that the first finds its rows by an index.
                let expired = sessions::delete_expired(self.connection()?, before, bound(limit));
                let expired = expired.map_err(failed)?;
                let rest = bound(limit.saturating_sub(expired));
                let unused = sessions::delete_unused(self.connection()?, unused_since, rest);
                Ok(expired + unused.map_err(failed)?)
            }
        }
    };
}

super::for_each_database!(queries, repository, sessions);
