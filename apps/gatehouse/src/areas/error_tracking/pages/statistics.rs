//! Release health, and received events per day by outcome: stored, or dropped and why.

use std::collections::BTreeMap;

use actix_web::HttpResponse;
use api_conventions::time::{CalendarDate, Timestamp};
use askama::Template;
use error_tracking::model::{Outcome, OutcomeCounter, SessionSum};
use error_tracking::protocol::item::Category;
use error_tracking::store::{CounterFilter, SessionFilter};

use super::since;
use crate::frame::page::bars::Bars;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::grouped;
use crate::frame::page::list::sentence_case;
use crate::frame::page::project::{ProjectPage, RoleOrNotFound};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::{Maintainer, Reporter};

/// Days that the page covers.
const DAYS: usize = 30;
/// Session rows that are added up, and maximum number of releases on the page.
const MAX_SESSION_ROWS: usize = 10_000;
const MAX_RELEASES: usize = 50;

/// Health of a release.
struct ReleaseRow {
    name: DisplayName,
    environment: String,
    sessions: String,
    crashed: String,
    errored: String,
    crash_free: String,
}

/// Received items of one category with one outcome.
struct OutcomeRow {
    category: String,
    outcome: String,
    is_stored: bool,
    quantity: String,
    chart: Bars,
}

#[derive(Template)]
#[template(path = "areas/error_tracking/error_statistics.html")]
struct StatisticsPage {
    shell: Shell,
    list: String,
    releases: Vec<ReleaseRow>,
    /// Received items by outcome, for users who may see them.
    outcomes: Option<Vec<OutcomeRow>>,
    api: String,
}

/// Answers with the page.
pub(super) async fn show(
    page: ProjectPage<RoleOrNotFound<Reporter>>,
) -> Result<HttpResponse, PageFailure> {
    let now = page.now();
    let (from, to) = (since(now, DAYS).date(), now.date());
    let read = page.read(move |tx, found| {
        let project_id = found.project.id;
        let sessions = SessionFilter {
            project_id,
            release: None,
            from,
            to,
        };
        let sums = tx.list_session_sums(&sessions, MAX_SESSION_ROWS)?;
        let filter = CounterFilter {
            project_id,
            from,
            to,
        };
        let counters = if found.allows::<Maintainer>() {
            Some(tx.list_counters(&filter)?)
        } else {
            None
        };
        Ok((sums, counters))
    });
    let ((sums, counters), found) = read.await?;
    page.show(&StatisticsPage {
        shell: page.shell(&found, Section::Errors, "Releases and usage"),
        list: format!("{}/-/error_tracking", found.path()),
        releases: releases(sums),
        outcomes: counters.map(|counters| outcome_rows(&counters, now)),
        api: format!(
            "/api/v4/projects/{}/error_tracking/statistics",
            found.project.id
        ),
    })
}

/// Releases, the most recently seen first.
fn releases(sums: Vec<SessionSum>) -> Vec<ReleaseRow> {
    let all = SessionSum::by_release(sums);
    all.iter().take(MAX_RELEASES).map(release).collect()
}

fn release(sum: &SessionSum) -> ReleaseRow {
    let number = |number: i64| grouped(u64::try_from(number).unwrap_or_default());
    let rate = sum.crash_free_rate();
    ReleaseRow {
        name: DisplayName::of(&sum.of.release),
        environment: sum.of.environment.clone(),
        sessions: number(sum.started),
        crashed: number(sum.crashed),
        errored: number(sum.errored),
        crash_free: rate.map(percent).unwrap_or_default(),
    }
}

/// Formats a rate as a percentage.
/// Rounds down, so that one crash in a million does not become 100 %.
fn percent(rate: f64) -> String {
    let shown = (rate * 10_000.0).floor() / 100.0;
    format!("{shown:.2}%")
}

/// Received items by category and outcome: stored items first, then the largest totals.
fn outcome_rows(counters: &[OutcomeCounter], now: Timestamp) -> Vec<OutcomeRow> {
    let first = since(now, DAYS).date();
    let mut all: BTreeMap<(Category, Outcome), Vec<u64>> = BTreeMap::new();
    for counter in counters {
        let days = all
            .entry((counter.of.category, counter.of.outcome))
            .or_insert_with(|| vec![0; DAYS]);
        if let Some(day) = days.get_mut(place(counter.of.day, first)) {
            *day += u64::try_from(counter.quantity).unwrap_or_default();
        }
    }
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_by_key(|((category, outcome), days)| {
        let total: u64 = days.iter().sum();
        (*category, *outcome != Outcome::Stored, u64::MAX - total)
    });
    let shown = |((category, outcome), days): ((Category, Outcome), Vec<u64>)| OutcomeRow {
        category: sentence_case(category.as_str()),
        outcome: outcome_text(outcome).to_owned(),
        is_stored: outcome == Outcome::Stored,
        quantity: grouped(days.iter().sum()),
        chart: Bars::of_events(&days, "day", "30 days"),
    };
    all.into_iter().map(shown).collect()
}

fn place(day: CalendarDate, first: CalendarDate) -> usize {
    usize::try_from(day.as_days() - first.as_days()).unwrap_or(usize::MAX)
}

/// Describes an outcome.
const fn outcome_text(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Stored => "Stored",
        Outcome::NotKept => "Counted: this kind is not stored",
        Outcome::Unknown => "Dropped: unknown kind",
        Outcome::Invalid => "Dropped: invalid",
        Outcome::TooLarge => "Dropped: too large",
        Outcome::SeveralEvents => "Dropped: more than one event in a request",
        Outcome::WithoutEvent => "Dropped: it has no event",
        Outcome::Limited => "Refused: over the rate limit",
        Outcome::ErrorLimited => "Dropped: over the rate limit of its error",
        Outcome::Quota => "Dropped: over the daily quota",
        Outcome::Duplicate => "Dropped: duplicate event",
        Outcome::SdkQueueOverflow => "Lost in the program: queue full",
        Outcome::SdkCacheOverflow => "Lost in the program: cache full",
        Outcome::SdkRateLimit => "Dropped by the program: over the rate limit",
        Outcome::SdkNetwork => "Lost in the program: network error",
        Outcome::SdkSample => "Dropped by the program: sampling",
        Outcome::SdkFiltered => "Dropped by the program: before_send",
        Outcome::SdkEventProcessor => "Dropped by the program: event_processor",
        Outcome::SdkIgnored => "Dropped by the program: ignored",
        Outcome::SdkBackpressure => "Dropped by the program: backpressure",
        Outcome::SdkBufferOverflow => "Lost in the program: buffer full",
        Outcome::SdkSendError => "Lost in the program: rejected by the server",
        Outcome::SdkInternal => "Lost in the program: SDK error",
        Outcome::SdkOther => "Lost in the program: other reason",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_just_below_100_percent_do_not_round_up() {
        assert_eq!(percent(1.0), "100.00%");
        assert_eq!(percent(0.999_999), "99.99%");
        assert_eq!(percent(0.5), "50.00%");
    }
}
