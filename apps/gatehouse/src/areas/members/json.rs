//! The JSON of members and shares.

use accounts::wire::UserSummary;
use api_conventions::ids::{NamespaceId, ProjectId, ShareId};
use api_conventions::time::{CalendarDate, Timestamp};
use gatehouse_core::flows::members::ListedMember;
use projects::ProjectShare;
use schemars::JsonSchema;
use serde::Serialize;

/// A member: the user and their role.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct MemberJson {
    #[serde(flatten)]
    user: UserSummary,
    access_level: i16,
    created_at: Timestamp,
    created_by: Option<UserSummary>,
    expires_at: Option<CalendarDate>,
    membership_state: &'static str,
}

impl MemberJson {
    /// Builds the JSON of a member, with links below `base_url`, which has no trailing slash.
    pub(super) fn new(listed: &ListedMember, base_url: &str) -> Self {
        let by = listed.created_by.as_ref();
        Self {
            user: UserSummary::new(&listed.user, base_url),
            access_level: listed.member.level.number(),
            created_at: listed.member.created_at,
            created_by: by.map(|user| UserSummary::new(user, base_url)),
            expires_at: listed.member.expires_on,
            membership_state: "active",
        }
    }
}

/// Result of adding several users.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct AddedJson {
    /// `success` if all of them are members now, else `error`.
    pub(super) status: &'static str,
    /// Reasons why users were not added, by username or id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<serde_json::Map<String, serde_json::Value>>,
}

/// A share of a project with a group.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct ShareJson {
    id: ShareId,
    project_id: ProjectId,
    group_id: NamespaceId,
    group_access: i16,
    expires_at: Option<CalendarDate>,
}

impl From<ProjectShare> for ShareJson {
    fn from(share: ProjectShare) -> Self {
        Self {
            id: share.id,
            project_id: share.project_id,
            group_id: share.group_id,
            group_access: share.level.number(),
            expires_at: share.expires_on,
        }
    }
}
