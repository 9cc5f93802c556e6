//! On-call schedules of a project.

mod api;
mod input;
mod json;
mod overrides;
mod pages;

use chrono::Weekday;
use gatehouse_core::flows::on_call::{OnCallUsers, ScheduleWithOverrides};
use notifications::flow::ScheduleError;
use web_conventions::failure::Failure;
use web_conventions::operations::Operation;

/// A schedule with its overrides, and the users that they name.
type LoadedSchedule = (ScheduleWithOverrides, OnCallUsers);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    [
        api::operations(),
        overrides::operations(),
        pages::operations(),
    ]
    .concat()
}

fn refusal(error: ScheduleError) -> Failure {
    match error {
        ScheduleError::Store(error) => error.into(),
        refused => api_conventions::error::ApiError::from(refused).into(),
    }
}

/// Returns the word for a day of the week in the API.
const fn weekday_word(day: Weekday) -> &'static str {
    match day {
        Weekday::Mon => "monday",
        Weekday::Tue => "tuesday",
        Weekday::Wed => "wednesday",
        Weekday::Thu => "thursday",
        Weekday::Fri => "friday",
        Weekday::Sat => "saturday",
        Weekday::Sun => "sunday",
    }
}
