//! What is announced.

use api_conventions::release::{Edition, Release};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::calendar::Calendar;
use super::milestone::Milestone;
use super::touch::{Site, Touch};

/// An announcement: that something goes, or that something has come.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Record {
    /// Its permanent name, which is that of its file: in feeds, addresses and lists of what to ignore.
    pub id: String,
    /// What it is about, in a line of Markdown.
    pub title: String,
    /// The part of the product.
    pub area: String,
    /// What kind of thing it is about.
    pub kind: Kind,
    /// From when to when.
    pub life: Life,
    /// Whether clients that do nothing stop to work.
    pub breaking: bool,
    /// What to use instead, in a line of Markdown.
    pub replacement: Option<String>,
    /// What to do, in Markdown.
    pub body: String,
    /// What this server does about it.
    pub enforcement: Enforcement,
    /// What it touches.
    pub touches: Vec<Touch>,
    /// The day on which the record was last changed.
    pub edited: NaiveDate,
    /// Days of the releases that `life` names, by the calendar with which the record was read.
    pub(crate) dates: Dates,
}

/// Days of the announcement and of the removal of a record. `None` where the calendar has no such release, and for a removal
/// that goes with no release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dates {
    announced: Option<NaiveDate>,
    removed: Option<NaiveDate>,
}

impl Dates {
    /// The days of the releases of a life.
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

/// What kind of thing a record is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A field of an answer.
    Field,
    /// A whole operation.
    Endpoint,
    /// A parameter of a request.
    Parameter,
    /// One value of a field or a parameter.
    Value,
    /// What the service does.
    Behaviour,
    /// A part of the GraphQL API.
    Graphql,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Field,
        Self::Endpoint,
        Self::Parameter,
        Self::Value,
        Self::Behaviour,
        Self::Graphql,
    ];

    /// The word for it, as records and lists have it.
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

/// From when to when something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Life {
    /// It is deprecated, and goes.
    Deprecated {
        /// The release that announced it.
        announced: Release,
        /// The release from which on nobody helps with it, where that is before the removal.
        end_of_support: Option<Release>,
        /// The first release without it.
        removal: Milestone,
    },
    /// It has come, with this release.
    Introduced(Release),
}

/// What this server does about a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Enforcement {
    /// It behaves as announced.
    Enforced,
    /// It only says so, for this reason.
    Announced(String),
}

/// What a record means at an edition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It is there, and nothing was said against it; for what is introduced, it is there.
    Current,
    /// It is there and will go.
    Deprecated,
    /// It is gone.
    Removed,
    /// It is not there yet.
    Absent,
}

impl Status {
    /// The word for it.
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
    /// The release that announced it, or that brought it.
    pub fn announced(self) -> Release {
        match self {
            Self::Deprecated { announced, .. } => announced,
            Self::Introduced(release) => release,
        }
    }

    /// When what it is about goes; `None` for what has come.
    pub fn removal(self) -> Option<Milestone> {
        match self {
            Self::Deprecated { removal, .. } => Some(removal),
            Self::Introduced(_) => None,
        }
    }

    /// What it means at an edition.
    pub fn status(self, at: Edition) -> Status {
        match self {
            Self::Introduced(release) if release <= at.release => Status::Current,
            Self::Introduced(_) => Status::Absent,
            Self::Deprecated { removal, .. } if removal.is_reached(at) => Status::Removed,
            Self::Deprecated { announced, .. } if announced <= at.release => Status::Deprecated,
            Self::Deprecated { .. } => Status::Current,
        }
    }
}

impl Record {
    /// What it means at an edition.
    pub fn status(&self, at: Edition) -> Status {
        self.life.status(at)
    }

    /// Whether what becomes of the things that it touches counts at an edition: see [`Effect`](super::Effect).
    pub fn counts(&self, at: Edition) -> bool {
        matches!(self.status(at), Status::Removed | Status::Absent)
    }

    /// The release that announced it, or that brought it.
    pub fn announced(&self) -> Release {
        self.life.announced()
    }

    /// When what it is about goes; `None` for what has come.
    pub fn removal(&self) -> Option<Milestone> {
        self.life.removal()
    }

    /// The day on which it was announced.
    pub fn announced_on(&self) -> Option<NaiveDate> {
        self.dates.announced
    }

    /// The day of the removal, where that goes with a release.
    pub fn removed_on(&self) -> Option<NaiveDate> {
        self.dates.removed
    }

    /// Whether it says that something goes.
    pub fn is_deprecation(&self) -> bool {
        matches!(self.life, Life::Deprecated { .. })
    }

    /// Whether it is about the REST API: what it touches are operations, parameters and fields of the API.
    pub fn is_rest(&self) -> bool {
        let in_api = |touch: &Touch| {
            let endpoint = touch.site.endpoint();
            endpoint.is_some_and(|endpoint| endpoint.path().starts_with("/api/"))
        };
        self.touches.iter().any(in_api)
    }

    /// The behaviours that it names.
    pub fn behaviours(&self) -> impl Iterator<Item = &str> {
        self.touches.iter().filter_map(|touch| match &touch.site {
            Site::Behaviour(name) => Some(name.as_str()),
            _ => None,
        })
    }
}
