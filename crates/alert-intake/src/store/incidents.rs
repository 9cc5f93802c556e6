//! Repository traits of incidents: the settings of projects, and the links between alerts and incidents.
//!
//! The traits have a store of their own, so that a host without issues need not serve them. An
//! incident is an issue of the host, known here by its id only.

use api_conventions::ids::{AlertId, IssueId, ProjectId};
use api_conventions::page::{OffsetPage, Page};
use storage::StoreError;

use super::{AlertQueries, AlertRepository};
use crate::model::{AlertSummary, IncidentLink, IncidentSettings};

/// Queries for incidents of alerts, in a transaction of either kind.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::queries]
pub trait IncidentQueries {
    /// Lists the stored settings of these projects, in any order. Projects that never changed them are left out.
    fn list_incident_settings(
        &mut self,
        projects: &[ProjectId],
    ) -> Result<Vec<IncidentSettings>, StoreError>;

    /// Lists the links of these alerts, in any order. Alerts without an incident are left out.
    fn list_incident_links(&mut self, alerts: &[AlertId]) -> Result<Vec<IncidentLink>, StoreError>;

    /// Lists one page of the alerts of an incident, in the order in which they were stored. The total stops counting at
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows.
    fn list_alerts_of_incident(
        &mut self,
        incident: IssueId,
        page: OffsetPage,
    ) -> Result<Page<AlertSummary>, StoreError>;

    /// Lists the alerts of an incident whose ids are greater than `after`, ascending, at most `limit`.
    fn list_alerts_of_incident_after(
        &mut self,
        incident: IssueId,
        after: AlertId,
        limit: usize,
    ) -> Result<Vec<AlertSummary>, StoreError>;

    /// Lists those of some incidents that have a triggered or acknowledged alert, in any order.
    fn list_incidents_with_open_alerts(
        &mut self,
        incidents: &[IssueId],
    ) -> Result<Vec<IssueId>, StoreError>;
}

/// Writes to incidents of alerts. The links of a project are deleted with its alerts, and its settings too.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
/// Methods with other errors document them.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::repository(keeps(
    put_incident_settings,
    insert_incident_links,
    delete_incident_link,
    delete_links_of_incident
))]
pub trait IncidentRepository: IncidentQueries {
    /// Stores the settings of a project and replaces existing ones.
    fn put_incident_settings(&mut self, settings: &IncidentSettings) -> Result<(), StoreError>;

    /// Inserts links.
    ///
    /// # Errors
    /// A [`Conflict`](storage::StoreErrorKind::Conflict) if one of the alerts already has an incident.
    fn insert_incident_links(&mut self, links: &[IncidentLink]) -> Result<(), StoreError>;

    /// Deletes the link of an alert. Returns `false` if it has no incident.
    fn delete_incident_link(&mut self, alert: AlertId) -> Result<bool, StoreError>;

    /// Deletes all links of an incident, and returns how many.
    fn delete_links_of_incident(&mut self, incident: IssueId) -> Result<usize, StoreError>;
}

storage::dyn_store! {
    /// A store of alerts and their incidents, for use behind `dyn`. Every [`Store`](storage::Store) whose transactions
    /// have these repository traits implements it.
    pub trait IncidentStore {
        /// Transaction that a read closure of an [`IncidentStore`] gets.
        type Read: IncidentReadTx = AlertQueries + IncidentQueries;
        /// Transaction that a write closure of an [`IncidentStore`] gets.
        type Write: IncidentWriteTx = AlertRepository + IncidentRepository;
    }
}
