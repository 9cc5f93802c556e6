//! Usage and release health: received events by outcome, and the sessions of each release.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::time::{CalendarDate, Timestamp};
use error_tracking::store::{CounterFilter, SessionFilter};
use error_tracking::wire::{CounterJson, ReleaseHealthJson};
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Parameter, ParameterKind, ResponseSpec, get};

use super::TAG;
use crate::frame::api::ApiRequest;
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Maintainer, ReadApi, Reporter};

const STATISTICS: &str = "/api/v4/projects/{id}/error_tracking/statistics";
const RELEASES: &str = "/api/v4/projects/{id}/error_tracking/releases";

/// Days in a response: the default, and the maximum.
const DEFAULT_DAYS: i64 = 30;
const MAX_DAYS: i32 = 400;
/// Session rows that are added up.
const MAX_SESSION_ROWS: usize = 10_000;

const FROM: Parameter = Parameter::query(
    "from",
    ParameterKind::Date,
    "First day (default: 30 days ago).",
);
const TO: Parameter = Parameter::query("to", ParameterKind::Date, "Last day (default: today).");

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listErrorStatistics", STATISTICS, statistics)
            .documented(TAG, "List received events by day, key and outcome")
            .takes([PROJECT, FROM, TO])
            .response(ResponseSpec::json::<Vec<CounterJson>>(200, "The counts.")),
        get("listReleaseHealth", RELEASES, releases)
            .documented(TAG, "List the session health of releases")
            .takes([PROJECT, FROM, TO])
            .takes([Parameter::query(
                "release",
                ParameterKind::ANY_TEXT,
                "Filter by release.",
            )])
            .response(ResponseSpec::json::<Vec<ReleaseHealthJson>>(
                200,
                "The releases.",
            )),
    ]
}

/// Parses the date range of a request.
fn days(request: &ApiRequest) -> Result<(CalendarDate, CalendarDate), ApiError> {
    let mut read = request.params().reader();
    let now: Timestamp = request.now();
    let to = read.date(TO.name).unwrap_or_else(|| now.date());
    let usual = to.start().plus_seconds(-DEFAULT_DAYS * 86_400).date();
    let from = read.date(FROM.name).unwrap_or(usual);
    if to.as_days().saturating_sub(from.as_days()) > MAX_DAYS {
        read.fault(FROM.name, "must be at most 400 days before the last day");
    }
    read.finish()?;
    Ok((from, to))
}

async fn statistics(request: InProject<Maintainer, ReadApi>) -> Result<HttpResponse, Failure> {
    let (from, to) = days(&request)?;
    let found = request.read(move |tx, project| {
        let project_id = project.id;
        Ok(tx.list_counters(&CounterFilter {
            project_id,
            from,
            to,
        })?)
    });
    let (counters, _) = found.await?;
    let counters: Vec<CounterJson> = counters.into_iter().map(Into::into).collect();
    request.json(&counters)
}

async fn releases(request: InProject<Reporter, ReadApi>) -> Result<HttpResponse, Failure> {
    let (from, to) = days(&request)?;
    let mut read = request.params().reader();
    let release = read.text("release").filter(|text| !text.is_empty());
    read.finish()?;
    let found = request.read(move |tx, project| {
        let filter = SessionFilter {
            project_id: project.id,
            release,
            from,
            to,
        };
        Ok(tx.list_session_sums(&filter, MAX_SESSION_ROWS)?)
    });
    let (sums, _) = found.await?;
    request.json(&ReleaseHealthJson::of(sums))
}
