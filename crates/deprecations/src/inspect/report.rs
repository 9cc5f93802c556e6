//! What was found.

use std::fmt;

use serde::Serialize;

use crate::model::{Milestone, Status};

/// What the calls of a file mean at an edition.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The edition, such as `16.0`.
    pub checked_as: String,
    /// What the file is.
    pub source: Source,
    /// How many calls were read.
    pub calls: u64,
    /// How many of them go to operations of the API that neither a record nor a list of operations knows.
    pub unknown_calls: u64,
    /// How many of them do not go to the API.
    pub outside_calls: u64,
    /// How many lines or entries are no calls.
    pub unread: u64,
    /// The first line or entry that is no call, from 1.
    pub first_unread: Option<u64>,
    /// How often something certainly does not work at the edition.
    pub breaking_uses: u64,
    /// How often something is certainly used that works and will go.
    pub deprecated_uses: u64,
    /// How often a call may use something that goes or is gone, and the file does not show it.
    pub unclear_uses: u64,
    /// What was found: what breaks before what will, then what goes first first.
    pub findings: Vec<Finding>,
    /// How many uses found no place in the list.
    pub left_off: u64,
    /// The first operations of the API that nothing is known of.
    pub unknown: Vec<Unknown>,
    /// The records that count at the edition or will, and of which a file of this kind shows nothing.
    pub not_shown: Vec<String>,
}

/// One thing that calls use, with the record that says what becomes of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The name of the record.
    pub record: String,
    /// What the record is about, in a line of Markdown.
    pub title: String,
    /// What to use instead, in a line of Markdown.
    pub replacement: Option<String>,
    /// When it goes; `None` for what has come.
    pub removal: Option<Milestone>,
    /// The release that brought it, for what has come.
    pub introduced: Option<String>,
    /// Whether the record says that clients that do nothing stop to work.
    pub breaking: bool,
    /// What the record means at the edition: it breaks where it is `removed` or `absent`.
    pub status: Status,
    /// Whether the file shows it.
    pub certainty: Certainty,
    /// The method and the path of the operation, with the parameters' names in the path.
    pub call: String,
    /// Which part of the call it is.
    pub detail: String,
    /// How often.
    pub occurrences: u64,
    /// The first line, entry or operation with it, from 1.
    pub first: u64,
}

/// An operation of the API that nothing is known of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unknown {
    /// The method and the path, with `:id` for what may name something.
    pub call: String,
    /// How often it is called.
    pub occurrences: u64,
    /// The first line, entry or operation with it, from 1.
    pub first: u64,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A document of an API.
    OpenApi,
    /// A recording.
    Har,
    /// An access log.
    AccessLog,
}

/// Whether a file shows a use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// It does.
    Certain,
    /// The call may use it; the file does not show whether it does.
    CannotTell,
}

impl Finding {
    /// Whether it does not work at the edition.
    pub fn breaks(&self) -> bool {
        matches!(self.status, Status::Removed | Status::Absent)
    }
}

impl Report {
    /// What a program that checks calls ends with: 0 when nothing certainly breaks, and 1 when something does, or with
    /// `deny_deprecated` when something certainly is deprecated. What cannot be said from the file is no failure.
    pub fn exit_code(&self, deny_deprecated: bool) -> u8 {
        let fails = self.breaking_uses > 0 || deny_deprecated && self.deprecated_uses > 0;
        u8::from(fails)
    }
}

/// With its article, as it stands in a sentence.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OpenApi => "an OpenAPI document",
            Self::Har => "a HAR file",
            Self::AccessLog => "an access log",
        })
    }
}

impl Source {
    /// What a number of [`Finding::first`] counts.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::OpenApi => "operation",
            Self::Har => "entry",
            Self::AccessLog => "line",
        }
    }
}
