//! Rows of alerts, their endpoints and their receipts.

#![expect(
    clippy::ref_option_ref,
    reason = "the derive of insertable rows borrows each field"
)]

pub(super) mod heartbeats;
pub(super) mod incidents;
pub(super) mod integrations;
pub(super) mod receipts;
pub(super) mod silences;

use alert_intake::model::{
    Alert, AlertIdentity, AlertStatus, AlertSummary, KnownAlert, NewAlert, ReportDigest,
    ReportState, Severity, Source, Start,
};
use api_conventions::ids::{AlertId, AlertIid, IntegrationId, ProjectId, UserId};
use diesel::prelude::*;
use storage::StoreError;

use super::tables::alerts;
use crate::rows::{DomainRow, KeyedRow, RowReader};

#[derive(Queryable, Selectable)]
#[diesel(table_name = alerts)]
pub(crate) struct AlertRow {
    id: i64,
    project_id: i64,
    iid: i64,
    integration_id: i64,
    source: i16,
    title: String,
    description: String,
    severity: i16,
    status: i16,
    service: String,
    monitoring_tool: String,
    hosts: String,
    environment_name: Option<String>,
    started_at: i64,
    last_started_at: i64,
    last_start_stated: bool,
    ended_at: Option<i64>,
    occurrences: i64,
    deliveries: i64,
    created_at: i64,
    updated_at: i64,
    assignee_id: Option<i64>,
    flaps: i64,
    stale_at: Option<i64>,
}

impl KeyedRow for AlertRow {
    /// Returns the number within the project, because a list is of one project.
    fn key(&self) -> i64 {
        self.iid
    }
}

impl DomainRow for AlertRow {
    type Value = AlertSummary;

    fn read(self) -> Result<AlertSummary, StoreError> {
        let row = RowReader::new("alerts", self.id);
        let hosts = serde_json::from_str(&self.hosts);
        let status = AlertStatus::from_row(self.status, row.optional_timestamp(self.ended_at)?);
        Ok(AlertSummary {
            id: AlertId::new(self.id),
            iid: AlertIid::new(self.iid),
            project_id: ProjectId::new(self.project_id),
            integration_id: IntegrationId::new(self.integration_id),
            source: row.require(Source::from_number(self.source), "unknown source")?,
            title: self.title,
            description: self.description,
            severity: row.require(Severity::from_number(self.severity), "unknown severity")?,
            status: row.require(status, "status does not match the end time")?,
            service: self.service,
            monitoring_tool: self.monitoring_tool,
            hosts: hosts.map_err(|_| row.inconsistent("hosts are not a list of strings"))?,
            environment_name: self.environment_name,
            assignee_id: self.assignee_id.map(UserId::new),
            started_at: row.timestamp(self.started_at)?,
            last_start: Start {
                at: row.timestamp(self.last_started_at)?,
                is_stated: self.last_start_stated,
            },
            occurrences: self.occurrences,
            deliveries: self.deliveries,
            flaps: self.flaps,
            stale_at: row.optional_timestamp(self.stale_at)?,
            created_at: row.timestamp(self.created_at)?,
            updated_at: row.timestamp(self.updated_at)?,
        })
    }
}

/// An alert with its payloads.
#[derive(Queryable, Selectable)]
#[diesel(table_name = alerts)]
pub(crate) struct AlertWithPayloadRow {
    #[diesel(embed)]
    summary: AlertRow,
    payload: String,
    latest_payload: Option<String>,
}

impl DomainRow for AlertWithPayloadRow {
    type Value = Alert;

    fn read(self) -> Result<Alert, StoreError> {
        Ok(Alert {
            summary: self.summary.read()?,
            payload: self.payload,
            latest_payload: self.latest_payload,
        })
    }
}

#[derive(Insertable)]
#[diesel(table_name = alerts, treat_none_as_default_value = false)]
pub(crate) struct NewAlertRow<'a> {
    pub(crate) id: i64,
    pub(crate) project_id: i64,
    pub(crate) iid: i64,
    pub(crate) integration_id: i64,
    pub(crate) identity: &'a [u8],
    pub(crate) closed_slot: i64,
    pub(crate) source: i16,
    pub(crate) title: &'a str,
    pub(crate) description: &'a str,
    pub(crate) severity: i16,
    pub(crate) status: i16,
    pub(crate) service: &'a str,
    pub(crate) monitoring_tool: &'a str,
    pub(crate) hosts: String,
    pub(crate) environment_name: Option<&'a str>,
    pub(crate) started_at: i64,
    pub(crate) last_started_at: i64,
    pub(crate) last_start_stated: bool,
    pub(crate) ended_at: Option<i64>,
    pub(crate) occurrences: i64,
    pub(crate) deliveries: i64,
    pub(crate) payload: &'a str,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) report_digest: i64,
    pub(crate) flaps: i64,
    pub(crate) stale_at: Option<i64>,
    pub(crate) latest_payload: Option<&'a str>,
}

/// Slot of every open alert: greater than any id, so that the open alert of an identity comes last.
pub(crate) const OPEN_SLOT: i64 = i64::MAX;

/// Returns the slot of an alert in the index of identities: [`OPEN_SLOT`] while it is open, its own id when it is
/// resolved.
/// An identity can therefore have one open alert and any number of resolved ones, and its greatest slot is that of the
/// open alert or else of the one stored last.
pub(crate) fn closed_slot(status: AlertStatus, id: AlertId) -> i64 {
    if status.is_open() {
        OPEN_SLOT
    } else {
        id.get()
    }
}

impl<'a> From<&'a NewAlert> for NewAlertRow<'a> {
    fn from(new: &'a NewAlert) -> Self {
        let alert = &new.alert.summary;
        Self {
            id: alert.id.get(),
            project_id: alert.project_id.get(),
            iid: alert.iid.get(),
            integration_id: alert.integration_id.get(),
            identity: new.identity.as_bytes(),
            closed_slot: closed_slot(alert.status, alert.id),
            source: alert.source.number(),
            title: &alert.title,
            description: &alert.description,
            severity: alert.severity.number(),
            status: alert.status.number(),
            service: &alert.service,
            monitoring_tool: &alert.monitoring_tool,
            hosts: json_list(&alert.hosts),
            environment_name: alert.environment_name.as_deref(),
            started_at: alert.started_at.as_micros(),
            last_started_at: alert.last_start.at.as_micros(),
            last_start_stated: alert.last_start.is_stated,
            ended_at: alert
                .status
                .ended_at()
                .map(api_conventions::time::Timestamp::as_micros),
            occurrences: alert.occurrences,
            deliveries: alert.deliveries,
            payload: &new.alert.payload,
            created_at: alert.created_at.as_micros(),
            updated_at: alert.updated_at.as_micros(),
            report_digest: new.report.number(),
            flaps: alert.flaps,
            stale_at: alert
                .stale_at
                .map(api_conventions::time::Timestamp::as_micros),
            latest_payload: new.alert.latest_payload.as_deref(),
        }
    }
}

/// Formats a list of texts as JSON.
/// Most lists are empty, and those cost nothing.
pub(crate) fn json_list(texts: &[String]) -> String {
    if texts.is_empty() {
        "[]".to_owned()
    } else {
        serde_json::json!(texts).to_string()
    }
}

#[derive(Queryable, QueryableByName)]
pub(crate) struct KnownAlertRow {
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    project_id: i64,
    #[diesel(sql_type = diesel::sql_types::Binary)]
    identity: Vec<u8>,
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    id: i64,
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    iid: i64,
    #[diesel(sql_type = diesel::sql_types::Text)]
    title: String,
    #[diesel(sql_type = diesel::sql_types::SmallInt)]
    status: i16,
    #[diesel(sql_type = diesel::sql_types::Nullable<diesel::sql_types::BigInt>)]
    ended_at: Option<i64>,
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    last_started_at: i64,
    #[diesel(sql_type = diesel::sql_types::Bool)]
    last_start_stated: bool,
    #[diesel(sql_type = diesel::sql_types::Bool)]
    resolved_by_hand: bool,
    #[diesel(sql_type = diesel::sql_types::SmallInt)]
    source: i16,
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    report_digest: i64,
    #[diesel(sql_type = diesel::sql_types::SmallInt)]
    severity: i16,
    #[diesel(sql_type = diesel::sql_types::SmallInt)]
    reported_severity: i16,
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    flaps: i64,
    #[diesel(sql_type = diesel::sql_types::Text)]
    hosts: String,
}

impl DomainRow for KnownAlertRow {
    type Value = KnownAlert;

    fn read(self) -> Result<KnownAlert, StoreError> {
        let row = RowReader::new("alerts", self.id);
        let status = AlertStatus::from_row(self.status, row.optional_timestamp(self.ended_at)?);
        let severity = |number| row.require(Severity::from_number(number), "unknown severity");
        Ok(KnownAlert {
            project_id: ProjectId::new(self.project_id),
            identity: AlertIdentity::from_bytes(row.digest(self.identity)?),
            id: AlertId::new(self.id),
            iid: AlertIid::new(self.iid),
            title: self.title,
            status: row.require(status, "status does not match the end time")?,
            last_start: Start {
                at: row.timestamp(self.last_started_at)?,
                is_stated: self.last_start_stated,
            },
            resolved_by_hand: self.resolved_by_hand,
            report: ReportState {
                source: row.require(Source::from_number(self.source), "unknown source")?,
                digest: ReportDigest::from_number(self.report_digest),
                severity: severity(self.severity)?,
                reported_severity: severity(self.reported_severity)?,
            },
            flaps: self.flaps,
            hosts: row.require(
                serde_json::from_str(&self.hosts).ok(),
                "hosts are not a list of strings",
            )?,
        })
    }
}
