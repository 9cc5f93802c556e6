//! Newest reports of alerts, their flaps, and the time at which they become stale.

use alert_intake::model::{
    Alert, AlertFilter, AlertProgress, AlertRevision, AlertStatus, KnownAlert, ReportDigest,
    Severity, Start, StatusChange, TriageChange,
};
use alert_intake::search::PART;
use api_conventions::ids::{AlertId, AlertIid, ProjectId};
use api_conventions::page::OffsetPage;
use storage::StoreExt as _;

use super::lists::many;
use super::{alert, identity, insert};
use crate::areas::{Alerts, AreaHarness};
use crate::samples::timestamp;

/// A report with this title about an alert.
fn revision(id: AlertId, title: &str, severity: Severity) -> AlertRevision {
    AlertRevision {
        id,
        title: title.to_owned(),
        description: "New description".to_owned(),
        service: "New service".to_owned(),
        monitoring_tool: "New tool".to_owned(),
        hosts: vec!["new-host".to_owned()],
        environment_name: Some("staging".to_owned()),
        severity,
        reported_severity: severity,
        report: digest_of(title),
        payload: "{\"title\":\"new\"}".to_owned(),
    }
}

/// Digests of different titles differ.
fn digest_of(title: &str) -> ReportDigest {
    let number = title.bytes().fold(i64::MIN, |number, byte| {
        number.wrapping_mul(31).wrapping_add(i64::from(byte))
    });
    ReportDigest::from_number(number)
}

fn find(store: &Alerts, project: ProjectId, iid: i64) -> Alert {
    let found = store.query(move |tx| tx.find_alert(project, AlertIid::new(iid)));
    found.wait().unwrap().expect("the row exists")
}

fn known(store: &Alerts, project: ProjectId, number: u8) -> KnownAlert {
    let known = store.change(move |tx| tx.list_latest_by_identity(&[(project, identity(number))]));
    known.wait().unwrap().remove(0)
}

pub(super) fn l77_the_newest_report_replaces_the_content_of_an_alert_but_not_its_first_payload(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let inserted = store.change(move |tx| {
        insert(tx, vec![alert(other, 1)])?;
        insert(tx, vec![alert(project, 1), alert(project, 2)])
    });
    inserted.wait().unwrap();
    let mut expected = find(store, project, 1);
    let untouched = [find(store, project, 2), find(store, other, 1)];
    let id = expected.summary.id;
    for (title, severity, reported) in [
        ("New", Severity::Low, Severity::Low),
        ("Newer", Severity::Critical, Severity::High),
    ] {
        let newest = AlertRevision {
            reported_severity: reported,
            ..revision(id, title, severity)
        };
        let revised = store.change(move |tx| tx.revise_alerts(std::slice::from_ref(&newest)));
        revised.wait().unwrap();
        let summary = &mut expected.summary;
        summary.title = title.to_owned();
        summary.description = "New description".to_owned();
        summary.service = "New service".to_owned();
        summary.monitoring_tool = "New tool".to_owned();
        summary.hosts = vec!["new-host".to_owned()];
        summary.environment_name = Some("staging".to_owned());
        summary.severity = severity;
        expected.latest_payload = Some("{\"title\":\"new\"}".to_owned());
        assert_eq!(find(store, project, 1), expected);
        let report = known(store, project, 1).report;
        assert_eq!(known(store, project, 1).hosts, ["new-host"]);
        assert_eq!(report.digest, digest_of(title));
        assert_eq!(
            (report.severity, report.reported_severity),
            (severity, reported)
        );
    }
    // A user changes the severity of the alert, and not what its sender said.
    let triage = TriageChange {
        project_id: project,
        iid: AlertIid::new(1),
        severity: Severity::Info,
        assignee_id: None,
        at: timestamp(4),
    };
    let changed = store.change(move |tx| tx.set_alert_triage(&triage));
    assert!(changed.wait().unwrap());
    let report = known(store, project, 1).report;
    assert_eq!(
        (report.severity, report.reported_severity),
        (Severity::Info, Severity::High)
    );
    let unchanged = [find(store, project, 2), find(store, other, 1)];
    assert_eq!(unchanged, untouched);
}

pub(super) fn l78_flaps_are_added_and_the_last_delivery_sets_when_an_alert_becomes_stale(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let inserted = store.change(move |tx| insert(tx, vec![alert(project, 1)]));
    inserted.wait().unwrap();
    let id = find(store, project, 1).summary.id;
    for (flaps, total, stale_at) in [
        (2, 2, Some(timestamp(60))),
        (0, 2, Some(timestamp(30))),
        (3, 5, None),
    ] {
        let step = AlertProgress {
            id,
            occurrences: 1,
            deliveries: 1,
            flaps,
            stale_at,
            last_start: Start::stated(timestamp(0)),
            resolved_at: None,
            confirms_end: false,
            updated_at: timestamp(1),
        };
        let advanced = store.change(move |tx| tx.advance_alerts(&[step]));
        advanced.wait().unwrap();
        let found = find(store, project, 1).summary;
        assert_eq!((found.flaps, found.stale_at), (total, stale_at));
        assert_eq!(known(store, project, 1).flaps, total);
    }
}

pub(super) fn l79_a_search_finds_the_newest_texts_before_and_after_they_are_indexed(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let part = u16::try_from(PART).unwrap();
    let inserted = store.change(move |tx| insert(tx, many(project, part + 8, 0)));
    inserted.wait().unwrap();
    let index = || {
        let mut steps = 0;
        while let Some(part) = store.query(|tx| tx.find_search_part()).wait().unwrap() {
            let kept = store.change(move |tx| tx.insert_search_part(&part));
            assert!(kept.wait().unwrap(), "no other caller indexed it");
            steps += 1;
        }
        steps
    };
    let revise = |iid, title: &'static str| {
        let id = find(store, project, iid).summary.id;
        let newest = AlertRevision {
            description: String::new(),
            ..revision(id, title, Severity::High)
        };
        let revised = store.change(move |tx| tx.revise_alerts(std::slice::from_ref(&newest)));
        revised.wait().unwrap();
    };
    let check = |search: &str, expected: &[i64]| {
        let filter = AlertFilter {
            search: Some(search.to_owned()),
            ..AlertFilter::new(project)
        };
        let found = store.query(move |tx| tx.list_alerts(&filter, OffsetPage::new(1, 20)));
        let found = found.wait().unwrap().items;
        let mut iids: Vec<i64> = found.iter().map(|alert| alert.iid.get()).collect();
        iids.sort_unstable();
        assert_eq!(iids, expected, "{search}");
    };
    let resolve = |iid| {
        let change = StatusChange {
            project_id: project,
            iid: AlertIid::new(iid),
            status: AlertStatus::Resolved {
                ended_at: timestamp(5),
            },
            at: timestamp(5),
        };
        let resolved = store.change(move |tx| tx.set_alert_status(&change));
        resolved.wait().unwrap();
    };
    let is_indexed = index() > 0;
    revise(3, "quixotic zebra");
    revise(PART + 2, "quixotic zebra");
    check("XOTIC ZEB", &[3, PART + 2]);
    assert_eq!(index(), 0, "an open alert may change again");
    revise(3, "quixotic yak");
    check("zebra", &[PART + 2]);
    check("quixotic", &[3, PART + 2]);
    resolve(3);
    resolve(PART + 2);
    let Some(stale) = store.query(|tx| tx.find_search_part()).wait().unwrap() else {
        assert!(!is_indexed, "the texts of a resolved alert are indexed");
        return;
    };
    // The texts change again between the two steps.
    revise(3, "quixotic xerus");
    let kept = store.change(move |tx| tx.insert_search_part(&stale));
    assert!(kept.wait().unwrap());
    check("xerus", &[3]);
    check("yak", &[]);
    assert_eq!(index(), 1, "only the part of the first alert has an index");
    check("xerus", &[3]);
    check("quixotic", &[3, PART + 2]);
}
