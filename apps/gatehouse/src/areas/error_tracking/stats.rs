//! Usage and release health: received events by outcome, and the sessions of each release.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::time::{CalendarDate, Timestamp};
use error_tracking::store::{SessionFilter, TallyFilter};
use error_tracking::wire::{ReleaseHealthJson, TallyJson};
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Kind, Operation, Parameter, get};

use super::TAG;
use crate::frame::api::ApiRequest;
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Maintainer, Read, Reporter};

const STATISTICS: &str = "/api/v4/projects/{id}/error_tracking/statistics";
const RELEASES: &str = "/api/v4/projects/{id}/error_tracking/releases";

/// Days in a response: the default, and the maximum.
const USUAL_DAYS: i64 = 30;
const MOST_DAYS: i32 = 400;
/// Session rows that are added up.
const MOST_SESSIONS: usize = 10_000;

const FROM: Parameter = Parameter::query(
    "from",
    Kind::Date,
    "The first day; 30 days ago where it is left out.",
);
const TO: Parameter = Parameter::query(
    "to",
    Kind::Date,
    "The last day; today where it is left out.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listErrorStatistics", STATISTICS, statistics)
            .documented(
                TAG,
                "Tell what came by day and key, and what became of it: stored, or dropped and why",
            )
            .takes([PROJECT, FROM, TO])
            .answers(Answer::json::<Vec<TallyJson>>(200, "The numbers.")),
        get("listReleaseHealth", RELEASES, releases)
            .documented(TAG, "Tell how the sessions of releases went")
            .takes([PROJECT, FROM, TO])
            .takes([Parameter::query(
                "release",
                Kind::ANY_TEXT,
                "Only of this release.",
            )])
            .answers(Answer::json::<Vec<ReleaseHealthJson>>(200, "The releases.")),
    ]
}

/// Parses the date range of a request.
fn days(asked: &ApiRequest) -> Result<(CalendarDate, CalendarDate), ApiError> {
    let mut read = asked.params().reader();
    let now: Timestamp = asked.now();
    let to = read.date(TO.name).unwrap_or_else(|| now.date());
    let usual = to.start().plus_seconds(-USUAL_DAYS * 86_400).date();
    let from = read.date(FROM.name).unwrap_or(usual);
    if to.as_days().saturating_sub(from.as_days()) > MOST_DAYS {
        read.fault(
            FROM.name,
            "is too long before the last day: one answer has at most 400 days",
        );
    }
    read.finish()?;
    Ok((from, to))
}

async fn statistics(asked: InProject<Maintainer, Read>) -> Result<HttpResponse, Failure> {
    let (from, to) = days(&asked)?;
    let found = asked.read(move |tx, project| {
        let project_id = project.id;
        Ok(tx.list_tallies(&TallyFilter {
            project_id,
            from,
            to,
        })?)
    });
    let (tallies, _) = found.await?;
    let tallies: Vec<TallyJson> = tallies.into_iter().map(Into::into).collect();
    asked.json(&tallies)
}

async fn releases(asked: InProject<Reporter, Read>) -> Result<HttpResponse, Failure> {
    let (from, to) = days(&asked)?;
    let mut read = asked.params().reader();
    let release = read.text("release").filter(|text| !text.is_empty());
    read.finish()?;
    let found = asked.read(move |tx, project| {
        let filter = SessionFilter {
            project_id: project.id,
            release,
            from,
            to,
        };
        Ok(tx.list_session_sums(&filter, MOST_SESSIONS)?)
    });
    let (sums, _) = found.await?;
    asked.json(&ReleaseHealthJson::of(sums))
}
