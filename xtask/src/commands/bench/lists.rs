//! Time of lists of projects, issues and notes by the number of stored rows.

use anyhow::Result;

use super::Programs;
use super::servers::BenchServer;
use super::stored::BenchScope;
use super::timed::{ListRequests, MeasuredList, TRIES, by_rows};

/// Default numbers of stored projects, issues and notes.
const ROWS: [usize; 2] = [1000, 1_000_000];

/// JSON pointers to the callers' tokens: a member of a few groups, one of two thousand groups, and an administrator.
const FEW_GROUPS: &str = "/developer/token";
const MANY_GROUPS: &str = "/reporter/token";
const ADMINISTRATOR: &str = "/admin/token";

/// Measured lists. In a query, `MIDDLE` is the number of the row in the middle, and `RECENT` a time after which there are
/// a hundred rows.
const LISTS: [MeasuredList; 8] = [
    (
        "projects",
        FEW_GROUPS,
        "projects",
        &[
            "",
            "page=5",
            "pagination=keyset&order_by=id&sort=asc&id_after=MIDDLE",
            "order_by=name&sort=asc",
            "order_by=last_activity_at",
            "membership=true",
            "owned=true",
            "archived=true",
            "archived=false",
            "visibility=public",
            "topic=seldom",
            "topic=rust",
            "search=Service%207%20",
            "search=zzqqxx",
            "search=team-3&search_namespaces=true",
            "last_activity_after=RECENT",
            "min_access_level=30",
        ],
    ),
    (
        "projects, 2,000 groups",
        MANY_GROUPS,
        "projects",
        &[
            "",
            "membership=true",
            "pagination=keyset&order_by=id&sort=asc&id_after=MIDDLE",
            "min_access_level=30",
            "topic=rust",
            "search=Service%207%20",
            "last_activity_after=RECENT",
        ],
    ),
    (
        "projects, administrator",
        ADMINISTRATOR,
        "projects",
        &["", "search=zzqqxx", "topic=seldom"],
    ),
    (
        "groups, 2,000 groups",
        MANY_GROUPS,
        "groups",
        &["", "min_access_level=30", "search=Team%207"],
    ),
    (
        "issues of a project",
        FEW_GROUPS,
        "PROJECT/issues",
        &[
            "",
            "page=5",
            "state=opened",
            "state=closed&order_by=updated_at&sort=asc",
            "labels=seldom",
            "labels=often",
            "labels=None",
            "assignee_id=2",
            "assignee_id=None",
            "author_username=rita",
            "confidential=true",
            "search=Node%20777%20",
            "search=zzqqxx",
            "created_after=RECENT",
            "due_date=overdue",
            "order_by=due_date",
        ],
    ),
    (
        "counts of issues",
        FEW_GROUPS,
        "PROJECT/issues_statistics",
        &["", "labels=seldom"],
    ),
    (
        "issues everywhere",
        MANY_GROUPS,
        "issues",
        &["scope=all", "scope=assigned_to_me", "scope=created_by_me"],
    ),
    (
        "notes of an issue",
        FEW_GROUPS,
        "PROJECT/issues/1/notes",
        &[
            "",
            "page=5",
            "sort=asc&order_by=updated_at",
            "activity_filter=only_comments",
            "activity_filter=only_activity",
        ],
    ),
];

/// Measures and prints a table for each database: a column for each number of rows, and the ratio of the last column to
/// the first. A list that the server refuses because it would examine too many rows is reported as refused.
///
/// # Errors
/// When a program cannot be started, or a response is any other failure.
pub(crate) fn measure(programs: &Programs, scope: &BenchScope) -> Result<()> {
    let rows = scope.rows_or(&ROWS);
    scope.database.each(programs, |name, start| {
        let mut columns = Vec::new();
        for stored in rows {
            let server = start()?;
            programs.seed_lists(&server, *stored)?;
            columns.push(column(&server, *stored)?);
        }
        println!("\n## Lists by stored rows, {name}\n");
        println!("medians of {TRIES} requests, ms\n");
        print!("{}", by_rows(&LISTS, rows, &columns));
        Ok(())
    })
}

/// Times of all lists on one server.
fn column(server: &BenchServer, stored: usize) -> Result<Vec<Option<f64>>> {
    let recent =
        ListRequests::of(server, FEW_GROUPS).text("PROJECT/issues?page=6", "/0/created_at")?;
    let mut times = Vec::new();
    for (_, token, address, queries) in LISTS {
        for query in queries {
            let query = query
                .replace("MIDDLE", &(stored / 2).to_string())
                .replace("RECENT", &recent);
            let list = format!("{address}?{query}");
            times.push(ListRequests::of(server, token).milliseconds(&list)?);
        }
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_list_has_a_name_of_its_own() {
        let names: BTreeSet<String> = super::super::timed::names(&LISTS).collect();
        let lists: usize = LISTS.iter().map(|(_, _, _, queries)| queries.len()).sum();
        assert_eq!(names.len(), lists);
        assert!(names.contains("projects: first page"), "{names:?}");
    }
}
