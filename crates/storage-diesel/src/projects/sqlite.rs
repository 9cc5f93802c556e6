//! What SQLite does in its own way for projects.

use diesel::prelude::*;
use storage::StoreError;

use super::tables::projects;
use crate::sqlite::SqliteWriteTx;
use crate::transaction::Transaction as _;

/// The visibility of projects in the conditions of lists. The sign keeps the planner from the index of visibilities: it
/// would take that one and sort, where the order's own index gives a page at once.
pub(crate) const PROJECT_VISIBILITY: &str = "+projects.visibility";
/// The namespace of projects in the conditions of lists, and their id, kept from the indexes in the same way.
pub(crate) const PROJECT_NAMESPACE: &str = "+projects.namespace_id";
pub(crate) const PROJECT_ID: &str = "+projects.id";
/// What is above a namespace, where the roles in a few projects are looked for: from the projects upwards, never from all
/// the groups of a user downwards.
pub(crate) const LINEAGE_ANCESTOR: &str = "+namespace_lineage.ancestor_id";

/// Notes the activity of projects in the order in which it is given. There is one writer, so a project is read, and
/// written only when there is something to note.
pub(crate) fn touch_projects(
    tx: &mut SqliteWriteTx<'_>,
    timestamps: &[(i64, i64)],
    grain_micros: i64,
) -> Result<(), StoreError> {
    tx.run("touch projects", |connection| {
        let mut by_project: std::collections::BTreeMap<i64, Vec<i64>> =
            std::collections::BTreeMap::new();
        for (project, timestamp) in timestamps {
            by_project.entry(*project).or_default().push(*timestamp);
        }
        for (project, timestamps) in by_project {
            let row = projects::table.find(project);
            let noted: Option<i64> = row
                .select(projects::last_activity_at)
                .get_result(connection)
                .optional()?;
            let Some(noted) = noted else { continue };
            let note = timestamps.into_iter().fold(noted, |noted, timestamp| {
                if noted <= timestamp - grain_micros {
                    timestamp
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

/// There is one writer, so nothing has to be locked.
#[expect(clippy::unnecessary_wraps, reason = "the other database may fail here")]
pub(crate) fn lock_trees(_: &mut SqliteWriteTx<'_>, _: &[i64]) -> Result<(), StoreError> {
    Ok(())
}

/// A title of issues as lists compare it.
pub(crate) const ISSUE_TITLE: &str = "lower(i.title)";

/// A text with numbered places for what is bound to it.
pub(crate) fn placeholders(text: &str) -> String {
    text.replace('$', "?")
}

/// Whether a project is there. A write transaction has the whole database, so nothing in it has to be locked.
pub(crate) fn lock_project(tx: &mut SqliteWriteTx<'_>, project: i64) -> Result<bool, StoreError> {
    let found = projects::table.find(project).select(projects::id);
    let found: Option<i64> = tx.value_if("lock project", found)?;
    Ok(found.is_some())
}

/// A write transaction has the whole database, so no row that a query finds is anybody else's.
macro_rules! free {
    ($rows:expr) => {
        $rows
    };
}

pub(crate) use free;
