//! Incidents of alerts: the settings of projects, and the links.

use alert_intake::model::{AlertSummary, IncidentLink, IncidentSettings};
use alert_intake::store::{IncidentQueries, IncidentRepository};
use api_conventions::ids::{AlertId, IssueId, ProjectId};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::rows::incidents::{
    AlertOfIncidentRow, IncidentSettingsRow, LinkValues, link_of, link_values,
};
use super::tables::{alert_incidents, alerts, incident_settings};
use crate::bulk::ColumnKind::Number;
use crate::bulk::{Bulk, Statement};
use crate::transaction::{order_by, row_limit};

/// Finds the links of alerts: one probe of the primary key each.
static LINKS: Statement = Statement {
    columns: &[("alert", Number)],
    text: "SELECT l.project_id, l.alert_id, l.issue_id FROM new CROSS JOIN alert_incidents AS l WHERE l.alert_id = new.alert",
};

static INSERT_LINKS: Statement = Statement {
    columns: &[
        ("project_id", Number),
        ("alert_id", Number),
        ("issue_id", Number),
    ],
    text: "INSERT INTO alert_incidents (project_id, alert_id, issue_id) SELECT project_id, alert_id, issue_id FROM new",
};

/// Finds incidents with an alert that is triggered (0) or acknowledged (1).
static WITH_OPEN_ALERTS: Statement = Statement {
    columns: &[("issue", Number)],
    text: "SELECT issue FROM new WHERE EXISTS (SELECT 1 FROM alert_incidents AS l CROSS JOIN alerts AS a \
           WHERE l.issue_id = new.issue AND a.id = l.alert_id AND a.status IN (0, 1))",
};

#[for_each_database]
mod database {
    impl ::alert_intake::store::IncidentQueriesWrapper for WriteTx<'_> {}

    impl IncidentQueries for ReadTx<'_> {
        fn list_incident_settings(
            &mut self,
            projects: &[ProjectId],
        ) -> Result<Vec<IncidentSettings>, StoreError> {
            let ids = projects.iter().map(|id| id.get());
            let rows = incident_settings::table.filter(incident_settings::project_id.eq_any(ids));
            self.list::<IncidentSettingsRow>("list incident settings", rows)
        }

        fn list_incident_links(
            &mut self,
            alerts: &[AlertId],
        ) -> Result<Vec<IncidentLink>, StoreError> {
            if alerts.is_empty() {
                return Ok(Vec::new());
            }
            let rows = alerts.iter().map(|alert| [alert.get()]);
            let links = Bulk::<(BigInt, BigInt, BigInt)>::new(&LINKS, rows);
            let links: Vec<LinkValues> = self.values("list incident links", links)?;
            Ok(links.into_iter().map(link_of).collect())
        }

        fn list_alerts_of_incident(
            &mut self,
            incident: IssueId,
            page: OffsetPage,
        ) -> Result<Page<AlertSummary>, StoreError> {
            let of_incident = alert_incidents::issue_id.eq(incident.get());
            self.page::<AlertOfIncidentRow, _, _, _>(
                "list alerts of incident",
                page,
                SortOrder::Ascending,
                || {
                    let ids = alert_incidents::table.select(alert_incidents::alert_id);
                    ids.filter(of_incident).into_boxed()
                },
                |ids, sort| order_by!(ids, sort, alert_incidents::alert_id),
                |ids| alerts::table.filter(alerts::id.eq_any(ids)),
            )
        }

        fn list_alerts_of_incident_after(
            &mut self,
            incident: IssueId,
            after: AlertId,
            limit: usize,
        ) -> Result<Vec<AlertSummary>, StoreError> {
            const LIST: &str = "list alerts of incident";
            let ids = alert_incidents::table
                .filter(alert_incidents::issue_id.eq(incident.get()))
                .filter(alert_incidents::alert_id.gt(after.get()))
                .order(alert_incidents::alert_id)
                .limit(row_limit(limit))
                .select(alert_incidents::alert_id);
            let ids: Vec<i64> = self.values(LIST, ids)?;
            let rows = alerts::table.filter(alerts::id.eq_any(ids.clone()));
            self.list_in_order::<AlertOfIncidentRow>(LIST, &ids, rows)
        }

        fn list_incidents_with_open_alerts(
            &mut self,
            incidents: &[IssueId],
        ) -> Result<Vec<IssueId>, StoreError> {
            if incidents.is_empty() {
                return Ok(Vec::new());
            }
            let rows = incidents.iter().map(|incident| [incident.get()]);
            let open = Bulk::<BigInt>::new(&WITH_OPEN_ALERTS, rows);
            let open: Vec<i64> = self.values("list incidents with open alerts", open)?;
            Ok(open.into_iter().map(IssueId::new).collect())
        }
    }

    impl IncidentRepository for WriteTx<'_> {
        fn put_incident_settings(&mut self, settings: &IncidentSettings) -> Result<(), StoreError> {
            let row = IncidentSettingsRow::from(settings);
            let insert = diesel::insert_into(incident_settings::table)
                .values(&row)
                .on_conflict(incident_settings::project_id)
                .do_update()
                .set(&row);
            self.execute("put incident settings", insert).map(drop)
        }

        fn insert_incident_links(&mut self, links: &[IncidentLink]) -> Result<(), StoreError> {
            if links.is_empty() {
                return Ok(());
            }
            let insert: Bulk = Bulk::new(&INSERT_LINKS, links.iter().map(link_values));
            self.execute("insert incident links", insert).map(drop)
        }

        fn delete_incident_link(&mut self, alert: AlertId) -> Result<bool, StoreError> {
            let link = alert_incidents::table.find(alert.get());
            self.changes("delete incident link", diesel::delete(link))
        }

        fn delete_links_of_incident(&mut self, incident: IssueId) -> Result<usize, StoreError> {
            let of_incident = alert_incidents::issue_id.eq(incident.get());
            let links = alert_incidents::table.filter(of_incident);
            self.execute("delete links of incident", diesel::delete(links))
        }
    }
}
