//! The life of an error: unresolved, resolved, ignored, and back.

use std::cmp::Ordering;

use api_conventions::time::Timestamp;

use super::release;

/// Status of an error.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Status {
    /// The error is unresolved.
    #[default]
    Unresolved,
    /// The error is resolved.
    Resolved(Resolution),
    /// The error is ignored.
    Ignored(IgnoreLimits),
}

impl Status {
    /// The word in bodies and parameters (specification, the states of errors).
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Unresolved => "unresolved",
            Self::Resolved(_) => "resolved",
            Self::Ignored(_) => "ignored",
        }
    }
}

/// Point from which an error is resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// From the time of resolving.
    /// Any event afterwards is a regression.
    Now,
    /// In this release and later ones.
    /// Events of earlier releases are no regression.
    InRelease(String),
    /// In the release after this one, which was the latest at the time of resolving.
    AfterRelease(String),
}

/// Duration for which an error is ignored.
/// The first limit that is reached ends it; without any limit it is forever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IgnoreLimits {
    /// Until this time.
    pub time: Option<Timestamp>,
    /// Until the error has this many events in total.
    pub events: Option<u64>,
    /// Until this many users in total have seen the error.
    pub users: Option<u64>,
}

/// Received event, as far as the status of its error depends on it.
#[derive(Debug, Clone, Copy)]
pub struct Arrival<'e> {
    /// Time of receipt, by the server's clock.
    pub at: Timestamp,
    /// Release of the event.
    pub release: Option<&'e str>,
    /// Number of events of the error, including this one.
    pub events: u64,
    /// Number of users who have seen the error, including this one.
    pub users: u64,
    /// True if the release was first seen after the one that the resolution names.
    /// It decides if the versions have no order.
    pub is_of_newer_release: bool,
}

/// Effect of an event on its error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusEffect {
    /// The status does not change.
    Nothing,
    /// The error was resolved and has regressed: it is unresolved.
    Regression,
    /// The error has been ignored for as long as requested: it is unresolved.
    IgnoreEnded,
}

/// Returns the effect of an event on an error with this status.
pub fn effect(status: &Status, arrival: &Arrival<'_>) -> StatusEffect {
    match status {
        Status::Resolved(resolution) if is_regression(resolution, arrival) => {
            StatusEffect::Regression
        }
        Status::Ignored(until) if is_over(until, arrival) => StatusEffect::IgnoreEnded,
        Status::Unresolved | Status::Resolved(_) | Status::Ignored(_) => StatusEffect::Nothing,
    }
}

fn is_regression(resolution: &Resolution, arrival: &Arrival<'_>) -> bool {
    let (named, is_after) = match resolution {
        Resolution::Now => return true,
        Resolution::InRelease(release) => (release, false),
        Resolution::AfterRelease(release) => (release, true),
    };
    // An event without a release may be of any: a false alarm is better than a missed regression.
    let Some(release) = arrival.release else {
        return true;
    };
    match release::compare(release, named) {
        Some(Ordering::Less) => false,
        Some(Ordering::Equal) => !is_after,
        Some(Ordering::Greater) => true,
        None => arrival.is_of_newer_release,
    }
}

fn is_over(until: &IgnoreLimits, arrival: &Arrival<'_>) -> bool {
    until.time.is_some_and(|time| arrival.at >= time)
        || until.events.is_some_and(|events| arrival.events >= events)
        || until.users.is_some_and(|users| arrival.users >= users)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::MIN.plus_seconds(seconds)
    }

    fn arrival(release: Option<&str>) -> Arrival<'_> {
        Arrival {
            at: at(100),
            release,
            events: 10,
            users: 3,
            is_of_newer_release: false,
        }
    }

    fn resolved(resolution: Resolution, release: Option<&str>) -> StatusEffect {
        effect(&Status::Resolved(resolution), &arrival(release))
    }

    #[test]
    fn a_resolved_error_that_recurs_is_a_regression() {
        assert_eq!(resolved(Resolution::Now, None), StatusEffect::Regression);
        assert_eq!(
            resolved(Resolution::Now, Some("1.0.0")),
            StatusEffect::Regression
        );
        assert_eq!(
            effect(&Status::Unresolved, &arrival(None)),
            StatusEffect::Nothing
        );
    }

    #[test]
    fn releases_from_before_the_mending_say_nothing() {
        let mended = || Resolution::InRelease("web@1.4.0".to_owned());
        let next = || Resolution::AfterRelease("web@1.4.0".to_owned());
        for (release, in_release, after_release) in [
            ("web@1.3.9", StatusEffect::Nothing, StatusEffect::Nothing),
            ("web@1.4.0", StatusEffect::Regression, StatusEffect::Nothing),
            (
                "web@1.10.0",
                StatusEffect::Regression,
                StatusEffect::Regression,
            ),
            ("3f2a9c1", StatusEffect::Nothing, StatusEffect::Nothing),
        ] {
            assert_eq!(resolved(mended(), Some(release)), in_release, "{release}");
            assert_eq!(resolved(next(), Some(release)), after_release, "{release}");
        }
        assert_eq!(resolved(mended(), None), StatusEffect::Regression);
        let newer = Arrival {
            is_of_newer_release: true,
            ..arrival(Some("3f2a9c1"))
        };
        assert_eq!(
            effect(&Status::Resolved(mended()), &newer),
            StatusEffect::Regression
        );
    }

    #[test]
    fn an_ignore_ends_at_the_first_limit_reached() {
        let ignored = |until: IgnoreLimits| effect(&Status::Ignored(until), &arrival(None));
        let until = IgnoreLimits::default;
        assert_eq!(ignored(until()), StatusEffect::Nothing);
        let later = IgnoreLimits {
            time: Some(at(101)),
            events: Some(11),
            users: Some(4),
        };
        assert_eq!(ignored(later), StatusEffect::Nothing);
        for reached in [
            IgnoreLimits {
                time: Some(at(100)),
                ..later
            },
            IgnoreLimits {
                events: Some(10),
                ..later
            },
            IgnoreLimits {
                users: Some(3),
                ..later
            },
        ] {
            assert_eq!(ignored(reached), StatusEffect::IgnoreEnded, "{reached:?}");
        }
    }

    #[test]
    fn states_have_the_words_of_the_specification() {
        for (status, word) in [
            (Status::Unresolved, "unresolved"),
            (Status::Resolved(Resolution::Now), "resolved"),
            (Status::Ignored(IgnoreLimits::default()), "ignored"),
        ] {
            assert_eq!(status.as_str(), word);
        }
    }
}
