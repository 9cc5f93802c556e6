//! Silences: Alertmanager's rules for creation, update and end.

use alert_intake::flow::active_silences::ActiveSilences;
use alert_intake::flow::silences::{SilenceError, StoredSilence, WantedSilence, advance, end, put};
use alert_intake::model::{LabelMatcher, Silence, SilenceState};
use alert_intake::rules::labels::LabelSet;
use alert_intake::store::SilenceQueries as _;
use api_conventions::ids::SilenceId;
use api_conventions::time::Timestamp;
use storage::{Store as _, StoreError};

use crate::support::{HERE, Intake, THERE, at};

/// Silence of alerts of this name from one second to another.
fn wanted(id: Option<SilenceId>, name: &str, from: i64, until: i64) -> WantedSilence {
    WantedSilence {
        id,
        matchers: vec![LabelMatcher::parse(&format!("alertname={name}")).unwrap()],
        starts_at: at(from),
        ends_at: at(until),
        created_by: "erin".to_owned(),
        comment: String::new(),
    }
}

fn store(intake: &Intake, wanted: WantedSilence, now: i64) -> Result<StoredSilence, SilenceError> {
    let put = intake
        .0
        .write(move |tx| put(tx, HERE, wanted.clone(), at(now)));
    put.wait()
}

fn stop(intake: &Intake, id: SilenceId, now: i64) -> Result<Option<Silence>, SilenceError> {
    intake.0.write(move |tx| end(tx, HERE, id, at(now))).wait()
}

fn stored(intake: &Intake, id: SilenceId) -> Silence {
    let found = intake.0.read(move |tx| tx.find_silence(HERE, id));
    let found: Result<_, StoreError> = found.wait();
    found.unwrap().unwrap()
}

#[test]
fn a_silence_begins_and_ends_at_its_times() {
    let intake = Intake::default();
    let early = store(&intake, wanted(None, "a", 50, 200), 100)
        .unwrap()
        .silence;
    assert_eq!(
        (early.content.starts_at, early.content.due_at),
        (at(100), Some(at(200)))
    );
    let late = store(&intake, wanted(None, "b", 150, 200), 100)
        .unwrap()
        .silence;
    assert_eq!(
        (late.state(at(149)), late.content.due_at),
        (SilenceState::Pending, Some(at(150)))
    );
    let step = |id, now| {
        let step = intake.0.write(move |tx| advance(tx, HERE, id, at(now)));
        let step: Result<Option<Silence>, StoreError> = step.wait();
        step.unwrap().map(|silence| silence.content.due_at)
    };
    assert_eq!(step(late.id, 149), None);
    assert_eq!(step(late.id, 150), Some(Some(at(200))));
    assert_eq!(step(late.id, 150), None, "another process was first");
    assert_eq!(step(late.id, 200), Some(None));
    assert_eq!(step(late.id, 300), None);
}

#[test]
fn an_active_silence_is_changed_in_place_unless_its_matchers_or_its_start_change() {
    let intake = Intake::default();
    let first = store(&intake, wanted(None, "a", 100, 200), 100)
        .unwrap()
        .silence;
    let id = Some(first.id);
    let longer = store(&intake, wanted(id, "a", 100, 500), 150).unwrap();
    assert_eq!((longer.silence.id, longer.replaced), (first.id, None));
    let content = stored(&intake, first.id).content;
    assert_eq!((content.starts_at, content.ends_at), (at(100), at(500)));
    assert_eq!(
        (content.updated_at, content.due_at),
        (at(150), Some(at(500)))
    );
    // A start in the future makes another silence.
    let later = store(&intake, wanted(id, "a", 300, 500), 160).unwrap();
    assert_ne!(later.silence.id, first.id);
    assert_eq!(later.replaced.unwrap().content.ends_at, at(500));
    assert_eq!(
        stored(&intake, first.id).state(at(160)),
        SilenceState::Expired
    );
    // A pending one is changed in place, also its start.
    let id = Some(later.silence.id);
    let moved = store(&intake, wanted(id, "a", 400, 600), 170).unwrap();
    assert_eq!(Some(moved.silence.id), id);
    assert_eq!(moved.silence.content.due_at, Some(at(400)));
    let other = store(&intake, wanted(id, "b", 400, 600), 180).unwrap();
    assert_ne!(Some(other.silence.id), id);
    // One that is over never begins again.
    let again = store(&intake, wanted(Some(first.id), "a", 100, 700), 190).unwrap();
    assert_ne!(again.silence.id, first.id);
    assert_eq!(again.replaced, None);
}

#[test]
fn a_silence_that_cannot_be_stored_ends_no_other() {
    let intake = Intake::default();
    let first = store(&intake, wanted(None, "a", 100, 200), 100)
        .unwrap()
        .silence;
    let id = Some(first.id);
    let many = WantedSilence {
        matchers: vec![LabelMatcher::parse("a=~.*").unwrap()],
        ..wanted(id, "b", 100, 200)
    };
    let texts = WantedSilence {
        comment: "x".repeat(1001),
        ..wanted(id, "b", 100, 200)
    };
    let refused = |wanted| store(&intake, wanted, 150).unwrap_err();
    assert!(matches!(refused(many), SilenceError::Matchers(_)));
    assert!(matches!(refused(texts), SilenceError::Text));
    assert!(matches!(
        refused(wanted(id, "b", 100, 150)),
        SilenceError::Past
    ));
    assert!(matches!(
        refused(wanted(id, "b", 300, 250)),
        SilenceError::Order
    ));
    let long = 150 + Silence::MAX_SECONDS + 1;
    assert!(matches!(
        refused(wanted(id, "b", 100, long)),
        SilenceError::Long
    ));
    let unknown = Some(SilenceId::new(99));
    assert!(matches!(
        refused(wanted(unknown, "b", 100, 200)),
        SilenceError::NotFound
    ));
    assert_eq!(stored(&intake, first.id), first);
    let foreign = intake.0.write(move |tx| end(tx, THERE, first.id, at(150)));
    assert!(matches!(foreign.wait(), Err(SilenceError::NotFound)));
    assert_eq!(stop(&intake, first.id, 150).unwrap(), Some(first.clone()));
    assert_eq!(stop(&intake, first.id, 160).unwrap(), None);
    assert_eq!(stored(&intake, first.id).content.ends_at, at(150));
}

#[test]
fn a_project_has_a_bounded_number_of_silences_that_are_not_over() {
    let intake = Intake::default();
    for number in 0..Silence::MAX_UNEXPIRED {
        store(&intake, wanted(None, &number.to_string(), 100, 200), 100).unwrap();
    }
    let one_more = |now| store(&intake, wanted(None, "more", 100, 900), now);
    assert!(matches!(one_more(199), Err(SilenceError::TooMany)));
    assert!(one_more(200).is_ok());
}

#[test]
fn active_silences_hide_alerts_of_their_project() {
    let intake = Intake::default();
    let active = store(&intake, wanted(None, "a", 100, 200), 100)
        .unwrap()
        .silence;
    store(&intake, wanted(None, "a", 150, 200), 100).unwrap();
    let hiding = |project, name: &str, now: Timestamp| {
        let labels = LabelSet::from([("alertname".to_owned(), name.to_owned())]);
        let found = intake.0.read(move |tx| {
            let silences = ActiveSilences::of_projects(tx, &[HERE, THERE], now)?;
            let ids = silences.hiding(project, &labels).map(|silence| silence.id);
            Ok::<_, StoreError>(ids.collect::<Vec<_>>())
        });
        found.wait().unwrap()
    };
    assert_eq!(hiding(HERE, "a", at(149)), [active.id]);
    assert_eq!(hiding(HERE, "a", at(150)).len(), 2);
    assert_eq!(hiding(HERE, "a", at(200)), []);
    assert_eq!(hiding(HERE, "b", at(149)), []);
    assert_eq!(hiding(THERE, "a", at(149)), []);
}
