//! A person or a bot with an account.

use api_conventions::ids::UserId;
use api_conventions::reference::is_slug;
use api_conventions::time::Timestamp;
use api_conventions::validation::{display_name, failure};
use validator::{Validate, ValidationError};

use crate::password::PasswordHash;

/// A name to sign in with and to be found by; also the path of the user's namespace.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Username(String);

/// Why a text is no [`Username`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a username has 1 to 255 letters, digits, '.', '_' or '-', does not start with '-' or '.', and does not end in '.', '.git' or '.atom'"
)]
pub struct UsernameError;

impl Username {
    /// Checks a username. The rule is that of any path segment, since a user's namespace has the same path.
    ///
    /// # Errors
    /// [`UsernameError`], whose text is the rule.
    pub fn parse(text: &str) -> Result<Self, UsernameError> {
        if is_slug(text) {
            Ok(Self(text.to_owned()))
        } else {
            Err(UsernameError)
        }
    }

    /// The name as its owner writes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form to look up by: usernames are found in any case.
    pub fn lookup_key(&self) -> String {
        self.0.to_lowercase()
    }
}

/// Why a text is no address for mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an email address is name@host, without blanks and with at most 254 bytes")]
pub struct EmailError;

/// The longest address in bytes: RFC 5321, section 4.5.3.1.3, less the two brackets around it.
const MAX_EMAIL_BYTES: usize = 254;

/// Checks an address for mail: one `@` with something on both sides, and nothing that stands between two addresses or
/// ends a line. Whether somebody reads what is sent there only a mail can tell, so the rule is no narrower.
///
/// # Errors
/// [`EmailError`], whose text is the rule.
pub fn check_email(text: &str) -> Result<(), EmailError> {
    let is_plain =
        |letter: char| !letter.is_whitespace() && !letter.is_control() && !",;<>".contains(letter);
    let sides = text.split_once('@');
    let has_sides = sides
        .is_some_and(|(name, host)| !name.is_empty() && !host.is_empty() && !host.contains('@'));
    let is_address = has_sides && text.len() <= MAX_EMAIL_BYTES && text.chars().all(is_plain);
    is_address.then_some(()).ok_or(EmailError)
}

/// An account may have no address.
fn is_address_or_nothing(text: &str) -> Result<(), ValidationError> {
    if text.is_empty() {
        return Ok(());
    }
    check_email(text).map_err(|_| failure("is invalid"))
}

/// Whether an account may act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserState {
    /// It may.
    Active,
    /// An administrator stopped it at this time.
    Blocked {
        /// When.
        at: Timestamp,
    },
}

impl UserState {
    /// The word in bodies.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Blocked { .. } => "blocked",
        }
    }
}

/// What kind of actor an account is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserKind {
    /// A person.
    Human,
    /// The author of what alert intake does by itself. It cannot sign in.
    AlertBot,
}

/// An account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Its id.
    pub id: UserId,
    /// Its username.
    pub username: Username,
    /// The name to show.
    pub name: String,
    /// The address for mail; empty for a bot.
    pub email: String,
    /// Person or bot.
    pub kind: UserKind,
    /// Whether it administers the instance.
    pub is_admin: bool,
    /// Whether it may act.
    pub state: UserState,
    /// Whether signing in needs a second factor.
    pub two_factor_enabled: bool,
    /// Whether others see neither what it did nor more of its profile than its name. Administrators see all.
    pub private_profile: bool,
    /// When it was made.
    pub created_at: Timestamp,
}

/// An account to be made.
#[derive(Debug, Clone, Validate)]
pub struct NewUser {
    /// Its username.
    pub username: Username,
    /// The name to show. White space around it is not kept.
    #[validate(custom(function = "display_name"))]
    pub name: String,
    /// The address for mail, unique in any case unless empty.
    #[validate(custom(function = "is_address_or_nothing"))]
    pub email: String,
    /// Person or bot.
    pub kind: UserKind,
    /// Whether it administers the instance.
    pub is_admin: bool,
    /// The hash of its password; `None` for an account that cannot sign in with one.
    pub password: Option<PasswordHash>,
    /// Now.
    pub created_at: Timestamp,
}

impl NewUser {
    /// The same account as it is stored, with nothing around the name to show.
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
