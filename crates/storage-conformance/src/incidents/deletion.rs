//! Deletion of links and settings.

use alert_intake::model::IncidentSettings;
use api_conventions::ids::IssueId;
use storage::StoreExt as _;

use super::{INCIDENT, OTHER, insert_alerts, link};
use crate::areas::{AreaHarness, Incidents};

pub(super) fn l85_links_are_deleted_with_their_alert_their_incident_or_their_project(
    harness: &mut AreaHarness<Incidents>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let inserted = store.change(move |tx| {
        let mut ids = insert_alerts(tx, project, 1, 4)?;
        ids.extend(insert_alerts(tx, other, 1, 1)?);
        tx.insert_incident_links(&[
            link(project, ids[0], INCIDENT),
            link(project, ids[1], INCIDENT),
            link(project, ids[2], INCIDENT),
            link(project, ids[3], OTHER),
            link(other, ids[4], IssueId::new(33)),
        ])?;
        for place in [project, other] {
            tx.put_incident_settings(&IncidentSettings::new(place))?;
        }
        Ok(ids)
    });
    let ids = inserted.wait().unwrap();
    let linked = || {
        let alerts = ids.clone();
        let listed = store.query(move |tx| tx.list_incident_links(&alerts));
        let linked: Vec<_> = listed.wait().unwrap();
        ids.iter()
            .map(|id| linked.iter().any(|link| link.alert_id == *id))
            .collect::<Vec<bool>>()
    };
    let first = ids[0];
    let deleted = store.change(move |tx| {
        Ok([
            tx.delete_incident_link(first)?,
            tx.delete_incident_link(first)?,
        ])
    });
    assert_eq!(deleted.wait().unwrap(), [true, false]);
    assert_eq!(linked(), [false, true, true, true, true]);
    let deleted = store.change(move |tx| {
        Ok([
            tx.delete_links_of_incident(INCIDENT)?,
            tx.delete_links_of_incident(INCIDENT)?,
        ])
    });
    assert_eq!(deleted.wait().unwrap(), [2, 0]);
    assert_eq!(linked(), [false, false, false, true, true]);
    let deleted = store.change(move |tx| {
        while tx.delete_alerts_of(project, 2)? > 0 {}
        tx.list_incident_settings(&[project, other])
    });
    let settings = deleted.wait().unwrap();
    assert_eq!(settings, [IncidentSettings::new(other)]);
    assert_eq!(linked(), [false, false, false, false, true]);
}
