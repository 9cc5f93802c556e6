//! `GET /api/v4/deprecations` and `GET /api/v4/deprecations/:release`.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::release::Release;
use deprecations::wire::{RecordJson, ReleaseJson};
use deprecations::{Edition, NEWEST, calendar};
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Kind, Operation, Parameter, get};

use super::filter::{parameters, read_filter};
use crate::frame::api::AsAnybody;
use crate::frame::scopes::AnyScope;

const TAG: &str = "deprecations";

const RELEASE: Parameter = Parameter::path(
    "release",
    Kind::Text { min: 1, max: 16 },
    "A release such as 16.0, or `v5` for the next version of the API.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listDeprecations", "/api/v4/deprecations", list)
            .documented(TAG, "List what goes and what has come, by release")
            .takes(parameters())
            .answers(Answer::json::<Vec<RecordJson>>(
                200,
                "The records, what goes last first, and then what has come.",
            )),
        get("showDeprecations", "/api/v4/deprecations/{release}", show)
            .documented(TAG, "Show what a release removes, announces and brings")
            .takes([RELEASE])
            .answers(Answer::json::<ReleaseJson>(200, "The release.")),
    ]
}

async fn list(asked: AsAnybody<AnyScope>) -> Result<HttpResponse, Failure> {
    let filter = read_filter(asked.params())?;
    let (schedule, at) = (asked.releases().schedule(), asked.edition());
    let records = schedule.records().iter();
    let shown = records.filter(|record| filter.shows(record, at));
    let shown: Vec<RecordJson> = shown
        .map(|record| RecordJson::new(record, at, asked.base_url()))
        .collect();
    asked.json(&shown)
}

async fn show(asked: AsAnybody<AnyScope>) -> Result<HttpResponse, Failure> {
    let name = asked.segment(RELEASE.name, "Release")?;
    let at = named(&name).ok_or_else(|| ApiError::not_found("Release"))?;
    let schedule = asked.releases().schedule();
    asked.json(&ReleaseJson::new(schedule, at, asked.base_url()))
}

/// The release with a name, also one that is to come.
pub(super) fn named(text: &str) -> Option<Edition> {
    let preview = Edition::preview(NEWEST);
    if text == preview.to_string() {
        return Some(preview);
    }
    let release: Release = text.parse().ok()?;
    calendar::day_of(release).map(|_| Edition::of(release))
}
