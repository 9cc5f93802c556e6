//! Silences, and the times at which alerts expire.

use std::collections::HashMap;

use alert_intake::model::{Alert, AlertExpiry, AlertIdentity, NewSilence, Silence};
use alert_intake::store::{SilenceQueries, SilenceRepository};
use api_conventions::ids::{AlertId, ProjectId, SilenceId};
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::ROWS_AT_ONCE;
use super::rows::AlertWithPayloadRow;
use super::rows::silences::{ChangedSilenceRow, ExpiryRow, NewSilenceRow, SilenceRow};
use super::tables::{alert_expiries, alert_silences, alerts};
use crate::bulk::ColumnKind::{Bytes, Number};
use crate::bulk::{Bulk, Hex, Statement};
use crate::delete_some::delete_some;
use crate::transaction::row_limit;

/// Stores expiries; the later of two times stays.
static PUT_EXPIRIES: Statement = Statement {
    columns: &[
        ("project", Number),
        ("identity", Bytes),
        ("endpoint", Number),
        ("expires", Number),
    ],
    text: "INSERT INTO alert_expiries (project_id, identity, integration_id, expires_at) \
           SELECT project, identity, endpoint, expires FROM new WHERE TRUE \
           ON CONFLICT (project_id, identity) DO UPDATE SET integration_id = excluded.integration_id, \
           expires_at = CASE WHEN excluded.expires_at > alert_expiries.expires_at \
           THEN excluded.expires_at ELSE alert_expiries.expires_at END",
};

static DELETE_EXPIRIES: Statement = Statement {
    columns: &[("project", Number), ("identity", Bytes)],
    text: "DELETE FROM alert_expiries WHERE (project_id, identity) IN (SELECT project, identity FROM new)",
};

/// Leaves at most `limit` silences of each project.
fn first_of_each_project(silences: &mut Vec<Silence>, limit: usize) {
    let mut listed: HashMap<ProjectId, usize> = HashMap::new();
    silences.retain(|silence| {
        let of_project = listed.entry(silence.content.project_id).or_default();
        *of_project += 1;
        *of_project <= limit
    });
}

#[for_each_database]
mod database {
    impl ::alert_intake::store::SilenceQueriesWrapper for WriteTx<'_> {}

    impl SilenceQueries for ReadTx<'_> {
        fn list_alerts_with_payloads(&mut self, ids: &[AlertId]) -> Result<Vec<Alert>, StoreError> {
            let mut found = Vec::with_capacity(ids.len());
            for ids in ids.chunks(ROWS_AT_ONCE) {
                let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
                let rows = alerts::table.filter(alerts::id.eq_any(ids));
                found.extend(self.list::<AlertWithPayloadRow>("list alerts with payloads", rows)?);
            }
            Ok(found)
        }

        fn find_silence(
            &mut self,
            project: ProjectId,
            id: SilenceId,
        ) -> Result<Option<Silence>, StoreError> {
            let of_project = alert_silences::project_id.eq(project.get());
            let found = alert_silences::table.find(id.get()).filter(of_project);
            self.find::<SilenceRow>("find silence", found)
        }

        fn list_silences(
            &mut self,
            projects: &[ProjectId],
            time: Timestamp,
            limit: usize,
        ) -> Result<Vec<Silence>, StoreError> {
            const LIST: &str = "list silences";
            let later = alert_silences::table.filter(alert_silences::ends_at.gt(time.as_micros()));
            let order = (alert_silences::ends_at.desc(), alert_silences::id.desc());
            if let [project] = projects {
                let of_project = later.filter(alert_silences::project_id.eq(project.get()));
                let first = of_project.order(order).limit(row_limit(limit));
                return self.list::<SilenceRow>(LIST, first);
            }
            let projects: Vec<i64> = projects.iter().map(|id| id.get()).collect();
            let of_projects = later.filter(alert_silences::project_id.eq_any(projects));
            let mut silences = self.list::<SilenceRow>(LIST, of_projects.order(order))?;
            first_of_each_project(&mut silences, limit);
            Ok(silences)
        }

        fn list_due_silences(
            &mut self,
            now: Timestamp,
            limit: usize,
        ) -> Result<Vec<Silence>, StoreError> {
            let due = alert_silences::table
                .filter(alert_silences::due_at.le(now.as_micros()))
                .order((alert_silences::due_at, alert_silences::id))
                .limit(row_limit(limit));
            self.list::<SilenceRow>("list due silences", due)
        }

        fn list_due_expiries(
            &mut self,
            now: Timestamp,
            limit: usize,
        ) -> Result<Vec<AlertExpiry>, StoreError> {
            let due = alert_expiries::table
                .filter(alert_expiries::expires_at.le(now.as_micros()))
                .order(alert_expiries::expires_at)
                .limit(row_limit(limit));
            self.list::<ExpiryRow>("list due expiries", due)
        }
    }

    impl SilenceRepository for WriteTx<'_> {
        fn insert_silence(&mut self, new: &NewSilence) -> Result<SilenceId, StoreError> {
            let insert = diesel::insert_into(alert_silences::table)
                .values(NewSilenceRow::from(new))
                .returning(alert_silences::id);
            let id: i64 = self.value("insert silence", insert)?;
            Ok(SilenceId::new(id))
        }

        fn update_silence(&mut self, silence: &Silence) -> Result<bool, StoreError> {
            let content = &silence.content;
            let of_project = alert_silences::project_id.eq(content.project_id.get());
            let found = alert_silences::table.find(silence.id.get());
            let update =
                diesel::update(found.filter(of_project)).set(ChangedSilenceRow::from(content));
            self.changes("update silence", update)
        }

        fn delete_silences_before(
            &mut self,
            time: Timestamp,
            limit: usize,
        ) -> Result<usize, StoreError> {
            let over = alert_silences::table
                .filter(alert_silences::due_at.is_null())
                .filter(alert_silences::ends_at.lt(time.as_micros()))
                .order(alert_silences::ends_at)
                .limit(row_limit(limit))
                .select(alert_silences::id);
            let over: Vec<i64> = self.values("list old silences", over)?;
            let over = alert_silences::table.filter(alert_silences::id.eq_any(over));
            self.execute("delete old silences", diesel::delete(over))
        }

        fn put_expiries(&mut self, expiries: &[AlertExpiry]) -> Result<(), StoreError> {
            if expiries.is_empty() {
                return Ok(());
            }
            let rows = expiries.iter().map(|expiry| {
                (
                    expiry.project_id.get(),
                    Hex(expiry.identity.as_bytes()),
                    expiry.integration_id.get(),
                    expiry.expires_at.as_micros(),
                )
            });
            let put: Bulk = Bulk::new(&PUT_EXPIRIES, rows);
            self.execute("put expiries", put).map(drop)
        }

        fn delete_expiries(
            &mut self,
            identities: &[(ProjectId, AlertIdentity)],
        ) -> Result<(), StoreError> {
            if identities.is_empty() {
                return Ok(());
            }
            let rows = identities
                .iter()
                .map(|(project, identity)| (project.get(), Hex(identity.as_bytes())));
            let delete: Bulk = Bulk::new(&DELETE_EXPIRIES, rows);
            self.execute("delete expiries", delete).map(drop)
        }

        fn postpone_expiries(&mut self, time: Timestamp) -> Result<(), StoreError> {
            let early =
                alert_expiries::table.filter(alert_expiries::expires_at.lt(time.as_micros()));
            let update = diesel::update(early).set(alert_expiries::expires_at.eq(time.as_micros()));
            self.execute("postpone expiries", update).map(drop)
        }

        fn delete_silences_of(
            &mut self,
            project: ProjectId,
            limit: usize,
        ) -> Result<usize, StoreError> {
            let mut left = limit;
            for (operation, table, key) in [
                ("delete silences", "alert_silences", "id"),
                ("delete expiries", "alert_expiries", "project_id, identity"),
            ] {
                let some = delete_some(table, key, project);
                let delete = diesel::sql_query(format!("{some}{left})"));
                left -= self.execute(operation, delete)?;
                if left == 0 {
                    break;
                }
            }
            Ok(limit - left)
        }
    }
}
