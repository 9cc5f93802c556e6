//! A schedule as an entity.

use ::notifications::model::{
    LocalTime, NewSchedule, OnCallSchedule, QuietHours, ScheduleSettings,
};
use ::notifications::store::SaveSchedule;
use api_conventions::ids::{ProjectId, ScheduleId, UserId};
use api_conventions::time::{CalendarDate, Timestamp};

use super::{insert_schedule, schedule};
use crate::areas::OnCall;
use crate::entity::Entity as _;
use crate::entity::declare::entity;
use crate::samples::{HOSTILE, timestamp};

/// Schedules at the limits of the columns.
fn edges(project: ProjectId) -> Vec<NewSchedule> {
    let time_zone = |name| QuietHours::parse_time_zone(name).unwrap();
    let handoff_time = |text| LocalTime::parse(text).unwrap();
    vec![
        NewSchedule {
            project_id: project,
            settings: ScheduleSettings {
                name: HOSTILE.repeat(9),
                time_zone: time_zone("America/Argentina/ComodRivadavia"),
                handoff_time: handoff_time("00:00"),
                first_handoff: CalendarDate::parse("0001-01-01").unwrap(),
                turn_weeks: 0,
                participants: Vec::new(),
            },
            created_at: Timestamp::MIN,
        },
        NewSchedule {
            project_id: project,
            settings: ScheduleSettings {
                name: String::new(),
                time_zone: time_zone("Etc/GMT+12"),
                handoff_time: handoff_time("23:59"),
                first_handoff: CalendarDate::LAST,
                turn_weeks: u32::MAX,
                participants: (0..50)
                    .map(|number| UserId::new(i64::MAX - number))
                    .collect(),
            },
            created_at: Timestamp::MAX,
        },
    ]
}

/// Settings by a number.
fn changed_settings(number: u32) -> ScheduleSettings {
    let zone = if number.is_multiple_of(2) {
        "Asia/Kathmandu"
    } else {
        "UTC"
    };
    ScheduleSettings {
        name: format!("changed {number}"),
        time_zone: QuietHours::parse_time_zone(zone).unwrap(),
        handoff_time: LocalTime::parse(&format!("{:02}:15", number % 24)).unwrap(),
        first_handoff: CalendarDate::from_days((number % 10_000).cast_signed()).unwrap(),
        turn_weeks: number,
        participants: vec![UserId::new(number.into()), UserId::new(5)],
    }
}

entity! {
    /// An on-call schedule.
    StoredSchedule in OnCall, of ProjectId: NewSchedule => OnCallSchedule;
    owners: |harness| harness.places();
    key: |schedule| -> ScheduleId { schedule.id }, unknown: ScheduleId::new(i64::MAX);
    sample: |project, number| schedule(project, &format!("schedule {number}"));
    edges: |project| edges(project);
    insert: |tx, new| Ok(insert_schedule(tx, new)?.id);
    find: |tx, project, id| tx.find_schedule(project, *id), by owner: true;
    expected: |new, found| new.stored(found.id);
    change: |tx, project, id, number| {
        let now = timestamp(number.into());
        let saved = tx.update_schedule(project, *id, &changed_settings(number), now)?;
        let found = tx.find_schedule(project, *id)?;
        Ok(found.is_some_and(|found| saved == SaveSchedule::Saved(found)))
    };
    changed: |schedule, number| OnCallSchedule {
        settings: changed_settings(number),
        updated_at: timestamp(number.into()),
        ..schedule.clone()
    };
    delete: |tx, project, id| tx.delete_schedule(project, *id);
    try_insert: |tx, new| Ok(match tx.insert_schedule(new)? {
        SaveSchedule::Saved(schedule) => Some(schedule.id),
        SaveSchedule::NameTaken | SaveSchedule::NotFound => None,
    }), per owner: true;
    clashing: |project, number| NewSchedule {
        created_at: timestamp(9),
        ..Self::sample(project, number)
    };
}
