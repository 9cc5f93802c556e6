//! The JSON of users and access tokens.

use api_conventions::avatar::Avatar;
use api_conventions::ids::UserId;
use api_conventions::time::{CalendarDate, Timestamp};
use serde::Serialize;

use crate::model::{User, UserActivity, UserKind};

mod deploy_token;
mod token;

pub use deploy_token::{DeployTokenResponse, NewDeployTokenResponse};
pub use token::{
    AccessTokenResponse, ImpersonationTokenResponse, NewAccessTokenResponse, PlaceTokenResponse,
};

/// Number of projects a user may create, as reported to clients. Not enforced here; this is the platform's own default.
const PROJECTS_LIMIT: u32 = 100_000;

/// User in short form, as for authors, assignees and members.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UserSummary {
    /// User id.
    pub id: UserId,
    /// Username.
    pub username: String,
    /// Display name.
    pub name: String,
    /// `active`, `blocked`, `banned` or `deactivated`.
    pub state: &'static str,
    /// URL of the avatar.
    pub avatar_url: String,
    /// URL of the user's page.
    pub web_url: String,
}

impl UserSummary {
    /// Creates the short form of `user`, with links below `base_url`, which has no trailing slash.
    pub fn new(user: &User, base_url: &str) -> Self {
        Self {
            id: user.id,
            username: user.username.as_str().to_owned(),
            name: user.name.clone(),
            state: user.state.as_str(),
            avatar_url: Avatar::new(user.username.as_str(), &user.name).url(base_url),
            web_url: format!("{base_url}/{}", user.username.as_str()),
        }
    }
}

/// Fields that a private profile hides.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Profile {
    /// Time at which the account was created.
    pub created_at: Timestamp,
    /// Number of followers. Always 0: users cannot follow each other.
    pub followers: u32,
    /// Number of followed users. Always 0.
    pub following: u32,
    /// True if the caller follows the user. Always `false`.
    pub is_followed: bool,
}

impl Profile {
    fn of(user: &User) -> Self {
        Self {
            created_at: user.created_at,
            followers: 0,
            following: 0,
            is_followed: false,
        }
    }
}

/// User as other users see it (`GET /users/:id`).
///
/// Accounts have no profile beyond their name, so the fields that describe a person are empty.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PublicUser {
    /// Short form of the user.
    #[serde(flatten)]
    pub summary: UserSummary,
    /// Profile fields; left out if the profile is private.
    #[serde(flatten)]
    pub profile: Option<Profile>,
    /// True if the account is a bot.
    pub bot: bool,
    /// Biography.
    pub bio: &'static str,
    /// Location.
    pub location: Option<String>,
    /// Public email address.
    pub public_email: Option<String>,
    /// Skype name.
    pub skype: &'static str,
    /// Profile name at linkedin.com.
    pub linkedin: &'static str,
    /// Twitter name.
    pub twitter: &'static str,
    /// Discord id.
    pub discord: &'static str,
    /// Website.
    pub website_url: &'static str,
    /// Organization.
    pub organization: Option<String>,
    /// Job title.
    pub job_title: &'static str,
    /// Pronouns.
    pub pronouns: Option<String>,
    /// Job title and organization.
    pub work_information: Option<String>,
    /// Local time of the user.
    pub local_time: Option<String>,
}

impl PublicUser {
    /// Creates the view that others have of `user`, with links below `base_url`, which has no trailing slash. A private
    /// profile is left out.
    pub fn new(user: &User, base_url: &str) -> Self {
        Self {
            profile: (!user.private_profile).then(|| Profile::of(user)),
            ..Self::whole(user, base_url)
        }
    }

    /// Creates the same view, but with the profile even if it is private.
    fn whole(user: &User, base_url: &str) -> Self {
        Self {
            summary: UserSummary::new(user, base_url),
            profile: Some(Profile::of(user)),
            bot: user.kind != UserKind::Human,
            bio: "",
            location: None,
            public_email: None,
            skype: "",
            linkedin: "",
            twitter: "",
            discord: "",
            website_url: "",
            organization: None,
            job_title: "",
            pronouns: None,
            work_information: None,
            local_time: None,
        }
    }
}

/// Fields that only administrators see.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Administration {
    /// True if the user is an administrator of the instance.
    pub is_admin: bool,
    /// Note by administrators. Always null: this server keeps no notes.
    pub note: Option<String>,
    /// True if the user takes a license seat. Always `false`: there are no licenses.
    pub using_license_seat: bool,
    /// Number of sign-ins.
    pub sign_in_count: i64,
    /// IP address of the latest sign-in. Always null: accounts keep no addresses.
    pub current_sign_in_ip: Option<String>,
    /// IP address of the sign-in before that one. Always null: accounts keep no addresses.
    pub last_sign_in_ip: Option<String>,
    /// User who created the account. Always null: accounts do not record it.
    pub created_by: Option<UserSummary>,
}

impl Administration {
    fn of(user: &User, activity: &UserActivity) -> Self {
        Self {
            is_admin: user.is_admin,
            note: None,
            using_license_seat: false,
            sign_in_count: activity.sign_in_count,
            current_sign_in_ip: None,
            last_sign_in_ip: None,
            created_by: None,
        }
    }
}

/// Sign-in identity at another provider. Accounts have none.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IdentityJson {
    /// Name of the provider.
    pub provider: String,
    /// Id of the user at that provider.
    pub extern_uid: String,
}

/// User as the user itself sees it (`GET /user`), and as administrators see everyone.
#[derive(Debug, Clone, Serialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the fields are those of the API's body"
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CurrentUser {
    /// Fields that other users see too.
    #[serde(flatten)]
    pub public: PublicUser,
    /// Time at which the email address was confirmed. No confirmation is required, so this is the time of creation.
    pub confirmed_at: Timestamp,
    /// Email address.
    pub email: String,
    /// Email address for commits: the same as `email`.
    pub commit_email: String,
    /// Theme of the user interface. There is only one.
    pub theme_id: u32,
    /// Color scheme of code. There is only one.
    pub color_scheme_id: u32,
    /// True if the user may create groups.
    pub can_create_group: bool,
    /// True if the user may create projects.
    pub can_create_project: bool,
    /// True if sign-in requires a second factor.
    pub two_factor_enabled: bool,
    /// True if the user has access only to projects it is a member of. Always `false`.
    pub external: bool,
    /// True if the profile and activity are hidden from other users.
    pub private_profile: bool,
    /// Sign-in identities at other providers. Always empty.
    pub identities: Vec<IdentityJson>,
    /// Number of projects that the user may create.
    pub projects_limit: u32,
    /// Time of the latest sign-in.
    pub current_sign_in_at: Option<Timestamp>,
    /// Time of the sign-in before that one.
    pub last_sign_in_at: Option<Timestamp>,
    /// Day of the user's last activity.
    pub last_activity_on: Option<CalendarDate>,
    /// Fields for administrators.
    #[serde(flatten)]
    pub administration: Option<Administration>,
}

impl CurrentUser {
    /// Creates the view that `user` has of itself.
    pub fn new(user: &User, activity: &UserActivity, base_url: &str) -> Self {
        let is_human = user.kind == UserKind::Human;
        Self {
            public: PublicUser::whole(user, base_url),
            confirmed_at: user.created_at,
            email: user.email.clone(),
            commit_email: user.email.clone(),
            theme_id: 1,
            color_scheme_id: 1,
            can_create_group: is_human,
            can_create_project: is_human,
            two_factor_enabled: user.two_factor_enabled,
            external: false,
            private_profile: user.private_profile,
            identities: Vec::new(),
            projects_limit: PROJECTS_LIMIT,
            current_sign_in_at: activity.current_sign_in_at,
            last_sign_in_at: activity.last_sign_in_at,
            last_activity_on: activity.last_seen_at.map(Timestamp::date),
            administration: user.is_admin.then(|| Administration::of(user, activity)),
        }
    }

    /// Creates the view that an administrator has of `user`.
    pub fn for_administrator(user: &User, activity: &UserActivity, base_url: &str) -> Self {
        Self {
            administration: Some(Administration::of(user, activity)),
            ..Self::new(user, activity, base_url)
        }
    }
}
