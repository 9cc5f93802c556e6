//! The schedule as an Atom feed and as a calendar of removals.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use deprecations::feed::{FeedContext, atom, calendar};
use web_conventions::operations::{Operation, get};

use crate::frame::public::Reader;
use crate::state::AppState;

/// Path of the feed.
pub(super) const ATOM: &str = "/-/deprecations.atom";

/// Path of the calendar.
pub(super) const CALENDAR: &str = "/-/deprecations.ics";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("deprecationsFeed", ATOM, show_feed),
        get("deprecationsCalendar", CALENDAR, show_calendar),
    ]
}

async fn show_feed(_: HttpRequest, state: Data<AppState>, _: Reader) -> HttpResponse {
    let text = atom(state.releases.schedule(), context(&state));
    answer("application/atom+xml; charset=utf-8", text)
}

async fn show_calendar(_: HttpRequest, state: Data<AppState>, _: Reader) -> HttpResponse {
    let text = calendar(state.releases.schedule(), context(&state));
    answer("text/calendar; charset=utf-8", text)
}

fn context(state: &AppState) -> FeedContext<'_> {
    FeedContext {
        base_url: &state.base_url,
        name: "Gatehouse",
    }
}

/// Builds a cacheable response.
/// It is the same for every reader, and changes only with a new version of the program.
fn answer(media_type: &'static str, text: String) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, media_type))
        .insert_header((CACHE_CONTROL, "public, max-age=3600"))
        .body(text)
}
