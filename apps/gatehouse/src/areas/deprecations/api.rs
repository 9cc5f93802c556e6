//! `GET /api/v4/deprecations` and `GET /api/v4/deprecations/:release`.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::release::Release;
use deprecations::wire::{RecordJson, ReleaseJson};
use deprecations::{Edition, NEWEST, calendar};
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Kind, Operation, Parameter, get};

use super::filter::{parameters, read_filter};
use super::uses::{RecordUsesJson, UseJson, of_all, of_user};
use crate::frame::api::{AsAdministrator, AsAnybody, AsUser};
use crate::frame::scopes::{AnyScope, Read, ReadUser};

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
        get("listOwnDeprecatedUses", "/api/v4/user/deprecations", own)
            .documented(TAG, "List what you use that will go")
            .answers(Answer::json::<Vec<UseJson>>(
                200,
                "What your tokens, applications and sessions used within 90 days, the last used first, at most 100 of them.",
            )),
        get("listDeprecatedUses", "/api/v4/admin/deprecations", all)
            .documented(TAG, "List who uses what will go")
            .answers(Answer::json::<Vec<RecordUsesJson>>(
                200,
                "The records that were used within 90 days, what goes first first, each with its last ten users.",
            )),
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

async fn own(asked: AsUser<ReadUser>) -> Result<HttpResponse, Failure> {
    let (user, schedule) = (asked.who().user.id, asked.releases().schedule());
    let found = asked.read(move |tx| Ok(of_user(tx, user)?)).await?;
    let shown: Vec<UseJson> = found
        .into_iter()
        .map(|one| UseJson::new(one, schedule))
        .collect();
    asked.json(&shown)
}

async fn all(asked: AsAdministrator<Read>) -> Result<HttpResponse, Failure> {
    let schedule = asked.releases().schedule();
    let found = asked.read(move |tx| Ok(of_all(tx, schedule)?)).await?;
    let shown = found.into_iter();
    let shown: Vec<_> = shown
        .map(|uses| RecordUsesJson::new(uses, schedule))
        .collect();
    asked.json(&shown)
}

/// Resolves the name of a release, including the next version of the API.
pub(super) fn named(text: &str) -> Option<Edition> {
    let preview = Edition::preview(NEWEST);
    if text == preview.to_string() {
        return Some(preview);
    }
    let release: Release = text.parse().ok()?;
    calendar::day_of(release).map(|_| Edition::of(release))
}
