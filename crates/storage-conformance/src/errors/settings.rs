//! Settings.

use api_conventions::ids::ProjectId;
use error_tracking::model::{ExternalTracker, Options, Settings};
use error_tracking::scrub::ScrubSettings;
use error_tracking::store::ErrorWriteTx;
use storage::{StoreError, StoreExt as _};

use crate::areas::{AreaHarness, Errors};
use crate::probe_rows::refusal;
use crate::samples::{HOSTILE, race};

/// Settings with every field set.
fn full(project_id: ProjectId) -> Settings {
    Settings {
        project_id,
        active: true,
        integrated: true,
        external: ExternalTracker {
            api_url: Some(HOSTILE.to_owned()),
            project_name: Some(HOSTILE.to_owned()),
            token: Some((0..=u8::MAX).collect()),
        },
        options: Options {
            scrubbing: ScrubSettings {
                has_defaults: false,
                hides_addresses: true,
                sensitive: vec![HOSTILE.to_owned(), String::new()],
                safe: vec![HOSTILE.to_owned()],
            },
            events_per_minute: u32::MAX,
            error_events_per_minute: Some(u32::MAX),
            retention_days: u16::MAX,
            events_per_error: u32::MAX,
            events_per_day: Some(u64::MAX),
            opens_alerts: true,
        },
    }
}

/// Settings with every optional field present but empty.
fn empty(project_id: ProjectId) -> Settings {
    Settings {
        active: true,
        external: ExternalTracker {
            api_url: Some(String::new()),
            project_name: Some(String::new()),
            token: Some(Vec::new()),
        },
        ..Settings::new(project_id)
    }
}

/// Replaces the settings of a project.
pub(super) fn put(tx: &mut dyn ErrorWriteTx, settings: &Settings) -> Result<(), StoreError> {
    let (locked, _) = tx.lock_error_settings(settings.project_id)?;
    tx.put_error_settings(locked, settings)
}

pub(super) fn t01_settings_come_back_as_they_were_put(harness: &mut AreaHarness<Errors>) {
    let [project, _] = harness.places();
    let store = harness.store();
    for settings in [full(project), Settings::new(project), empty(project)] {
        let expected = settings.clone();
        let found = store.change(move |tx| {
            put(tx, &settings)?;
            let (locked, is_stored) = tx.lock_error_settings(project)?;
            assert!(is_stored);
            assert_eq!(*locked, settings);
            tx.find_error_settings(project)
        });
        assert_eq!(found.wait().unwrap().as_ref(), Some(&expected));
        let found = store.query(move |tx| tx.find_error_settings(project));
        assert_eq!(found.wait().unwrap(), Some(expected));
    }
}

pub(super) fn t02_settings_are_put_for_their_project_only(harness: &mut AreaHarness<Errors>) {
    let [project, other] = harness.places();
    let found = harness.store().change(move |tx| {
        for place in [project, other] {
            assert_eq!(tx.find_error_settings(place)?, None);
            let (locked, is_stored) = tx.lock_error_settings(place)?;
            assert_eq!((&*locked, is_stored), (&Settings::new(place), false));
        }
        // Reading must not write.
        assert_eq!(tx.find_error_settings(project)?, None);
        put(tx, &full(project))?;
        assert_eq!(tx.find_error_settings(other)?, None);
        put(tx, &Settings::new(other))?;
        tx.find_error_settings(project)
    });
    assert_eq!(found.wait().unwrap(), Some(full(project)));
}

pub(super) fn t03_racing_first_settings_are_put_one_after_the_other(
    harness: &mut AreaHarness<Errors>,
) {
    const RACERS: u16 = 8;
    let [project, _] = harness.places();
    let store = harness.store();
    let raced = race(RACERS.into(), |_| {
        let written = store.change(move |tx| {
            let (locked, is_stored) = tx.lock_error_settings(project)?;
            let mut settings = Settings::clone(&locked);
            settings.options.retention_days += 1;
            tx.put_error_settings(locked, &settings)?;
            Ok(is_stored)
        });
        written.wait().unwrap()
    });
    let first = raced.into_iter().filter(|is_stored| !is_stored).count();
    assert_eq!(first, 1, "one of the racers finds no settings");
    let found = store.query(move |tx| tx.find_error_settings(project));
    let days = found.wait().unwrap().unwrap().options.retention_days;
    assert_eq!(days, Options::default().retention_days + RACERS);
}

pub(super) fn t04_settings_are_listed_in_the_order_of_their_projects(
    harness: &mut AreaHarness<Errors>,
) {
    let mut places = harness.places();
    places.sort_unstable();
    let [first, second] = places;
    let listed = harness.store().change(move |tx| {
        assert_eq!(tx.list_error_settings(None, 9)?, []);
        put(tx, &full(second))?;
        put(tx, &empty(first))?;
        let both = [empty(first), full(second)];
        assert_eq!(tx.list_error_settings(None, 9)?, both);
        assert_eq!(tx.list_error_settings(None, 1)?, both[..1]);
        assert_eq!(tx.list_error_settings(Some(first), 9)?, both[1..]);
        tx.list_error_settings(Some(second), 9)
    });
    assert_eq!(listed.wait().unwrap(), []);
}

pub(super) fn t05_a_refused_write_leaves_no_settings(harness: &mut AreaHarness<Errors>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let refused = store.change(move |tx| {
        put(tx, &full(project))?;
        Err::<(), _>(refusal())
    });
    assert!(refused.wait().is_err());
    let found = store.change(move |tx| {
        assert_eq!(tx.find_error_settings(project)?, None);
        let (_, is_stored) = tx.lock_error_settings(project)?;
        Ok(is_stored)
    });
    assert!(!found.wait().unwrap());
}
