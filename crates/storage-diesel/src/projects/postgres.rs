//! What PostgreSQL does in its own way for projects.

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use storage::StoreError;

use crate::postgres::{PgWriteTx, over_arrays};
use crate::transaction::Transaction as _;

/// The visibility of projects in the conditions of lists. The planner knows how many projects have which.
pub(crate) const PROJECT_VISIBILITY: &str = "projects.visibility";

over_arrays! {
    /// For each project the first of its timestamps that is an hour after its last activity becomes that activity. The
    /// condition stands there twice: the second time it is held against the row as it is once it is locked.
    TouchProjects {
        projects: BigInt => i64,
        timestamps: BigInt => i64,
    }
    "UPDATE projects SET last_activity_at = note.active_at FROM (SELECT DISTINCT ON (p.id) p.id, input.active_at \
     FROM ROWS FROM (unnest(",
    ")) WITH ORDINALITY AS input (project, active_at, place) JOIN projects AS p ON p.id = input.project \
     WHERE p.last_activity_at <= input.active_at - 3600000000 ORDER BY p.id, input.place) AS note \
     WHERE projects.id = note.id AND projects.last_activity_at <= note.active_at - 3600000000"
}

/// Notes the activity of projects in the order in which it is given. One statement, unless the timestamps of a project lie
/// further apart than the activity is noted: then it is repeated until nothing is left to note.
pub(crate) fn touch_projects(
    tx: &mut PgWriteTx<'_>,
    timestamps: &[(i64, i64)],
    grain_micros: i64,
) -> Result<(), StoreError> {
    const OPERATION: &str = "touch projects";
    let statement = || {
        let mut input = TouchProjects::default();
        for (project, timestamp) in timestamps {
            input.projects.push(*project);
            input.timestamps.push(*timestamp);
        }
        input
    };
    let first = timestamps.iter().map(|(_, timestamp)| *timestamp).min();
    let last = timestamps.iter().map(|(_, timestamp)| *timestamp).max();
    let is_long = first
        .zip(last)
        .is_some_and(|(first, last)| last - first >= grain_micros);
    if !is_long {
        let bytes = size_of_val(timestamps);
        return tx.write_rows(OPERATION, "projects", statement(), bytes);
    }
    tx.run(OPERATION, |connection| {
        while statement().execute(connection)? > 0 {}
        Ok(())
    })
}
