//! Report of a check.

use std::fmt;

use serde::Serialize;

use crate::model::{Milestone, RecordStatus};

/// Report of how the calls of a file fare at an edition.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct InspectionReport {
    /// Name of the edition, such as `16.0`.
    pub checked_as: String,
    /// Type of the file.
    pub source: FileFormat,
    /// Number of calls read.
    pub calls: u64,
    /// Number of calls of API operations that are neither in a record nor in the list of operations.
    pub unknown_calls: u64,
    /// Number of calls to something other than the API.
    pub outside_calls: u64,
    /// Number of lines or entries that are not calls.
    pub unread: u64,
    /// First line or entry that is not a call, from 1.
    pub first_unread: Option<u64>,
    /// Number of uses that certainly fail at the edition.
    pub breaking_uses: u64,
    /// Number of certain uses of something deprecated that still works.
    pub deprecated_uses: u64,
    /// Number of calls that may use something deprecated or removed, which the file does not show.
    pub unclear_uses: u64,
    /// The findings: breaking ones first, then by removal, earliest first.
    pub findings: Vec<Finding>,
    /// Number of uses that did not fit into the list.
    pub left_off: u64,
    /// First unknown API operations.
    pub unknown: Vec<UnknownCall>,
    /// Ids of the records that count at the edition, or will, and that a file of this kind cannot show.
    pub not_shown: Vec<String>,
}

/// A use of something that a record is about.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// Id of the record.
    pub record: String,
    /// Title of the record, in a line of Markdown.
    pub title: String,
    /// Replacement, in a line of Markdown.
    pub replacement: Option<String>,
    /// Milestone of the removal; `None` for an introduction.
    pub removal: Option<Milestone>,
    /// Release of the introduction; `None` for a removal.
    pub introduced: Option<String>,
    /// True if the record says that clients break if they do not adapt.
    pub breaking: bool,
    /// Status of the record at the edition: calls fail if it is `removed` or `absent`.
    pub status: RecordStatus,
    /// Certainty of the use.
    pub certainty: Certainty,
    /// Method and path of the operation, with the parameters' names in the path.
    pub call: String,
    /// The affected part of the call.
    pub detail: String,
    /// Number of occurrences.
    pub occurrences: u64,
    /// First line, entry or operation with it, from 1.
    pub first: u64,
}

/// An API operation that is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnknownCall {
    /// Method and path, with `:id` for segments that may be names.
    pub call: String,
    /// Number of calls.
    pub occurrences: u64,
    /// First line, entry or operation with it, from 1.
    pub first: u64,
}

/// Type of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileFormat {
    /// An API document.
    OpenApi,
    /// A HAR recording.
    Har,
    /// An access log.
    AccessLog,
}

/// Certainty of a use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// The file shows the use.
    Certain,
    /// The call may use it; the file does not show whether it does.
    CannotTell,
}

impl Finding {
    /// True if the use fails at the edition.
    pub fn breaks(&self) -> bool {
        matches!(self.status, RecordStatus::Removed | RecordStatus::Absent)
    }
}

impl InspectionReport {
    /// Exit code for a program that checks calls.
    /// 0 if nothing certainly breaks; 1 if something does, or, with `deny_deprecated`, if something is certainly
    /// deprecated. Uncertain uses are not failures.
    pub fn exit_code(&self, deny_deprecated: bool) -> u8 {
        let fails = self.breaking_uses > 0 || deny_deprecated && self.deprecated_uses > 0;
        u8::from(fails)
    }
}

/// Includes the article, for use in a sentence.
impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OpenApi => "an OpenAPI document",
            Self::Har => "a HAR file",
            Self::AccessLog => "an access log",
        })
    }
}

impl FileFormat {
    /// Unit that [`Finding::first`] counts.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::OpenApi => "operation",
            Self::Har => "entry",
            Self::AccessLog => "line",
        }
    }
}
