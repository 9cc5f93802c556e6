//! What SQLite does in its own way, above all writing many rows at once: one cached statement, run again and again. A statement costs no round
//! trip here, so this is as fast as one statement of many rows, whose text would change with their number.

#[cfg(any(feature = "alert-intake", feature = "events", feature = "projects"))]
use diesel::prelude::*;
#[cfg(any(feature = "alert-intake", feature = "events", feature = "projects"))]
use storage::StoreError;

#[cfg(any(feature = "alert-intake", feature = "events", feature = "projects"))]
use super::SqliteWriteTx;
#[cfg(any(feature = "alert-intake", feature = "events", feature = "projects"))]
use crate::error::from_diesel;
#[cfg(any(feature = "alert-intake", feature = "events", feature = "projects"))]
use crate::repo::Transaction as _;
#[cfg(feature = "events")]
use crate::rows::events::NewEventRow;
#[cfg(feature = "events")]
use crate::schema::events;
#[cfg(feature = "projects")]
use crate::schema::projects;

/// Runs statements; an error names the operation.
#[cfg(any(feature = "alert-intake", feature = "events", feature = "projects"))]
pub(super) fn run<T>(
    tx: &mut SqliteWriteTx<'_>,
    operation: &'static str,
    statements: impl FnOnce(&mut SqliteConnection) -> QueryResult<T>,
) -> Result<T, StoreError> {
    statements(tx.connection()?).map_err(|e| from_diesel(operation, e))
}

/// The visibility of projects in the conditions of lists. The sign keeps the planner from the index of visibilities: it
/// would take that one and sort, where the order's own index gives a page at once.
#[cfg(feature = "projects")]
pub(crate) const PROJECT_VISIBILITY: &str = "+projects.visibility";

/// One of several lists that are merged. The order of the whole reaches each of them by itself.
#[cfg(feature = "alert-intake")]
pub(crate) fn sorted_list(list: &str, _: &str, _: i64) -> String {
    list.to_owned()
}

/// A query, which has conditions, over several ranges of a column: as often as there are ranges.
#[cfg(feature = "alert-intake")]
pub(crate) fn in_ranges(query: &str, column: &str, ranges: &[(i64, i64)]) -> String {
    let queries: Vec<String> = ranges
        .iter()
        .map(|(first, last)| format!("{query} AND {column} BETWEEN {first} AND {last}"))
        .collect();
    queries.join(" UNION ALL ")
}

/// Notes the activity of projects in the order in which it is told. There is one writer, so a project is read, and
/// written only when there is something to note.
#[cfg(feature = "projects")]
pub(crate) fn touch_projects(
    tx: &mut SqliteWriteTx<'_>,
    moments: &[(i64, i64)],
    grain_micros: i64,
) -> Result<(), StoreError> {
    run(tx, "touch projects", |connection| {
        let mut by_project: std::collections::BTreeMap<i64, Vec<i64>> =
            std::collections::BTreeMap::new();
        for (project, moment) in moments {
            by_project.entry(*project).or_default().push(*moment);
        }
        for (project, moments) in by_project {
            let row = projects::table.find(project);
            let noted: Option<i64> = row
                .select(projects::last_activity_at)
                .get_result(connection)
                .optional()?;
            let Some(noted) = noted else { continue };
            let note = moments.into_iter().fold(noted, |noted, moment| {
                if noted <= moment - grain_micros {
                    moment
                } else {
                    noted
                }
            });
            if note != noted {
                diesel::update(row)
                    .set(projects::last_activity_at.eq(note))
                    .execute(connection)?;
            }
        }
        Ok(())
    })
}

#[cfg(feature = "events")]
pub(crate) fn insert_events(
    tx: &mut SqliteWriteTx<'_>,
    rows: &[NewEventRow<'_>],
) -> Result<(), StoreError> {
    run(tx, "insert events", |connection| {
        for row in rows {
            diesel::insert_into(events::table)
                .values(row)
                .execute(connection)?;
        }
        Ok(())
    })
}
