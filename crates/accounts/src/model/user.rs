//! Users: people and bots with an account.

use api_conventions::ids::UserId;
use api_conventions::reference::is_slug;
use api_conventions::time::Timestamp;
use api_conventions::validation::{display_name, failure};
use validator::{Validate, ValidationError};

use crate::password::PasswordHash;

/// Unique name of a user, for sign-in and lookup; also the path of the user's namespace.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Username(String);

/// Error for a text that is not a valid [`Username`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a username must have 1 to 255 letters, digits, '.', '_' or '-', cannot start with '-' or '.', and cannot end in '.', '.git' or '.atom'"
)]
pub struct UsernameError;

impl Username {
    /// Parses a username. The rule is that of any path segment, since a user's namespace has the same path.
    ///
    /// # Errors
    /// [`UsernameError`], whose text states the rule.
    pub fn parse(text: &str) -> Result<Self, UsernameError> {
        if is_slug(text) {
            Ok(Self(text.to_owned()))
        } else {
            Err(UsernameError)
        }
    }

    /// Username with the case its owner chose.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the lookup form: usernames match in any case.
    pub fn lookup_key(&self) -> String {
        self.0.to_lowercase()
    }
}

/// Error for a text that is not a valid email address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an email address must be name@host, without spaces, and at most 254 bytes long")]
pub struct EmailError;

/// Longest address in bytes: RFC 5321, section 4.5.3.1.3, less the two brackets around it.
const MAX_EMAIL_BYTES: usize = 254;

/// Validates an email address: one `@` with text on both sides, and no character that separates addresses or ends a
/// line. The rule is no stricter, because only sending mail shows whether an address works.
///
/// # Errors
/// [`EmailError`], whose text states the rule.
pub fn check_email(text: &str) -> Result<(), EmailError> {
    let is_plain =
        |letter: char| !letter.is_whitespace() && !letter.is_control() && !",;<>".contains(letter);
    let sides = text.split_once('@');
    let has_sides = sides
        .is_some_and(|(name, host)| !name.is_empty() && !host.is_empty() && !host.contains('@'));
    let is_address = has_sides && text.len() <= MAX_EMAIL_BYTES && text.chars().all(is_plain);
    is_address.then_some(()).ok_or(EmailError)
}

/// Validates an email address, which may be empty.
fn is_address_or_nothing(text: &str) -> Result<(), ValidationError> {
    if text.is_empty() {
        return Ok(());
    }
    check_email(text).map_err(|_| failure("is invalid"))
}

/// State of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserState {
    /// The account may act.
    Active,
    /// An administrator blocked the account.
    Blocked {
        /// Time of blocking.
        at: Timestamp,
    },
    /// An administrator banned the account. Blocks like [`Self::Blocked`], and ends by lifting the ban only.
    Banned {
        /// Time of the ban.
        at: Timestamp,
    },
    /// An administrator deactivated the unused account. Blocks like [`Self::Blocked`] until an administrator activates it.
    Deactivated {
        /// Time of deactivation.
        at: Timestamp,
    },
}

impl UserState {
    /// Name of the state in bodies.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Blocked { .. } => "blocked",
            Self::Banned { .. } => "banned",
            Self::Deactivated { .. } => "deactivated",
        }
    }

    /// Time since which the account may not act; `None` for an active account.
    pub const fn since(self) -> Option<Timestamp> {
        match self {
            Self::Active => None,
            Self::Blocked { at } | Self::Banned { at } | Self::Deactivated { at } => Some(at),
        }
    }
}

/// Kind of account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserKind {
    /// A person.
    Human,
    /// Author of everything that alert intake does automatically. Cannot sign in.
    AlertBot,
    /// Bot of a project access token. Cannot sign in.
    ProjectBot,
    /// Bot of a group access token. Cannot sign in.
    GroupBot,
    /// Author of what deleted users left. Cannot sign in.
    Ghost,
    /// User whose deletion is under way. Has no name any more, and cannot sign in.
    Deleted {
        /// True to delete the contributions too; otherwise the ghost becomes their author.
        with_contributions: bool,
    },
}

impl UserKind {
    /// True for a user whose deletion is under way.
    pub const fn is_deleted(self) -> bool {
        matches!(self, Self::Deleted { .. })
    }
}

/// Deletion of a user that is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserDeletion {
    /// User.
    pub user_id: UserId,
    /// True to delete the contributions too; otherwise the ghost becomes their author.
    pub with_contributions: bool,
}

/// Username of the ghost, and of users whose deletion is under way.
pub const GHOST_USERNAME: &str = "ghost";
/// Display name of the ghost, and of users whose deletion is under way.
pub const GHOST_NAME: &str = "Ghost User";

/// An account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Id.
    pub id: UserId,
    /// Username.
    pub username: Username,
    /// Display name.
    pub name: String,
    /// Email address; empty for a bot.
    pub email: String,
    /// Person or bot.
    pub kind: UserKind,
    /// True if the user is an administrator of the instance.
    pub is_admin: bool,
    /// Active or blocked.
    pub state: UserState,
    /// True if sign-in requires a second factor.
    pub two_factor_enabled: bool,
    /// True if other users see only the name of this profile and none of the user's activity. Administrators see all.
    pub private_profile: bool,
    /// Time of creation.
    pub created_at: Timestamp,
}

/// Account to insert.
#[derive(Debug, Clone, Validate)]
pub struct NewUser {
    /// Username.
    pub username: Username,
    /// Display name. Surrounding white space is removed.
    #[validate(custom(function = "display_name"))]
    pub name: String,
    /// Email address, unique ignoring case unless empty.
    #[validate(custom(function = "is_address_or_nothing"))]
    pub email: String,
    /// Person or bot.
    pub kind: UserKind,
    /// True if the user is an administrator of the instance.
    pub is_admin: bool,
    /// The hash of its password; `None` for an account that cannot sign in with one.
    pub password: Option<PasswordHash>,
    /// Time of creation: now.
    pub created_at: Timestamp,
}

impl NewUser {
    /// Returns the account as it is stored, with the display name trimmed.
    #[must_use]
    pub fn trimmed(mut self) -> Self {
        self.name = self.name.trim().to_owned();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_name_and_a_host() {
        for good in ["ann@example.com", "a+b.c@localhost", "änne@exämple.de"] {
            assert_eq!(check_email(good), Ok(()), "{good}");
        }
        let long = format!("{}@example.com", "a".repeat(243));
        for bad in [
            "",
            "nomail",
            "@example.com",
            "ann@",
            "ann@b@c",
            "ann @example.com",
            "ann@example.com\n",
            "ann@example.com,bob@example.com",
            "Ann <ann@example.com>",
            &long,
        ] {
            assert_eq!(check_email(bad), Err(EmailError), "{bad:?}");
        }
        assert_eq!(check_email(&long[1..]), Ok(()));
    }

    #[test]
    fn usernames_are_path_segments() {
        for good in ["ann", "Ann.B-c_9", "alert-bot"] {
            assert_eq!(
                Username::parse(good).map(|name| name.0).as_deref(),
                Ok(good)
            );
        }
        for bad in [
            "",
            "-ann",
            ".ann",
            "ann.",
            "ann.git",
            "ann.atom",
            "a b",
            "a/b",
            "ännchen",
            &"a".repeat(256),
        ] {
            assert_eq!(Username::parse(bad), Err(UsernameError), "{bad:?}");
        }
    }
}
