//! Monitors.

use api_conventions::ids::{MonitorId, ProjectId};
use api_conventions::time::Timestamp;
use error_tracking::monitors::{
    CheckIn, CheckInStatus, JobSchedule, Monitor, MonitorConfig, MonitorKey, MonitorState,
};
use error_tracking::store::ErrorWriteTx;
use storage::{StoreError, StoreExt as _};

use super::event_id;
use crate::areas::{AreaHarness, Errors};
use crate::probe_rows::refusal;
use crate::samples::{HOSTILE, timestamp};

fn key(project_id: ProjectId, slug: &str, environment: &str) -> MonitorKey {
    MonitorKey {
        project_id,
        slug: slug.to_owned(),
        environment: environment.to_owned(),
    }
}

/// State after a check-in at some second. A job of every minute is due in the third minute from its first one on.
fn state(at: i64, status: CheckInStatus, pattern: Option<&str>) -> MonitorState {
    let mut state = MonitorState::default();
    let check_in = CheckIn {
        id: None,
        slug: "job".to_owned(),
        environment: "production".to_owned(),
        status,
        duration: Some(3),
        release: Some(HOSTILE.to_owned()),
        config: pattern
            .and_then(JobSchedule::crontab)
            .map(MonitorConfig::new),
    };
    state.record(&check_in, event_id(1), timestamp(at));
    state
}

const EVERY_MINUTE: Option<&str> = Some("* * * * *");

fn states(monitors: Vec<Monitor>) -> Vec<(MonitorKey, MonitorState)> {
    let states = monitors.into_iter();
    states.map(|one| (one.key, one.state)).collect()
}

fn due(tx: &mut dyn ErrorWriteTx, now: Timestamp, limit: usize) -> Result<Vec<String>, StoreError> {
    let due = tx.list_due_monitors(now, limit)?;
    Ok(due.into_iter().map(|one| one.key.slug).collect())
}

pub(super) fn t120_a_monitor_comes_back_by_its_key(harness: &mut AreaHarness<Errors>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let hostile = key(project, HOSTILE, HOSTILE);
    let written = [
        (key(project, "a", "live"), state(0, CheckInStatus::Ok, None)),
        (
            key(project, "a", "test"),
            state(0, CheckInStatus::Error, EVERY_MINUTE),
        ),
        (
            key(project, "b", "live"),
            state(0, CheckInStatus::InProgress, EVERY_MINUTE),
        ),
        (key(other, "a", "live"), MonitorState::default()),
    ];
    let expected = written.clone();
    let done = store.change(move |tx| {
        for (key, state) in written.iter().rev() {
            assert_eq!(tx.find_monitor(key)?, None);
            tx.put_monitor(key, state)?;
            let found = tx.find_monitor(key)?;
            assert_eq!(found.map(|one| one.state).as_ref(), Some(state));
        }
        assert_eq!(states(tx.list_monitors(project)?), written[..3]);
        assert_eq!(tx.list_monitors(ProjectId::new(i64::MAX))?, []);
        tx.put_monitor(&hostile, &written[1].1)?;
        assert_eq!(tx.find_monitor(&key(project, "A", "live"))?, None);
        let found = tx.find_monitor(&hostile)?;
        Ok(found.map(|one| (one.key, one.state)) == Some((hostile.clone(), written[1].1.clone())))
    });
    assert!(done.wait().unwrap());
    let refused = store.change(move |tx| {
        tx.put_monitor(&key(other, "new", "live"), &MonitorState::default())?;
        Err::<(), _>(refusal())
    });
    assert!(refused.wait().is_err());
    let listed = store.query(move |tx| tx.list_monitors(other));
    assert_eq!(states(listed.wait().unwrap()), expected[3..]);
}

pub(super) fn t121_a_new_state_replaces_that_of_its_monitor(harness: &mut AreaHarness<Errors>) {
    let [project, other] = harness.places();
    let done = harness.store().change(move |tx| {
        let (own, same) = (key(project, "a", "live"), key(other, "a", "live"));
        tx.put_monitor(&own, &state(0, CheckInStatus::Ok, EVERY_MINUTE))?;
        tx.put_monitor(&same, &state(1, CheckInStatus::Ok, EVERY_MINUTE))?;
        let id = tx.find_monitor(&own)?.map(|one| one.id);
        let changed = state(90, CheckInStatus::Error, None);
        tx.put_monitor(&own, &changed)?;
        let found = tx.find_monitor(&own)?;
        assert_eq!(
            found.map(|one| (Some(one.id), one.state)),
            Some((id, changed))
        );
        let listed = states(tx.list_monitors(other)?);
        assert_eq!(listed, [(same, state(1, CheckInStatus::Ok, EVERY_MINUTE))]);
        assert_eq!(due(tx, timestamp(1_000), 9)?, ["a"]);
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn t122_due_monitors_are_listed_the_longest_due_first(
    harness: &mut AreaHarness<Errors>,
) {
    let [project, other] = harness.places();
    let done = harness.store().change(move |tx| {
        for (place, slug, at, pattern) in [
            (project, "late", 120, EVERY_MINUTE),
            (other, "early", 0, EVERY_MINUTE),
            (project, "never", 0, None),
        ] {
            let state = state(at, CheckInStatus::Ok, pattern);
            tx.put_monitor(&key(place, slug, "live"), &state)?;
        }
        let at = state(0, CheckInStatus::Ok, EVERY_MINUTE).due_at().unwrap();
        let before = Timestamp::from_micros(at.as_micros() - 1).unwrap();
        let later = at.plus_seconds(180);
        assert_eq!(due(tx, before, 9)?, [""; 0]);
        assert_eq!(due(tx, at, 9)?, ["early"]);
        assert_eq!(due(tx, later, 9)?, ["early", "late"]);
        assert_eq!(due(tx, later, 1)?, ["early"]);
        assert_eq!(due(tx, later, 0)?, [""; 0]);
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn t123_a_monitor_is_deleted_in_its_project_only(harness: &mut AreaHarness<Errors>) {
    let [project, other] = harness.places();
    let done = harness.store().change(move |tx| {
        for slug in ["a", "b", "c"] {
            for place in [project, other] {
                let state = state(0, CheckInStatus::Ok, EVERY_MINUTE);
                tx.put_monitor(&key(place, slug, "live"), &state)?;
            }
        }
        let first = tx.list_monitors(project)?[0].id;
        assert!(!tx.delete_monitor(other, first)?);
        assert!(!tx.delete_monitor(project, MonitorId::new(i64::MAX))?);
        assert!(tx.delete_monitor(project, first)?);
        assert!(!tx.delete_monitor(project, first)?);
        assert_eq!(tx.list_monitors(project)?.len(), 2);
        // With the project, all are deleted.
        while tx.delete_errors_of(project, 1)? > 0 {}
        assert_eq!(tx.list_monitors(project)?, []);
        assert_eq!(due(tx, timestamp(1_000), 9)?, ["a", "b", "c"]);
        Ok(tx.list_monitors(other)?.len())
    });
    assert_eq!(done.wait().unwrap(), 3);
}

pub(super) fn t124_monitors_outlive_the_store(harness: &mut AreaHarness<Errors>) {
    let [project, _] = harness.places();
    let written = state(0, CheckInStatus::InProgress, EVERY_MINUTE);
    let expected = vec![(key(project, "a", "live"), written.clone())];
    let put = harness
        .store()
        .change(move |tx| tx.put_monitor(&key(project, "a", "live"), &written));
    put.wait().unwrap();
    harness.reopen();
    let listed = harness.store().query(move |tx| tx.list_monitors(project));
    assert_eq!(states(listed.wait().unwrap()), expected);
}
