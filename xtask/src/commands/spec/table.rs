//! The two documents: the list of requirements, and the table of their proofs.

/// A row of the conformance table.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RequirementRow {
    /// The line of the document.
    pub(crate) line: usize,
    pub(crate) id: String,
    pub(crate) state: String,
    /// Tests in backticks, and further remarks.
    pub(crate) proof: String,
}

/// The ids of the list of requirements: the first column, without the heading.
pub(crate) fn requirement_ids(list: &str) -> Vec<String> {
    let rows = list.lines().skip(1).filter(|line| !line.trim().is_empty());
    let first = |line: &str| line.split('\t').next().unwrap_or(line).trim().to_owned();
    rows.map(first).collect()
}

/// The rows of all tables in the document. A line that looks like a row but has other columns is a fault.
pub(crate) fn rows(document: &str) -> (Vec<RequirementRow>, Vec<String>) {
    let mut rows = Vec::new();
    let mut faults = Vec::new();
    for (line, text) in (1..).zip(document.lines()) {
        let text = text.trim();
        let is_heading =
            text.starts_with("| id |") || text.starts_with("|--") || text.starts_with("| --");
        if !text.starts_with('|') || is_heading {
            continue;
        }
        let inner = text.trim_start_matches('|').trim_end_matches('|');
        let cells: Vec<_> = inner.split('|').map(str::trim).collect();
        match cells.as_slice() {
            [id, state, proof] => rows.push(RequirementRow {
                line,
                id: (*id).to_owned(),
                state: (*state).to_owned(),
                proof: (*proof).to_owned(),
            }),
            other => faults.push(format!(
                "line {line} has {} cells and should have 3: id, state, proof or reason",
                other.len()
            )),
        }
    }
    (rows, faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_column_is_the_id() {
        let list = "id\tarea\twhat\nAPI-01\tapi\tone\n\nAPI-02\tapi\ttwo\n";
        assert_eq!(requirement_ids(list), ["API-01", "API-02"]);
    }

    #[test]
    fn rows_are_read_between_headings_and_prose() {
        let document = "# Title\n\n| id | state | proof or reason |\n|---|---|---|\n\
            | A-1 | proven | `x: y` |\n\nprose | with a bar\n| A-2 | open | later |\n";
        let row = |line, id: &str, state: &str, proof: &str| RequirementRow {
            line,
            id: id.to_owned(),
            state: state.to_owned(),
            proof: proof.to_owned(),
        };
        let expected = vec![
            row(5, "A-1", "proven", "`x: y`"),
            row(8, "A-2", "open", "later"),
        ];
        assert_eq!(rows(document), (expected, vec![]));
    }

    #[test]
    fn a_row_with_other_columns_is_a_fault() {
        let (found, faults) = rows("| A-1 | open |\n| A-2 | open | a | b |\n");
        assert_eq!((found.len(), faults.len()), (0, 2));
    }
}
