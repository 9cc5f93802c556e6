//! Facts beside an error: frequency, first and last occurrence, tags and status.

use api_conventions::time::Timestamp;
use error_tracking::model::TagCount;
use error_tracking::rules::status::{Resolution, Status};

use super::show::{DAYS, ErrorPageData};
use super::{day_of, days_of};
use crate::frame::page::bars::Bars;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::format::{DisplayTime, counted, grouped};
use crate::frame::page::list::ListQuery;
use crate::frame::page::project::ProjectContext;

/// Share of events that have a value of a tag.
pub(super) struct TagShare {
    pub(super) value: DisplayName,
    pub(super) percent: u64,
    /// Address of the list of errors that have events with this value.
    pub(super) href: String,
}

/// A tag with its most frequent values.
pub(super) struct Tag {
    pub(super) name: String,
    pub(super) shares: Vec<TagShare>,
}

/// Facts about an error.
pub(super) struct ErrorSidebar {
    pub(super) events: String,
    pub(super) users: String,
    pub(super) first_seen: DisplayTime,
    pub(super) first_release: Option<String>,
    pub(super) last_seen: DisplayTime,
    pub(super) last_release: Option<String>,
    pub(super) regressed: Option<DisplayTime>,
    pub(super) chart: Bars,
    /// Condition of the status in words, such as "Resolved in 1.2"; empty if it has none.
    pub(super) terms: String,
    pub(super) assignee: Option<DisplayName>,
    /// Title, IID and address of the linked issue.
    pub(super) issue: Option<(DisplayName, String, String)>,
    pub(super) tags: Vec<Tag>,
}

impl ErrorSidebar {
    pub(super) fn of(loaded: &ErrorPageData, found: &ProjectContext, now: Timestamp) -> Self {
        let error = &loaded.error;
        let number = |number: i64| grouped(u64::try_from(number).unwrap_or_default());
        let issue = loaded.issue.as_ref().map(|issue| {
            let href = format!("{}/-/issues/{}", found.path(), issue.iid);
            (
                DisplayName::of(&issue.body.content.title),
                issue.iid.to_string(),
                href,
            )
        });
        Self {
            events: number(error.events),
            users: number(error.users),
            first_seen: DisplayTime::at(error.first_seen, now),
            first_release: error.first_release.clone(),
            last_seen: DisplayTime::at(error.last_seen, now),
            last_release: error.last_release.clone(),
            regressed: error.regressed_at.map(|at| DisplayTime::at(at, now)),
            chart: if loaded.location.is_external() {
                Bars::of_events(&day_of(&loaded.hours, now), "hour", "24 hours")
            } else {
                Bars::of_events(&days_of(&loaded.hours, now, DAYS), "day", "28 days")
            },
            terms: terms(&error.state.status),
            assignee: loaded.assignee.as_deref().map(DisplayName::of),
            issue,
            tags: tags(
                &loaded.tags,
                error.events,
                &format!("{}/-/error_tracking", found.path()),
            ),
        }
    }
}

/// Describes the condition of a status: the release of a resolution, or the limits of ignoring.
fn terms(status: &Status) -> String {
    match status {
        Status::Unresolved | Status::Resolved(Resolution::Now) => String::new(),
        Status::Resolved(Resolution::InRelease(release)) => format!("Resolved in {release}"),
        Status::Resolved(Resolution::AfterRelease(release)) => {
            format!("Resolved in the release after {release}")
        }
        Status::Ignored(until) => {
            let time = until.time.map(|time| DisplayTime::of(time).text);
            let events = until
                .events
                .map(|events| counted(events, "event", "events"));
            let users = until.users.map(|users| counted(users, "user", "users"));
            let all: Vec<String> = [time, events, users].into_iter().flatten().collect();
            match all.as_slice() {
                [] => "Ignored forever".to_owned(),
                all => format!("Ignored until {}", all.join(" or ")),
            }
        }
    }
}

fn tags(counts: &[TagCount], events: i64, list: &str) -> Vec<Tag> {
    let all = counts.chunk_by(|one, other| one.name == other.name);
    let all = all.filter_map(|values| {
        let parts: Vec<i64> = values.iter().map(|count| count.events).collect();
        let percents = percents(&parts, events);
        let shares = values
            .iter()
            .zip(percents)
            .map(|(count, percent)| TagShare {
                value: DisplayName::of(&count.value),
                percent,
                href: ListQuery::empty(list).with(&[
                    ("status", "all"),
                    ("tags", &format!("{}:{}", count.name, count.value)),
                ]),
            });
        Some(Tag {
            name: values.first()?.name.clone(),
            shares: shares.collect(),
        })
    });
    all.collect()
}

/// Converts parts of a whole to percentages that add up to the rounded percentage of their sum: the parts that lose
/// most by truncation are rounded up.
/// If the parts exceed the whole, because events were counted meanwhile, they are percentages of their sum.
fn percents(parts: &[i64], whole: i64) -> Vec<u64> {
    let parts: Vec<u128> = parts
        .iter()
        .map(|part| u128::try_from(*part).unwrap_or_default())
        .collect();
    let sum: u128 = parts.iter().sum();
    let whole = u128::try_from(whole).unwrap_or_default().max(sum);
    if whole == 0 {
        return vec![0; parts.len()];
    }
    let mut percents: Vec<u128> = parts.iter().map(|part| part * 100 / whole).collect();
    let rounded = (sum * 100 + whole / 2) / whole;
    let missing = rounded.saturating_sub(percents.iter().sum());
    let mut by_loss: Vec<usize> = (0..parts.len()).collect();
    by_loss.sort_by_key(|at| std::cmp::Reverse(parts.get(*at).map(|part| part * 100 % whole)));
    for at in by_loss
        .into_iter()
        .take(usize::try_from(missing).unwrap_or_default())
    {
        if let Some(percent) = percents.get_mut(at) {
            *percent += 1;
        }
    }
    percents
        .into_iter()
        .map(|percent| u64::try_from(percent).unwrap_or(100))
        .collect()
}

#[cfg(test)]
mod tests {
    use error_tracking::rules::status::IgnoreLimits;

    use super::*;

    #[test]
    fn status_terms_name_the_release_or_the_ignore_limits() {
        let until = |time, events| {
            Status::Ignored(IgnoreLimits {
                time,
                events,
                users: None,
            })
        };
        let resolved = |resolution| Status::Resolved(resolution);
        for (status, expected) in [
            (Status::Unresolved, ""),
            (resolved(Resolution::Now), ""),
            (
                resolved(Resolution::InRelease("1.2".to_owned())),
                "Resolved in 1.2",
            ),
            (until(None, None), "Ignored forever"),
            (
                until(
                    Timestamp::parse_rfc3339("2026-11-23T10:00:00Z"),
                    Some(1_000),
                ),
                "Ignored until 23 November 2026, 10:00 UTC or 1,000 events",
            ),
        ] {
            assert_eq!(terms(&status), expected);
        }
    }

    #[test]
    fn shares_are_of_all_events() {
        let count = |name: &str, value: &str, events| TagCount {
            name: name.to_owned(),
            value: value.to_owned(),
            events,
            last_seen: Timestamp::MIN,
        };
        let counts = [
            count("os", "Linux", 3),
            count("os", "a&b", 1),
            count("x", "y", 9),
        ];
        let found = tags(&counts, 4, "/a/b/-/error_tracking");
        assert_eq!((found.len(), found[0].shares.len()), (2, 2));
        assert_eq!(
            (found[0].shares[0].percent, found[1].shares[0].percent),
            (75, 100)
        );
        assert_eq!(
            found[0].shares[1].href,
            "/a/b/-/error_tracking?status=all&tags=os%3Aa%26b"
        );
    }

    #[test]
    fn percents_are_rounded_and_add_up() {
        for (parts, whole, expected) in [
            (&[1, 1, 1][..], 3, &[34, 33, 33][..]),
            (&[2, 1], 3, &[67, 33]),
            (&[995, 5], 1000, &[100, 0]),
            (&[994, 6], 1000, &[99, 1]),
            // Values that are not listed have the rest.
            (&[1, 1], 3, &[34, 33]),
            (&[1], 8, &[13]),
            (&[1; 6], 6, &[17, 17, 17, 17, 16, 16]),
            (&[1, 0], 0, &[100, 0]),
            (&[0], 0, &[0]),
            (&[], 5, &[]),
            (&[i64::MAX, i64::MAX], i64::MAX, &[50, 50]),
        ] {
            assert_eq!(percents(parts, whole), expected, "{parts:?} of {whole}");
        }
    }
}
