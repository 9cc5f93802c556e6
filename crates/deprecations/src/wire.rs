//! The JSON of records and releases, as an API answers it.

use api_conventions::time::CalendarDate;
use chrono::NaiveDate;
use serde::Serialize;
use serde_json::Value;

use crate::feed::web_url;
use crate::model::{API_VERSION, Edition, Enforcement, Kind, Life, Record, Site, Status, Touch};
use crate::schedule::Schedule;

/// A record, and what it means at an edition.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordJson {
    /// Its permanent name.
    id: String,
    /// What it is about, in a line of Markdown.
    title: String,
    /// The part of the product.
    area: String,
    /// What kind of thing it is about.
    kind: Kind,
    /// The release that announced the removal; null for what has come.
    announced: Option<String>,
    /// The day of that release, or of the one that brought it.
    announced_on: Option<CalendarDate>,
    /// The first release without it, a version of the API such as `v5`, or `undated`; null for what has come.
    removal: Option<String>,
    /// The day of the removal, where that goes with a release.
    removal_on: Option<CalendarDate>,
    /// The release from which on nobody helps with it.
    end_of_support: Option<String>,
    /// Whether clients that do nothing stop to work.
    breaking: bool,
    /// What to use instead, in a line of Markdown.
    replacement: Option<String>,
    /// What to do, in Markdown.
    body: String,
    /// What it means at the edition.
    status: Status,
    /// What this server does about it: `enforced` or `announced`.
    enforcement: &'static str,
    /// What it touches.
    touches: Vec<TouchJson>,
    /// The release that brought it; null for what goes.
    introduced: Option<String>,
    /// The address of its page.
    web_url: String,
}

/// One thing that a record touches. Of what it does not have there is no member: a `value` of null is the value null.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TouchJson {
    /// The method and the path of the operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    endpoint: Option<String>,
    /// The parameter of the operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter: Option<String>,
    /// The field of the answer: names from the outside, with dots between them.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// The one value that is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
    /// The name in the GraphQL API.
    #[serde(skip_serializing_if = "Option::is_none")]
    graphql: Option<String>,
    /// The names of pages, without `/-/` before them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pages: Option<Vec<String>>,
    /// The name of what the server does.
    #[serde(skip_serializing_if = "Option::is_none")]
    behaviour: Option<String>,
}

/// A release, and what it changes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReleaseJson {
    /// The release, or `v5` for the preview of that version of the API.
    release: String,
    /// The day on which it came or comes out.
    released_on: Option<CalendarDate>,
    /// What it takes away.
    removed: Vec<RecordJson>,
    /// What it announces to go.
    announced: Vec<RecordJson>,
    /// What it brings.
    introduced: Vec<RecordJson>,
    /// What it still has and will go: what goes first first.
    deprecated: Vec<RecordJson>,
}

impl RecordJson {
    /// The JSON of a record at an edition, of a service at an address.
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
    /// The JSON of the release of an edition, of a service at an address. A preview of the next version of the API announces and
    /// brings nothing of its own; it takes away all that its release still has and that goes with the version.
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
                record.status(at) == Status::Removed && record.status(own) != Status::Removed
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

/// A day as APIs answer it.
fn date(day: NaiveDate) -> Option<CalendarDate> {
    CalendarDate::parse(&day.format("%Y-%m-%d").to_string())
}
