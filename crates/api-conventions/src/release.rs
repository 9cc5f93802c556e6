//! Releases of the service and versions of its API.

use std::fmt;
use std::str::FromStr;

/// A release of the service, such as 13.10. Releases compare by number: 15.10 comes after 15.9.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release(pub u16, pub u16);

impl Release {
    /// Before all releases.
    pub const FIRST: Self = Self(0, 0);
    /// After all releases.
    pub const LATEST: Self = Self(u16::MAX, u16::MAX);

    /// Returns the first release with the same major number.
    #[must_use]
    pub const fn major(self) -> Self {
        Self(self.0, 0)
    }

    /// True if the release may remove features: releases with the minor number 0 may (specification, Versioning).
    pub const fn is_major(self) -> bool {
        self.1 == 0
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

/// Error for a text that is not a release.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a release; write two numbers separated by a dot, such as 15.10")]
pub struct NoRelease(pub String);

impl FromStr for Release {
    type Err = NoRelease;

    fn from_str(text: &str) -> Result<Self, NoRelease> {
        let number = |digits: &str| {
            let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            let has_no_zeros = digits == "0" || !digits.starts_with('0');
            let number = digits.parse::<u16>().ok();
            number.filter(|number| is_plain && has_no_zeros && *number < u16::MAX)
        };
        let numbers = text
            .split_once('.')
            .and_then(|(major, minor)| Some(Self(number(major)?, number(minor)?)));
        numbers.ok_or_else(|| NoRelease(text.to_owned()))
    }
}

/// Stable version of the API (specification, Versioning 1).
pub const API_VERSION: u16 = 4;

/// Release and API version that a server runs, or that a request is served with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Edition {
    /// Release.
    pub release: Release,
    /// Version of the API.
    pub api: u16,
}

impl Edition {
    /// Creates the edition of a release with the stable version of the API.
    pub const fn of(release: Release) -> Self {
        Self {
            release,
            api: API_VERSION,
        }
    }

    /// Creates a preview of the next version of the API, without everything announced for removal.
    pub const fn preview(release: Release) -> Self {
        Self {
            release,
            api: API_VERSION + 1,
        }
    }
}

/// Text form: `16.0`, or `v5` for a preview of the next version of the API.
impl fmt::Display for Edition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.api == API_VERSION {
            self.release.fmt(f)
        } else {
            write!(f, "v{}", self.api)
        }
    }
}

impl serde::Serialize for Release {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Release {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_ordered_by_their_numbers_and_not_as_texts() {
        let mut releases = ["16.0", "15.9", "15.10", "13.12", "15.11"].map(|text| {
            let release: Release = text.parse().unwrap();
            release
        });
        releases.sort_unstable();
        let in_order = releases.map(|release| release.to_string());
        assert_eq!(in_order, ["13.12", "15.9", "15.10", "15.11", "16.0"]);
    }

    #[test]
    fn malformed_releases_are_rejected() {
        for text in [
            "", "16", "16.", ".1", "16.0.1", "v16.0", "16.x", "16.00", "016.0", "+1.0", "1.65535",
            "99999.0", " 16.0", "16.-1",
        ] {
            let refused = text.parse::<Release>().unwrap_err();
            assert_eq!(refused, NoRelease(text.to_owned()));
        }
    }

    #[test]
    fn only_the_first_minor_release_is_a_major_one() {
        assert!(Release(16, 0).is_major() && !Release(15, 10).is_major());
        assert_eq!(Release(15, 10).major(), Release(15, 0));
    }
}
