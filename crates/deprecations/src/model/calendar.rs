//! Release dates.

use std::collections::BTreeMap;
use std::fmt;

use api_conventions::release::Release;
use chrono::{Datelike as _, Days, Months, NaiveDate, Weekday};

/// Day of the month of all releases up to 16.5 (specification, Versioning 3).
const DAY: u32 = 22;

/// First release on the third Thursday of its month.
const FIRST_ON_THURSDAY: Release = Release(16, 6);

/// First release with a date here.
pub const FIRST: Release = Release(12, 0);

/// Year and month of the releases 12.0, 13.0 and 14.0, which follow no rule.
const FIRST_MONTHS: [(u16, i32, u32); 3] = [(12, 2019, 6), (13, 2020, 5), (14, 2021, 6)];

/// Highest major number with a date here, so that no number leads to an invalid year.
const LAST_MAJOR: u16 = 99;

/// Release dates of a product. A service with its own releases implements it, or provides a map of releases to days.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use api_conventions::release::Release;
/// use chrono::NaiveDate;
/// use deprecations::Calendar as _;
///
/// let day = NaiveDate::from_ymd_opt(2026, 3, 2);
/// let releases: BTreeMap<Release, NaiveDate> = day.map(|day| (Release(2, 0), day)).into_iter().collect();
/// assert_eq!(releases.day_of(Release(2, 0)), day);
/// assert_eq!(releases.day_of(Release(2, 1)), None);
/// ```
pub trait Calendar: fmt::Debug + Send + Sync {
    /// Returns the day on which a release comes out; `None` for a release that does not exist.
    fn day_of(&self, release: Release) -> Option<NaiveDate>;
}

/// The calendar of this workspace's own API: one release each month, as [`day_of`] says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Monthly;

impl Calendar for Monthly {
    fn day_of(&self, release: Release) -> Option<NaiveDate> {
        day_of(release)
    }
}

impl Calendar for BTreeMap<Release, NaiveDate> {
    fn day_of(&self, release: Release) -> Option<NaiveDate> {
        self.get(&release).copied()
    }
}

/// Returns the day on which a release comes out: one each month, the major ones in May.
/// `None` for a release that does not exist: before 12.0, or beyond the last one of its major number.
///
/// ```
/// use api_conventions::release::Release;
/// use deprecations::calendar::day_of;
///
/// let day = |release| day_of(release).map(|day| day.to_string());
/// assert_eq!(day(Release(16, 0)).as_deref(), Some("2023-05-22"));
/// assert_eq!(day(Release(16, 6)).as_deref(), Some("2023-11-16"));
/// assert_eq!(day(Release(15, 12)), None);
/// ```
pub fn day_of(release: Release) -> Option<NaiveDate> {
    if release < FIRST || release.0 > LAST_MAJOR || release.1 >= minors(release.0) {
        return None;
    }
    let first = first_month(release.0)?;
    let month = first.checked_add_months(Months::new(release.1.into()))?;
    if release < FIRST_ON_THURSDAY {
        month.with_day(DAY)
    } else {
        NaiveDate::from_weekday_of_month_opt(month.year(), month.month(), Weekday::Thu, 3)
    }
}

/// Returns the release after this one, if both exist.
pub fn next(release: Release) -> Option<Release> {
    day_of(release)?;
    let minor = Release(release.0, release.1 + 1);
    if minor.1 < minors(release.0) {
        Some(minor)
    } else {
        let major = Release(release.0 + 1, 0);
        day_of(major).map(|_| major)
    }
}

/// Returns all releases between two existing ones, both included, in order.
pub fn between(first: Release, last: Release) -> impl Iterator<Item = Release> {
    let start = day_of(first).map(|_| first);
    std::iter::successors(start, |release| next(*release))
        .take_while(move |release| *release <= last)
}

/// Returns the newest release that is out on a day.
pub fn newest_on(day: NaiveDate) -> Option<Release> {
    let is_out = |release: &Release| day_of(*release).is_some_and(|out| out <= day);
    between(FIRST, Release::LATEST).take_while(is_out).last()
}

/// Number of releases with a major number.
fn minors(major: u16) -> u16 {
    let first_of_next = first_month(major.saturating_add(1));
    let (Some(first), Some(next)) = (first_month(major), first_of_next) else {
        return 0;
    };
    let months = |day: NaiveDate| day.year() * 12 + day.month0().cast_signed();
    u16::try_from(months(next) - months(first)).unwrap_or_default()
}

/// First day of the month in which a major release comes out.
fn first_month(major: u16) -> Option<NaiveDate> {
    let known = FIRST_MONTHS.iter().find(|(known, ..)| *known == major);
    let (year, month) = match known {
        Some((_, year, month)) => (*year, *month),
        None => (2007 + i32::from(major), 5),
    };
    NaiveDate::from_ymd_opt(year, month, 1)
}

/// Last day on which everything that a release removes still works.
pub fn last_day_before(release: Release) -> Option<NaiveDate> {
    day_of(release)?.checked_sub_days(Days::new(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    /// Announced days, and all days that follow from the rule between 14.0 and 16.11.
    #[test]
    fn releases_come_out_on_the_days_that_were_announced() {
        for (release, expected) in [
            (Release(12, 10), "2020-04-22"),
            (Release(13, 0), "2020-05-22"),
            (Release(13, 10), "2021-03-22"),
            (Release(13, 12), "2021-05-22"),
            (Release(14, 0), "2021-06-22"),
            (Release(14, 3), "2021-09-22"),
            (Release(14, 10), "2022-04-22"),
            (Release(15, 0), "2022-05-22"),
            (Release(15, 8), "2023-01-22"),
            (Release(15, 11), "2023-04-22"),
            (Release(16, 0), "2023-05-22"),
            (Release(16, 5), "2023-10-22"),
            (Release(16, 6), "2023-11-16"),
            (Release(16, 7), "2023-12-21"),
            (Release(16, 8), "2024-01-18"),
            (Release(16, 9), "2024-02-15"),
            (Release(16, 10), "2024-03-21"),
            (Release(16, 11), "2024-04-18"),
            (Release(17, 0), "2024-05-16"),
            (Release(18, 0), "2025-05-15"),
        ] {
            assert_eq!(day_of(release), Some(day(expected)), "{release}");
        }
    }

    #[test]
    fn numbers_beyond_the_last_of_their_major_one_are_no_releases() {
        for release in [
            Release(11, 11),
            Release(12, 11),
            Release(13, 13),
            Release(14, 11),
            Release(15, 12),
            Release(16, 12),
            Release::FIRST,
            Release::LATEST,
        ] {
            assert_eq!(day_of(release), None, "{release}");
            assert_eq!(next(release), None, "{release}");
        }
    }

    #[test]
    fn releases_are_one_month_apart() {
        let all: Vec<Release> = between(Release(13, 10), Release(18, 0)).collect();
        assert_eq!(all.len(), 3 + 11 + 12 * 3 + 1);
        for pair in all.windows(2) {
            let [earlier, later] = [pair[0], pair[1]].map(|release| day_of(release).unwrap());
            let months = (later.year() * 12 + later.month0().cast_signed())
                - (earlier.year() * 12 + earlier.month0().cast_signed());
            assert_eq!(months, 1, "{} {}", pair[0], pair[1]);
        }
    }

    #[test]
    fn the_newest_release_is_the_last_one_that_is_out() {
        assert_eq!(newest_on(day("2023-05-21")), Some(Release(15, 11)));
        assert_eq!(newest_on(day("2023-05-22")), Some(Release(16, 0)));
        assert_eq!(newest_on(day("2019-06-21")), None);
        let last = newest_on(day("9999-12-31"));
        assert_eq!(last, Some(Release(LAST_MAJOR, 11)));
    }
}
