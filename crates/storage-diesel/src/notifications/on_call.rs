//! Repository of on-call schedules and their overrides.

use ::notifications::model::{
    NewOverride, NewSchedule, OnCallSchedule, ScheduleOverride, ScheduleSettings,
};
use ::notifications::store::{OnCallQueries, OnCallRepository, SaveSchedule};
use api_conventions::ids::{OverrideId, ProjectId, ScheduleId};
use api_conventions::time::Timestamp;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::schedule::{
    ChangedScheduleRow, NewOverrideRow, NewScheduleRow, OverrideRow, ScheduleRow,
    on_call_overrides as overrides, on_call_schedules as schedules,
};
use crate::delete_some::delete_some;
use crate::rows::DomainRow as _;
use crate::transaction::row_limit;

const UPDATE: &str = "update on-call schedule";

#[for_each_database]
mod database {
    impl ::notifications::store::OnCallQueriesWrapper for WriteTx<'_> {}

    impl OnCallQueries for ReadTx<'_> {
        fn find_schedule(
            &mut self,
            project: ProjectId,
            id: ScheduleId,
        ) -> Result<Option<OnCallSchedule>, StoreError> {
            let of_project = schedules::project_id.eq(project.get());
            let found = schedules::table.find(id.get()).filter(of_project);
            self.find::<ScheduleRow>("find on-call schedule", found)
        }

        fn list_schedules(
            &mut self,
            project: ProjectId,
            limit: usize,
        ) -> Result<Vec<OnCallSchedule>, StoreError> {
            // The sum keeps the planner from reading all schedules in the order of their ids.
            let rows = schedules::table
                .filter(schedules::project_id.eq(project.get()))
                .order(sql::<BigInt>("on_call_schedules.id + 0"))
                .limit(row_limit(limit));
            self.list::<ScheduleRow>("list on-call schedules", rows)
        }

        fn find_override(
            &mut self,
            schedule: ScheduleId,
            id: OverrideId,
        ) -> Result<Option<ScheduleOverride>, StoreError> {
            let of_schedule = overrides::schedule_id.eq(schedule.get());
            let found = overrides::table.find(id.get()).filter(of_schedule);
            self.find::<OverrideRow>("find override", found)
        }

        fn list_overrides(
            &mut self,
            schedules: &[ScheduleId],
            time: Timestamp,
            limit: usize,
        ) -> Result<Vec<ScheduleOverride>, StoreError> {
            let schedules = schedules.iter().map(|id| id.get());
            // The sum keeps the planner from reading all overrides in the order of their ids.
            let rows = overrides::table
                .filter(overrides::schedule_id.eq_any(schedules))
                .filter(overrides::ends_at.gt(time.as_micros()))
                .order(sql::<BigInt>("on_call_overrides.id + 0 DESC"))
                .limit(row_limit(limit));
            self.list::<OverrideRow>("list overrides", rows)
        }
    }

    impl OnCallRepository for WriteTx<'_> {
        fn insert_schedule(&mut self, new: &NewSchedule) -> Result<SaveSchedule, StoreError> {
            let insert = diesel::insert_into(schedules::table)
                .values(NewScheduleRow::from(new))
                .on_conflict_do_nothing()
                .returning(schedules::id);
            let id: Option<i64> = self.value_if("insert on-call schedule", insert)?;
            Ok(id.map_or(SaveSchedule::NameTaken, |id| {
                SaveSchedule::Saved(new.stored(ScheduleId::new(id)))
            }))
        }

        fn update_schedule(
            &mut self,
            project: ProjectId,
            id: ScheduleId,
            settings: &ScheduleSettings,
            now: Timestamp,
        ) -> Result<SaveSchedule, StoreError> {
            let of_project = schedules::project_id.eq(project.get());
            let found = schedules::table.find(id.get()).filter(of_project);
            let named = schedules::table
                .filter(of_project)
                .filter(schedules::name.eq(settings.name.as_str()))
                .select(schedules::id);
            let named: Option<i64> = self.value_if(UPDATE, named)?;
            if named.is_some_and(|other| other != id.get()) {
                let schedule = self.find::<ScheduleRow>(UPDATE, found)?;
                return Ok(schedule.map_or(SaveSchedule::NotFound, |_| SaveSchedule::NameTaken));
            }
            let update = diesel::update(found)
                .set(ChangedScheduleRow::of(settings, now))
                .returning(ScheduleRow::as_returning());
            let row: Option<ScheduleRow> = self.value_if(UPDATE, update)?;
            let schedule = row.map(ScheduleRow::read).transpose()?;
            Ok(schedule.map_or(SaveSchedule::NotFound, SaveSchedule::Saved))
        }

        fn delete_schedule(
            &mut self,
            project: ProjectId,
            id: ScheduleId,
        ) -> Result<bool, StoreError> {
            let of_project = schedules::project_id.eq(project.get());
            let found = schedules::table.find(id.get()).filter(of_project);
            self.changes("delete on-call schedule", diesel::delete(found))
        }

        fn lock_schedule(
            &mut self,
            project: ProjectId,
            id: ScheduleId,
        ) -> Result<Option<OnCallSchedule>, StoreError> {
            let of_project = schedules::project_id.eq(project.get());
            let found = schedules::table.find(id.get()).filter(of_project);
            // An update that changes nothing locks the row, in both databases alike.
            let lock = diesel::update(found)
                .set(schedules::updated_at.eq(schedules::updated_at))
                .returning(ScheduleRow::as_returning());
            let row: Option<ScheduleRow> = self.value_if("lock on-call schedule", lock)?;
            row.map(ScheduleRow::read).transpose()
        }

        fn insert_override(&mut self, new: &NewOverride) -> Result<OverrideId, StoreError> {
            let insert = diesel::insert_into(overrides::table)
                .values(NewOverrideRow::from(new))
                .returning(overrides::id);
            let id: i64 = self.value("insert override", insert)?;
            Ok(OverrideId::new(id))
        }

        fn delete_override(
            &mut self,
            schedule: ScheduleId,
            id: OverrideId,
        ) -> Result<bool, StoreError> {
            let of_schedule = overrides::schedule_id.eq(schedule.get());
            let found = overrides::table.find(id.get()).filter(of_schedule);
            self.changes("delete override", diesel::delete(found))
        }

        fn delete_overrides_before(
            &mut self,
            time: Timestamp,
            limit: usize,
        ) -> Result<usize, StoreError> {
            let over = overrides::table
                .filter(overrides::ends_at.lt(time.as_micros()))
                .order(overrides::ends_at)
                .limit(row_limit(limit))
                .select(overrides::id);
            let over: Vec<i64> = self.values("list old overrides", over)?;
            let over = overrides::table.filter(overrides::id.eq_any(over));
            self.execute("delete old overrides", diesel::delete(over))
        }

        fn delete_schedules_of(
            &mut self,
            project: ProjectId,
            limit: usize,
        ) -> Result<usize, StoreError> {
            let some = delete_some("on_call_schedules", "id", project);
            let delete = diesel::sql_query(format!("{some}{})", row_limit(limit)));
            self.execute("delete on-call schedules of project", delete)
        }
    }
}
