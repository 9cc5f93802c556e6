//! Pages of error tracking: the list of errors, a single error, usage statistics and settings.

mod change;
mod event;
mod external;
mod facts;
mod list;
mod monitors;
mod programs;
mod settings;
mod settings_form;
mod show;
mod statistics;
mod trace;
mod tracker_form;

use api_conventions::error::ApiError;
use api_conventions::ids::{ErrorIid, UserId};
use api_conventions::time::Timestamp;
use error_tracking::store::HourCount;
use projects::Viewer;
use projects::flow::issues::IssueActor;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, get, post};

use crate::frame::page::failure::PageFailure;
use crate::frame::page::project::{Need, ProjectContext, ProjectForm};

const LIST: &str = "/{project}/-/error_tracking";
const ERROR: &str = "/{project}/-/error_tracking/{iid}/details";
const MONITORS: &str = "/{project}/-/error_tracking/monitors";
const SETTINGS: &str = "/{project}/-/settings/error_tracking";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("errorsPage", LIST, list::show),
        post("changeErrorsForm", LIST, change::several),
        get("errorPage", ERROR, show::show),
        post("changeErrorForm", ERROR, change::one),
        get(
            "errorStatisticsPage",
            "/{project}/-/error_tracking/statistics",
            statistics::show,
        ),
        get("monitorsPage", MONITORS, monitors::show),
        post("deleteMonitorForm", MONITORS, monitors::delete),
        get("errorSettingsPage", SETTINGS, settings::show),
        post("changeErrorSettingsForm", SETTINGS, settings_form::change),
    ]
}

const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

/// Path of the page of an error, below the root of the server.
fn path_of(found: &ProjectContext, iid: ErrorIid) -> String {
    format!("{}/-/error_tracking/{iid}/details", found.path())
}

/// Start of the first of the last `days` days.
fn since(now: Timestamp, days: usize) -> Timestamp {
    let days = i64::try_from(days).unwrap_or_default();
    now.date().start().plus_seconds(-(days - 1) * DAY)
}

/// Event counts per day, for the last `days` days.
fn days_of(hours: &[HourCount], now: Timestamp, days: usize) -> Vec<u64> {
    let start = since(now, days).as_unix_seconds();
    let mut counts = vec![0; days];
    for one in hours {
        let day = (one.hour.as_unix_seconds() - start).div_euclid(DAY);
        let place = usize::try_from(day).ok();
        if let Some(count) = place.and_then(|place| counts.get_mut(place)) {
            *count += u64::try_from(one.events).unwrap_or_default();
        }
    }
    counts
}

/// Event counts per hour, for the last 24 hours.
fn day_of(hours: &[HourCount], now: Timestamp) -> Vec<u64> {
    let last = now.as_unix_seconds().div_euclid(HOUR);
    let mut counts = vec![0; 24];
    for one in hours {
        let ago = last - one.hour.as_unix_seconds().div_euclid(HOUR);
        let place = usize::try_from(23 - ago).ok();
        if let Some(count) = place.and_then(|place| counts.get_mut(place)) {
            *count += u64::try_from(one.events).unwrap_or_default();
        }
    }
    counts
}

/// Sender and time of a form.
#[derive(Debug, Clone, Copy)]
struct ErrorFormSender {
    viewer: Viewer,
    user: UserId,
    now: Timestamp,
}

impl ErrorFormSender {
    fn of<N: Need>(form: &ProjectForm<N>) -> Result<Self, PageFailure> {
        Ok(Self {
            viewer: form.viewer(),
            user: form.actor_id()?,
            now: form.now(),
        })
    }

    /// Returns the actor of changes in a project.
    ///
    /// # Errors
    /// 403 for an archived project.
    fn in_project(self, found: &ProjectContext) -> Result<IssueActor, Failure> {
        if found.project.archived {
            return Err(ApiError::forbidden_because("the project is archived").into());
        }
        Ok(IssueActor {
            viewer: self.viewer,
            user: self.user,
            access: found.access,
            now: self.now,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_counted_to_their_days() {
        let time = |text| Timestamp::parse_rfc3339(text).unwrap();
        let hour = |text, events| HourCount {
            hour: time(text),
            events,
        };
        let now = time("2026-11-23T10:00:00Z");
        assert_eq!(since(now, 3), time("2026-11-21T00:00:00Z"));
        let hours = [
            hour("2026-11-20T23:00:00Z", 9),
            hour("2026-11-21T00:00:00Z", 1),
            hour("2026-11-21T23:00:00Z", 2),
            hour("2026-11-23T10:00:00Z", 4),
        ];
        assert_eq!(days_of(&hours, now, 3), [3, 0, 4]);
        let counts = day_of(&[hour("2026-11-22T11:00:00Z", 5), hours[3], hours[0]], now);
        assert_eq!((counts[0], counts[23]), (5, 4));
        assert_eq!(counts.iter().sum::<u64>(), 9);
    }
}
