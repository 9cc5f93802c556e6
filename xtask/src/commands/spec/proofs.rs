//! Claims of the rows, compared with the existing tests.

use std::collections::BTreeMap;

use super::index::{Lookup, TestIndex};
use super::table::RequirementRow;

/// Beginning of the names of tests that start the server: those of its test targets.
const SERVER: &str = "gatehouse/";

/// Number of requirements in each state.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct StateCounts {
    pub(crate) proven: usize,
    pub(crate) partly: usize,
    pub(crate) open: usize,
}

/// Returns the number of requirements in each state, and the faults of the rows.
pub(crate) fn check_rows(
    required: &[String],
    rows: &[RequirementRow],
    index: &TestIndex,
) -> (StateCounts, Vec<String>) {
    let mut faults = Vec::new();
    let mut counts = StateCounts::default();
    let mut lines = BTreeMap::new();
    for row in rows {
        if let Some(first) = lines.insert(row.id.as_str(), row.line) {
            faults.push(format!(
                "{} is on the lines {first} and {}",
                row.id, row.line
            ));
        }
        if !required.contains(&row.id) {
            faults.push(format!(
                "line {}: {} is not a requirement",
                row.line, row.id
            ));
        }
        match row.state.as_str() {
            "proven" => counts.proven += 1,
            "partly" => counts.partly += 1,
            "open" => counts.open += 1,
            other => faults.push(format!(
                "{}: `{other}` is not a state; use proven, partly or open",
                row.id
            )),
        }
        let found = claim_faults(row, index).into_iter();
        faults.extend(found.map(|fault| format!("{}: {fault}", row.id)));
    }
    let missing = required
        .iter()
        .filter(|id| !lines.contains_key(id.as_str()));
    faults.extend(missing.map(|id| format!("{id} has no row")));
    (counts, faults)
}

/// Faults in the tests and the reason of one row.
fn claim_faults(row: &RequirementRow, index: &TestIndex) -> Vec<String> {
    let claim = ProofClaim::read(&row.proof);
    let mut faults = Vec::new();
    for code in &claim.misspelt {
        faults.push(format!("`{code}` is not written as `package: path::name`"));
    }
    for test in &claim.tests {
        match index.look_up(test) {
            Lookup::Found => {}
            Lookup::Ignored => faults.push(format!("`{test}` is ignored in normal runs")),
            Lookup::Missing => faults.push(format!("test `{test}` does not exist")),
        }
    }
    if row.state != "open" && claim.tests.is_empty() {
        faults.push("names no test".to_owned());
    }
    // Tests of code that nothing calls prove nothing about what users get.
    let starts_server = claim.tests.iter().any(|test| test.starts_with(SERVER));
    if row.state == "proven" && !claim.tests.is_empty() && !starts_server {
        faults.push(format!(
            "names no test that starts the server (`{SERVER}…`)"
        ));
    }
    if row.state == "open" && !claim.tests.is_empty() {
        faults.push("names a test, so its state must be at least partly".to_owned());
    }
    if row.state != "proven" && !claim.has_reason {
        faults.push("does not say what is open".to_owned());
    }
    faults
}

/// Content of the last cell of a row.
#[derive(Debug, PartialEq, Eq)]
struct ProofClaim<'cell> {
    tests: Vec<&'cell str>,
    /// Code that looks like a test's name but is misspelt.
    misspelt: Vec<&'cell str>,
    has_reason: bool,
}

impl<'cell> ProofClaim<'cell> {
    fn read(cell: &'cell str) -> Self {
        // Every second part of the cell, split at backticks, is code.
        let code = cell.split('`').skip(1).step_by(2);
        let (tests, others): (Vec<_>, Vec<_>) = code.partition(|code| is_test_name(code));
        let prose: String = cell.split('`').step_by(2).collect();
        Self {
            has_reason: prose.chars().filter(|one| one.is_alphabetic()).count() > 3,
            misspelt: others
                .into_iter()
                .filter(|code| code.contains("::"))
                .collect(),
            tests,
        }
    }
}

/// `package: path::name` or `package/target: path::name`.
fn is_test_name(code: &str) -> bool {
    let Some((place, path)) = code.split_once(": ") else {
        return false;
    };
    let is_package =
        |one: char| one.is_ascii_lowercase() || one.is_ascii_digit() || "-_/".contains(one);
    let is_path = |one: char| one.is_ascii_alphanumeric() || "_:".contains(one);
    !path.is_empty() && place.chars().all(is_package) && path.chars().all(is_path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Judges rows of a document against a crate with the tests `proof` and `slow`, the latter left out.
    fn check(rows: &[(&str, &str, &str)], expected: &[&str]) {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("src")).unwrap();
        let source = "#[test]\nfn proof() {}\n#[test]\n#[ignore]\nfn slow() {}\n";
        std::fs::write(directory.path().join("src/lib.rs"), source).unwrap();
        std::fs::create_dir_all(directory.path().join("tests/api")).unwrap();
        std::fs::write(directory.path().join("tests/api/main.rs"), source).unwrap();
        let mut index = TestIndex::default();
        index.add_package("gatehouse", directory.path()).unwrap();
        let row = |(line, (id, state, proof)): (usize, &(&str, &str, &str))| RequirementRow {
            line,
            id: (*id).to_owned(),
            state: (*state).to_owned(),
            proof: (*proof).to_owned(),
        };
        let rows: Vec<_> = (1..).zip(rows).map(row).collect();
        let required = ["A-1".to_owned(), "A-2".to_owned()];
        assert_eq!(check_rows(&required, &rows, &index).1, expected);
    }

    const SOUND: (&str, &str, &str) = ("A-1", "proven", "`gatehouse/api: proof`");

    #[test]
    fn proven_partly_and_open_rows_pass() {
        check(&[SOUND, ("A-2", "open", "comes with `GET /x`")], &[]);
        check(
            &[
                SOUND,
                (
                    "A-2",
                    "partly",
                    "`gatehouse/api: proof`; the rest is missing",
                ),
            ],
            &[],
        );
    }

    #[test]
    fn every_requirement_has_one_row_and_every_row_a_requirement() {
        check(&[SOUND], &["A-2 has no row"]);
        check(
            &[SOUND, ("A-2", "open", "later"), SOUND],
            &["A-1 is on the lines 1 and 3"],
        );
        check(
            &[SOUND, ("A-2", "open", "later"), ("A-3", "open", "later")],
            &["line 3: A-3 is not a requirement"],
        );
    }

    #[test]
    fn a_named_test_must_exist_and_run() {
        let with = |proof, fault| check(&[SOUND, ("A-2", "proven", proof)], &[fault]);
        with(
            "`gatehouse/api: gone`",
            "A-2: test `gatehouse/api: gone` does not exist",
        );
        with(
            "`gatehouse/api: proof`, `gatehouse/api: slow`",
            "A-2: `gatehouse/api: slow` is ignored in normal runs",
        );
        with(
            "`gatehouse/api: proof`, `gatehouse::proof`",
            "A-2: `gatehouse::proof` is not written as `package: path::name`",
        );
    }

    #[test]
    fn proven_requirements_need_a_test_that_starts_the_server() {
        let without = "A-2: names no test that starts the server (`gatehouse/…`)";
        check(
            &[SOUND, ("A-2", "proven", "`gatehouse: proof`")],
            &[without],
        );
        let both = "`gatehouse: proof`, `gatehouse/api: proof`";
        check(&[SOUND, ("A-2", "proven", both)], &[]);
    }

    #[test]
    fn states_without_matching_details_are_reported() {
        let with = |state, proof, fault| check(&[SOUND, ("A-2", state, proof)], &[fault]);
        with("proven", "surely", "A-2: names no test");
        with(
            "partly",
            "`gatehouse/api: proof`",
            "A-2: does not say what is open",
        );
        with("partly", "a bit is missing", "A-2: names no test");
        with("open", "", "A-2: does not say what is open");
        with(
            "open",
            "`gatehouse/api: proof` later",
            "A-2: names a test, so its state must be at least partly",
        );
        with(
            "done",
            "`gatehouse/api: proof` really",
            "A-2: `done` is not a state; use proven, partly or open",
        );
    }
}
