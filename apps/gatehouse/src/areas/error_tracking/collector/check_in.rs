//! Check-ins of jobs without an SDK: plain requests, as `curl` and timers send them.

use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::error::ApiError;
use error_tracking::collector::{
    BodyFormat, CollectedCheckIn, DropReason, MAX_CHECK_IN, RequestContent,
};
use error_tracking::model::{EventDelivery, StorageLimits};
use error_tracking::monitors::CheckIn;
use error_tracking::protocol::item::Category;
use error_tracking::protocol::json;
use gatehouse_core::auth::client_keys::Collector;
use serde_json::{Map, Value};
use url::form_urlencoded;
use web_conventions::operations::{
    Body, Operation, Parameter, ParameterKind, RateClass, ResponseSpec, get, post,
};

use super::response::{CollectResponse, check_in_accepted};
use super::{PROJECT_ID, TAG, authorize, new_event_id, project_of, read_body, write};
use crate::frame::collector_failure::{CollectorFailure, CollectorRefusal};
use crate::frame::public::Program;
use crate::state::AppState;

const CHECK_IN: &str =
    "/api/v4/error_tracking/collector/api/{project_id}/cron/{slug}/{public_key}/";

const SLUG: Parameter = Parameter::path(
    "slug",
    ParameterKind::Text { min: 1, max: 200 },
    "The name of the monitor. The first check-in creates it.",
);
const PUBLIC_KEY: Parameter = Parameter::path(
    "public_key",
    ParameterKind::Text { min: 1, max: 200 },
    "The public key of the DSN.",
);
const STATUS: Parameter = Parameter::query(
    "status",
    ParameterKind::Text { min: 0, max: 20 },
    "`in_progress` when a run begins; `ok` or `error` when it ends.",
);
const CHECK_IN_ID: Parameter = Parameter::query(
    "check_in_id",
    ParameterKind::Text { min: 0, max: 36 },
    "The id of the run, as 32 hexadecimal digits. Without one, the end of a run ends the latest one in progress.",
);
const DURATION: Parameter = Parameter::query(
    "duration",
    ParameterKind::Text { min: 0, max: 30 },
    "The duration of the run in seconds.",
);
const ENVIRONMENT: Parameter = Parameter::query(
    "environment",
    ParameterKind::Text { min: 0, max: 200 },
    "The environment; `production` unless given.",
);

/// Message about a check-in that cannot be read.
const INVALID: &str = "the check-in is not valid: send status=in_progress, ok or error, a check_in_id of 32 hexadecimal \
                       digits or none, and a monitor_config with a crontab or an interval or none";
/// Message about the first check-in of one monitor too many.
pub(super) const FULL: &str =
    "the project has 100 monitors, which is the limit; delete one that is no longer used";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let described = |operation: Operation| {
        operation
            .also_at(&[
                "/api/v4/error_tracking/collector/api/{project_id}/cron/{slug}/{public_key}",
            ])
            .documented(TAG, "Check in with a run of a scheduled job")
            .takes([PROJECT_ID, SLUG, PUBLIC_KEY])
            .takes([STATUS, CHECK_IN_ID, DURATION, ENVIRONMENT])
            .rated(RateClass::Intake)
            .refuses_with(Body::json::<CollectorRefusal>())
            .response(ResponseSpec::json::<CollectResponse>(
                202,
                "Recorded. `id` is the id of the run.",
            ))
            .response(ResponseSpec::refusal(400, "The check-in is not valid."))
            .response(ResponseSpec::refusal(422, FULL))
    };
    vec![
        described(get("checkIn", CHECK_IN, check_in)),
        described(post("sendCheckIn", CHECK_IN, check_in))
            .response(ResponseSpec::refusal(413, "The payload is too large."))
            .response(ResponseSpec::refusal(
                415,
                "The `Content-Encoding` is not supported.",
            )),
    ]
}

async fn check_in(
    request: HttpRequest,
    payload: Payload,
    state: Data<AppState>,
    _: Program,
) -> Result<HttpResponse, CollectorFailure> {
    let key = request.match_info().query(PUBLIC_KEY.name).to_owned();
    let collector = authorize(&request, &state, project_of(&request), &key).await?;
    let content = content_of(&read_fields(&request, payload, &state).await?);
    let is_valid = !content.check_ins.is_empty();
    let delivery = delivery(&state, &collector, content);
    let outcome = write(&request, &state, &collector, delivery).await?;
    match outcome.runs.first() {
        Some(run) => Ok(check_in_accepted(*run)),
        None if is_valid => Err(ApiError::unprocessable(FULL).into()),
        None => Err(ApiError::bad_request(INVALID).into()),
    }
}

/// Returns the check-in of the fields; one that is not valid is counted as dropped.
fn content_of(fields: &Map<String, Value>) -> RequestContent {
    match CheckIn::from_object(fields) {
        Some(check_in) => RequestContent {
            check_ins: vec![CollectedCheckIn {
                check_in,
                fallback_id: new_event_id(),
            }],
            ..RequestContent::default()
        },
        None => RequestContent::only_dropped(Category::Monitor, DropReason::Invalid),
    }
}

fn delivery(state: &AppState, collector: &Collector, content: RequestContent) -> EventDelivery {
    let (project, key) = (collector.settings.project_id, collector.key.id);
    let limits = StorageLimits::from(&collector.settings.options);
    EventDelivery::of(content, project, key, state.now(), 0, limits)
}

/// Reads the fields of a check-in: those of a JSON body, then those of the query string, which win.
async fn read_fields(
    request: &HttpRequest,
    payload: Payload,
    state: &Data<AppState>,
) -> Result<Map<String, Value>, CollectorFailure> {
    let raw = read_body(request, payload, state, true, BodyFormat::Report).await?;
    let body = raw.decode(state).await?.into_bytes();
    if body.len() > MAX_CHECK_IN {
        return Err(ApiError::content_too_large("the check-in is larger than 100 KiB").into());
    }
    let mut fields = match json::read(&body).map(|parsed| parsed.value) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    for (name, value) in form_urlencoded::parse(request.query_string().as_bytes()) {
        fields.insert(name.into_owned(), Value::String(value.into_owned()));
    }
    let slug = request.match_info().query(SLUG.name).to_owned();
    fields.insert("monitor_slug".to_owned(), Value::String(slug));
    Ok(fields)
}
