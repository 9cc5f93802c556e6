//! Pages of on-call schedules. Developers read them and swap turns; Maintainers change schedules.

mod change;
mod form;
mod list;
mod schedule;

use web_conventions::operations::{Operation, get, post};

use crate::frame::page::project::{And, RoleOrForbidden, RoleOrNotFound};
use crate::frame::scopes::{Developer, Maintainer};

/// Access to the pages, and to the form of overrides.
type ScheduleViewers = RoleOrNotFound<Developer>;
/// Access to the forms of schedules.
type ScheduleManagers = And<ScheduleViewers, RoleOrForbidden<Maintainer>>;

const ALL: &str = "/{project}/-/alert_management/on_call";
const ONE: &str = "/{project}/-/alert_management/on_call/{schedule}";
const OVERRIDES: &str = "/{project}/-/alert_management/on_call/{schedule}/overrides";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("onCallSchedulesPage", ALL, list::show),
        post("createOnCallScheduleForm", ALL, change::create),
        get("onCallSchedulePage", ONE, schedule::show),
        post("changeOnCallScheduleForm", ONE, change::change),
        post(
            "changeOnCallOverridesForm",
            OVERRIDES,
            change::change_overrides,
        ),
    ]
}
