//! What the program does, by areas of the product. Each area has its operations, its pages and their templates side by
//! side. Areas stand on [`frame`](crate::frame) and not on each other, except where a table in the chores says so.

pub mod alerts;
pub mod api_help;
pub mod applications;
pub mod events;
mod fallback;
pub mod labels;
pub mod milestones;
pub mod oauth;
pub mod profile;
pub mod projects;
pub mod sign_in;
pub mod system;
pub mod users;

pub use self::fallback::NotFound;

use web_conventions::operations::Operation;

/// All operations of the program.
pub fn operations() -> Vec<Operation> {
    [
        alerts::operations(),
        system::operations(),
        api_help::operations(),
        users::operations(),
        oauth::operations(),
        projects::operations(),
        events::operations(),
        applications::operations(),
        sign_in::operations(),
        profile::operations(),
        milestones::operations(),
        crate::frame::page::assets::operations(),
        labels::operations(),
    ]
    .concat()
}
