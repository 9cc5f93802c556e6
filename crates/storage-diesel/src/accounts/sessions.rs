//! Sessions.

use std::collections::{BTreeMap, HashMap};

use accounts::{NewSession, Session, SessionQueries, SessionRepository, UserActivity};
use api_conventions::ids::{SessionId, UserId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use diesel::dsl::{case_when, max};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable};
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::rows::sessions::{NewSessionRow, SessionRow, sessions};
use super::rows::tokens::access_tokens;
use super::rows::users::{ActivityRow, SIGNED_IN};
use super::tables::users;
use crate::transaction::row_limit;

#[for_each_database(dialect = crate::accounts)]
mod database {
    impl ::accounts::SessionQueriesWrapper for WriteTx<'_> {}

    impl SessionQueries for ReadTx<'_> {
        fn find_session(&mut self, digest: &SecretDigest) -> Result<Option<Session>, StoreError> {
            let with_digest = sessions::digest.eq(&digest.as_bytes()[..]);
            self.find::<SessionRow>("find session", sessions::table.filter(with_digest))
        }

        fn list_sessions(&mut self, user_id: UserId) -> Result<Vec<Session>, StoreError> {
            let its = sessions::table.filter(sessions::user_id.eq(user_id.get()));
            let latest_first = (sessions::last_seen_at.desc(), sessions::id.desc());
            self.list::<SessionRow>("list sessions", its.order(latest_first))
        }

        fn list_user_activity(
            &mut self,
            ids: &[UserId],
        ) -> Result<Vec<(UserId, UserActivity)>, StoreError> {
            const OPERATION: &str = "list activity of users";
            let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
            let known = users::table.filter(users::id.eq_any(&ids));
            let known: Vec<ActivityRow> =
                self.values(OPERATION, known.select(ActivityRow::as_select()))?;
            let its = sessions::user_id.eq_any(&ids);
            let its = its.and(sessions::stage.eq(SIGNED_IN));
            let of_sessions = sessions::table
                .filter(its)
                .group_by(sessions::user_id)
                .select((sessions::user_id, max(sessions::last_seen_at)));
            let of_tokens = access_tokens::table
                .filter(access_tokens::user_id.eq_any(&ids))
                .group_by(access_tokens::user_id)
                .select((access_tokens::user_id, max(access_tokens::last_used_at)));
            let of_sessions: Vec<(i64, Option<i64>)> = self.values(OPERATION, of_sessions)?;
            let of_tokens: Vec<(i64, Option<i64>)> = self.values(OPERATION, of_tokens)?;
            let mut seen: HashMap<i64, Option<i64>> = HashMap::new();
            for (user, at) in of_sessions.into_iter().chain(of_tokens) {
                let latest = seen.entry(user).or_default();
                *latest = at.max(*latest);
            }
            known.into_iter().map(|row| row.read(&seen)).collect()
        }
    }

    impl SessionRepository for WriteTx<'_> {
        fn insert_session(&mut self, new: &NewSession) -> Result<SessionId, StoreError> {
            let insert = diesel::insert_into(sessions::table).values(NewSessionRow::from(new));
            self.value("insert session", insert.returning(sessions::id))
                .map(SessionId::new)
        }

        fn note_sign_in(&mut self, user: UserId, at: Timestamp) -> Result<bool, StoreError> {
            let at = Some(at.as_micros());
            let before = case_when(
                users::current_sign_in_at.is_null(),
                at.into_sql::<Nullable<BigInt>>(),
            )
            .otherwise(users::current_sign_in_at);
            let note = diesel::update(users::table.find(user.get())).set((
                users::sign_in_count.eq(users::sign_in_count + 1),
                users::last_sign_in_at.eq(before),
                users::current_sign_in_at.eq(at),
            ));
            self.changes("record sign-in", note)
        }

        fn renew_session(
            &mut self,
            id: SessionId,
            digest: &SecretDigest,
            now: Timestamp,
        ) -> Result<bool, StoreError> {
            let now = now.as_micros();
            let seen = case_when(sessions::last_seen_at.lt(now), now.into_sql::<BigInt>())
                .otherwise(sessions::last_seen_at);
            let renew = diesel::update(sessions::table.find(id.get())).set((
                sessions::digest.eq(&digest.as_bytes()[..]),
                sessions::authenticated_at.eq(now),
                sessions::last_seen_at.eq(seen),
            ));
            self.changes("renew session", renew)
        }

        fn lock_session(&mut self, id: SessionId) -> Result<bool, StoreError> {
            self.run("lock session", |connection| {
                dialect::lock_session(connection, id.get())
            })
        }

        fn touch_sessions(&mut self, used: &[(SessionId, Timestamp)]) -> Result<(), StoreError> {
            let mut latest = BTreeMap::new();
            for (id, at) in used {
                let noted = latest.entry(id.get()).or_insert_with(|| at.as_micros());
                *noted = at.as_micros().max(*noted);
            }
            self.run("touch sessions", |connection| {
                dialect::touch_sessions(connection, &latest)
            })
        }

        fn delete_session(&mut self, id: SessionId) -> Result<bool, StoreError> {
            // Foreign keys delete the requests that wait in the session.
            let delete = diesel::delete(sessions::table.find(id.get()));
            self.changes("delete session", delete)
        }

        fn delete_sessions_of(
            &mut self,
            user_id: UserId,
            except: Option<SessionId>,
        ) -> Result<usize, StoreError> {
            self.run("delete sessions of a user", |connection| {
                let except = except.map(SessionId::get);
                dialect::delete_sessions_of(connection, user_id.get(), except)
            })
        }

        fn delete_ended_sessions(
            &mut self,
            before: Timestamp,
            unused_since: Timestamp,
            limit: usize,
        ) -> Result<usize, StoreError> {
            // One statement for each condition, so that the first finds its rows by an index.
            self.run("delete ended sessions", |connection| {
                let most = row_limit(limit);
                let expired = dialect::delete_expired_sessions(connection, before, most)?;
                let most = row_limit(limit.saturating_sub(expired));
                let unused = dialect::delete_unused_sessions(connection, unused_since, most)?;
                Ok(expired + unused)
            })
        }
    }
}
