//! Rows of silences, and of the expiries of alerts.

use alert_intake::model::{AlertExpiry, AlertIdentity, NewSilence, Silence};
use api_conventions::ids::{IntegrationId, ProjectId, SilenceId};
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use storage::StoreError;

use crate::alerts::tables::{alert_expiries, alert_silences};
use crate::rows::{DomainRow, RowReader};

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = alert_silences)]
pub(crate) struct SilenceRow {
    id: i64,
    project_id: i64,
    matchers: String,
    starts_at: i64,
    ends_at: i64,
    created_by: String,
    comment: String,
    updated_at: i64,
    due_at: Option<i64>,
}

impl DomainRow for SilenceRow {
    type Value = Silence;

    fn read(self) -> Result<Silence, StoreError> {
        let row = RowReader::new("alert_silences", self.id);
        let matchers = serde_json::from_str(&self.matchers);
        Ok(Silence {
            id: SilenceId::new(self.id),
            content: NewSilence {
                project_id: ProjectId::new(self.project_id),
                matchers: matchers
                    .map_err(|_| row.inconsistent("matchers are not a list of matchers"))?,
                starts_at: row.timestamp(self.starts_at)?,
                ends_at: row.timestamp(self.ends_at)?,
                created_by: self.created_by,
                comment: self.comment,
                updated_at: row.timestamp(self.updated_at)?,
                due_at: row.optional_timestamp(self.due_at)?,
            },
        })
    }
}

#[derive(Debug, Insertable)]
#[diesel(table_name = alert_silences, treat_none_as_default_value = false)]
pub(crate) struct NewSilenceRow<'s> {
    project_id: i64,
    matchers: String,
    #[diesel(embed)]
    rest: ChangedSilenceRow<'s>,
}

#[derive(Debug, Insertable, AsChangeset)]
#[diesel(table_name = alert_silences, treat_none_as_null = true, treat_none_as_default_value = false)]
pub(crate) struct ChangedSilenceRow<'s> {
    starts_at: i64,
    ends_at: i64,
    created_by: &'s str,
    comment: &'s str,
    updated_at: i64,
    due_at: Option<i64>,
}

impl<'s> From<&'s NewSilence> for ChangedSilenceRow<'s> {
    fn from(silence: &'s NewSilence) -> Self {
        Self {
            starts_at: silence.starts_at.as_micros(),
            ends_at: silence.ends_at.as_micros(),
            created_by: &silence.created_by,
            comment: &silence.comment,
            updated_at: silence.updated_at.as_micros(),
            due_at: silence.due_at.map(Timestamp::as_micros),
        }
    }
}

impl<'s> From<&'s NewSilence> for NewSilenceRow<'s> {
    #[expect(
        clippy::expect_used,
        reason = "texts and flags always serialize to JSON"
    )]
    fn from(silence: &'s NewSilence) -> Self {
        let matchers = serde_json::to_string(&silence.matchers);
        Self {
            project_id: silence.project_id.get(),
            matchers: matchers.expect("matchers serialize to JSON"),
            rest: silence.into(),
        }
    }
}

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = alert_expiries)]
pub(crate) struct ExpiryRow {
    project_id: i64,
    identity: Vec<u8>,
    integration_id: i64,
    expires_at: i64,
}

impl DomainRow for ExpiryRow {
    type Value = AlertExpiry;

    fn read(self) -> Result<AlertExpiry, StoreError> {
        let row = RowReader::new("alert_expiries", self.project_id);
        let identity = self.identity.try_into().ok();
        let identity = row.require(identity, "the identity has another length")?;
        Ok(AlertExpiry {
            project_id: ProjectId::new(self.project_id),
            identity: AlertIdentity::from_bytes(identity),
            integration_id: IntegrationId::new(self.integration_id),
            expires_at: row.timestamp(self.expires_at)?,
        })
    }
}
