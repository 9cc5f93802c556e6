//! Changes of errors by users, and the deletion of errors.

use api_conventions::ids::{ErrorId, ErrorIid, ErrorKeyId, IssueId, ProjectId, UserId};
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use error_tracking::model::{ErrorState, TrackedError};
use error_tracking::store::{ErrorQueries as _, ErrorRepository, EventPosition};
use storage::{Locked, StoreError};
use storage_diesel_macros::for_each_database;

use super::rows::errors::{ErrorRow, NewErrorRow, errors};
use super::rows::terms;
use super::statements::RESERVE;
use super::stored_values::time;
use super::tables::{error_keys, error_links, error_redirects};
use super::{deletion, merge, row_deleted};
use crate::bulk::{Bulk, ComposedQuery};
use crate::delete_some::UserReference;

const MERGE: &str = "merge errors";
const SPLIT: &str = "split error";

#[for_each_database(dialect = crate::errors)]
mod database {
    impl WriteTx<'_> {
        /// Counts the users who have seen an error by any of its keys.
        fn count_error_users(&mut self, error: ErrorId) -> Result<i64, StoreError> {
            self.value(
                "count users of error",
                ComposedQuery::<BigInt>::new(format!(
                    "SELECT COUNT(DISTINCT mark) FROM error_users WHERE key_id IN \
                         (SELECT id FROM error_keys WHERE error_id = {error})"
                )),
            )
        }

        /// Writes all columns of an existing error.
        fn write_error(
            &mut self,
            operation: &'static str,
            error: &TrackedError,
        ) -> Result<(), StoreError> {
            let (status, terms) = terms::columns(&error.state.status);
            let update = diesel::update(errors::table.find(error.id.get())).set((
                errors::status.eq(status),
                errors::terms.eq(terms),
                errors::assignee_id.eq(error.state.assignee_id.map(UserId::get)),
                errors::issue_id.eq(error.state.issue_id.map(IssueId::get)),
                errors::title.eq(&error.facts.title),
                errors::culprit.eq(&error.facts.culprit),
                errors::location.eq(error.facts.location.as_deref()),
                errors::level.eq(error.facts.level.number()),
                errors::platform.eq(&error.facts.platform),
                errors::first_seen.eq(error.first_seen.as_micros()),
                errors::last_seen.eq(error.last_seen.as_micros()),
                errors::events.eq(error.events),
                errors::users.eq(error.users),
                errors::first_release.eq(error.first_release.as_deref()),
                errors::last_release.eq(error.last_release.as_deref()),
                errors::regressed_at.eq(error.regressed_at.map(Timestamp::as_micros)),
            ));
            if self.changes(operation, update)? {
                Ok(())
            } else {
                Err(row_deleted(operation))
            }
        }

        /// Recomputes an error from its keys: its events and users, when it was seen, and the content of its latest
        /// event.
        fn recount(&mut self, error: &mut TrackedError) -> Result<(), StoreError> {
            let of_keys = ComposedQuery::<(BigInt, BigInt, BigInt)>::new(format!(
                "SELECT CAST(COALESCE(SUM(k.events), 0) AS BIGINT), MIN(k.first_seen), MAX(k.first_seen) \
                     FROM error_keys AS k WHERE k.error_id = {}",
                error.id
            ));
            let (events, first, last): (i64, i64, i64) = self.value(SPLIT, of_keys)?;
            error.events = events;
            error.first_seen = time("error_keys", first)?;
            error.last_seen = time("error_keys", last)?;
            error.users = self.count_error_users(error.id)?;
            if let Some(latest) = self.find_error_event(error.id, EventPosition::Latest)? {
                error.last_seen = latest.summary.received_at;
                error.facts.title = latest.summary.title;
                error.facts.level = latest.summary.level;
            }
            Ok(())
        }

        /// Returns the release that the first or the latest of an error's stored events names.
        fn named_release(
            &mut self,
            error: ErrorId,
            direction: &str,
        ) -> Result<Option<String>, StoreError> {
            let named = ComposedQuery::<diesel::sql_types::Text>::new(format!(
                "SELECT e.release FROM error_events AS e JOIN error_keys AS k ON k.id = e.key_id \
                     WHERE k.error_id = {error} AND e.body IS NOT NULL AND e.release IS NOT NULL \
                     ORDER BY e.id {direction} LIMIT 1"
            ));
            self.value_if(SPLIT, named)
        }
    }

    impl ErrorRepository for WriteTx<'_> {
        fn lock_error(
            &mut self,
            project: ProjectId,
            iid: ErrorIid,
        ) -> Result<Option<Locked<TrackedError>>, StoreError> {
            dialect::lock_errors(self, &[project.get()])?;
            Ok(self.find_error(project, iid)?.map(Locked::by_adapter))
        }

        fn update_error(
            &mut self,
            error: Locked<TrackedError>,
            state: &ErrorState,
        ) -> Result<TrackedError, StoreError> {
            let mut error = error.into_inner();
            error.state = state.clone();
            error.regressed_at = None;
            self.write_error("update error", &error)?;
            Ok(error)
        }

        fn merge_errors(
            &mut self,
            from: Locked<TrackedError>,
            to: Locked<TrackedError>,
        ) -> Result<TrackedError, StoreError> {
            let keys = error_keys::table.filter(error_keys::error_id.eq(from.id.get()));
            let give = diesel::update(keys).set(error_keys::error_id.eq(to.id.get()));
            self.execute(MERGE, give)?;
            let users = self.count_error_users(to.id)?;
            let merged = merge::merged(&from, &to, users);
            self.execute(MERGE, diesel::delete(errors::table.find(from.id.get())))?;
            let led = error_redirects::error_id.eq(from.id.get());
            let lead_on = diesel::update(error_redirects::table.filter(led));
            self.execute(
                MERGE,
                lead_on.set(error_redirects::error_id.eq(to.id.get())),
            )?;
            let redirect = diesel::insert_into(error_redirects::table).values((
                error_redirects::id.eq(from.id.get()),
                error_redirects::project_id.eq(from.project_id.get()),
                error_redirects::iid.eq(from.iid.get()),
                error_redirects::error_id.eq(to.id.get()),
            ));
            self.execute(MERGE, redirect)?;
            self.write_error(MERGE, &merged)?;
            Ok(merged)
        }

        fn split_error_key(
            &mut self,
            error: Locked<TrackedError>,
            key: ErrorKeyId,
        ) -> Result<TrackedError, StoreError> {
            let reserve = Bulk::<(BigInt, BigInt)>::new(&RESERVE, [(error.project_id.get(), 1)]);
            let (_, next): (i64, i64) = self.value(SPLIT, reserve)?;
            let mut new = merge::split(&error);
            new.iid = ErrorIid::new(next - 1);
            let insert = diesel::insert_into(errors::table)
                .values(NewErrorRow::from(&new))
                .returning(errors::id);
            new.id = ErrorId::new(self.value(SPLIT, insert)?);
            let of_error = error_keys::error_id.eq(error.id.get());
            let row = error_keys::table.find(key.get()).filter(of_error);
            let give = diesel::update(row).set(error_keys::error_id.eq(new.id.get()));
            if !self.changes(SPLIT, give)? {
                return Err(row_deleted(SPLIT));
            }
            self.recount(&mut new)?;
            new.first_release = self.named_release(new.id, "ASC")?;
            new.last_release = self.named_release(new.id, "DESC")?;
            self.write_error(SPLIT, &new)?;
            let mut error = error.into_inner();
            self.recount(&mut error)?;
            self.write_error(SPLIT, &error)?;
            Ok(new)
        }

        fn delete_error(&mut self, error: Locked<TrackedError>) -> Result<(), StoreError> {
            for delete in deletion::rows_of_error(error.id) {
                self.execute("delete error", diesel::sql_query(delete))?;
            }
            Ok(())
        }

        fn unlink_issue(&mut self, issue: IssueId) -> Result<Option<ErrorId>, StoreError> {
            let links = error_links::table.filter(error_links::issue_id.eq(issue.get()));
            self.execute("unlink issue", diesel::delete(links))?;
            let linked = errors::table.filter(errors::issue_id.eq(issue.get()));
            let unlink = diesel::update(linked)
                .set(errors::issue_id.eq(None::<i64>))
                .returning(errors::id);
            let id: Option<i64> = self.value_if("unlink issue", unlink)?;
            Ok(id.map(ErrorId::new))
        }

        fn lock_error_of_issue(
            &mut self,
            project: ProjectId,
            issue: IssueId,
        ) -> Result<Option<Locked<TrackedError>>, StoreError> {
            dialect::lock_errors(self, &[project.get()])?;
            let linked = errors::table
                .filter(errors::issue_id.eq(issue.get()))
                .filter(errors::project_id.eq(project.get()))
                .order(errors::id)
                .limit(1);
            let found = self.find::<ErrorRow>("find error of issue", linked)?;
            Ok(found.map(Locked::by_adapter))
        }

        fn delete_errors_of(
            &mut self,
            project: ProjectId,
            limit: usize,
        ) -> Result<usize, StoreError> {
            let mut left = limit;
            for text in deletion::rows_of(project) {
                if left == 0 {
                    break;
                }
                let delete = diesel::sql_query(format!("{text}{left})"));
                left -= self.execute("delete errors of project", delete)?;
            }
            Ok(limit - left)
        }

        fn unassign_errors_of(
            &mut self,
            assignee: UserId,
            limit: usize,
        ) -> Result<usize, StoreError> {
            let some = UserReference::new("errors", "id", "assignee_id").replace(assignee, None);
            let update = diesel::sql_query(format!("{some}{limit})"));
            self.execute("unassign errors of user", update)
        }
    }
}
