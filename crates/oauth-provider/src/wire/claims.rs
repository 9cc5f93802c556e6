//! Claims about the user (OpenID Connect Core 1.0, section 5.1).

use std::collections::BTreeMap;

use api_conventions::ids::UserId;
use serde::Serialize;

use crate::scopes::ReleasedClaims;

/// A user, in plain values: the crate has no user type.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Subject {
    /// User id, which never changes.
    pub user_id: UserId,
    /// Full name.
    pub name: String,
    /// Username.
    pub username: String,
    /// Email address, and whether it is verified.
    pub email: Option<(String, bool)>,
    /// URL of the user's page.
    pub profile_url: String,
    /// URL of the user's picture.
    pub picture_url: Option<String>,
    /// Full paths of all groups of the user: those with a direct membership, and their subgroups.
    pub groups: Vec<String>,
    /// Full paths of the groups with a direct membership.
    pub direct_groups: Vec<String>,
    /// Full paths of the groups by the role of the user in them, under the claim names. Empty ones are left out.
    pub group_roles: BTreeMap<String, Vec<String>>,
}

impl Subject {
    /// Creates a user without an email address, a picture or groups.
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

/// Claims about a user. Absent members are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Claims {
    /// User id, as text.
    pub sub: String,
    /// Further claims.
    #[serde(flatten)]
    pub user_claims: UserClaims,
}

/// Claims about a user, other than the id.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UserClaims {
    /// Full name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Username, under the name that existing clients use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nickname: Option<String>,
    /// Username, under the name in the standard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preferred_username: Option<String>,
    /// URL of the user's page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// URL of the user's picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
    /// Email address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// True if the email address is verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_verified: Option<bool>,
    /// Full paths of all groups of the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<String>>,
    /// Full paths of the groups with a direct membership.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups_direct: Option<Vec<String>>,
    /// Full paths of the groups by the role of the user in them.
    #[serde(flatten)]
    pub group_roles: BTreeMap<String, Vec<String>>,
}

/// Claims of each group, other than those in every id token, for the metadata. The picture is left out, although users
/// of some hosts have one, because the document must not promise a claim that is never present.
const PROFILE_CLAIMS: &[&str] = &["name", "nickname", "preferred_username", "profile"];
const EMAIL_CLAIMS: &[&str] = &["email", "email_verified"];
const GROUP_CLAIMS: &[&str] = &["groups", "groups_direct"];

/// Returns the names of the claims that a server supports if its scopes release these.
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
    /// Returns the claims of `/oauth/userinfo` (`OAUTH-09`).
    ///
    /// Name, username and page are included with `openid` alone, because existing clients request only that scope and
    /// read them. The standard allows this: its scope `profile` requests these claims, and a server may return more
    /// claims than requested (section 5.4 with section 5.3.2). Email address and groups are included only if the
    /// token's scopes release them: an empty list of groups then says that the user has none.
    pub fn for_userinfo(subject: &Subject, released: ReleasedClaims) -> Self {
        let mut user_claims = UserClaims::default();
        user_claims.add_profile(subject);
        user_claims.add_email(subject, released);
        user_claims.add_groups(subject, released);
        Self {
            sub: subject.user_id.to_string(),
            user_claims,
        }
    }
}

impl UserClaims {
    /// Returns the claims of an id token. It passes through more hands than the response of `/oauth/userinfo`, so each
    /// claim needs a scope that releases it (OpenID Connect Core 1.0, section 5.4).
    ///
    /// Of the groups it has only those with a direct membership, in `groups_direct`, and leaves out an empty list, as
    /// existing clients expect. All groups may be thousands, and the token returns in request URLs as a hint;
    /// `/oauth/userinfo` has them all.
    pub fn for_id_token(subject: &Subject, released: ReleasedClaims) -> Self {
        let mut user_claims = Self::default();
        if released.profile {
            user_claims.add_profile(subject);
        }
        user_claims.add_email(subject, released);
        let has_groups = released.groups && !subject.direct_groups.is_empty();
        user_claims.groups_direct = has_groups.then(|| subject.direct_groups.clone());
        user_claims
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
    fn userinfo_contains_the_profile_with_openid_alone() {
        let claims = Claims::for_userinfo(&ann(), released("openid"));
        assert_eq!(
            serde_json::to_string(&claims).unwrap(),
            r#"{"sub":"42","name":"Ann Example","nickname":"ann","preferred_username":"ann","profile":"https://gate.example/ann"}"#
        );
    }

    #[test]
    fn the_address_for_mail_needs_its_scope() {
        let claims = Claims::for_userinfo(&ann(), released("openid email"));
        let user_claims = &claims.user_claims;
        assert_eq!(
            (user_claims.email.as_deref(), user_claims.email_verified),
            (Some("ann@example.com"), Some(true))
        );
    }

    #[test]
    fn id_tokens_contain_only_requested_claims() {
        let claimed = |scopes: &str| names(&UserClaims::for_id_token(&ann(), released(scopes)));
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
        let mut claimed = names(&UserClaims::for_id_token(&ann(), all));
        claimed.extend(names(&Claims::for_userinfo(&ann(), all).user_claims));
        claimed.sort();
        claimed.dedup();
        assert_eq!(claimed, known);
    }

    #[test]
    fn all_groups_are_in_userinfo_and_the_direct_ones_in_the_id_token() {
        let scopes = released("openid groups");
        let all = Claims::for_userinfo(&ann(), scopes).user_claims;
        assert_eq!(all.groups, Some(ann().groups));
        assert_eq!(all.groups_direct, None);
        let direct = UserClaims::for_id_token(&ann(), scopes);
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
        assert!(without.user_claims.group_roles.is_empty());
    }

    #[test]
    fn empty_groups_are_listed_in_userinfo_but_absent_from_id_tokens() {
        let nobody = Subject {
            groups: Vec::new(),
            direct_groups: Vec::new(),
            ..ann()
        };
        let scopes = released("openid groups");
        let all = Claims::for_userinfo(&nobody, scopes).user_claims;
        assert_eq!(all.groups, Some(Vec::new()));
        let direct = UserClaims::for_id_token(&nobody, scopes);
        assert_eq!(direct.groups_direct, None);
        let without = released("openid profile");
        assert_eq!(
            Claims::for_userinfo(&ann(), without).user_claims.groups,
            None
        );
    }
}
