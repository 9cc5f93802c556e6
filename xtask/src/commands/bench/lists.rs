//! Time of lists of projects, issues and notes by the number of stored rows.

use anyhow::Result;

use super::Programs;
use super::servers::BenchServer;
use super::stored::BenchScope;
use super::timed::{ListRequests, TRIES, cell, markdown};

/// Default numbers of stored projects, issues and notes.
const ROWS: [usize; 2] = [1000, 1_000_000];

/// JSON pointers to the callers' tokens: a member of a few groups, one of two thousand groups, and an administrator.
const FEW_GROUPS: &str = "/developer/token";
const MANY_GROUPS: &str = "/reporter/token";
const ADMINISTRATOR: &str = "/admin/token";

/// Measured lists: prefix of the row's name, the caller's token, the address, and the queries. In a query, `MIDDLE` is
/// the number of the row in the middle, and `RECENT` a time after which there are a hundred rows.
const LISTS: [(&str, &str, &str, &[&str]); 8] = [
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
        let mut heads: Vec<String> = rows.iter().map(usize::to_string).collect();
        heads.push("ratio".to_owned());
        let ratios = ratios(&columns);
        let mut cells: Vec<Vec<String>> = columns
            .iter()
            .map(|column| column.iter().copied().map(cell).collect())
            .collect();
        cells.push(ratios);
        print!("{}", markdown("list", &heads, names(), &cells));
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

/// Ratio of the time in the last column to the time in the first, for each list.
fn ratios(columns: &[Vec<Option<f64>>]) -> Vec<String> {
    let (Some(first), Some(last)) = (columns.first(), columns.last()) else {
        return Vec::new();
    };
    let pairs = first.iter().zip(last);
    pairs
        .map(|(few, many)| match (few, many) {
            (Some(few), Some(many)) => format!("{:.1}", many / few),
            _ => String::new(),
        })
        .collect()
}

/// The names of the rows of the table.
fn names() -> impl Iterator<Item = String> {
    LISTS.iter().flat_map(|(name, _, _, queries)| {
        queries.iter().map(move |query| match *query {
            "" => format!("{name}: first page"),
            query => format!("{name}: `{}`", query.replace("%20", " ")),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_that_of_the_most_rows_to_the_fewest() {
        let columns = [
            vec![Some(2.0), None, Some(1.0)],
            vec![Some(9.0), Some(1.0), Some(1.0)],
            vec![Some(3.0), Some(1.0), None],
        ];
        assert_eq!(ratios(&columns), ["1.5", "", ""]);
        assert!(ratios(&[]).is_empty());
    }

    #[test]
    fn every_list_has_a_name_of_its_own() {
        let names: std::collections::BTreeSet<String> = names().collect();
        let lists: usize = LISTS.iter().map(|(_, _, _, queries)| queries.len()).sum();
        assert_eq!(names.len(), lists);
        assert!(names.contains("projects: first page"), "{names:?}");
    }
}
