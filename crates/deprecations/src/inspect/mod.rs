//! Check of a client's calls against a schedule.
//!
//! [`inspect`] reads a file that shows calls: an API document (`OpenAPI` 3.x), a recording of a browser or a proxy (HAR
//! 1.2), or an access log (Common and Combined Log Format, or one JSON object a line). It finds the records that affect
//! each call, with their status at an edition.
//!
//! # Certainty
//! A file does not show all of a call. A log has no bodies and no responses, and the names in a GraphQL query do not
//! say which types they belong to. A use that the file cannot show is [`Certainty::CannotTell`], and never makes a
//! check fail; records that no file of this kind can show are listed by their ids. Calls that are neither in a record
//! nor in the list of operations are listed too.
//!
//! A response field is certain if the file contains the response, because the response changes; no file shows whether
//! the client reads the field.
//!
//! # Data in a report
//! Nothing that a client sent gets into an [`InspectionReport`]: calls are shown with the paths of records, details
//! with the names and values of records, and unknown calls with `:id` for every segment that may be a name. Queries,
//! headers and bodies are read and discarded.

mod call;
mod checker;
mod document;
mod encoded;
mod findings;
mod graphql;
mod har;
mod index;
mod line;
mod log;
mod parameter;
mod report;
mod schema;
mod source;
mod text;

use crate::model::{Edition, Endpoint};
use crate::schedule::Schedule;

use self::checker::CallChecker;
use self::findings::FindingCollector;
use self::index::Index;
use self::source::DetectedFile;

pub use self::report::{Certainty, FileFormat, Finding, InspectionReport, UnknownCall};

/// Options of a check.
#[derive(Debug, Clone, Copy)]
pub struct InspectOptions<'o> {
    /// Edition that would answer the calls.
    pub at: Edition,
    /// Ids of records that are not reported.
    pub ignored: &'o [String],
    /// Operations that exist besides those in records.
    /// Calling one of them is not reported as unknown, and a record about `/users/:id` does not apply to `/users/me` if
    /// that is one of them.
    pub operations: &'o [Endpoint],
}

impl InspectOptions<'_> {
    /// Creates options that report everything for an edition.
    pub const fn at(at: Edition) -> Self {
        Self {
            at,
            ignored: &[],
            operations: &[],
        }
    }
}

/// Reason why no calls can be read from a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InspectError {
    /// The file is empty.
    #[error("the file is empty")]
    Empty,
    /// The file is an API document in YAML.
    #[error("this is an OpenAPI document in YAML; convert it to JSON first")]
    Yaml,
    /// The file is an API document of another version than 3.
    #[error("this OpenAPI document is not version 3; convert it to 3.0 or 3.1 first")]
    Version,
    /// The file begins as a known type, but is malformed. Its content is not repeated, because it may be secret.
    #[error("this looks like {what}, but is malformed at line {line}, column {column}")]
    Broken {
        /// Type of the file, by its beginning.
        what: FileFormat,
        /// Line of the error, from 1.
        line: usize,
        /// Column of the error, from 1.
        column: usize,
    },
    /// The file has no known type, and no line of it is a call.
    #[error(
        "this is not an OpenAPI document, a HAR file or an access log: no line contains a call"
    )]
    Unknown,
}

/// Reads a file and reports the records that affect its calls.
///
/// ```
/// use deprecations::inspect::{InspectOptions, inspect};
/// use deprecations::{Edition, Schedule};
///
/// let schedule = Schedule::parse([(
///     "15-9-lamp-changes",
///     r#"
///     title = "The changes of a lamp"
///     area = "Lamps"
///     kind = "endpoint"
///     announced = "15.9"
///     removal = "16.0"
///     breaking = true
///     body = "Read the list of states."
///     enforcement = "enforced"
///     edited = "2023-02-22"
///     touches = [{ endpoints = ["GET /api/v4/lamps/:id/changes"] }]
///     "#,
/// )]);
/// let schedule = schedule.map_err(|faults| format!("{faults:?}"))?;
/// let log = r#"::1 - - [22/May/2023:10:00:00 +0000] "GET /api/v4/lamps/7/changes HTTP/1.1" 200 12"#;
/// let report = inspect(&schedule, log, &InspectOptions::at(Edition::of("16.0".parse()?)))?;
/// assert_eq!(report.exit_code(false), 1);
/// assert_eq!(report.findings[0].call, "GET /api/v4/lamps/:id/changes");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the text has no known format, or shows no call.
pub fn inspect(
    schedule: &Schedule,
    text: &str,
    options: &InspectOptions<'_>,
) -> Result<InspectionReport, InspectError> {
    // A JSON reader may ignore the byte order mark (RFC 8259, section 8.1).
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_ascii().is_empty() {
        return Err(InspectError::Empty);
    }
    let index = Index::of(schedule, options);
    let mut checker = CallChecker {
        index: &index,
        findings: FindingCollector::new(options.at),
    };
    let source = match source::detect(text)? {
        DetectedFile::Document(document) => {
            document::read(&document, &mut checker);
            FileFormat::OpenApi
        }
        DetectedFile::Recording(entries) => {
            har::read(entries, &mut checker);
            FileFormat::Har
        }
        DetectedFile::Lines => {
            log::read(text, &mut checker);
            FileFormat::AccessLog
        }
    };
    if source == FileFormat::AccessLog && checker.findings.calls == 0 {
        return Err(InspectError::Unknown);
    }
    let not_shown = index.not_shown_by(source);
    Ok(checker.findings.finish(source, not_shown))
}
