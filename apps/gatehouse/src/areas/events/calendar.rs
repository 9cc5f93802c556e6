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
    let days = read_of_user(&request, &state, &visitor, read).await?;
    let days: BTreeMap<String, u64> = days.iter().map(|(day, n)| (day.to_string(), *n)).collect();
    Ok(web_conventions::answer::json(&request, &days)?)
}

/// Reads something of the user in the path with `work`, which gets the name, the viewer and the time.
///
/// # Errors
/// A 404 if `work` finds no such user; failures of the store.
pub(super) async fn read_of_user<T, F>(
    request: &HttpRequest,
    state: &AppState,
    visitor: &Visitor,
    work: F,
) -> Result<T, PageFailure>
where
    T: Send + 'static,
    F: FnOnce(&mut dyn ReadTransaction, &str, Viewer, Timestamp) -> Result<Option<T>, StoreError>
        + Send
        + 'static,
{
    let name = request.match_info().get("user").unwrap_or_default();
    let (name, viewer, now) = (name.to_owned(), visitor.viewer(), visitor.now());
    let work = move |tx: &mut (dyn ReadTransaction + '_)| work(tx, &name, viewer, now);
    let found: Result<Option<T>, StoreError> = state.database.read(visitor.lane(), work).await;
    found?.ok_or_else(|| PageFailure::not_found_by(request))
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
