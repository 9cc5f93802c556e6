//! Namespaces, projects, members, labels, milestones and issues.

mod bounds;
mod conditions;
mod deletion_statements;
mod deletions;
mod groups;
mod image_cleanups;
mod image_repositories;
mod issues;
mod labels;
mod limits;
mod lower_bound;
mod members;
mod milestones;
mod notes;
#[cfg(feature = "postgres")]
mod postgres;
mod queries;
mod redirects;
mod repository;
mod rows;
mod snippets;
mod spam;
#[cfg(feature = "sqlite")]
mod sqlite;
mod tables;

#[cfg(test)]
pub(crate) use tables::described;

/// Name of the operation in the errors of a list.
const LIST: &str = "list projects";

/// Minimum time between two updates of a project's last activity.
const ACTIVITY_GRAIN_MICROS: i64 = 3_600_000_000;

/// Condition that a role has not expired on a day: it has no expiry date, or a later one.
macro_rules! holds_on {
    ($members:ident, $day:expr) => {
        $members::expires_on
            .is_null()
            .or($members::expires_on.gt($day))
    };
}

use holds_on;
