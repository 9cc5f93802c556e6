//! `GET /api/v4/deprecations` and `GET /api/v4/deprecations/:release`.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::release::Release;
use deprecations::wire::{RecordJson, ReleaseJson};
use deprecations::{Edition, NEWEST, calendar};
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Parameter, ParameterKind, ResponseSpec, get};

use super::filter::{parameters, read_filter};
use super::uses::{RecordUsesJson, UseJson, of_all, of_user};
use crate::frame::api::{AsAdministrator, AsCaller, AsUser};
use crate::frame::scopes::{AnyScope, ReadApi, ReadUser};

const TAG: &str = "deprecations";

const RELEASE: Parameter = Parameter::path(
    "release",
    ParameterKind::Text { min: 1, max: 16 },
    "Release, such as 16.0, or `v5` for the next version of the API.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listDeprecations", "/api/v4/deprecations", list)
            .documented(TAG, "List deprecations, removals and new features by release")
            .takes(parameters())
            .response(ResponseSpec::json::<Vec<RecordJson>>(
                200,
                "The records: deprecations and removals, latest removal first, then new features.",
            )),
        get("showDeprecations", "/api/v4/deprecations/{release}", show)
            .documented(TAG, "Get the removals, announcements and new features of a release")
            .takes([RELEASE])
            .response(ResponseSpec::json::<ReleaseJson>(200, "The release.")),
        get("listOwnDeprecatedUses", "/api/v4/user/deprecations", own)
            .documented(TAG, "List the deprecated features that the caller uses")
            .response(ResponseSpec::json::<Vec<UseJson>>(
                200,
                "Deprecated features that your tokens, applications and sessions used within 90 days, most recently used first, at most 100.",
            )),
        get("listDeprecatedUses", "/api/v4/admin/deprecations", all)
            .documented(TAG, "List the users of deprecated features")
            .response(ResponseSpec::json::<Vec<RecordUsesJson>>(
                200,
                "Records used within 90 days, earliest removal first, each with its ten most recent uses.",
            )),
    ]
}

async fn list(request: AsCaller<AnyScope>) -> Result<HttpResponse, Failure> {
    let filter = read_filter(request.params())?;
    let (schedule, at) = (request.releases().schedule(), request.edition());
    let records = schedule.records().iter();
    let shown = records.filter(|record| filter.shows(record, at));
    let shown: Vec<RecordJson> = shown
        .map(|record| RecordJson::new(record, at, request.base_url()))
        .collect();
    request.json(&shown)
}

async fn show(request: AsCaller<AnyScope>) -> Result<HttpResponse, Failure> {
    let name = request.segment(RELEASE.name, "Release")?;
    let at = parse_edition(&name).ok_or_else(|| ApiError::not_found("Release"))?;
    let schedule = request.releases().schedule();
    request.json(&ReleaseJson::new(schedule, at, request.base_url()))
}

async fn own(request: AsUser<ReadUser>) -> Result<HttpResponse, Failure> {
    let (user, schedule) = (request.caller().user.id, request.releases().schedule());
    let found = request.read(move |tx| Ok(of_user(tx, user)?)).await?;
    let shown: Vec<UseJson> = found
        .into_iter()
        .map(|one| UseJson::new(one, schedule))
        .collect();
    request.json(&shown)
}

async fn all(request: AsAdministrator<ReadApi>) -> Result<HttpResponse, Failure> {
    let schedule = request.releases().schedule();
    let found = request.read(move |tx| Ok(of_all(tx, schedule)?)).await?;
    let shown = found.into_iter();
    let shown: Vec<_> = shown
        .map(|uses| RecordUsesJson::new(uses, schedule))
        .collect();
    request.json(&shown)
}

/// Resolves the name of a release, including the next version of the API.
pub(super) fn parse_edition(text: &str) -> Option<Edition> {
    let preview = Edition::preview(NEWEST);
    if text == preview.to_string() {
        return Some(preview);
    }
    let release: Release = text.parse().ok()?;
    calendar::day_of(release).map(|_| Edition::of(release))
}
