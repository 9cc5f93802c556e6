//! `L`: promises of a store about incidents of alerts. A store of alerts may serve them or not.

mod deletion;
mod links;
mod settings;

use alert_intake::model::IncidentLink;
use alert_intake::store::IncidentWriteTx;
use api_conventions::ids::{AlertId, IssueId, ProjectId};
use storage::StoreError;

use crate::alerts::{alert, insert};
use crate::areas::Incidents;
use crate::suite::suite;

suite! {
    $
    /// Tests that a [`Harness`](crate::Harness)'s store keeps the promises of the incidents of `alert-intake`.
    incidents_suite = incidents::cases for Incidents;
    settings {
        l80_settings_for_incidents_apply_to_their_project_until_they_are_replaced,
    }
    links {
        l81_an_alert_has_one_incident_and_an_incident_many_alerts,
        l82_the_alerts_of_an_incident_are_listed_in_the_order_of_storage,
        l83_incidents_with_an_open_alert_are_found_among_others,
        l84_thousands_of_alerts_are_linked_at_once,
    }
    deletion {
        l85_links_are_deleted_with_their_alert_their_incident_or_their_project,
    }
}

/// An incident. The store knows it by its id only.
const INCIDENT: IssueId = IssueId::new(31);
/// Another incident.
const OTHER: IssueId = IssueId::new(32);

/// Inserts triggered alerts with identities from `first` on, and returns their ids.
fn insert_alerts(
    tx: &mut dyn IncidentWriteTx,
    project: ProjectId,
    first: u8,
    count: u8,
) -> Result<Vec<AlertId>, StoreError> {
    let new = (first..first + count).map(|number| alert(project, number));
    let numbers = insert(&mut *tx, new.collect())?;
    let mut ids = Vec::new();
    for number in numbers {
        let found = tx
            .find_alert(project, number)?
            .expect("the alert was inserted");
        ids.push(found.summary.id);
    }
    Ok(ids)
}

fn link(project_id: ProjectId, alert_id: AlertId, issue_id: IssueId) -> IncidentLink {
    IncidentLink {
        project_id,
        alert_id,
        issue_id,
    }
}
