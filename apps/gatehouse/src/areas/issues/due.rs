//! Values of the due date filter.

use api_conventions::time::CalendarDate;
use projects::DueFilter;

/// Accepted values.
/// `0` matches issues without a due date.
pub(super) const DUE_DATES: [&str; 8] = [
    "0",
    "any",
    "today",
    "tomorrow",
    "overdue",
    "week",
    "month",
    "next_month_and_previous_two_weeks",
];

/// Parses a filter value as of the day `today`.
/// A week begins on Monday.
pub(super) fn due(word: &str, today: CalendarDate) -> Option<DueFilter> {
    let day = |days: i32| CalendarDate::from_days(today.as_days() + days);
    let between = |first, last| Some(DueFilter::Between(first, last));
    match word {
        "0" => Some(DueFilter::None),
        "any" => Some(DueFilter::Any),
        "today" => between(Some(today), Some(today)),
        "tomorrow" => between(day(1), day(1)),
        "overdue" => between(None, day(-1)),
        "week" => {
            // Day 0 of the calendar was a Thursday.
            let since_monday = (today.as_days() + 3).rem_euclid(7);
            between(day(-since_monday), day(6 - since_monday))
        }
        "month" => between(first_of_month(today, 0), last_of_month(today, 0)),
        "next_month_and_previous_two_weeks" => between(day(-14), last_of_month(today, 1)),
        _ => None,
    }
}

/// Returns the first day of the month that is `months` months after the month of `day`.
fn first_of_month(day: CalendarDate, months: u32) -> Option<CalendarDate> {
    let text = day.to_string();
    let mut first = CalendarDate::parse(&format!("{}-01", text.get(..7)?))?;
    for _ in 0..months {
        // No month is longer than 31 days, so 31 days after its first day always lies in the next month.
        let next = CalendarDate::from_days(first.as_days() + 31)?.to_string();
        first = CalendarDate::parse(&format!("{}-01", next.get(..7)?))?;
    }
    Some(first)
}

fn last_of_month(day: CalendarDate, months: u32) -> Option<CalendarDate> {
    let next = first_of_month(day, months + 1)?;
    CalendarDate::from_days(next.as_days() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_days_around_today() {
        let day = |text| CalendarDate::parse(text);
        // A Thursday.
        let today = day("2024-02-29").unwrap();
        for (word, first, last) in [
            ("today", day("2024-02-29"), day("2024-02-29")),
            ("tomorrow", day("2024-03-01"), day("2024-03-01")),
            ("overdue", None, day("2024-02-28")),
            ("week", day("2024-02-26"), day("2024-03-03")),
            ("month", day("2024-02-01"), day("2024-02-29")),
            (
                "next_month_and_previous_two_weeks",
                day("2024-02-15"),
                day("2024-03-31"),
            ),
        ] {
            assert_eq!(
                due(word, today),
                Some(DueFilter::Between(first, last)),
                "{word}"
            );
        }
        for word in DUE_DATES {
            assert!(due(word, today).is_some(), "{word}");
        }
        assert_eq!(due("soon", today), None);
    }
}
