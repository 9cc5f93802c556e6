//! Quiet periods against a slow model, in all time zones.

#![expect(
    clippy::unwrap_used,
    reason = "a test that panics is a test that fails"
)]

mod clocks;

use chrono_tz::{TZ_VARIANTS, Tz};
use notifications::model::{LocalTime, QuietHours};

use clocks::{DAY, WINDOW, at, changes, offset, shown};

fn hours(zone: Tz, from: i64, until: i64) -> QuietHours {
    let time = |minute: i64| {
        let minute = minute.rem_euclid(DAY);
        LocalTime::parse(&format!("{:02}:{:02}", minute / 60, minute % 60)).unwrap()
    };
    QuietHours {
        from: time(from),
        until: time(until),
        time_zone: zone,
        severity: QuietHours::DEFAULT_SEVERITY,
    }
}

/// Walks through the minutes that clocks show, and returns which of them are quiet.
fn model(shown: &[i64], from: i64, until: i64) -> Vec<bool> {
    let today = shown.first().unwrap().div_euclid(DAY);
    let (from, until) = (from.rem_euclid(DAY), until.rem_euclid(DAY));
    let next_day = i64::from(until <= from);
    let mut quiet = vec![false; shown.len()];
    for day in today - 2..=today + 2 {
        let (start, end) = (day * DAY + from, (day + next_day) * DAY + until);
        let first = shown.iter().position(|minute| *minute >= start);
        let last = shown.iter().rposition(|minute| *minute == end);
        let last = last.or_else(|| shown.iter().position(|minute| *minute > end));
        let (first, last) = (first.unwrap_or(shown.len()), last.unwrap_or(shown.len()));
        for is_quiet in quiet.iter_mut().take(last).skip(first) {
            *is_quiet = true;
        }
    }
    quiet
}

/// Checks a time against the model, and that the delay of a message ends.
fn check(hours: QuietHours, minute: i64, is_quiet: bool) {
    let period = hours.period_at(at(minute));
    assert_eq!(period.is_some(), is_quiet, "{hours:?} {minute}");
    if let Some((start, end)) = period {
        assert!(
            start <= at(minute) && at(minute) < end,
            "{hours:?} {minute}"
        );
        let length = end.as_unix_seconds() - start.as_unix_seconds();
        assert!(length <= 52 * 60 * 60, "{hours:?} {minute}");
        assert_eq!(hours.period_at(end), None, "{hours:?} {minute}");
    }
}

#[test]
fn quiet_periods_equal_those_of_a_slow_model_at_all_changes_of_clocks() {
    let mut count = 0;
    for zone in TZ_VARIANTS {
        for change in changes(zone) {
            let minutes = change - WINDOW..change + WINDOW;
            let clock: Vec<i64> = minutes.map(|minute| shown(zone, minute)).collect();
            let (before, after) = (change + offset(zone, change - 1), shown(zone, change));
            let (early, late) = (before.min(after), before.max(after));
            assert!(late - early <= 3 * 60, "{zone} {change}");
            let middle = i64::midpoint(early, late);
            let times = [early - 60, early, middle, late - 1, late, late + 60];
            let pairs = times
                .iter()
                .flat_map(|from| times.iter().map(move |until| (*from, *until)));
            let pairs = pairs.filter(|(from, until)| from != until);
            // Many zones change alike, so each change takes its part of the pairs.
            for (from, until) in pairs.skip(count % 6).step_by(6) {
                let hours = hours(zone, from, until);
                let quiet = model(&clock, from, until);
                let mut last = None;
                for (place, is_quiet) in quiet.iter().enumerate() {
                    let minute = change - WINDOW + i64::try_from(place).unwrap();
                    if last.is_some_and(|last| last != *is_quiet) {
                        check(hours, minute - 1, !is_quiet);
                        check(hours, minute, *is_quiet);
                    } else if place % 120 == 0 {
                        check(hours, minute, *is_quiet);
                    }
                    last = Some(*is_quiet);
                }
            }
            count += 1;
        }
    }
    assert!(count > 5_000, "{count}");
}

#[test]
fn quiet_periods_follow_the_clock_between_its_changes() {
    for (number, zone) in (0..).zip(TZ_VARIANTS) {
        let changes = changes(zone);
        for sample in 0..60 {
            let minute = 50 * 365 * DAY + 12 * DAY + sample * 127 * DAY + sample * 389 + number;
            if changes
                .iter()
                .any(|change| (change - minute).abs() < 3 * DAY)
            {
                continue;
            }
            let (from, until) = (sample * 97, sample * 97 + 1 + number * 7 % (DAY - 1));
            let since = (shown(zone, minute) - from).rem_euclid(DAY);
            check(hours(zone, from, until), minute, since < until - from);
        }
    }
}

#[test]
fn times_and_zones_are_parsed() {
    for (text, is_time) in [
        ("00:00", true),
        ("23:59", true),
        ("24:00", false),
        ("7:00", false),
        ("07:00:00", false),
        ("", false),
    ] {
        let time = LocalTime::parse(text);
        assert_eq!(time.is_some(), is_time, "{text}");
        if let Some(time) = time {
            assert_eq!(time.to_string(), text);
        }
    }
    assert!(QuietHours::parse_time_zone("Europe/Berlin").is_some());
    for name in ["", "Berlin", "Europe/Berlin ", "+02:00"] {
        assert_eq!(QuietHours::parse_time_zone(name), None, "{name}");
    }
    let hours = hours(Tz::Europe__Berlin, 22 * 60, 7 * 60);
    let stored = serde_json::to_string(&hours).unwrap();
    assert_eq!(
        stored,
        r#"{"from":"22:00","until":"07:00","time_zone":"Europe/Berlin","severity":0}"#
    );
    assert_eq!(serde_json::from_str::<QuietHours>(&stored).unwrap(), hours);
}
