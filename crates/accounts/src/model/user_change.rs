//! Updates of accounts.

use api_conventions::validation::{display_name, failure, not_blank};
use validator::{Validate, ValidationError};

use super::user::check_email;

/// Update of an account. Fields that are `None` stay unchanged; the default changes nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Validate)]
pub struct UserChange {
    /// Display name. Surrounding white space is removed.
    #[validate(custom(function = "display_name"))]
    pub name: Option<String>,
    /// Email address, unique ignoring case. It cannot be removed.
    #[validate(custom(function = "is_address"))]
    pub email: Option<String>,
    /// True to make the user an administrator of the instance.
    pub is_admin: Option<bool>,
    /// True to show other users only the name of this profile and none of the user's activity.
    pub private_profile: Option<bool>,
}

fn is_address(text: &str) -> Result<(), ValidationError> {
    not_blank(text)?;
    check_email(text).map_err(|_| failure("is invalid"))
}

impl UserChange {
    /// Creates an update of profile privacy only.
    #[must_use]
    pub fn of_privacy(is_private: bool) -> Self {
        Self {
            private_profile: Some(is_private),
            ..Self::default()
        }
    }

    /// Returns the update as it is stored, with the display name trimmed.
    #[must_use]
    pub fn trimmed(mut self) -> Self {
        self.name = self.name.map(|name| name.trim().to_owned());
        self
    }

    /// True if the update changes nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// True if users may apply the update to their own account: it changes only the display name and the privacy of the
    /// profile.
    pub fn is_personal(&self) -> bool {
        self.email.is_none() && self.is_admin.is_none()
    }
}

#[cfg(test)]
mod tests {
    use api_conventions::validation::check;

    use super::*;

    #[test]
    fn names_and_addresses_keep_their_rules() {
        let named = |name: &str| UserChange {
            name: Some(name.to_owned()),
            ..UserChange::default()
        };
        let reached = |email: &str| UserChange {
            email: Some(email.to_owned()),
            ..UserChange::default()
        };
        for (change, expected) in [
            (UserChange::default(), ""),
            (named(" Ann B "), ""),
            (reached("ann@example.com"), ""),
            (named("  "), "name can't be blank"),
            (named("A\u{7}"), "name can't contain control characters"),
            (reached(""), "email can't be blank"),
            (reached("ann"), "email is invalid"),
        ] {
            let words = check(&change).to_string();
            assert!(words.starts_with(expected), "{change:?}: {words}");
            assert_eq!(words.is_empty(), expected.is_empty(), "{change:?}: {words}");
        }
        assert_eq!(named(" Ann B ").trimmed(), named("Ann B"));
    }

    #[test]
    fn users_change_their_own_name_and_privacy_and_no_more() {
        let name = Some("Ann".to_owned());
        let own = UserChange {
            name: name.clone(),
            ..UserChange::of_privacy(true)
        };
        assert!(own.is_personal() && !own.is_empty());
        assert!(UserChange::default().is_empty());
        for more in [
            UserChange {
                email: name,
                ..UserChange::default()
            },
            UserChange {
                is_admin: Some(false),
                ..UserChange::default()
            },
        ] {
            assert!(!more.is_personal() && !more.is_empty(), "{more:?}");
        }
    }
}
