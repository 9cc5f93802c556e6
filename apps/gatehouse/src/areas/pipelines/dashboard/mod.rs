//! Dashboard of environments: of one project, of one environment, and of all projects of a user.

mod api;
mod detail;
mod of_projects;
mod page;
mod rows;
mod wire;

use api_conventions::paging::NameCursor;
use gatehouse_core::flows::environment_dashboard::DashboardPosition;
use web_conventions::operations::Operation;

/// Environments of each project on the pages and in the responses about several projects.
const OF_EACH_PROJECT: usize = 8;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    [
        api::operations(),
        page::operations(),
        detail::operations(),
        of_projects::operations(),
    ]
    .concat()
}

/// Cursor of a position. Its id tells stopped environments, which come last, from the others.
fn cursor_of(position: DashboardPosition) -> NameCursor {
    NameCursor {
        id: i64::from(position.is_stopped),
        name: position.name,
    }
}

/// Position of a cursor.
fn position_of(cursor: NameCursor) -> DashboardPosition {
    DashboardPosition {
        is_stopped: cursor.id > 0,
        name: cursor.name,
    }
}
