//! Manual changes of the status, the severity and the assignee of an alert.

use alert_intake::model::{StatusChange, TriageChange};
use alert_intake::store::SetStatus;
use api_conventions::ids::{AlertId, AlertIid, UserId};
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::rows::{OPEN_SLOT, closed_slot};
use super::tables::alerts;

#[for_each_database(dialect = crate::alerts)]
mod database {
    impl WriteTx<'_> {
        /// Sets the status, unless another open alert has the identity of the alert.
        pub(in crate::alerts) fn write_status(
            &mut self,
            change: &StatusChange,
        ) -> Result<SetStatus, StoreError> {
            let of_project = alerts::project_id.eq(change.project_id.get());
            let columns = (alerts::id, alerts::identity, alerts::updated_at);
            self.run("set alert status", |connection| {
                let mine = alerts::table.filter(of_project);
                let mine = mine
                    .filter(alerts::iid.eq(change.iid.get()))
                    .select(columns);
                let found: Option<(i64, Vec<u8>, i64)> = mine.get_result(connection).optional()?;
                let Some((id, identity, updated_at)) = found else {
                    return Ok(SetStatus::NotFound);
                };
                if change.status.is_open() {
                    let other = alerts::table
                        .filter(of_project)
                        .filter(alerts::identity.eq(identity))
                        .filter(alerts::closed_slot.eq(OPEN_SLOT))
                        .filter(alerts::id.ne(id))
                        .select(alerts::iid);
                    if let Some(iid) = other.get_result(connection).optional()? {
                        return Ok(SetStatus::IdentityOpen(AlertIid::new(iid)));
                    }
                }
                let ended_at = change.status.ended_at().map(Timestamp::as_micros);
                diesel::update(alerts::table.find(id))
                    .set((
                        alerts::status.eq(change.status.number()),
                        alerts::ended_at.eq(ended_at),
                        alerts::closed_slot.eq(closed_slot(change.status, AlertId::new(id))),
                        alerts::resolved_by_hand.eq(!change.status.is_open()),
                        // The flow has locked the alerts of the project, so the alert has not changed since it was
                        // read.
                        alerts::updated_at.eq(change.at.as_micros().max(updated_at)),
                    ))
                    .execute(connection)?;
                Ok(SetStatus::Changed)
            })
        }

        /// Sets the severity and the assignee. Returns `false` if there is no such alert.
        pub(in crate::alerts) fn write_triage(
            &mut self,
            change: &TriageChange,
        ) -> Result<bool, StoreError> {
            self.run("triage alert", |connection| {
                let mine = alerts::table
                    .filter(alerts::project_id.eq(change.project_id.get()))
                    .filter(alerts::iid.eq(change.iid.get()))
                    .select((
                        alerts::id,
                        alerts::updated_at,
                        alerts::severity,
                        alerts::reported_severity,
                    ));
                let found: Option<(i64, i64, i16, Option<i16>)> =
                    mine.get_result(connection).optional()?;
                let Some((id, updated_at, severity, reported)) = found else {
                    return Ok(false);
                };
                let reported = reported.unwrap_or(severity);
                let severity = change.severity.number();
                diesel::update(alerts::table.find(id))
                    .set((
                        alerts::severity.eq(severity),
                        alerts::reported_severity.eq((reported != severity).then_some(reported)),
                        alerts::assignee_id.eq(change.assignee_id.map(UserId::get)),
                        // The flow has locked the alerts of the project, so the alert has not changed since it was
                        // read.
                        alerts::updated_at.eq(change.at.as_micros().max(updated_at)),
                    ))
                    .execute(connection)?;
                Ok(true)
            })
        }
    }
}
