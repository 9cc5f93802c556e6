//! The table of known differences, in the documentation.

use super::difference::Difference;

/// A row of the table.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DifferenceRow {
    /// The requests that show it. The last character may be `*`, which matches all requests with that prefix.
    requests: Vec<String>,
    facet: String,
    ours: String,
    original: String,
}

/// Reads the rows: the lines of the text that begin with a request's name in code quotes.
pub(crate) fn rows(text: &str) -> Vec<DifferenceRow> {
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    rows.map(read).collect()
}

fn read(line: &str) -> DifferenceRow {
    let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
    let [requests, facet, ours, original, why] = cells[..] else {
        panic!("a row of five cells: {line}");
    };
    assert!(why.len() > 10, "a row says why: {line}");
    let plain = |cell: &str| cell.trim_matches('`').to_owned();
    DifferenceRow {
        requests: requests.split(", ").map(plain).collect(),
        facet: facet.to_owned(),
        ours: plain(ours),
        original: plain(original),
    }
}

impl DifferenceRow {
    /// True if the row lists this difference by the given one of its requests.
    fn lists(&self, request: &str, difference: &Difference) -> bool {
        let is_named = match request.strip_suffix('*') {
            Some(beginning) => difference.request.starts_with(beginning),
            None => difference.request == request,
        };
        is_named
            && (&self.facet, &self.ours, &self.original)
                == (&difference.facet, &difference.ours, &difference.original)
    }
}

/// Differences without a row.
pub(crate) fn unlisted<'a>(
    rows: &[DifferenceRow],
    differences: &'a [Difference],
) -> Vec<&'a Difference> {
    let is_listed = |difference: &&Difference| {
        rows.iter().any(|row| {
            row.requests
                .iter()
                .any(|request| row.lists(request, difference))
        })
    };
    differences
        .iter()
        .filter(|difference| !is_listed(difference))
        .collect()
}

/// Rows whose differences no longer occur.
pub(crate) fn obsolete(rows: &[DifferenceRow], differences: &[Difference]) -> Vec<String> {
    let mut obsolete = Vec::new();
    for row in rows {
        let is_obsolete = |request: &&String| {
            !differences
                .iter()
                .any(|difference| row.lists(request, difference))
        };
        let requests = row.requests.iter().filter(is_obsolete);
        obsolete.extend(requests.map(|request| format!("{request}: {row:?}")));
    }
    obsolete
}

#[test]
fn unlisted_differences_and_rows_without_one_are_found() {
    let difference = |request: &str, ours: &str| Difference {
        request: request.to_owned(),
        facet: "status".to_owned(),
        ours: ours.to_owned(),
        original: "200".to_owned(),
    };
    let table = "# Text\n| Request | What |\n|---|---|\n\
                 | `a/*`, `b` | status | `400` | `200` | because of the standard |\n";
    let rows = rows(table);
    assert_eq!(rows.len(), 1);
    let known = [difference("a/one", "400"), difference("b", "400")];
    assert!(unlisted(&rows, &known).is_empty());
    assert!(obsolete(&rows, &known).is_empty());
    let other = [difference("a/one", "400"), difference("b", "401")];
    assert_eq!(unlisted(&rows, &other), [&other[1]]);
    assert_eq!(obsolete(&rows, &other).len(), 1);
}
