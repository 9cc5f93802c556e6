//! Where monitoring systems send alerts (`ALRT-02` to `ALRT-08`).
//!
//! These are web paths, not paths of the API: the project's full path stands in them with its slashes. The
//! sender is known by the key of the endpoint alone. Trouble that may pass is always 503, because senders retry
//! that and nothing else, and an answer of 200 means that everything in the POST is committed.

use std::sync::Arc;

use actix_web::http::header::{AUTHORIZATION, HeaderMap, USER_AGENT};
use actix_web::web::{Bytes, Data, Path, Payload, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use alert_intake::model::Integration;
use alert_intake::payload::{ParseContext, parse};
use alert_intake::wire::IntakeAnswer;
use api_conventions::credentials::Authorization;
use api_conventions::error::ApiError;
use api_conventions::json;
use api_conventions::reference::{FullPath, decode_segment};
use api_conventions::secret::PlainSecret;
use storage::Store as _;

use crate::auth::integrations::Endpoint;
use crate::flows::receive_alerts::ReceiveAlerts;
use crate::http::body::{BodyLimits, INLINE_BYTES, read_body};
use crate::http::endpoint::at;
use crate::http::failure::Failure;
use crate::state::AppState;

/// The deepest nesting of a body; the root is level 1.
pub const MAX_NESTING: usize = 100;

/// The URLs to which a project's alerts are sent.
#[derive(Debug, Clone)]
pub struct IntakeUrls {
    /// For any JSON object.
    pub generic: String,
    /// For Alertmanager.
    pub metrics: String,
}

impl IntakeUrls {
    /// The URLs of the project at `path`, below `base_url`, which has no slash at its end.
    pub fn new(base_url: &str, path: &FullPath) -> Self {
        let project = format!("{base_url}/{}", path.as_str());
        Self {
            generic: format!("{project}/alerts/notify.json"),
            metrics: format!("{project}/prometheus/alerts/notify.json"),
        }
    }
}

/// Mounts the two paths. The one of the metrics endpoint comes first, because the other would match it too.
pub fn configure(service: &mut ServiceConfig) {
    let metrics = "/{project:.+}/prometheus/alerts/notify{_json:(\\.json)?}";
    let generic = "/{project:.+}/alerts/notify{_json:(\\.json)?}";
    service.service(at(metrics).post(receive_metrics).build());
    service.service(at(generic).post(receive_generic).build());
}
