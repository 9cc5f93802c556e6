//! JSON of records and releases, as returned by an API.

use api_conventions::time::CalendarDate;
use chrono::NaiveDate;
use serde::Serialize;
use serde_json::Value;

use crate::feed::web_url;
use crate::model::{
    API_VERSION, Edition, Enforcement, Life, Record, RecordStatus, Site, SubjectKind, Touch,
};
use crate::schedule::Schedule;

/// A record with its status at an edition.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordJson {
    /// Permanent id.
    id: String,
    /// Title, in a line of Markdown.
    title: String,
    /// Area of the product.
    area: String,
    /// Kind of the subject.
    kind: SubjectKind,
    /// Release that announced the removal; null for an introduction.
    announced: Option<String>,
    /// Day of the announcement or introduction.
    announced_on: Option<CalendarDate>,
    /// First release without it, a version of the API such as `v5`, or `undated`; null for an introduction.
    removal: Option<String>,
    /// Day of the removal, if it happens with a release.
    removal_on: Option<CalendarDate>,
    /// First release without support.
    end_of_support: Option<String>,
    /// True if clients break when they do not adapt.
    breaking: bool,
    /// Replacement, in a line of Markdown.
    replacement: Option<String>,
    /// Instructions for clients, in Markdown.
    body: String,
    /// Status at the edition.
    status: RecordStatus,
    /// Enforcement by this server: `enforced` or `announced`.
    enforcement: &'static str,
    /// Parts of the API that it touches.
    touches: Vec<TouchJson>,
    /// Release that introduced it; null for a removal.
    introduced: Option<String>,
    /// URL of its page.
    web_url: String,
}

/// Part of the API that a record touches. Members that do not apply are absent: a `value` of null is the value null.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TouchJson {
    /// Method and path of the operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    endpoint: Option<String>,
    /// Parameter of the operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter: Option<String>,
    /// Field of the response: names from the outside in, separated by dots.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// The only affected value.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
    /// Name in the GraphQL API.
    #[serde(skip_serializing_if = "Option::is_none")]
    graphql: Option<String>,
    /// Names of pages, without `/-/` before them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pages: Option<Vec<String>>,
    /// Name of the server behaviour.
    #[serde(skip_serializing_if = "Option::is_none")]
    behaviour: Option<String>,
}

/// A release with its changes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReleaseJson {
    /// Name of the release, or `v5` for the preview of that version of the API.
    release: String,
    /// Release date.
    released_on: Option<CalendarDate>,
    /// Removals in the release.
    removed: Vec<RecordJson>,
    /// Deprecations announced with the release.
    announced: Vec<RecordJson>,
    /// Introductions in the release.
    introduced: Vec<RecordJson>,
    /// Deprecated features that the release still has, the earliest removal first.
    deprecated: Vec<RecordJson>,
}

impl RecordJson {
    /// Creates the JSON of a record at an edition, for a service at a base URL.
    pub fn new(record: &Record, at: Edition, base_url: &str) -> Self {
        let (announced, end_of_support, introduced) = match record.life {
            Life::Deprecated {
                announced,
                end_of_support,
                ..
            } => (Some(announced), end_of_support, None),
            Life::Introduced(release) => (None, None, Some(release)),
        };
        Self {
            id: record.id.clone(),
            title: record.title.clone(),
            area: record.area.clone(),
            kind: record.kind,
            announced: announced.map(|release| release.to_string()),
            announced_on: record.announced_on().and_then(date),
            removal: record.removal().map(|removal| removal.to_string()),
            removal_on: record.removed_on().and_then(date),
            end_of_support: end_of_support.map(|release| release.to_string()),
            breaking: record.breaking,
            replacement: record.replacement.clone(),
            body: record.body.clone(),
            status: record.status(at),
            enforcement: match record.enforcement {
                Enforcement::Enforced => "enforced",
                Enforcement::Announced(_) => "announced",
            },
            touches: record.touches.iter().map(TouchJson::new).collect(),
            introduced: introduced.map(|release| release.to_string()),
            web_url: web_url(base_url, record),
        }
    }
}

impl TouchJson {
    fn new(touch: &Touch) -> Self {
        let endpoint = touch.site.endpoint().map(ToString::to_string);
        let mut json = Self {
            endpoint,
            ..Self::default()
        };
        match &touch.site {
            Site::Operation(_) => {}
            Site::Parameter { name, value, .. } => {
                json.parameter = Some(name.clone());
                json.value = value.clone();
            }
            Site::Field { path, value, .. } => {
                json.field = Some(path.join("."));
                json.value = value.clone();
            }
            Site::Graphql(name) => json.graphql = Some(name.clone()),
            Site::Pages(names) => json.pages = Some(names.clone()),
            Site::Behaviour(name) => json.behaviour = Some(name.clone()),
        }
        json
    }
}

impl ReleaseJson {
    /// Creates the JSON of the release of an edition, for a service at a base URL.
    /// A preview of the next version of the API has no announcements or introductions of its own; its removals are
    /// everything that its release still has and the version removes.
    pub fn new(schedule: &Schedule, at: Edition, base_url: &str) -> Self {
        let all = |records: Vec<&Record>| {
            let records = records.into_iter();
            records
                .map(|record| RecordJson::new(record, at, base_url))
                .collect()
        };
        let changes = schedule.changes(at.release);
        let is_preview = at.api != API_VERSION;
        let (removed, announced, introduced) = if is_preview {
            let own = Edition::of(at.release);
            let goes = |record: &&Record| {
                record.status(at) == RecordStatus::Removed
                    && record.status(own) != RecordStatus::Removed
            };
            let gone = schedule.deprecations().filter(goes).collect();
            (gone, Vec::new(), Vec::new())
        } else {
            (changes.removed, changes.announced, changes.introduced)
        };
        Self {
            release: at.to_string(),
            released_on: schedule
                .day_of(at.release)
                .filter(|_| !is_preview)
                .and_then(date),
            removed: all(removed),
            announced: all(announced),
            introduced: all(introduced),
            deprecated: all(schedule.coming(at)),
        }
    }
}

/// Converts a day to the format of APIs.
fn date(day: NaiveDate) -> Option<CalendarDate> {
    CalendarDate::parse(&day.format("%Y-%m-%d").to_string())
}
