//! The JSON of a user.

use api_conventions::avatar::Avatar;
use api_conventions::ids::UserId;
use api_conventions::time::{CalendarDate, Timestamp};
use serde::Serialize;

use crate::model::{User, UserActivity, UserKind};

/// Projects that a user may create, as clients read it. Nothing limits them here; this is the platform's own default.
const PROJECTS_LIMIT: u32 = 100_000;

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
    /// Address of the picture.
    pub avatar_url: String,
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
            avatar_url: Avatar::new(user.username.as_str(), &user.name).url(base_url),
            web_url: format!("{base_url}/{}", user.username.as_str()),
        }
    }
}

/// What a private profile hides.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Profile {
    /// When the account was made.
    pub created_at: Timestamp,
    /// How many follow the user: nobody follows anybody.
    pub followers: u32,
    /// How many the user follows.
    pub following: u32,
    /// Whether the caller follows the user.
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

/// What users see of each other (`GET /users/:id`).
///
/// Accounts have no profile beyond their name, so the fields that describe a person are empty.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PublicUser {
    /// The short form.
    #[serde(flatten)]
    pub summary: UserSummary,
    /// What only users whose profile is not private show to others.
    #[serde(flatten)]
    pub profile: Option<Profile>,
    /// Whether the account is a bot.
    pub bot: bool,
    /// What a person says about themself.
    pub bio: &'static str,
    /// Where a person is.
    pub location: Option<String>,
    /// An address for everybody.
    pub public_email: Option<String>,
    /// A name elsewhere.
    pub skype: &'static str,
    /// A name elsewhere.
    pub linkedin: &'static str,
    /// A name elsewhere.
    pub twitter: &'static str,
    /// A name elsewhere.
    pub discord: &'static str,
    /// A site of the person.
    pub website_url: &'static str,
    /// For whom a person works.
    pub organization: Option<String>,
    /// As what a person works.
    pub job_title: &'static str,
    /// How to speak of a person.
    pub pronouns: Option<String>,
    /// As what and for whom a person works.
    pub work_information: Option<String>,
    /// What time it is where a person is.
    pub local_time: Option<String>,
}

impl PublicUser {
    /// What others see of `user`, with links below `base_url`, which has no slash at its end. Of a private profile that is
    /// less.
    pub fn new(user: &User, base_url: &str) -> Self {
        Self {
            profile: (!user.private_profile).then(|| Profile::of(user)),
            ..Self::whole(user, base_url)
        }
    }

    /// The same, whether the profile is private or not.
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

/// What only administrators see.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Administration {
    /// Whether the user administers the instance.
    pub is_admin: bool,
    /// What administrators wrote about the user: nothing can be.
    pub note: Option<String>,
    /// Whether the user takes a seat of a licence: there are none.
    pub using_license_seat: bool,
    /// Number of sign-ins.
    pub sign_in_count: i64,
    /// Address of the latest sign-in: accounts keep none.
    pub current_sign_in_ip: Option<String>,
    /// Address of the sign-in before that one: accounts keep none.
    pub last_sign_in_ip: Option<String>,
    /// User who created the account: accounts do not keep it.
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

/// Sign-in at another provider. Accounts have none.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IdentityJson {
    /// Name of the provider.
    pub provider: String,
    /// Id of the user there.
    pub extern_uid: String,
}

/// What a user sees of itself (`GET /user`), and an administrator of everybody.
#[derive(Debug, Clone, Serialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the fields are those of the API's body"
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CurrentUser {
    /// What others see, too.
    #[serde(flatten)]
    pub public: PublicUser,
    /// When the address was confirmed: nobody is asked to, so it is the time at which the account was made.
    pub confirmed_at: Timestamp,
    /// The address for mail.
    pub email: String,
    /// The address in commits: the same.
    pub commit_email: String,
    /// The look of pages: there is one.
    pub theme_id: u32,
    /// The colors of code: there is one set.
    pub color_scheme_id: u32,
    /// Whether the user may make groups.
    pub can_create_group: bool,
    /// Whether the user may make projects.
    pub can_create_project: bool,
    /// Whether signing in needs a second factor.
    pub two_factor_enabled: bool,
    /// Whether the account is restricted to projects it is a member of.
    pub external: bool,
    /// Whether others see neither what the user did nor the whole profile.
    pub private_profile: bool,
    /// Sign-in identities of other providers: none.
    pub identities: Vec<IdentityJson>,
    /// Projects that the user may create.
    pub projects_limit: u32,
    /// Time of the latest sign-in.
    pub current_sign_in_at: Option<Timestamp>,
    /// Time of the sign-in before that one.
    pub last_sign_in_at: Option<Timestamp>,
    /// Day on which the user was last there.
    pub last_activity_on: Option<CalendarDate>,
    /// For administrators.
    #[serde(flatten)]
    pub administration: Option<Administration>,
}

impl CurrentUser {
    /// What `user` sees of itself.
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

    /// What an administrator sees of `user`.
    pub fn for_administrator(user: &User, activity: &UserActivity, base_url: &str) -> Self {
        Self {
            administration: Some(Administration::of(user, activity)),
            ..Self::new(user, activity, base_url)
        }
    }
}
