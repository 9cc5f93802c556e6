//! Contributions of users by day.

use std::collections::BTreeMap;

use ::events::rules::contributions::is_contribution;
use ::events::{
    Action, Audience, ContributionCount, ContributionFilter, ContributionGroup, TargetType,
};
use api_conventions::ids::{ProjectId, UserId};
use api_conventions::time::{CalendarDate, Timestamp};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use crate::delete_some::{UserReference, delete_some};
use crate::events::rows::events;
use crate::rows::RowReader;
use crate::transaction::row_limit;

diesel::table! {
    contributions (user_id, day, project_id, audience, is_push) {
        user_id -> BigInt,
        day -> Integer,
        project_id -> BigInt,
        audience -> SmallInt,
        is_push -> Bool,
        count -> BigInt,
    }
}

/// Columns of the key.
const KEY: &str = "user_id, day, project_id, audience, is_push";

const MOVE: &str = "move contributions";

/// Row of the table, in the order of its columns.
type ContributionRow = (i64, i32, i64, i16, bool, i64);

fn read(row: ContributionRow) -> Result<ContributionCount, StoreError> {
    let (user, day, project, audience, is_push, count) = row;
    let reader = RowReader::new("contributions", user);
    let group = ContributionGroup {
        user_id: UserId::new(user),
        day: reader.require(CalendarDate::from_days(day), "unknown day")?,
        project_id: ProjectId::new(project),
        audience: reader.require(Audience::from_number(audience), "unknown audience")?,
        is_push,
    };
    let count = reader.require(u64::try_from(count).ok(), "negative count")?;
    Ok(ContributionCount { group, count })
}

/// Returns the row that adds a number to the contributions of a group.
pub(super) fn row_of(group: &ContributionGroup, count: u64) -> ContributionRow {
    (
        group.user_id.get(),
        group.day.as_days(),
        group.project_id.get(),
        group.audience.number(),
        group.is_push,
        i64::try_from(count).unwrap_or(i64::MAX),
    )
}

/// Event whose audience changes: its author, its action, its audience and its time.
type ChangingEvent = (i64, i16, i16, i64);

/// Groups of the contributions among events whose audience changes.
fn groups_of(
    rows: Vec<ChangingEvent>,
    project_id: ProjectId,
    kind: TargetType,
) -> BTreeMap<ContributionGroup, i64> {
    let mut groups = BTreeMap::new();
    for (author, action, audience, micros) in rows {
        let action =
            Action::from_number(action).filter(|action| is_contribution(*action, Some(kind)));
        let audience = Audience::from_number(audience);
        let (Some(_), Some(audience), Some(at)) =
            (action, audience, Timestamp::from_micros(micros))
        else {
            continue;
        };
        let group = ContributionGroup {
            user_id: UserId::new(author),
            day: at.date(),
            project_id,
            audience,
            is_push: false,
        };
        *groups.entry(group).or_default() += 1;
    }
    groups
}

#[for_each_database(dialect = crate::events)]
mod database {
    impl ReadTx<'_> {
        pub(in crate::events) fn contributions_of(
            &mut self,
            filter: &ContributionFilter,
            limit: usize,
        ) -> Result<Vec<ContributionCount>, StoreError> {
            let days = contributions::table
                .filter(contributions::user_id.eq(filter.user_id.get()))
                .filter(contributions::day.ge(filter.from.as_days()))
                .filter(contributions::day.le(filter.to.as_days()))
                .filter(contributions::count.gt(0))
                .order((
                    contributions::day.desc(),
                    contributions::project_id.asc(),
                    contributions::audience.asc(),
                    contributions::is_push.asc(),
                ))
                .limit(row_limit(limit));
            let rows: Vec<ContributionRow> = self.values("list contributions", days)?;
            rows.into_iter().map(read).collect()
        }
    }

    impl WriteTx<'_> {
        /// Moves the contributions among events of a project to an audience, before the events themselves follow.
        pub(in crate::events) fn move_contributions(
            &mut self,
            project: ProjectId,
            kind: TargetType,
            ids: &[i64],
            audience: Audience,
        ) -> Result<(), StoreError> {
            let changing = events::table
                .filter(events::project_id.eq(project.get()))
                .filter(events::target_type.eq(kind.number()))
                .filter(events::target_id.eq_any(ids.to_vec()))
                .filter(sql::<Bool>("audience <= 20"))
                .filter(events::audience.ne(audience.number()))
                .select((
                    events::author_id,
                    events::action,
                    events::audience,
                    events::created_at,
                ));
            let changing: Vec<ChangingEvent> = self.values(MOVE, changing)?;
            let mut added = BTreeMap::new();
            for (group, count) in groups_of(changing, project, kind) {
                let key = contributions::table.find((
                    group.user_id.get(),
                    group.day.as_days(),
                    project.get(),
                    group.audience.number(),
                    false,
                ));
                // A user who was deleted, and whose entries have another author, has no contributions.
                let enough = key.filter(contributions::count.ge(count));
                let less = diesel::update(enough)
                    .set(contributions::count.eq(contributions::count - count));
                if self.changes(MOVE, less)? {
                    let moved = ContributionGroup { audience, ..group };
                    *added.entry(moved).or_default() += count.unsigned_abs();
                }
            }
            dialect::add_contributions(self, &added)
        }

        /// Deletes contributions of a user.
        pub(in crate::events) fn delete_contributions_of_user(
            &mut self,
            user: UserId,
            limit: usize,
        ) -> Result<usize, StoreError> {
            let some = UserReference::new("contributions", KEY, "user_id").delete(user);
            let some = diesel::sql_query(format!("{some}{limit})"));
            self.execute("delete contributions of user", some)
        }

        /// Deletes contributions to a project.
        pub(in crate::events) fn delete_contributions_of_project(
            &mut self,
            project: ProjectId,
            limit: usize,
        ) -> Result<usize, StoreError> {
            let some = delete_some("contributions", KEY, project);
            let some = diesel::sql_query(format!("{some}{limit})"));
            self.execute("delete contributions to project", some)
        }

        /// Deletes contributions to a project on days that ended before a time.
        pub(in crate::events) fn delete_contributions_before(
            &mut self,
            project: ProjectId,
            before: Timestamp,
            limit: usize,
        ) -> Result<usize, StoreError> {
            let day = before.date().as_days();
            let some = diesel::sql_query(format!(
                "DELETE FROM contributions WHERE ({KEY}) IN (SELECT {KEY} FROM contributions \
                 WHERE project_id = {project} AND day < {day} LIMIT {limit})"
            ));
            self.execute("delete old contributions", some)
        }
    }
}

#[cfg(test)]
crate::schema::described!(contributions);
