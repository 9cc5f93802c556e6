//! The JSON of a user.

use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use serde::Serialize;

use crate::model::{User, UserKind};

/// The short form: authors, assignees, members.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UserSummary {
    /// The id.
    pub id: UserId,
    /// The username.
    pub username: String,
    /// The name to show.
    pub name: String,
    /// `active` or `blocked`.
    pub state: &'static str,
    /// Where the picture is; `null` while accounts have none.
    pub avatar_url: Option<String>,
    /// The page of the user.
    pub web_url: String,
}

impl UserSummary {
    /// The short form of `user`, with links below `base_url`, which has no slash at its end.
    pub fn new(user: &User, base_url: &str) -> Self {
        Self {
            id: user.id,
            username: user.username.as_str().to_owned(),
            name: user.name.clone(),
            state: user.state.as_str(),
            avatar_url: None,
            web_url: format!("{base_url}/{}", user.username.as_str()),
        }
    }
}

/// What a user sees of itself (`GET /user`).
#[derive(Debug, Clone, Serialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the fields are those of the API's body"
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CurrentUser {
    /// The short form.
    #[serde(flatten)]
    pub summary: UserSummary,
    /// When the account was made.
    pub created_at: Timestamp,
    /// Whether the account is a bot.
    pub bot: bool,
    /// The address for mail.
    pub email: String,
    /// The address in commits: the same.
    pub commit_email: String,
    /// Whether the user may make groups.
    pub can_create_group: bool,
    /// Whether the user may make projects.
    pub can_create_project: bool,
    /// Whether signing in needs a second factor.
    pub two_factor_enabled: bool,
    /// Whether the account is restricted to projects it is a member of.
    pub external: bool,
    /// Whether others may not see the user's activity.
    pub private_profile: bool,
    /// Sign-in identities of other providers: none.
    pub identities: [(); 0],
    /// Only told to administrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_admin: Option<bool>,
}

impl CurrentUser {
    /// What `user` sees of itself.
    pub fn new(user: &User, base_url: &str) -> Self {
        let is_human = user.kind == UserKind::Human;
        Self {
            summary: UserSummary::new(user, base_url),
            created_at: user.created_at,
            bot: !is_human,
            email: user.email.clone(),
            commit_email: user.email.clone(),
            can_create_group: is_human,
            can_create_project: is_human,
            two_factor_enabled: user.two_factor_enabled,
            external: false,
            private_profile: false,
            identities: [],
            is_admin: user.is_admin.then_some(true),
        }
    }
}
