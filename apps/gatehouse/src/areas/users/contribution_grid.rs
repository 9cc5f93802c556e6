//! Grid of the contributions of a user: a column for each week, a square for each day.
//! The server draws it without styles or scripts. A sentence and a table of the months describe it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use api_conventions::time::CalendarDate;

use crate::frame::page::format::{counted, grouped};

/// Weeks before the current one: a year, and a quarter for narrow screens.
const WEEKS: i32 = 52;
const NARROW_WEEKS: i32 = 12;

/// Distance between squares, and their size, in pixels.
const STEP: i32 = 13;
const SIZE: i32 = 10;

/// Levels of the squares, from none to many.
const LEVELS: usize = 5;

/// Month with its number of contributions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MonthCount {
    pub(super) name: String,
    pub(super) count: String,
}

/// Squares of some weeks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Squares {
    /// Class of the picture.
    pub(super) class: &'static str,
    /// Squares of each level, as the `d` attribute of a path.
    pub(super) levels: [String; LEVELS],
    /// Width in pixels.
    pub(super) width: i32,
    /// Text alternative.
    pub(super) text: String,
}

/// Contributions of a year.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ContributionGrid {
    /// Total in words.
    pub(super) total: String,
    /// The whole year, and the last quarter in its place on narrow screens.
    pub(super) pictures: [Squares; 2],
    /// Months with contributions, the latest first.
    pub(super) months: Vec<MonthCount>,
}

/// First day of the grid: the Monday 52 weeks before the current week.
pub(super) fn first_day(today: CalendarDate) -> CalendarDate {
    monday_before(today, WEEKS)
}

fn monday_before(today: CalendarDate, weeks: i32) -> CalendarDate {
    // The first of January 1970 was a Thursday.
    let weekday = (today.as_days() + 3).rem_euclid(7);
    let first = today.as_days() - weekday - weeks * 7;
    CalendarDate::from_days(first).unwrap_or(today)
}

impl ContributionGrid {
    /// Draws the contributions of the days from [`first_day`] to today.
    pub(super) fn new(days: &BTreeMap<CalendarDate, u64>, today: CalendarDate) -> Self {
        let total: u64 = days.values().sum();
        let mut months: BTreeMap<(String, String), u64> = BTreeMap::new();
        for (day, count) in days {
            let day = day.start().to_chrono();
            let key = day.format("%Y-%m").to_string();
            *months
                .entry((key, day.format("%B %Y").to_string()))
                .or_default() += count;
        }
        let months = months
            .into_iter()
            .rev()
            .map(|((_, name), count)| MonthCount {
                name,
                count: grouped(count),
            });
        Self {
            total: counted(total, "contribution", "contributions"),
            pictures: [
                Squares::new("year", days, today, WEEKS),
                Squares::new("quarter", days, today, NARROW_WEEKS),
            ],
            months: months.collect(),
        }
    }
}

impl Squares {
    fn new(
        class: &'static str,
        days: &BTreeMap<CalendarDate, u64>,
        today: CalendarDate,
        weeks: i32,
    ) -> Self {
        let first = monday_before(today, weeks).as_days();
        let count_of = |day: i32| {
            let day = CalendarDate::from_days(day);
            day.and_then(|day| days.get(&day))
                .copied()
                .unwrap_or_default()
        };
        let (mut levels, mut total, mut most) = <([String; LEVELS], u64, u64)>::default();
        for day in first..=today.as_days() {
            total += count_of(day);
            most = most.max(count_of(day));
        }
        for day in first..=today.as_days() {
            let (left, top) = ((day - first) / 7 * STEP, (day - first) % 7 * STEP);
            if let Some(path) = levels.get_mut(level(count_of(day), most)) {
                let _ = write!(path, "M{left} {top}h{SIZE}v{SIZE}h-{SIZE}z");
            }
        }
        let all = counted(total, "contribution", "contributions");
        Self {
            class,
            levels,
            width: weeks * STEP + SIZE,
            text: match total {
                0 => format!("No contributions in {weeks} weeks"),
                _ => format!("{all} in {weeks} weeks, at most {} in a day", grouped(most)),
            },
        }
    }
}

/// Level of a day: 0 for none, otherwise the quarter of the highest count in which it is.
fn level(count: u64, most: u64) -> usize {
    let quarter = count.saturating_mul(4).div_ceil(most.max(1));
    usize::try_from(quarter)
        .unwrap_or(LEVELS - 1)
        .min(LEVELS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> CalendarDate {
        CalendarDate::parse(text).unwrap()
    }

    #[test]
    fn the_grid_begins_on_a_monday_and_ends_today() {
        for (today, first) in [
            ("2024-03-04", "2023-03-06"),
            ("2024-03-10", "2023-03-06"),
            ("2024-03-11", "2023-03-13"),
        ] {
            assert_eq!(first_day(day(today)), day(first), "{today}");
        }
    }

    #[test]
    fn days_are_squares_of_the_level_of_their_count() {
        let days = [("2024-03-05", 1), ("2024-03-04", 4), ("2024-02-01", 2)];
        let days = days.map(|(text, count)| (day(text), count));
        let grid = ContributionGrid::new(&days.into_iter().collect(), day("2024-03-05"));
        let [year, quarter] = &grid.pictures;
        assert_eq!(grid.total, "7 contributions");
        assert_eq!(year.text, "7 contributions in 52 weeks, at most 4 in a day");
        assert_eq!(year.levels[4], "M676 0h10v10h-10z");
        assert_eq!(quarter.levels[1], "M156 13h10v10h-10z");
        let squares: usize = year
            .levels
            .iter()
            .map(|path| path.matches('z').count())
            .sum();
        assert_eq!((squares, year.width), (52 * 7 + 2, 686));
        let months: Vec<&str> = grid.months.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(months, ["March 2024", "February 2024"]);
    }

    #[test]
    fn nothing_is_a_sentence_and_empty_squares() {
        let grid = ContributionGrid::new(&BTreeMap::new(), day("2024-03-05"));
        assert_eq!(grid.pictures[0].text, "No contributions in 52 weeks");
        assert!(grid.months.is_empty() && grid.pictures[0].levels[1].is_empty());
        assert_eq!([level(0, 0), level(1, 100), level(100, 100)], [0, 1, 4]);
    }
}
