//! What of a schedule a client's calls meet.
//!
//! [`inspect`] reads a file that shows calls: a document of an API (`OpenAPI` 3.x), a recording of a browser or a proxy (HAR 1.2), or
//! an access log (Common and Combined Log Format, or one JSON object a line). It finds the records that each call meets, and
//! says what they mean at an edition.
//!
//! # What is certain
//! A file does not show all of a call. A log has no bodies and no answers, and the names in a GraphQL query do not say which
//! types they belong to. What a file cannot show is [`Certainty::CannotTell`], and never makes a check fail; what no file can
//! show is listed by the names of the records. Calls that neither a record nor a list of operations knows are listed too.
//!
//! A field of an answer is certain where the file has the answer, because the answer changes; whether the client reads the
//! field, no file shows.
//!
//! # What is kept
//! Nothing of what a client sent gets into a [`Report`]: calls are shown by the paths of records, details by the names and
//! values of records, and calls that are not known with `:id` for every segment that may name something. Queries, headers
//! and bodies are read and left behind.

mod call;
mod document;
mod encoded;
mod gather;
mod graphql;
mod har;
mod index;
mod judge;
mod line;
mod log;
mod parameter;
mod report;
mod schema;
mod source;
mod text;

use crate::model::{Edition, Endpoint};
use crate::schedule::Schedule;

use self::gather::Gatherer;
use self::index::Index;
use self::judge::Judge;
use self::source::Found;

pub use self::report::{Certainty, Finding, Report, Source, Unknown};

/// What to check calls for.
#[derive(Debug, Clone, Copy)]
pub struct Options<'o> {
    /// The edition that is to answer the calls.
    pub at: Edition,
    /// The names of records that are not reported.
    pub ignored: &'o [String],
    /// Operations that exist, besides those in records. A call of one of them is no unknown call, and a record of
    /// `/users/:id` is not about `/users/me` where that is one of them.
    pub operations: &'o [Endpoint],
}

impl Options<'_> {
    /// Everything, for an edition.
    pub const fn at(at: Edition) -> Self {
        Self {
            at,
            ignored: &[],
            operations: &[],
        }
    }
}

/// Why a text shows no calls.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// There is nothing in it.
    #[error("the file is empty")]
    Empty,
    /// It is a document of an API in YAML.
    #[error("this is an OpenAPI document in YAML: write it as JSON first")]
    Yaml,
    /// It is a document of an API of another version than 3.
    #[error(
        "this is an OpenAPI document of another version than 3: convert it to 3.0 or 3.1 first"
    )]
    Version,
    /// It begins as something known, and is not well-formed. What stands there is not repeated, for it may be secret.
    #[error("this begins as {what} and is not well-formed in line {line}, column {column}")]
    Broken {
        /// What it begins as.
        what: Source,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// None of its lines is a call.
    #[error(
        "this is no OpenAPI document, no HAR file and no access log: none of its lines is a call"
    )]
    Unknown,
}

/// Reads a file and says which records its calls meet.
///
/// ```
/// use deprecations::inspect::{Options, inspect};
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
/// let report = inspect(&schedule, log, &Options::at(Edition::of("16.0".parse()?)))?;
/// assert_eq!(report.exit_code(false), 1);
/// assert_eq!(report.findings[0].call, "GET /api/v4/lamps/:id/changes");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the text is none of what is known, or shows no call.
pub fn inspect(
    schedule: &Schedule,
    text: &str,
    options: &Options<'_>,
) -> Result<Report, Unreadable> {
    // RFC 8259, section 8.1: a reader of JSON may ignore the mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_ascii().is_empty() {
        return Err(Unreadable::Empty);
    }
    let index = Index::of(schedule, options);
    let mut judge = Judge {
        index: &index,
        gatherer: Gatherer::new(options.at),
    };
    let source = match source::recognise(text)? {
        Found::Document(document) => {
            document::read(&document, &mut judge);
            Source::OpenApi
        }
        Found::Recording(entries) => {
            har::read(entries, &mut judge);
            Source::Har
        }
        Found::Lines => {
            log::read(text, &mut judge);
            Source::AccessLog
        }
    };
    if source == Source::AccessLog && judge.gatherer.calls == 0 {
        return Err(Unreadable::Unknown);
    }
    let not_shown = index.not_shown_by(source);
    Ok(judge.gatherer.finish(source, not_shown))
}
