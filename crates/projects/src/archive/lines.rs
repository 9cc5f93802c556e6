//! Objects in the lines of an archive, as servers of this API write them.
//! Unknown attributes are ignored.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::json::{JsonDate, JsonTime, or_default};

/// `tree/project.json`.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ProjectLine {
    #[serde(deserialize_with = "or_default")]
    pub(super) description: String,
    pub(super) visibility_level: Option<i64>,
    #[serde(deserialize_with = "or_default")]
    pub(super) topics: Vec<TopicLine>,
    /// Settings by name, among other attributes.
    #[serde(flatten)]
    pub(super) attributes: Map<String, Value>,
}

/// A topic: only its name, or an object that contains the name.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum TopicLine {
    Name(String),
    Object { name: String },
}

impl TopicLine {
    pub(super) fn into_name(self) -> String {
        match self {
            Self::Name(name) | Self::Object { name } => name,
        }
    }
}

/// A line of `labels.ndjson`, and the label of a link.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct LabelLine {
    #[serde(deserialize_with = "or_default")]
    pub(super) title: String,
    pub(super) color: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<String>,
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub(super) priorities: Vec<PriorityLine>,
    #[serde(flatten)]
    pub(super) times: TimesLine,
}

/// The rank of a label.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PriorityLine {
    pub(super) priority: Option<i64>,
}

/// Times of creation and of the last change.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct TimesLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) created_at: Option<JsonTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) updated_at: Option<JsonTime>,
}

/// A line of `milestones.ndjson`, and the milestone of an issue.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct MilestoneLine {
    pub(super) iid: Option<i64>,
    #[serde(deserialize_with = "or_default")]
    pub(super) title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<String>,
    pub(super) state: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) start_date: Option<JsonDate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) due_date: Option<JsonDate>,
    #[serde(flatten)]
    pub(super) times: TimesLine,
}

/// A line of `issues.ndjson`.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct IssueLine {
    pub(super) iid: Option<i64>,
    #[serde(deserialize_with = "or_default")]
    pub(super) title: String,
    pub(super) description: Option<String>,
    pub(super) state: Option<String>,
    #[serde(skip_serializing)]
    pub(super) state_id: Option<i64>,
    pub(super) closed_at: Option<JsonTime>,
    #[serde(deserialize_with = "or_default")]
    pub(super) confidential: bool,
    #[serde(deserialize_with = "or_default")]
    pub(super) discussion_locked: bool,
    pub(super) due_date: Option<JsonDate>,
    pub(super) issue_type: Option<String>,
    /// Type of the issue in archives of later servers.
    #[serde(skip_serializing)]
    pub(super) work_item_type: Option<KindLine>,
    pub(super) issuable_severity: Option<SeverityLine>,
    #[serde(skip_serializing)]
    pub(super) author_id: Option<i64>,
    pub(super) author: Option<AuthorLine>,
    pub(super) milestone: Option<MilestoneLine>,
    #[serde(deserialize_with = "or_default")]
    pub(super) label_links: Vec<LinkLine>,
    #[serde(deserialize_with = "or_default")]
    pub(super) notes: Vec<NoteLine>,
    #[serde(flatten)]
    pub(super) times: TimesLine,
}

/// Type of an issue.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct KindLine {
    pub(super) base_type: Option<String>,
}

/// Severity of an incident.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SeverityLine {
    pub(super) severity: Option<String>,
}

/// A label of an issue.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct LinkLine {
    pub(super) label: Option<LabelLine>,
}

/// A note on an issue.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct NoteLine {
    #[serde(deserialize_with = "or_default")]
    pub(super) note: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) system: bool,
    #[serde(deserialize_with = "or_default")]
    pub(super) internal: bool,
    /// Internal flag in archives of earlier servers.
    #[serde(deserialize_with = "or_default", skip_serializing)]
    pub(super) confidential: bool,
    #[serde(skip_serializing)]
    pub(super) author_id: Option<i64>,
    pub(super) author: Option<AuthorLine>,
    #[serde(flatten)]
    pub(super) times: TimesLine,
}

/// Author of an issue or a note.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct AuthorLine {
    pub(super) name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) username: Option<String>,
}

/// A line of `project_members.ndjson`, of which only the names of users are read.
#[derive(Debug, Deserialize)]
pub(super) struct MemberLine {
    pub(super) user: Option<UserLine>,
}

/// A user.
#[derive(Debug, Deserialize)]
pub(super) struct UserLine {
    pub(super) id: Option<i64>,
    #[serde(flatten)]
    pub(super) author: AuthorLine,
}
