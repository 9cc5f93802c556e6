//! The file format of records: TOML, one announcement per file, with the id of the record as the file name.
//!
//! The format is in `docs/format.md` of this crate.

mod check;
mod file;

use crate::model::{Calendar, Monthly, Record};

use self::file::File;

/// A problem with a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {problem}")]
pub struct Fault {
    /// Name of the file, without its extension.
    pub file: String,
    /// Description of the problem, and of what to write instead.
    pub problem: String,
}

/// Parses the file of a record, whose releases are those of this workspace's own API.
///
/// # Errors
/// All problems of the file.
pub fn parse(id: &str, text: &str) -> Result<Record, Vec<Fault>> {
    parse_with(id, text, &Monthly)
}

/// Parses the file of a record of a product with this release calendar.
///
/// # Errors
/// All problems of the file.
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
