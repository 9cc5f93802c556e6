//! Outcomes, refusals and errors of the library crates: ADR 45 says which of them may grow.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::files;

/// The table with the decisions.
pub(crate) const TABLE: &str = "docs/adr/0045-outcomes-that-may-grow.md";
/// The crates that hosts embed.
pub(crate) const CRATES: [&str; 6] = [
    "alert-intake",
    "api-conventions",
    "deprecations",
    "error-tracking",
    "events",
    "oauth-provider",
];
/// Suffixes of names that need a decision.
const NAMES: [&str; 5] = ["Outcome", "Refusal", "Reason", "Error", "Decision"];

/// A crate and an enum of it.
type EnumName = (String, String);

/// The faults of the table, and the enums without a row.
///
/// # Errors
/// When the table or a source cannot be read.
pub(crate) fn check(root: &Path) -> Result<Vec<String>> {
    let table = fs::read_to_string(root.join(TABLE)).with_context(|| format!("no {TABLE}"))?;
    let mut declared = BTreeMap::new();
    for name in CRATES {
        for path in files::below(&root.join("crates").join(name).join("src"))? {
            if path.extension().is_some_and(|extension| extension == "rs") {
                let found = enums(&fs::read_to_string(path)?).into_iter();
                declared.extend(found.map(|(found, is_open)| ((name.to_owned(), found), is_open)));
            }
        }
    }
    Ok(faults(&decisions(&table), &declared))
}

/// Public enums of a source, each with true if it is `#[non_exhaustive]`.
fn enums(source: &str) -> Vec<(String, bool)> {
    let mut is_open = false;
    let found = source.lines().filter_map(move |line| {
        let line = line.trim_start();
        if line == "#[non_exhaustive]" {
            is_open = true;
        } else if let Some(rest) = line.strip_prefix("pub enum ") {
            let name = rest.split(|letter: char| !letter.is_alphanumeric()).next();
            return Some((name?.to_owned(), std::mem::take(&mut is_open)));
        } else if !line.starts_with('#') && !line.starts_with("//") {
            is_open = false;
        }
        None
    });
    found.collect()
}

/// The rows of the table: true for an open one.
fn decisions(table: &str) -> BTreeMap<EnumName, bool> {
    let rows = table.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        let (name, found, decision) = (cells.next()?, cells.next()?, cells.next()?);
        let is_open = match decision {
            "open" => true,
            "closed" => false,
            _ => return None,
        };
        Some((
            (name.to_owned(), found.trim_matches('`').to_owned()),
            is_open,
        ))
    });
    rows.collect()
}

fn faults(decided: &BTreeMap<EnumName, bool>, declared: &BTreeMap<EnumName, bool>) -> Vec<String> {
    let at = |(name, found): &EnumName| format!("{TABLE}: `{found}` of {name}");
    let wrong = decided.iter().filter_map(|(name, is_open)| {
        let (attribute, decision) = match declared.get(name) {
            None => return Some(format!("{} does not exist", at(name))),
            Some(declared) if declared == is_open => return None,
            Some(true) => ("is", "closed"),
            Some(false) => ("is not", "open"),
        };
        let at = at(name);
        Some(format!(
            "{at} is {decision}, but {attribute} #[non_exhaustive]"
        ))
    });
    let undecided = declared.keys().filter(|name| {
        let needs_row = NAMES.iter().any(|end| name.1.ends_with(end));
        needs_row && !decided.contains_key(*name)
    });
    let undecided = undecided.map(|name| format!("{} has no row", at(name)));
    wrong.chain(undecided).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "/// Open.\n#[derive(Debug)]\n#[non_exhaustive]\npub enum ReadError {\n    A,\n}\n\n\
                          #[non_exhaustive]\npub struct Other;\n\n/// Closed.\npub enum Decision<T> {\n    A(T),\n}\n\
                          named! {\n    #[non_exhaustive]\n    pub enum DropReason {\n}\n}\npub enum Part {}\n";

    fn found(table: &str) -> Vec<String> {
        let of = |(found, is_open)| (("lamps".to_owned(), found), is_open);
        faults(
            &decisions(table),
            &enums(SOURCE).into_iter().map(of).collect(),
        )
    }

    #[test]
    fn a_table_with_each_enum_is_right() {
        let table = "| lamps | `ReadError` | open | x |\n| lamps | `Decision` | closed | x |\n\
                     | lamps | `DropReason` | open | x |\n| lamps | `Part` | closed | x |\n";
        assert_eq!(found(table), Vec::<String>::new());
    }

    #[test]
    fn missing_and_wrong_decisions_are_reported() {
        let table = "| lamps | `ReadError` | closed | x |\n| lamps | `Part` | open | x |\n\
                     | lamps | `Gone` | open | x |\n| crate | enum | | why |\n";
        let found = found(table).join("\n");
        for text in [
            "`ReadError` of lamps is closed, but is #[non_exhaustive]",
            "`Part` of lamps is open, but is not #[non_exhaustive]",
            "`Gone` of lamps does not exist",
            "`Decision` of lamps has no row",
            "`DropReason` of lamps has no row",
        ] {
            assert!(found.contains(text), "{found}");
        }
    }
}
