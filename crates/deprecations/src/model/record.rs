//! Announcements of removals and introductions.

use api_conventions::release::{Edition, Release};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::calendar::Calendar;
use super::milestone::Milestone;
use super::touch::{Site, Touch};

/// An announcement of a removal or an introduction.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Record {
    /// Permanent id, which is the name of its file, used in feeds, addresses and ignore lists.
    pub id: String,
    /// Title, in a line of Markdown.
    pub title: String,
    /// Area of the product.
    pub area: String,
    /// Kind of the subject.
    pub kind: SubjectKind,
    /// Lifetime of the subject.
    pub life: Life,
    /// True if clients break when they do not adapt.
    pub breaking: bool,
    /// Replacement, in a line of Markdown.
    pub replacement: Option<String>,
    /// Instructions for clients, in Markdown.
    pub body: String,
    /// Enforcement by this server.
    pub enforcement: Enforcement,
    /// Parts of the API that it touches.
    pub touches: Vec<Touch>,
    /// Day of the last change to the record.
    pub edited: NaiveDate,
    /// Release dates of `life`, by the calendar with which the record was parsed.
    pub(crate) dates: Dates,
}

/// Dates of the announcement and the removal of a record.
/// `None` if the calendar has no such release, and for a removal without a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dates {
    announced: Option<NaiveDate>,
    removed: Option<NaiveDate>,
}

impl Dates {
    /// Looks up the dates of a lifetime.
    pub(crate) fn of(life: Life, calendar: &dyn Calendar) -> Self {
        let removed = match life.removal() {
            Some(Milestone::Release(release)) => calendar.day_of(release),
            _ => None,
        };
        Self {
            announced: calendar.day_of(life.announced()),
            removed,
        }
    }
}

/// Kind of a record's subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SubjectKind {
    /// A response field.
    Field,
    /// A whole operation.
    Endpoint,
    /// A parameter of a request.
    Parameter,
    /// A single value of a field or parameter.
    Value,
    /// A behaviour of the service.
    Behaviour,
    /// A part of the GraphQL API.
    Graphql,
}

impl SubjectKind {
    /// All kinds.
    pub const ALL: [Self; 6] = [
        Self::Field,
        Self::Endpoint,
        Self::Parameter,
        Self::Value,
        Self::Behaviour,
        Self::Graphql,
    ];

    /// Name of the kind in records and lists.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Field => "field",
            Self::Endpoint => "endpoint",
            Self::Parameter => "parameter",
            Self::Value => "value",
            Self::Behaviour => "behaviour",
            Self::Graphql => "graphql",
        }
    }
}

/// Lifetime of a record's subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Life {
    /// The subject is deprecated and will be removed.
    Deprecated {
        /// Release of the announcement.
        announced: Release,
        /// First release without support, if that is before the removal.
        end_of_support: Option<Release>,
        /// First release without the subject.
        removal: Milestone,
    },
    /// The subject was introduced with this release.
    Introduced(Release),
}

/// Enforcement of a record by this server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Enforcement {
    /// The server behaves as announced.
    Enforced,
    /// The server only announces the change, for this reason.
    Announced(String),
}

/// Status of a record at an edition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordStatus {
    /// The subject is available, and not deprecated.
    Current,
    /// The subject is available, and will be removed.
    Deprecated,
    /// The subject was removed.
    Removed,
    /// The subject is not available yet.
    Absent,
}

impl RecordStatus {
    /// Name of the status.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Deprecated => "deprecated",
            Self::Removed => "removed",
            Self::Absent => "absent",
        }
    }
}

impl Life {
    /// Release of the announcement or introduction.
    pub fn announced(self) -> Release {
        match self {
            Self::Deprecated { announced, .. } => announced,
            Self::Introduced(release) => release,
        }
    }

    /// Milestone of the removal; `None` for an introduction.
    pub fn removal(self) -> Option<Milestone> {
        match self {
            Self::Deprecated { removal, .. } => Some(removal),
            Self::Introduced(_) => None,
        }
    }

    /// Status at an edition.
    pub fn status(self, at: Edition) -> RecordStatus {
        match self {
            Self::Introduced(release) if release <= at.release => RecordStatus::Current,
            Self::Introduced(_) => RecordStatus::Absent,
            Self::Deprecated { removal, .. } if removal.is_reached(at) => RecordStatus::Removed,
            Self::Deprecated { announced, .. } if announced <= at.release => {
                RecordStatus::Deprecated
            }
            Self::Deprecated { .. } => RecordStatus::Current,
        }
    }
}

impl Record {
    /// Status at an edition.
    pub fn status(&self, at: Edition) -> RecordStatus {
        self.life.status(at)
    }

    /// True if the effects of its touches apply at an edition: see [`Effect`](super::Effect).
    pub fn counts(&self, at: Edition) -> bool {
        matches!(
            self.status(at),
            RecordStatus::Removed | RecordStatus::Absent
        )
    }

    /// Release of the announcement or introduction.
    pub fn announced(&self) -> Release {
        self.life.announced()
    }

    /// Milestone of the removal; `None` for an introduction.
    pub fn removal(&self) -> Option<Milestone> {
        self.life.removal()
    }

    /// Day of the announcement.
    pub fn announced_on(&self) -> Option<NaiveDate> {
        self.dates.announced
    }

    /// Day of the removal, if it happens with a release.
    pub fn removed_on(&self) -> Option<NaiveDate> {
        self.dates.removed
    }

    /// True if it announces a removal.
    pub fn is_deprecation(&self) -> bool {
        matches!(self.life, Life::Deprecated { .. })
    }

    /// True if it is about the REST API, that is, touches an operation, parameter or field of it.
    pub fn is_rest(&self) -> bool {
        let in_api = |touch: &Touch| {
            let endpoint = touch.site.endpoint();
            endpoint.is_some_and(|endpoint| endpoint.path().starts_with("/api/"))
        };
        self.touches.iter().any(in_api)
    }

    /// Behaviours that it names.
    pub fn behaviours(&self) -> impl Iterator<Item = &str> {
        self.touches.iter().filter_map(|touch| match &touch.site {
            Site::Behaviour(name) => Some(name.as_str()),
            _ => None,
        })
    }
}
