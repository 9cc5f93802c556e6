//! Roles and visibility, which decide access to projects.

use std::fmt;

/// Role of a member in a project or group, ordered from lowest to highest.
///
/// The numbers are those of the API (`access_level`). Owner is a valid role in projects too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessLevel {
    /// May view what members can see.
    Guest,
    /// May read code, errors and incidents.
    Reporter,
    /// May also change alert statuses, issues and errors.
    Developer,
    /// May also configure the project: integrations, settings, members.
    Maintainer,
    /// May do everything, including deletion.
    Owner,
}

impl AccessLevel {
    /// All roles, from lowest to highest.
    pub const ALL: [Self; 5] = [
        Self::Guest,
        Self::Reporter,
        Self::Developer,
        Self::Maintainer,
        Self::Owner,
    ];

    /// Numbers of all roles.
    pub const NUMBERS: [i64; 5] = [10, 20, 30, 40, 50];

    /// Returns the number used in bodies and rows.
    pub const fn number(self) -> i16 {
        match self {
            Self::Guest => 10,
            Self::Reporter => 20,
            Self::Developer => 30,
            Self::Maintainer => 40,
            Self::Owner => 50,
        }
    }

    /// Returns the role with this number.
    pub fn from_number(number: i64) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|level| i64::from(level.number()) == number)
    }
}

/// Visibility of a project, group or snippet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Visibility {
    /// Visible to members only.
    Private,
    /// Visible to every signed-in user.
    Internal,
    /// Visible to everyone.
    Public,
}

impl Visibility {
    /// Name in bodies and parameters.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Internal => "internal",
            Self::Public => "public",
        }
    }

    /// Names of all visibilities, for documentation.
    pub const NAMES: [&str; 3] = ["private", "internal", "public"];

    /// Parses the name of a visibility.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Private, Self::Internal, Self::Public]
            .into_iter()
            .find(|v| v.as_str() == word)
    }

    /// Returns the number stored in rows; it grows with the audience.
    pub const fn number(self) -> i16 {
        match self {
            Self::Private => 0,
            Self::Internal => 10,
            Self::Public => 20,
        }
    }

    /// Returns the visibility with this number.
    pub fn from_number(number: i64) -> Option<Self> {
        [Self::Private, Self::Internal, Self::Public]
            .into_iter()
            .find(|v| i64::from(v.number()) == number)
    }
}

impl fmt::Display for Visibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_ordered_and_numbered_alike() {
        assert!(AccessLevel::ALL.is_sorted());
        for level in AccessLevel::ALL {
            assert_eq!(AccessLevel::from_number(level.number().into()), Some(level));
        }
        assert_eq!(AccessLevel::from_number(5), None);
        let numbers = AccessLevel::ALL.map(|level| i64::from(level.number()));
        assert_eq!(numbers, AccessLevel::NUMBERS);
    }

    #[test]
    fn visibility_is_found_by_word_and_number() {
        for v in [
            Visibility::Private,
            Visibility::Internal,
            Visibility::Public,
        ] {
            assert_eq!(Visibility::parse(v.as_str()), Some(v));
            assert_eq!(Visibility::from_number(v.number().into()), Some(v));
        }
        assert_eq!(Visibility::parse("Public"), None);
    }
}
