//! The file of a record: TOML, one announcement a file, whose name is that of the record.
//!
//! The format is in `docs/format.md` of this crate.

mod check;
mod file;

use crate::model::{Calendar, Monthly, Record};

use self::file::File;

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {problem}")]
pub struct Fault {
    /// The name of the file, without its extension.
    pub file: String,
    /// What is wrong, and what to write instead.
    pub problem: String,
}

/// Reads the file of a record, whose releases are those of this workspace's own API.
///
/// # Errors
/// Everything that is wrong with it.
pub fn parse(id: &str, text: &str) -> Result<Record, Vec<Fault>> {
    parse_with(id, text, &Monthly)
}

/// Reads the file of a record of a product whose releases come out by this calendar.
///
/// # Errors
/// Everything that is wrong with it.
pub fn parse_with(id: &str, text: &str, calendar: &dyn Calendar) -> Result<Record, Vec<Fault>> {
    let fault = |problem: String| Fault {
        file: id.to_owned(),
        problem,
    };
    let file: File = toml::from_str(text).map_err(|error| vec![fault(error.to_string())])?;
    let record = file
        .into_record(id, calendar)
        .map_err(|problem| vec![fault(problem)])?;
    let problems = check::problems(&record);
    if problems.is_empty() {
        Ok(record)
    } else {
        Err(problems.into_iter().map(fault).collect())
    }
}
