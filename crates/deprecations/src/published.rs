//! The schedule of the API that this workspace serves, with the records of this crate.

use std::sync::LazyLock;

use api_conventions::release::{Edition, Release};

use crate::format::Fault;
use crate::model::calendar;
use crate::schedule::Schedule;

/// Oldest release of the API that can be requested.
pub const OLDEST: Release = Release(13, 10);

/// Newest release of the API.
pub const NEWEST: Release = Release(18, 0);

/// The next version of the API, without anything that is announced to be removed.
pub const PREVIEW: Edition = Edition::preview(NEWEST);

/// The text is not an edition of the API that can be requested.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a known release ({OLDEST} to {NEWEST}, or {PREVIEW})")]
pub struct UnknownEdition(String);

/// Parses a release such as `15.10`.
///
/// # Errors
/// When the release cannot be requested.
pub fn release_named(text: &str) -> Result<Release, UnknownEdition> {
    let named = text.parse().ok();
    let served = named.filter(|release| {
        (OLDEST..=NEWEST).contains(release) && calendar::day_of(*release).is_some()
    });
    served.ok_or_else(|| UnknownEdition(text.chars().take(32).collect()))
}

/// Parses an edition: a release, or `v5` for the preview of the next version of the API.
///
/// # Errors
/// When the edition cannot be requested.
pub fn edition_named(text: &str) -> Result<Edition, UnknownEdition> {
    if text == PREVIEW.to_string() {
        Ok(PREVIEW)
    } else {
        release_named(text).map(Edition::of)
    }
}

/// Files of the records, with their names. The build of this crate has parsed each of them.
pub const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/records.rs"));

static PUBLISHED: LazyLock<Result<Schedule, Vec<Fault>>> =
    LazyLock::new(|| Schedule::parse(FILES.iter().copied()));

/// Returns the published schedule.
///
/// # Panics
/// Never: the build of this crate has parsed the same files.
#[expect(clippy::panic, reason = "the build has parsed the same files")]
pub fn published() -> &'static Schedule {
    match &*PUBLISHED {
        Ok(schedule) => schedule,
        Err(faults) => panic!("the embedded records cannot be parsed: {faults:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edition_is_a_release_that_there_is_or_the_preview() {
        for good in ["13.10", "13.12", "15.11", "16.0", "18.0", "v5"] {
            assert_eq!(edition_named(good).unwrap().to_string(), good);
        }
        for bad in [
            "", "13.9", "13.13", "15.12", "18.1", "v4", "v6", "newest", "16",
        ] {
            let refused = edition_named(bad).unwrap_err().to_string();
            assert!(
                refused.contains("is not a known release (13.10 to 18.0, or v5)"),
                "{refused}"
            );
        }
        assert!(release_named("v5").is_err());
    }
}
