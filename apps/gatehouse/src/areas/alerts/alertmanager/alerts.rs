//! Alerts of Alertmanager's API: those that Prometheus posts, and the open ones of the project.

use std::collections::BTreeMap;

use actix_web::http::StatusCode;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use alert_intake::flow::active_silences::ActiveSilences;
use alert_intake::model::Alert;
use alert_intake::payload::{DeliveryFormat, RESOLVE_TIMEOUT};
use alert_intake::rules::labels::{LabelSet, LabelledAlert, NAME, fingerprint};
use api_conventions::error::ApiError;
use api_conventions::time::Timestamp;
use gatehouse_core::flows::silences::list_open_reports;
use schemars::JsonSchema;
use serde::Serialize;
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::media_type::require_json;
use web_conventions::operations::{Operation, RateClass, ResponseSpec, get, post};

use super::access::{AlertmanagerUse, caller};
use super::filter::{
    ACTIVE, AlertmanagerQuery, FILTER, INHIBITED, MUTED, RECEIVERS, SILENCED, UNPROCESSED,
};
use super::silences::uuid_of;
use super::status::{AlertmanagerReceiver, THE_RECEIVER};
use super::{described, respond};
use crate::areas::alerts::intake::{authorize, deliver, key_of, named_identifier, read_as};
use crate::areas::alerts::payloads::POSTED_ALERTS;
use crate::frame::lane;
use crate::frame::public::{AlertmanagerClient, Sender};
use crate::state::AppState;

const ALERTS: &str = "/{*project}/alerts/notify/{slug}/{endpoint}/api/v2/alerts";
/// Rulers whose switch for the second version is off post the same list to the first.
const FIRST_VERSION: &[&str] = &["/{*project}/alerts/notify/{slug}/{endpoint}/api/v1/alerts"];
const GROUPS: &str = "/{*project}/alerts/notify/{slug}/{endpoint}/api/v2/alerts/groups";

/// Open alert of the project, as Alertmanager shows it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AlertmanagerAlert {
    labels: LabelSet,
    annotations: LabelSet,
    #[serde(rename = "generatorURL")]
    generator_url: String,
    starts_at: Timestamp,
    updated_at: Timestamp,
    /// Time at which the alert would end if nobody reported it from now on.
    ends_at: Timestamp,
    fingerprint: String,
    receivers: Vec<AlertmanagerReceiver>,
    status: AlertmanagerAlertStatus,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AlertmanagerAlertStatus {
    /// `active`, or `suppressed` by a silence.
    state: &'static str,
    /// Ids of the silences that hide the alert.
    silenced_by: Vec<String>,
    inhibited_by: Vec<String>,
    muted_by: Vec<String>,
}

/// Alerts with the same name.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AlertmanagerGroup {
    labels: LabelSet,
    receiver: AlertmanagerReceiver,
    alerts: Vec<AlertmanagerAlert>,
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let flags = [FILTER, RECEIVERS, ACTIVE, SILENCED, INHIBITED];
    vec![
        described(
            get("listAlertmanagerGroups", GROUPS, list_groups),
            "List the open alerts by name, for clients of Alertmanager",
            RateClass::Read,
        )
        .takes(flags)
        .takes([MUTED])
        .response(ResponseSpec::json::<Vec<AlertmanagerGroup>>(
            200,
            "The alerts in groups of the same name: at most 10,000, the most severe ones.",
        )),
        described(
            get("listAlertmanagerAlerts", ALERTS, list),
            "List the open alerts, for clients of Alertmanager",
            RateClass::Read,
        )
        .takes(flags)
        .takes([UNPROCESSED])
        .response(ResponseSpec::json::<Vec<AlertmanagerAlert>>(
            200,
            "The alerts: at most 10,000, the most severe ones.",
        )),
        described(
            post("postAlertmanagerAlerts", ALERTS, receive),
            "Create or resolve alerts as Prometheus posts them to an Alertmanager",
            RateClass::Intake,
        )
        .also_at(FIRST_VERSION)
        .reads(POSTED_ALERTS)
        .response(ResponseSpec::empty(200, "The alerts are stored.")),
    ]
}

async fn receive(
    request: HttpRequest,
    payload: Payload,
    state: Data<AppState>,
    _: Sender,
) -> Result<HttpResponse, Failure> {
    respond(receive_posted(&request, payload, &state).await)
}

/// Stores the alerts of a request. Those that are invalid are left out, and named in a refusal.
async fn receive_posted(
    request: &HttpRequest,
    payload: Payload,
    state: &Data<AppState>,
) -> Result<HttpResponse, Failure> {
    let key = key_of(request.headers()).ok_or_else(ApiError::key_required)?;
    let endpoint = authorize(request, state, &named_identifier(request), &key).await?;
    let reading = async {
        require_json(request.headers())?;
        read_as(request, payload, state, DeliveryFormat::PostedAlerts).await
    };
    let stored = deliver(request, state, &endpoint, reading).await?;
    if stored.skipped > 0 {
        let text = format!("{}; the other alerts are stored", stored.notes.join("; "));
        return Ok(HttpResponse::build(StatusCode::BAD_REQUEST).json(text));
    }
    Ok(HttpResponse::Ok().finish())
}

async fn list(
    request: HttpRequest,
    state: Data<AppState>,
    _: AlertmanagerClient,
) -> Result<HttpResponse, Failure> {
    let alerts = open_alerts(&request, &state).await;
    respond(alerts.map(|alerts| HttpResponse::Ok().json(alerts)))
}

async fn list_groups(
    request: HttpRequest,
    state: Data<AppState>,
    _: AlertmanagerClient,
) -> Result<HttpResponse, Failure> {
    let alerts = open_alerts(&request, &state).await;
    respond(alerts.map(|alerts| HttpResponse::Ok().json(groups_of(alerts))))
}

/// Puts alerts with the same name into one group.
fn groups_of(alerts: Vec<AlertmanagerAlert>) -> Vec<AlertmanagerGroup> {
    let mut groups: BTreeMap<String, Vec<AlertmanagerAlert>> = BTreeMap::new();
    for alert in alerts {
        let name = alert.labels.get(NAME).cloned().unwrap_or_default();
        groups.entry(name).or_default().push(alert);
    }
    let group = |(name, alerts): (String, Vec<AlertmanagerAlert>)| AlertmanagerGroup {
        labels: LabelSet::from([(NAME.to_owned(), name)]),
        receiver: THE_RECEIVER,
        alerts,
    };
    groups.into_iter().map(group).collect()
}

/// Returns the open alerts that a request asks for, in the order of their fingerprints.
async fn open_alerts(
    request: &HttpRequest,
    state: &AppState,
) -> Result<Vec<AlertmanagerAlert>, Failure> {
    let project = caller(request, state, AlertmanagerUse::Read).await?.project;
    let query = AlertmanagerQuery::parse(request.query_string())?;
    if !query.is_received {
        return Ok(Vec::new());
    }
    let (lane, now) = (lane::of_request(request, state, None), state.now());
    let listed: Result<(Vec<Alert>, ActiveSilences), StoreError> = state
        .database
        .read(lane, move |tx| {
            let silences = ActiveSilences::of_projects(tx, &[project], now)?;
            let alerts = list_open_reports(tx, project, None, |_| true)?;
            Ok((alerts, silences))
        })
        .await;
    let (alerts, silences) = listed?;
    let shown = alerts.iter().filter_map(|alert| {
        let labelled = LabelledAlert::of(alert);
        if !query.matches(&labelled.labels) {
            return None;
        }
        let hiding = silences.hiding(project, &labelled.labels);
        let silenced_by: Vec<String> = hiding.map(|silence| uuid_of(silence.id)).collect();
        let is_wanted = if silenced_by.is_empty() {
            query.active
        } else {
            query.silenced
        };
        is_wanted.then(|| shown(alert, labelled, silenced_by, now))
    });
    let mut shown: Vec<AlertmanagerAlert> = shown.collect();
    shown.sort_by(|one, other| one.fingerprint.cmp(&other.fingerprint));
    Ok(shown)
}

fn shown(
    alert: &Alert,
    labelled: LabelledAlert,
    silenced_by: Vec<String>,
    now: Timestamp,
) -> AlertmanagerAlert {
    AlertmanagerAlert {
        fingerprint: fingerprint(&labelled.labels),
        labels: labelled.labels,
        annotations: labelled.annotations,
        generator_url: labelled.generator_url.unwrap_or_default(),
        starts_at: alert.summary.started_at,
        updated_at: alert.summary.updated_at,
        ends_at: now.plus_seconds(RESOLVE_TIMEOUT),
        receivers: vec![THE_RECEIVER],
        status: AlertmanagerAlertStatus {
            state: if silenced_by.is_empty() {
                "active"
            } else {
                "suppressed"
            },
            silenced_by,
            inhibited_by: Vec::new(),
            muted_by: Vec::new(),
        },
    }
}
