//! Silences of Alertmanager's API.

use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use alert_intake::flow::silences::{SilenceError, WantedSilence};
use alert_intake::model::{LabelMatcher, Silence, SilenceState};
use api_conventions::error::ApiError;
use api_conventions::ids::SilenceId;
use api_conventions::params::Params;
use api_conventions::time::Timestamp;
use gatehouse_core::flows::silences::{end_silence, put_silence};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use storage::StoreError;
use web_conventions::body::{BodyLimits, BodySender, read_body};
use web_conventions::failure::Failure;
use web_conventions::media_type::require_json;
use web_conventions::operations::{
    Operation, Parameter, ParameterKind, RateClass, ResponseSpec, get, post, unconditional_delete,
};

use super::access::{AlertmanagerUse, caller};
use super::filter::{AlertmanagerQuery, FILTER};
use super::{described, respond};
use crate::areas::alerts::payloads::SILENCE;
use crate::frame::lane;
use crate::frame::public::AlertmanagerClient;
use crate::state::AppState;

const SILENCES: &str = "/{*project}/alerts/notify/{slug}/{endpoint}/api/v2/silences";
const ONE: &str = "/{*project}/alerts/notify/{slug}/{endpoint}/api/v2/silence/{silence}";

/// Largest body of a silence, in bytes.
const MAX_BYTES: usize = 256 * 1024;
/// Largest number of silences that a list has.
const MAX_LISTED: usize = 2 * Silence::MAX_UNEXPIRED;

const ID: Parameter = Parameter::path(
    "silence",
    ParameterKind::Matching("^00000000-0000-8000-8[0-9a-f]{3}-[0-9a-f]{12}$"),
    "Id of the silence.",
)
.example("00000000-0000-8000-8000-000000000001");

/// Silence, as Alertmanager shows it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AlertmanagerSilence {
    id: String,
    status: AlertmanagerSilenceStatus,
    matchers: Vec<LabelMatcher>,
    starts_at: Timestamp,
    ends_at: Timestamp,
    created_by: String,
    comment: String,
    updated_at: Timestamp,
}

#[derive(Debug, Serialize, JsonSchema)]
struct AlertmanagerSilenceStatus {
    /// `active`, `pending` or `expired`.
    state: &'static str,
}

/// Id of a stored silence.
#[derive(Debug, Serialize, JsonSchema)]
struct StoredSilenceId {
    #[serde(rename = "silenceID")]
    silence_id: String,
}

impl AlertmanagerSilence {
    fn new(silence: Silence, now: Timestamp) -> Self {
        let state = silence.state(now).as_str();
        let content = silence.content;
        Self {
            id: uuid_of(silence.id),
            status: AlertmanagerSilenceStatus { state },
            matchers: content.matchers,
            starts_at: content.starts_at,
            ends_at: content.ends_at,
            created_by: content.created_by,
            comment: content.comment,
            updated_at: content.updated_at,
        }
    }
}

/// Returns the id of a silence as a UUID of version 8 (RFC 9562, section 5.8): clients expect one.
pub(in crate::areas::alerts) fn uuid_of(id: SilenceId) -> String {
    let number = id.get().unsigned_abs();
    let (high, low) = (number >> 48, number & 0xffff_ffff_ffff);
    format!("00000000-0000-8000-8{high:03x}-{low:012x}")
}

/// Returns the id that [`uuid_of`] wrote; `None` for another UUID.
fn id_of(uuid: &str) -> Option<SilenceId> {
    let digits = uuid
        .strip_prefix("00000000-0000-8000-8")?
        .replacen('-', "", 1);
    let number = i64::from_str_radix(&digits, 16).ok()?;
    let id = SilenceId::new(number);
    (uuid_of(id) == uuid).then_some(id)
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let (read, write) = (RateClass::Read, RateClass::Write);
    let missing =
        || ResponseSpec::json::<String>(404, "The silence does not exist in this project.");
    vec![
        described(
            get("listAlertmanagerSilences", SILENCES, list),
            "List the silences, for clients of Alertmanager",
            read,
        )
        .takes([FILTER])
        .response(ResponseSpec::json::<Vec<AlertmanagerSilence>>(
            200,
            "The silences, at most 1,000: the active ones that end first, then the pending ones, then those that ended.",
        )),
        described(
            post("putAlertmanagerSilence", SILENCES, put),
            "Create or update a silence, for clients of Alertmanager",
            write,
        )
        .reads(SILENCE)
        .response(ResponseSpec::json::<StoredSilenceId>(
            200,
            "Id of the silence. A silence whose matchers or start change gets another id, and the former one ends.",
        ))
        .response(missing()),
        described(
            get("getAlertmanagerSilence", ONE, find),
            "Get a silence, for clients of Alertmanager",
            read,
        )
        .takes([ID])
        .response(ResponseSpec::json::<AlertmanagerSilence>(200, "The silence."))
        .response(missing()),
        described(
            unconditional_delete("endAlertmanagerSilence", ONE, end),
            "End a silence, for clients of Alertmanager",
            write,
        )
        .takes([ID])
        .response(ResponseSpec::empty(200, "The silence is over."))
        .response(missing()),
    ]
}

async fn list(
    request: HttpRequest,
    state: Data<AppState>,
    _: AlertmanagerClient,
) -> Result<HttpResponse, Failure> {
    let listed = list_silences(&request, &state).await;
    respond(listed.map(|silences| HttpResponse::Ok().json(silences)))
}

/// Returns the silences that a request asks for, in the order of Alertmanager.
async fn list_silences(
    request: &HttpRequest,
    state: &AppState,
) -> Result<Vec<AlertmanagerSilence>, Failure> {
    let project = caller(request, state, AlertmanagerUse::Read).await?.project;
    let wanted = AlertmanagerQuery::parse(request.query_string())?.matchers;
    let (lane, now) = (lane::of_request(request, state, None), state.now());
    let listed: Result<Vec<Silence>, StoreError> = state
        .database
        .read(lane, move |tx| {
            tx.list_silences(&[project], Timestamp::MIN, MAX_LISTED)
        })
        .await;
    let mut silences = listed?;
    // A filter compares matchers literally.
    silences.retain(|silence| {
        let matchers = &silence.content.matchers;
        wanted.iter().all(|wanted| matchers.contains(wanted))
    });
    silences.sort_by_key(|silence| order(silence, now));
    let shown = silences.into_iter();
    Ok(shown.map(|it| AlertmanagerSilence::new(it, now)).collect())
}

/// Place of a silence in lists: active ones by their end, pending ones by their start, and the ones that are over with the
/// last end first.
pub(in crate::areas::alerts) fn order(
    silence: &Silence,
    now: Timestamp,
) -> (SilenceState, i64, SilenceId) {
    let state = silence.state(now);
    let time = match state {
        SilenceState::Active => silence.content.ends_at.as_micros(),
        SilenceState::Pending => silence.content.starts_at.as_micros(),
        SilenceState::Expired => -silence.content.ends_at.as_micros(),
    };
    (state, time, silence.id)
}

async fn put(
    request: HttpRequest,
    payload: Payload,
    state: Data<AppState>,
    _: AlertmanagerClient,
) -> Result<HttpResponse, Failure> {
    let stored = put_wanted(&request, payload, &state).await;
    respond(stored.map(|silence| {
        HttpResponse::Ok().json(StoredSilenceId {
            silence_id: uuid_of(silence.id),
        })
    }))
}

async fn put_wanted(
    request: &HttpRequest,
    payload: Payload,
    state: &AppState,
) -> Result<Silence, Failure> {
    let caller = caller(request, state, AlertmanagerUse::Silence).await?;
    require_json(request.headers())?;
    let limits = BodyLimits {
        max_bytes: MAX_BYTES,
        timeout: state.settings.server.body_timeout,
        budget: &state.bodies,
        sender: BodySender::Authorized,
    };
    let body = read_body(request, payload, limits).await?;
    let mut wanted = read_wanted(&Params::from_json(&body)?)?;
    let suffix = format!(" ({})", caller.name);
    // A client sends back what it read when it changes a silence.
    if wanted.created_by != caller.name && !wanted.created_by.ends_with(&suffix) {
        wanted.created_by.push_str(&suffix);
    }
    let (project, by) = (caller.project, caller.editor(state.now()));
    let stored = state.database.write_for(caller.impersonation, move |tx| {
        put_silence(tx, project, wanted.clone(), &by)
    });
    stored.await.map_err(refused)
}

/// Answers an error of a change of silences.
pub(in crate::areas::alerts) fn refused(error: SilenceError) -> Failure {
    match error {
        SilenceError::Store(error) => error.into(),
        refusal => ApiError::from(refusal).into(),
    }
}

/// Matcher in a request; without `isRegex` it compares.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SentMatcher {
    name: String,
    value: String,
    #[serde(default)]
    is_regex: bool,
    is_equal: Option<bool>,
}

/// Reads a silence as Alertmanager's clients send it.
fn read_wanted(params: &Params) -> Result<WantedSilence, ApiError> {
    let mut read = params.reader();
    read.demand(&["matchers", "startsAt", "endsAt"]);
    let id = read.text("id").filter(|id| !id.is_empty());
    let (starts_at, ends_at) = (read.timestamp("startsAt"), read.timestamp("endsAt"));
    let (created_by, comment) = (read.text("createdBy"), read.text("comment"));
    read.finish()?;
    let matchers = params.get("matchers").cloned().unwrap_or(Value::Null);
    let invalid = |_| {
        ApiError::bad_request("matchers is a list of objects with name, value, isRegex and isEqual")
    };
    let matchers: Vec<SentMatcher> = serde_json::from_value(matchers).map_err(invalid)?;
    let matchers = matchers.into_iter().map(|sent| LabelMatcher {
        name: sent.name,
        value: sent.value,
        is_regex: sent.is_regex,
        is_equal: sent.is_equal.unwrap_or(true),
    });
    let unknown = || ApiError::not_found("Silence");
    Ok(WantedSilence {
        id: id.map(|id| id_of(&id).ok_or_else(unknown)).transpose()?,
        matchers: matchers.collect(),
        starts_at: starts_at.unwrap_or(Timestamp::MIN),
        ends_at: ends_at.unwrap_or(Timestamp::MIN),
        created_by: created_by.unwrap_or_default(),
        comment: comment.unwrap_or_default(),
    })
}

/// Returns the id of the silence in the path.
fn path_id(request: &HttpRequest) -> Result<SilenceId, ApiError> {
    let text = request.match_info().get(ID.name).unwrap_or_default();
    id_of(text).ok_or_else(|| ApiError::not_found("Silence"))
}

async fn find(
    request: HttpRequest,
    state: Data<AppState>,
    _: AlertmanagerClient,
) -> Result<HttpResponse, Failure> {
    let found = find_wanted(&request, &state).await;
    respond(
        found
            .map(|silence| HttpResponse::Ok().json(AlertmanagerSilence::new(silence, state.now()))),
    )
}

async fn find_wanted(request: &HttpRequest, state: &AppState) -> Result<Silence, Failure> {
    let project = caller(request, state, AlertmanagerUse::Read).await?.project;
    let id = path_id(request)?;
    let lane = lane::of_request(request, state, None);
    let found: Result<Option<Silence>, StoreError> = state
        .database
        .read(lane, move |tx| tx.find_silence(project, id))
        .await;
    Ok(found?.ok_or_else(|| ApiError::not_found("Silence"))?)
}

async fn end(
    request: HttpRequest,
    state: Data<AppState>,
    _: AlertmanagerClient,
) -> Result<HttpResponse, Failure> {
    let ended = end_wanted(&request, &state).await;
    respond(ended.map(|()| HttpResponse::Ok().finish()))
}

async fn end_wanted(request: &HttpRequest, state: &AppState) -> Result<(), Failure> {
    let caller = caller(request, state, AlertmanagerUse::Silence).await?;
    let (project, by) = (caller.project, caller.editor(state.now()));
    let id = path_id(request)?;
    let ended = state.database.write_for(caller.impersonation, move |tx| {
        end_silence(tx, project, id, &by)
    });
    ended.await.map_err(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_as_they_are_written_and_no_other_uuid_is_one() {
        for number in [0, 1, 0xffff_ffff_ffff, 1 << 48, 1 << 59] {
            let uuid = uuid_of(SilenceId::new(number));
            assert_eq!(uuid.len(), 36, "{uuid}");
            assert_eq!(id_of(&uuid), Some(SilenceId::new(number)), "{uuid}");
        }
        for other in [
            "",
            "00000000-0000-8000-8000-00000000000G",
            "00000000-0000-8000-8000-0000000000001",
            "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        ] {
            assert_eq!(id_of(other), None, "{other}");
        }
    }
}
