//! On-call schedules and overrides: each query and each change reads the index that is meant for it, however many there are.

use std::collections::HashSet;

use api_conventions::ids::{OverrideId, ScheduleId, UserId};
use api_conventions::time::{CalendarDate, Timestamp};
use notifications::model::{LocalTime, NewOverride, NewSchedule, QuietHours, ScheduleSettings};
use notifications::store::{OnCallRepository, SaveSchedule};
use storage::{Store, StoreError};

use crate::recorder::{Turn, texts_of};
use crate::stores::{
    PROJECT, create_project, fill_postgres, fill_sqlite, plan_on_postgres, plan_on_sqlite,
    postgres, sqlite,
};

/// Schedules of the project, whose number its database limits, and overrides of each. `NUMBERS` marks the place where the
/// database counts.
const INSERT: &str = "INSERT INTO on_call_schedules (project_id, created_at, name, time_zone, handoff_time, first_handoff, \
    turn_weeks, participants, updated_at) SELECT 1, 0, 'schedule ' || value, 'UTC', '09:00', 0, 1, '[1]', 0 FROM NUMBERS; \
    INSERT INTO on_call_overrides (schedule_id, user_id, starts_at, ends_at, created_by, created_at) \
    SELECT id, 1, id, id * 10, 1, 0 FROM on_call_schedules;";

const ROWS: i64 = 3_000;

fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros).unwrap()
}

fn settings(name: &str) -> ScheduleSettings {
    ScheduleSettings {
        name: name.to_owned(),
        time_zone: QuietHours::parse_time_zone("UTC").unwrap(),
        handoff_time: LocalTime::parse("09:00").unwrap(),
        first_handoff: CalendarDate::parse("2026-11-30").unwrap(),
        turn_weeks: 1,
        participants: vec![UserId::new(1)],
    }
}

/// Runs all queries, and the changes that look for rows.
fn work<Tx: OnCallRepository + ?Sized>(tx: &mut Tx) -> Result<(), StoreError> {
    let new = NewSchedule {
        project_id: PROJECT,
        settings: settings("new"),
        created_at: at(1),
    };
    let SaveSchedule::Saved(saved) = tx.insert_schedule(&new)? else {
        panic!("the name is free");
    };
    let id = saved.id;
    tx.update_schedule(PROJECT, id, &settings("newer"), at(2))?;
    assert!(tx.lock_schedule(PROJECT, id)?.is_some());
    assert!(tx.find_schedule(PROJECT, id)?.is_some());
    assert_eq!(tx.list_schedules(PROJECT, 20)?.len(), 20);
    let ids: Vec<ScheduleId> = (1..=20).map(ScheduleId::new).collect();
    assert_eq!(tx.list_overrides(&ids, at(100), 100)?.len(), 10);
    assert_eq!(tx.list_overrides(&ids[..1], at(0), 100)?.len(), 1);
    assert!(tx.find_override(ids[0], OverrideId::new(1))?.is_some());
    tx.insert_override(&NewOverride {
        schedule_id: id,
        user_id: UserId::new(1),
        from: at(1),
        until: at(2),
        created_by: UserId::new(1),
        created_at: at(1),
    })?;
    assert!(tx.delete_override(ids[0], OverrideId::new(1))?);
    assert_eq!(tx.delete_overrides_before(at(60), 10)?, 5);
    assert!(tx.delete_schedule(PROJECT, id)?);
    assert_eq!(tx.delete_schedules_of(PROJECT, 10)?, 10);
    Ok(())
}

fn statements<S>(turn: &Turn, store: &S) -> Vec<String>
where
    S: Store,
    for<'t> S::WriteTx<'t>: OnCallRepository,
{
    let (done, mut texts) = texts_of(turn, || store.write(|tx| work(tx)).wait());
    done.unwrap();
    texts.retain(|text| text.contains("on_call_"));
    let different: HashSet<&String> = texts.iter().collect();
    assert!(different.len() > 10, "{texts:#?}");
    texts
}

#[test]
fn on_call_schedules_are_read_from_indexes_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    create_project(&store);
    fill_sqlite(&file, INSERT, ROWS);
    for statement in statements(&turn, &store) {
        let plan = plan_on_sqlite(&file, &statement);
        let is_scan = |step: &String| step.starts_with("SCAN ") && !step.contains("json_each");
        assert!(!plan.iter().any(is_scan), "{statement}\n{plan:#?}");
    }
}

#[test]
fn on_call_schedules_are_read_from_indexes_on_postgresql() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    create_project(&store);
    fill_postgres(&database, INSERT, ROWS);
    for statement in statements(&turn, &store) {
        let plan = plan_on_postgres(database.url(), &statement);
        let is_scan = |line: &String| line.contains("Seq Scan on on_call_overrides");
        assert!(!plan.iter().any(is_scan), "{statement}\n{plan:#?}");
    }
}
