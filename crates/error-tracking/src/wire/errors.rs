//! The JSON of errors.

use api_conventions::ids::{ErrorId, ErrorIid, ErrorKeyId, IssueId, ProjectId, UserId};
use api_conventions::time::Timestamp;
use serde::Serialize;

use super::EventJson;
use crate::grouping::Input;
use crate::model::{ErrorKey, TagCount, TrackedError};
use crate::rules::status::{Resolution, Status};
use crate::store::HourCount;

/// An error in a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorJson {
    id: ErrorId,
    iid: ErrorIid,
    project_id: ProjectId,
    title: String,
    culprit: String,
    location: Option<String>,
    level: &'static str,
    platform: String,
    status: &'static str,
    status_details: StatusDetailsJson,
    count: i64,
    user_count: i64,
    first_seen: Timestamp,
    last_seen: Timestamp,
    first_release: Option<String>,
    last_release: Option<String>,
    regressed_at: Option<Timestamp>,
    assignee_id: Option<UserId>,
    issue_id: Option<IssueId>,
    /// Events of the last 24 hours, by hour: pairs of the hour's start in seconds since 1970, and their number.
    frequency: Vec<(i64, i64)>,
    web_url: String,
    /// Page of the error in the external tracker, for a project that uses one.
    external_url: Option<String>,
}

/// Release in which an error is resolved, or how long it is ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct StatusDetailsJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    in_release: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after_release: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ignore_until: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ignore_until_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ignore_until_user_count: Option<u64>,
}

impl From<&Status> for StatusDetailsJson {
    fn from(status: &Status) -> Self {
        let mut details = Self::default();
        match status {
            Status::Unresolved | Status::Resolved(Resolution::Now) => {}
            Status::Resolved(Resolution::InRelease(release)) => {
                details.in_release = Some(release.clone());
            }
            Status::Resolved(Resolution::AfterRelease(release)) => {
                details.after_release = Some(release.clone());
            }
            Status::Ignored(until) => {
                details.ignore_until = until.time;
                details.ignore_until_count = until.events;
                details.ignore_until_user_count = until.users;
            }
        }
        details
    }
}

impl ErrorJson {
    /// Creates the JSON of an error of the project at `project_path`, with its events by hour.
    /// Links begin with `base_url`, which has no trailing slash.
    pub fn new(
        error: TrackedError,
        hours: &[HourCount],
        base_url: &str,
        project_path: &str,
    ) -> Self {
        let iid = error.iid;
        let frequency = hours
            .iter()
            .map(|one| (one.hour.as_unix_seconds(), one.events));
        Self {
            id: error.id,
            iid,
            project_id: error.project_id,
            title: error.facts.title,
            culprit: error.facts.culprit,
            location: error.facts.location,
            level: error.facts.level.as_str(),
            platform: error.facts.platform,
            status: error.state.status.as_str(),
            status_details: (&error.state.status).into(),
            count: error.events,
            user_count: error.users,
            first_seen: error.first_seen,
            last_seen: error.last_seen,
            first_release: error.first_release,
            last_release: error.last_release,
            regressed_at: error.regressed_at,
            assignee_id: error.state.assignee_id,
            issue_id: error.state.issue_id,
            frequency: frequency.collect(),
            web_url: format!("{base_url}/{project_path}/-/error_tracking/{iid}/details"),
            external_url: None,
        }
    }

    /// Adds the page of the error in the external tracker.
    #[must_use]
    pub fn at_external(mut self, page: Option<String>) -> Self {
        self.external_url = page;
        self
    }
}

/// Explanation of why events are grouped together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupingJson {
    id: ErrorKeyId,
    version: u16,
    explanation: &'static str,
    inputs: Vec<InputJson>,
    first_seen: Timestamp,
}

/// Input of a grouping key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct InputJson {
    part: &'static str,
    text: String,
}

impl From<Input> for InputJson {
    fn from(input: Input) -> Self {
        Self {
            part: input.part.word(),
            text: input.text,
        }
    }
}

impl From<ErrorKey> for GroupingJson {
    fn from(key: ErrorKey) -> Self {
        Self {
            id: key.id,
            version: key.explanation.version,
            explanation: key.explanation.method.sentence(),
            inputs: key.explanation.inputs.into_iter().map(Into::into).collect(),
            first_seen: key.first_seen,
        }
    }
}

/// Tag of an error, with the number of events per value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TagJson {
    name: String,
    values: Vec<TagValueJson>,
}

/// Number of events with a tag value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct TagValueJson {
    value: String,
    count: i64,
    last_seen: Timestamp,
}

impl TagJson {
    /// Creates the tags of an error from counts in the order of their names.
    pub fn of(counts: Vec<TagCount>) -> Vec<Self> {
        let mut tags: Vec<Self> = Vec::new();
        for count in counts {
            let value = TagValueJson {
                value: count.value,
                count: count.events,
                last_seen: count.last_seen,
            };
            match tags.last_mut() {
                Some(last) if last.name == count.name => last.values.push(value),
                _ => tags.push(Self {
                    name: count.name,
                    values: vec![value],
                }),
            }
        }
        tags
    }
}

/// Error with all details.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorDetailJson {
    /// The error.
    #[serde(flatten)]
    pub error: ErrorJson,
    /// Explanations of the grouping: one for the error's own key, and one for each key that was merged into it.
    pub grouping: Vec<GroupingJson>,
    /// Tags of the error.
    pub tags: Vec<TagJson>,
    /// Latest event that is kept.
    pub latest_event: Option<EventJson>,
}
