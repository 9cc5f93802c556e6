//! `GET /users/:username/calendar.json`: contributions of a user by day.

use accounts::flow::find_user::find_user_named;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::time::{CalendarDate, Timestamp};
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::contributions::count_contributions_by_day;
use projects::Viewer;
use std::collections::BTreeMap;
use storage::StoreError;
use web_conventions::operations::{Operation, get};

use crate::frame::page::failure::PageFailure;
use crate::frame::visitor::Visitor;
use crate::state::AppState;

/// Days that the calendar covers before today.
const DAYS: i32 = 365;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![get("userCalendar", "/users/{user}/calendar.json", show)]
}

/// Responds with an object of the days that have contributions, each with their number.
async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    let name = request
        .match_info()
        .get("user")
        .unwrap_or_default()
        .to_owned();
    let (viewer, now) = (visitor.viewer(), visitor.now());
    let work = move |tx: &mut (dyn ReadTransaction + '_)| read(tx, &name, viewer, now);
    let days: Result<_, StoreError> = state.database.read(visitor.lane(), work).await;
    let days = days?.ok_or_else(|| PageFailure::not_found_by(&request))?;
    let days: BTreeMap<String, u64> = days.iter().map(|(day, n)| (day.to_string(), *n)).collect();
    Ok(web_conventions::answer::json(&request, &days)?)
}

/// Counts the contributions of a user; `None` if there is no such user.
fn read(
    tx: &mut dyn ReadTransaction,
    name: &str,
    viewer: Viewer,
    now: Timestamp,
) -> Result<Option<BTreeMap<CalendarDate, u64>>, StoreError> {
    let Some(user) = find_user_named(tx, name)? else {
        return Ok(None);
    };
    let today = now.date();
    let from = CalendarDate::from_days(today.as_days() - DAYS).unwrap_or(today);
    count_contributions_by_day(tx, &user, viewer, from, now).map(Some)
}
