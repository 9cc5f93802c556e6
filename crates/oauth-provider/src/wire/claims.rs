//! Who the user is (OpenID Connect Core 1.0, section 5.1).

use std::collections::BTreeMap;

use api_conventions::ids::UserId;
use serde::Serialize;

use crate::scopes::ReleasedClaims;

/// A user, in plain values: the crate knows no users.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Subject {
    /// The id, which never changes.
    pub user_id: UserId,
    /// The full name.
    pub name: String,
    /// The username.
    pub username: String,
    /// The address for mail, and whether it was proven to be the user's.
    pub email: Option<(String, bool)>,
    /// The address of the user's page.
    pub profile_url: String,
    /// The address of the user's picture.
    pub picture_url: Option<String>,
    /// The full paths of all groups of the user: those that the user was made a member of, and those below them.
    pub groups: Vec<String>,
    /// The full paths of the groups that the user was made a member of.
    pub direct_groups: Vec<String>,
    /// The full paths of the groups by the role of the user there, under the names of the claims. Those that are empty are
    /// left out.
    pub group_roles: BTreeMap<String, Vec<String>>,
}

impl Subject {
    /// A user without an address for mail, a picture and groups.
    pub fn new(
        user_id: UserId,
        name: impl Into<String>,
        username: impl Into<String>,
        profile_url: impl Into<String>,
    ) -> Self {
        Self {
            user_id,
            name: name.into(),
            username: username.into(),
            email: None,
            profile_url: profile_url.into(),
            picture_url: None,
            groups: Vec::new(),
            direct_groups: Vec::new(),
            group_roles: BTreeMap::new(),
        }
    }
}

/// What is claimed about a user. Members that are absent are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Claims {
    /// The user: the id, as text.
    pub sub: String,
    /// What is claimed besides.
    #[serde(flatten)]
    pub about: About,
}

/// What is claimed about a user besides the id.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct About {
    /// The full name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The username, as existing clients read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nickname: Option<String>,
    /// The username, as the standard names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preferred_username: Option<String>,
    /// The address of the user's page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The address of the user's picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
    /// The address for mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Whether the address was proven to be the user's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_verified: Option<bool>,
    /// The full paths of all groups of the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<String>>,
    /// The full paths of the groups that the user was made a member of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups_direct: Option<Vec<String>>,
    /// The full paths of the groups by the role of the user there.
    #[serde(flatten)]
    pub group_roles: BTreeMap<String, Vec<String>>,
}

/// The claims of each kind, besides those that every id token has, for metadata. A picture is claimed by hosts whose users
/// have one; it is left out, because the document must promise nothing that is never there.
const PROFILE_CLAIMS: &[&str] = &["name", "nickname", "preferred_username", "profile"];
const EMAIL_CLAIMS: &[&str] = &["email", "email_verified"];
const GROUP_CLAIMS: &[&str] = &["groups", "groups_direct"];

/// The claims that a server makes when its scopes release these.
pub fn names_of(released: ReleasedClaims) -> impl Iterator<Item = &'static str> {
    let kinds = [
        (released.profile, PROFILE_CLAIMS),
        (released.email, EMAIL_CLAIMS),
        (released.groups, GROUP_CLAIMS),
    ];
    let claimed = kinds.into_iter().filter(|(is_released, _)| *is_released);
    claimed.flat_map(|(_, names)| names.iter().copied())
}

impl Claims {
    /// What `/oauth/userinfo` tells (`OAUTH-09`).
    ///
    /// Name, username and page come with `openid` alone, because existing clients ask for no more and read them. The
    /// standard forbids nothing there: its scope `profile` asks for these claims, and a server may claim more than was
    /// asked for (section 5.4 with section 5.3.2). The address for mail and the groups are claimed only when the token's
    /// scopes release them: an empty list of groups then says that there are none.
    pub fn for_userinfo(subject: &Subject, released: ReleasedClaims) -> Self {
        let mut about = About::default();
        about.add_profile(subject);
        about.add_email(subject, released);
        about.add_groups(subject, released);
        Self {
            sub: subject.user_id.to_string(),
            about,
        }
    }
}

impl About {
    /// What an id token tells. It travels through more hands than the answer of `/oauth/userinfo`, so each claim needs
    /// a scope that releases it (OpenID Connect Core 1.0, section 5.4).
    ///
    /// Of the groups it tells those that the user was made a member of, in `groups_direct`, and leaves out an empty list,
    /// as existing clients expect. All groups may be thousands, and the token comes back in the addresses of requests as a
    /// hint; `/oauth/userinfo` tells them.
    pub fn for_id_token(subject: &Subject, released: ReleasedClaims) -> Self {
        let mut about = Self::default();
        if released.profile {
            about.add_profile(subject);
        }
        about.add_email(subject, released);
        let has_groups = released.groups && !subject.direct_groups.is_empty();
        about.groups_direct = has_groups.then(|| subject.direct_groups.clone());
        about
    }

    fn add_profile(&mut self, subject: &Subject) {
        self.name = Some(subject.name.clone());
        self.nickname = Some(subject.username.clone());
        self.preferred_username = Some(subject.username.clone());
        self.profile = Some(subject.profile_url.clone());
        self.picture = subject.picture_url.clone();
    }

    pub(super) fn add_groups(&mut self, subject: &Subject, released: ReleasedClaims) {
        if released.groups {
            self.groups = Some(subject.groups.clone());
            self.group_roles = subject.group_roles.clone();
        }
    }

    fn add_email(&mut self, subject: &Subject, released: ReleasedClaims) {
        if let Some((email, is_verified)) = &subject.email
            && released.email
        {
            self.email = Some(email.clone());
            self.email_verified = Some(*is_verified);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scopes::samples::{registry, set};

    fn released(scopes: &str) -> ReleasedClaims {
        registry().released_by(&set(scopes))
    }

    fn ann() -> Subject {
        Subject {
            user_id: UserId::new(42),
            name: "Ann Example".to_owned(),
            username: "ann".to_owned(),
            email: Some(("ann@example.com".to_owned(), true)),
            profile_url: "https://gate.example/ann".to_owned(),
            picture_url: None,
            groups: vec!["acme".to_owned(), "acme/shop".to_owned()],
            direct_groups: vec!["acme".to_owned()],
            group_roles: BTreeMap::new(),
        }
    }

    fn names(value: &impl Serialize) -> Vec<String> {
        let value = serde_json::to_value(value).unwrap();
        value.as_object().unwrap().keys().cloned().collect()
    }

    #[test]
    fn userinfo_tells_the_profile_with_openid_alone() {
        let claims = Claims::for_userinfo(&ann(), released("openid"));
        assert_eq!(
            serde_json::to_string(&claims).unwrap(),
            r#"{"sub":"42","name":"Ann Example","nickname":"ann","preferred_username":"ann","profile":"https://gate.example/ann"}"#
        );
    }

    #[test]
    fn the_address_for_mail_needs_its_scope() {
        let claims = Claims::for_userinfo(&ann(), released("openid email"));
        let about = &claims.about;
        assert_eq!(
            (about.email.as_deref(), about.email_verified),
            (Some("ann@example.com"), Some(true))
        );
    }

    #[test]
    fn an_id_token_tells_what_was_asked_for_only() {
        let claimed = |scopes: &str| names(&About::for_id_token(&ann(), released(scopes)));
        assert_eq!(claimed("openid api"), Vec::<String>::new());
        assert_eq!(claimed("openid email"), ["email", "email_verified"]);
        assert_eq!(
            claimed("openid profile"),
            ["name", "nickname", "preferred_username", "profile"]
        );
    }

    #[test]
    fn metadata_names_every_claim_of_a_user_without_a_picture() {
        let all = released("openid profile email groups");
        let mut known: Vec<&str> = names_of(all).collect();
        known.sort_unstable();
        let mut claimed = names(&About::for_id_token(&ann(), all));
        claimed.extend(names(&Claims::for_userinfo(&ann(), all).about));
        claimed.sort();
        claimed.dedup();
        assert_eq!(claimed, known);
    }

    #[test]
    fn all_groups_are_in_userinfo_and_the_direct_ones_in_the_id_token() {
        let scopes = released("openid groups");
        let all = Claims::for_userinfo(&ann(), scopes).about;
        assert_eq!(all.groups, Some(ann().groups));
        assert_eq!(all.groups_direct, None);
        let direct = About::for_id_token(&ann(), scopes);
        assert_eq!(direct.groups, None);
        assert_eq!(direct.groups_direct, Some(ann().direct_groups));
    }

    #[test]
    fn roles_in_groups_come_with_all_groups_under_the_names_of_the_host() {
        let owner = "https://gate.example/claims/groups/owner";
        let mut subject = ann();
        let groups = vec!["acme".to_owned()];
        subject.group_roles.insert(owner.to_owned(), groups.clone());
        let value = serde_json::to_value(Claims::for_userinfo(&subject, released("openid groups")));
        assert_eq!(value.unwrap()[owner], serde_json::json!(groups));
        let without = Claims::for_userinfo(&subject, released("openid"));
        assert!(without.about.group_roles.is_empty());
    }

    #[test]
    fn nobody_s_groups_are_an_empty_list_in_userinfo_and_absent_in_the_id_token() {
        let nobody = Subject {
            groups: Vec::new(),
            direct_groups: Vec::new(),
            ..ann()
        };
        let scopes = released("openid groups");
        let all = Claims::for_userinfo(&nobody, scopes).about;
        assert_eq!(all.groups, Some(Vec::new()));
        let direct = About::for_id_token(&nobody, scopes);
        assert_eq!(direct.groups_direct, None);
        let without = released("openid profile");
        assert_eq!(Claims::for_userinfo(&ann(), without).about.groups, None);
    }
}
