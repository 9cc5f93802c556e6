//! Settings of projects for incidents.

use alert_intake::model::{IncidentSettings, Severity, SeveritySet};
use api_conventions::ids::ProjectId;
use storage::StoreExt as _;

use crate::areas::{AreaHarness, Incidents};
use crate::samples::HOSTILE;

pub(super) fn l80_settings_for_incidents_apply_to_their_project_until_they_are_replaced(
    harness: &mut AreaHarness<Incidents>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let stored = move |projects: Vec<ProjectId>| {
        let listed = store.query(move |tx| tx.list_incident_settings(&projects));
        let mut listed = listed.wait().unwrap();
        listed.sort_by_key(|settings| settings.project_id);
        listed
    };
    assert_eq!(stored(vec![project, other]), []);
    let first = IncidentSettings {
        create_incidents: true,
        severities: [Severity::Critical, Severity::Unknown]
            .into_iter()
            .collect(),
        template: HOSTILE.to_owned(),
        close_incidents: false,
        ..IncidentSettings::new(project)
    };
    let second = IncidentSettings {
        create_incidents: false,
        severities: SeveritySet::ALL,
        template: String::new(),
        close_incidents: true,
        ..first.clone()
    };
    let of_other = IncidentSettings {
        severities: [].into_iter().collect(),
        ..IncidentSettings::new(other)
    };
    for settings in [&first, &of_other] {
        let settings = settings.clone();
        let put = store.change(move |tx| tx.put_incident_settings(&settings));
        put.wait().unwrap();
    }
    let unknown = ProjectId::new(i64::MAX);
    assert_eq!(stored(vec![project, unknown]), [first]);
    let replacing = second.clone();
    let put = store.change(move |tx| tx.put_incident_settings(&replacing));
    put.wait().unwrap();
    let mut both = [second, of_other];
    both.sort_by_key(|settings| settings.project_id);
    assert_eq!(stored(vec![other, project]), both);
    assert_eq!(stored(Vec::new()), []);
}
