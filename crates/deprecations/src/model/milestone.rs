//! Milestones of removals.

use std::fmt;
use std::str::FromStr;

use api_conventions::release::{API_VERSION, Edition, Release};

/// Notation in records of a removal without a date.
const UNDATED: &str = "undated";

/// The time of a removal.
/// Milestones are ordered by time: releases, then versions of the API, whose dates are unknown (specification,
/// Versioning 3), then undated ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Milestone {
    /// Removal with a release.
    Release(Release),
    /// Removal with a version of the API, such as v5.
    Api(u16),
    /// Removal in a later release, which is not decided yet.
    Undated,
}

impl Milestone {
    /// True if an edition has reached the milestone.
    /// An undated removal happens with the next version of the API at the latest, because only a version may remove
    /// what clients rely on (specification, Versioning 2).
    pub fn is_reached(self, at: Edition) -> bool {
        match self {
            Self::Release(release) => release <= at.release,
            Self::Api(version) => version <= at.api,
            Self::Undated => at.api > API_VERSION,
        }
    }
}

/// Format: `16.0`, `v5` or `undated`.
impl fmt::Display for Milestone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Release(release) => release.fmt(f),
            Self::Api(version) => write!(f, "v{version}"),
            Self::Undated => f.write_str(UNDATED),
        }
    }
}

/// The text is not a milestone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a milestone; write a release such as 16.0, an API version such as v5, or `undated`"
)]
pub struct NoMilestone(pub String);

impl FromStr for Milestone {
    type Err = NoMilestone;

    fn from_str(text: &str) -> Result<Self, NoMilestone> {
        if text == UNDATED {
            return Ok(Self::Undated);
        }
        let version = text.strip_prefix('v').map(str::parse::<u16>);
        if let Some(Ok(version)) = version {
            let is_later = version > API_VERSION;
            return is_later
                .then_some(Self::Api(version))
                .ok_or_else(|| NoMilestone(text.to_owned()));
        }
        let release = text.parse().map(Self::Release);
        release.map_err(|_| NoMilestone(text.to_owned()))
    }
}

impl serde::Serialize for Milestone {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Milestone {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn milestone(text: &str) -> Milestone {
        text.parse().unwrap()
    }

    #[test]
    fn milestones_without_a_date_sort_last() {
        let mut all = ["undated", "v5", "16.0", "15.10", "17.0", "15.9"].map(milestone);
        all.sort_unstable();
        let in_order = all.map(|milestone| milestone.to_string());
        assert_eq!(in_order, ["15.9", "15.10", "16.0", "17.0", "v5", "undated"]);
    }

    #[test]
    fn malformed_milestones_are_rejected() {
        for text in ["", "v", "v4", "v0", "vx", "5", "soon", "Undated", "16"] {
            assert!(text.parse::<Milestone>().is_err(), "{text}");
        }
    }

    #[test]
    fn milestones_without_a_date_are_reached_only_in_the_preview() {
        let newest = Release(18, 0);
        for (name, at_15_9, at_newest, in_preview) in [
            ("15.9", true, true, true),
            ("15.10", false, true, true),
            ("v5", false, false, true),
            ("undated", false, false, true),
        ] {
            let reached = |edition: Edition| milestone(name).is_reached(edition);
            assert_eq!(reached(Edition::of(Release(15, 9))), at_15_9, "{name}");
            assert_eq!(reached(Edition::of(newest)), at_newest, "{name}");
            assert_eq!(reached(Edition::preview(newest)), in_preview, "{name}");
        }
        let v6 = Milestone::Api(6);
        assert!(!v6.is_reached(Edition::preview(newest)));
    }
}
