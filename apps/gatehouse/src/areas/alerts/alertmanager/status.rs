//! Version, receivers and state of the server, for clients of Alertmanager.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use web_conventions::failure::Failure;
use web_conventions::operations::{Body, Content, Operation, RateClass, ResponseSpec, get};

use super::access::{AlertmanagerUse, caller};
use super::filter::RECEIVER;
use super::{described, respond};
use crate::frame::public::AlertmanagerClient;
use crate::state::AppState;

/// Release of Alertmanager whose API is served. Clients choose their requests by it.
const API_RELEASE: &str = "0.27.0";

/// Configuration in which a client finds the receiver.
const CONFIGURATION: &str = "route:\n  receiver: gatehouse\nreceivers:\n- name: gatehouse\n";

const STATUS: &str = "/{*project}/alerts/notify/{slug}/{endpoint}/api/v2/status";
const RECEIVERS: &str = "/{*project}/alerts/notify/{slug}/{endpoint}/api/v2/receivers";
const METRICS: &str = "/{*project}/alerts/notify/{slug}/{endpoint}/metrics";

const TEXT: Body = Body {
    media_type: "text/plain",
    ..Body::json::<String>()
};

/// State of the server.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AlertmanagerStatus {
    cluster: AlertmanagerCluster,
    version_info: AlertmanagerVersion,
    config: AlertmanagerConfig,
    /// Time at which the server started.
    uptime: Timestamp,
}

#[derive(Debug, Serialize, JsonSchema)]
struct AlertmanagerCluster {
    /// Always `disabled`: all servers of a database have the same alerts.
    status: &'static str,
    name: &'static str,
    peers: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AlertmanagerVersion {
    /// Release of Alertmanager whose API is served.
    version: &'static str,
    /// Version of this server.
    revision: &'static str,
    branch: &'static str,
    build_user: &'static str,
    build_date: &'static str,
    go_version: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
struct AlertmanagerConfig {
    original: &'static str,
}

/// Receiver of alerts.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct AlertmanagerReceiver {
    /// Always `gatehouse`: who is sent a message is a setting of the project.
    pub(super) name: &'static str,
}

pub(super) const THE_RECEIVER: AlertmanagerReceiver = AlertmanagerReceiver { name: RECEIVER };

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let read = RateClass::Read;
    vec![
        described(
            get("getAlertmanagerStatus", STATUS, status),
            "Get the version and the state of the server, for clients of Alertmanager",
            read,
        )
        .response(ResponseSpec::json::<AlertmanagerStatus>(200, "The state.")),
        described(
            get("listAlertmanagerReceivers", RECEIVERS, receivers),
            "List the receivers, for clients of Alertmanager",
            read,
        )
        .response(ResponseSpec::json::<Vec<AlertmanagerReceiver>>(
            200,
            "The receiver.",
        )),
        described(
            get("getAlertmanagerMetrics", METRICS, metrics),
            "Get the version of the server as a metric, as karma reads it",
            read,
        )
        .response(ResponseSpec {
            status: 200,
            about: "The metric.",
            content: Content::Of(TEXT),
        }),
    ]
}

async fn status(
    request: HttpRequest,
    state: Data<AppState>,
    _: AlertmanagerClient,
) -> Result<HttpResponse, Failure> {
    let allowed = caller(&request, &state, AlertmanagerUse::Read).await;
    respond(allowed.map(|_| HttpResponse::Ok().json(AlertmanagerStatus::since(state.started_at))))
}

impl AlertmanagerStatus {
    fn since(start: Timestamp) -> Self {
        Self {
            cluster: AlertmanagerCluster {
                status: "disabled",
                name: "",
                peers: Vec::new(),
            },
            version_info: AlertmanagerVersion {
                version: API_RELEASE,
                revision: env!("CARGO_PKG_VERSION"),
                branch: "",
                build_user: "gatehouse",
                build_date: "",
                go_version: "",
            },
            config: AlertmanagerConfig {
                original: CONFIGURATION,
            },
            uptime: start,
        }
    }
}

async fn receivers(
    request: HttpRequest,
    state: Data<AppState>,
    _: AlertmanagerClient,
) -> Result<HttpResponse, Failure> {
    let allowed = caller(&request, &state, AlertmanagerUse::Read).await;
    respond(allowed.map(|_| HttpResponse::Ok().json([THE_RECEIVER])))
}

async fn metrics(
    request: HttpRequest,
    state: Data<AppState>,
    _: AlertmanagerClient,
) -> Result<HttpResponse, Failure> {
    let allowed = caller(&request, &state, AlertmanagerUse::Read).await;
    respond(allowed.map(|_| {
        HttpResponse::Ok()
            .content_type("text/plain; version=0.0.4; charset=utf-8")
            .body(format!(
                "# HELP alertmanager_build_info Release of Alertmanager whose API is served.\n\
                 # TYPE alertmanager_build_info gauge\n\
                 alertmanager_build_info{{version=\"{API_RELEASE}\"}} 1\n"
            ))
    }))
}
