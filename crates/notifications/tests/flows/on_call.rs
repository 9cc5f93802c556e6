//! On-call schedules of a project, and their overrides.

use api_conventions::ids::{OverrideId, ProjectId, ScheduleId, UserId};
use api_conventions::time::CalendarDate;
use notifications::flow::{
    MAX_SCHEDULES, ScheduleError, ScheduleInput, create_override, create_schedule, delete_override,
    delete_schedule, find_schedule, list_overrides, list_schedules, update_schedule,
};
use notifications::model::{
    LocalTime, NewOverride, NewSchedule, OnCallSchedule, OverrideError, QuietHours,
    ScheduleOverride, ScheduleSettings, ScheduleSettingsError,
};
use notifications::store::OnCallWriteTx;
use storage::{Store as _, StoreError};
use storage_diesel::SqliteStore;

use crate::{HERE, at, store};

const OTHER_PROJECT: ProjectId = ProjectId::new(2);
const HOUR: i64 = 3_600;

fn write<T: Send + 'static, E: From<StoreError> + Send + 'static>(
    store: &SqliteStore,
    work: impl Fn(&mut dyn OnCallWriteTx) -> Result<T, E> + Send + 'static,
) -> Result<T, E> {
    store.write(move |tx| work(tx)).wait()
}

fn new(name: &str) -> NewSchedule {
    NewSchedule {
        project_id: HERE,
        settings: ScheduleSettings {
            name: name.to_owned(),
            time_zone: QuietHours::parse_time_zone("UTC").unwrap(),
            handoff_time: LocalTime::parse("09:00").unwrap(),
            first_handoff: CalendarDate::parse("2026-11-30").unwrap(),
            turn_weeks: 1,
            participants: [1, 2].map(UserId::new).to_vec(),
        },
        created_at: at(0),
    }
}

fn create(store: &SqliteStore, new: NewSchedule) -> Result<OnCallSchedule, ScheduleError> {
    write(store, move |tx| create_schedule(tx, &new))
}

fn swap(schedule_id: ScheduleId, from: i64, until: i64) -> NewOverride {
    NewOverride {
        schedule_id,
        user_id: UserId::new(2),
        from: at(from),
        until: at(until),
        created_by: UserId::new(1),
        created_at: at(10),
    }
}

fn add(store: &SqliteStore, new: NewOverride) -> Result<ScheduleOverride, ScheduleError> {
    write(store, move |tx| create_override(tx, HERE, new))
}

#[test]
fn a_project_has_a_limited_number_of_schedules_with_different_names() {
    let store = store();
    for number in 0..MAX_SCHEDULES {
        create(&store, new(&format!("schedule {number}"))).unwrap();
    }
    let refused = create(&store, new("one more"));
    assert!(matches!(refused, Err(ScheduleError::TooMany)));
    let mut foreign = new("schedule 1");
    foreign.project_id = OTHER_PROJECT;
    create(&store, foreign).unwrap();
    let listed = write(&store, |tx| list_schedules(tx, HERE)).unwrap();
    assert_eq!(listed.len(), MAX_SCHEDULES);
    let first = listed.first().unwrap().id;
    for expected in [true, false] {
        let deleted = write(&store, move |tx| delete_schedule(tx, HERE, first));
        assert_eq!(deleted.is_ok(), expected);
    }
    let taken = create(&store, new("schedule 2"));
    assert!(matches!(taken, Err(ScheduleError::NameTaken)));
    create(&store, new("schedule 0")).unwrap();
}

#[test]
fn a_change_sets_the_given_values() {
    let store = store();
    let before = create(&store, new("a")).unwrap();
    let update = |input: ScheduleInput| {
        let before = before.clone();
        write(&store, move |tx| {
            let settings = input.settings(before.settings.clone());
            update_schedule(tx, &before, &settings, at(9))
        })
    };
    let same = update(ScheduleInput::default()).unwrap();
    assert_eq!(same.settings, before.settings);
    assert_eq!((same.created_at, same.updated_at), (at(0), at(9)));
    let all = ScheduleSettings {
        name: "b".to_owned(),
        time_zone: QuietHours::parse_time_zone("Asia/Kathmandu").unwrap(),
        handoff_time: LocalTime::parse("00:00").unwrap(),
        first_handoff: CalendarDate::parse("2030-01-01").unwrap(),
        turn_weeks: 52,
        participants: vec![UserId::new(7)],
    };
    let changed = update(ScheduleInput::from(all.clone())).unwrap();
    assert_eq!(changed.settings, all);
    let id = before.id;
    let found = write(&store, move |tx| find_schedule(tx, HERE, id)).unwrap();
    assert_eq!(found, changed);
    let refused = update(ScheduleInput {
        turn_weeks: Some(0),
        ..ScheduleInput::default()
    });
    assert!(matches!(
        refused,
        Err(ScheduleError::Settings(ScheduleSettingsError::TurnWeeks))
    ));
    let missing = write(&store, move |tx| find_schedule(tx, OTHER_PROJECT, id));
    assert!(matches!(missing, Err(ScheduleError::NotFound)));
}

#[test]
fn an_override_begins_now_at_the_earliest() {
    let store = store();
    let schedule = create(&store, new("a")).unwrap().id;
    let added = add(&store, swap(schedule, 5, 20)).unwrap();
    assert_eq!((added.content.from, added.content.until), (at(10), at(20)));
    let later = add(&store, swap(schedule, 15, 30)).unwrap();
    assert_eq!(later.content.from, at(15));
    let past = add(&store, swap(schedule, 5, 10));
    assert!(matches!(
        past,
        Err(ScheduleError::Override(OverrideError::Past))
    ));
    let listed = |second| write(&store, move |tx| list_overrides(tx, schedule, at(second)));
    assert_eq!(listed(10).unwrap(), [later, added]);
    assert_eq!(listed(20).unwrap(), [later]);
    let unknown = write(&store, move |tx| {
        create_override(tx, OTHER_PROJECT, swap(schedule, 5, 20))
    });
    assert!(matches!(unknown, Err(ScheduleError::NotFound)));
    let removed = write(&store, move |tx| delete_override(tx, schedule, added.id));
    assert_eq!(removed.unwrap(), added);
    for (schedule, id) in [
        (schedule, added.id),
        (schedule, OverrideId::new(99)),
        (ScheduleId::new(99), later.id),
    ] {
        let removed = write(&store, move |tx| delete_override(tx, schedule, id));
        assert!(matches!(removed, Err(ScheduleError::NoOverride)));
    }
}

#[test]
fn a_schedule_has_a_limited_number_of_overrides_that_are_not_over() {
    let store = store();
    let schedule = create(&store, new("a")).unwrap().id;
    for _ in 0..ScheduleOverride::MAX_UNEXPIRED {
        add(&store, swap(schedule, 20, HOUR)).unwrap();
    }
    let refused = add(&store, swap(schedule, 20, HOUR));
    assert!(matches!(refused, Err(ScheduleError::TooManyOverrides)));
    let later = NewOverride {
        created_at: at(HOUR),
        ..swap(schedule, 20, 2 * HOUR)
    };
    add(&store, later).unwrap();
}
