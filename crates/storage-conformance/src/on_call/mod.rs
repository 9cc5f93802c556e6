//! `M`: promises of a store about on-call schedules and their overrides. A store of notifications may serve them or not.

mod deletion;
mod overrides;
mod schedules;
mod stored_schedule;

pub use stored_schedule::StoredSchedule;

use ::notifications::model::{
    LocalTime, NewOverride, NewSchedule, OnCallSchedule, QuietHours, ScheduleOverride,
    ScheduleSettings,
};
use ::notifications::store::{OnCallWriteTx, SaveSchedule};
use api_conventions::ids::{ProjectId, ScheduleId, UserId};
use api_conventions::time::CalendarDate;
use storage::{StoreError, StoreExt as _};

use crate::areas::OnCall;
use crate::samples::{timestamp, unexpected_conflict};
use crate::suite::suite;

suite! {
    $
    /// Tests that a [`Harness`](crate::Harness)'s store keeps the promises of the on-call schedules of `notifications`.
    on_call_suite = on_call::cases for OnCall;
    schedules {
        m86_a_taken_name_of_a_schedule_is_refused_and_changes_nothing,
        m87_schedules_of_a_project_are_listed_in_the_order_of_their_ids,
        m88_a_locked_schedule_is_not_changed_by_others,
    }
    overrides {
        m89_an_override_is_found_in_its_schedule_and_deleted_once,
        m90_overrides_that_end_after_a_time_are_listed_the_newest_first,
        m91_overrides_that_ended_before_a_time_are_deleted,
    }
    deletion {
        m92_schedules_take_their_overrides_with_them,
        m93_schedules_outlive_the_store needs Durable,
    }
    [StoredSchedule] {
        m80_a_schedule_comes_back_as_it_was_written = clauses::comes_back,
        m81_a_schedule_is_not_found_in_another_project = clauses::absence,
        m82_a_refused_write_leaves_no_schedule = clauses::rollback,
        m83_a_schedule_is_changed_in_its_project_only = clauses::changes,
        m84_a_schedule_is_deleted_once = clauses::deleted_once,
        m85_one_of_many_racing_schedules_gets_the_name = clauses::unique,
    }
}

fn settings(name: &str) -> ScheduleSettings {
    ScheduleSettings {
        name: name.to_owned(),
        time_zone: QuietHours::parse_time_zone("Europe/Berlin").unwrap(),
        handoff_time: LocalTime::parse("09:30").unwrap(),
        first_handoff: CalendarDate::parse("2026-11-30").unwrap(),
        turn_weeks: 2,
        participants: [3, 1, 2].map(UserId::new).to_vec(),
    }
}

fn schedule(project_id: ProjectId, name: &str) -> NewSchedule {
    NewSchedule {
        project_id,
        settings: settings(name),
        created_at: timestamp(1),
    }
}

fn insert_schedule(
    tx: &mut (dyn OnCallWriteTx + '_),
    new: &NewSchedule,
) -> Result<OnCallSchedule, StoreError> {
    match tx.insert_schedule(new)? {
        SaveSchedule::Saved(schedule) => Ok(schedule),
        SaveSchedule::NameTaken | SaveSchedule::NotFound => {
            Err(unexpected_conflict("insert schedule", &new.settings.name))
        }
    }
}

/// Inserts schedules with these names, and returns their ids.
fn insert_schedules<const N: usize>(
    store: &OnCall,
    new: [(ProjectId, &'static str); N],
) -> [ScheduleId; N] {
    let inserted = store.change(move |tx| {
        let mut ids = Vec::new();
        for (project, name) in new {
            ids.push(insert_schedule(tx, &schedule(project, name))?.id);
        }
        Ok(ids)
    });
    inserted.wait().unwrap().try_into().unwrap()
}

/// Inserts an override of a schedule that ends at this second, and returns it.
fn insert_override(
    tx: &mut (dyn OnCallWriteTx + '_),
    schedule_id: ScheduleId,
    until: i64,
) -> Result<ScheduleOverride, StoreError> {
    let content = NewOverride {
        schedule_id,
        user_id: UserId::new(until + 1),
        from: timestamp(until - 5),
        until: timestamp(until),
        created_by: UserId::new(7),
        created_at: timestamp(3),
    };
    let id = tx.insert_override(&content)?;
    Ok(ScheduleOverride { id, content })
}
