//! Times and days.

use std::fmt;
use std::ops::Range;

use chrono::{DateTime, Datelike as _, NaiveDate, SecondsFormat, TimeDelta, Timelike as _, Utc};

/// A time in UTC, in microseconds since 1970, between the years 1 and 9999.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Timestamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "format": "date-time",
            "description": "A time in UTC (RFC 3339).",
        })
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for CalendarDate {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CalendarDate".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "format": "date",
        })
    }
}

impl Timestamp {
    /// First instant of year 1, which senders of alerts use for "never".
    pub const MIN: Self = Self(-62_135_596_800_000_000);
    /// Last microsecond of year 9999.
    pub const MAX: Self = Self(253_402_300_799_999_999);

    /// Returns the time this many microseconds after the start of 1970, or `None` outside the years 1 to 9999.
    pub fn from_micros(micros: i64) -> Option<Self> {
        (Self::MIN.0..=Self::MAX.0)
            .contains(&micros)
            .then_some(Self(micros))
    }

    /// Returns the microseconds since the start of 1970.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// Returns the whole seconds since the start of 1970, rounded down.
    pub const fn as_unix_seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// Returns the time `seconds` later, clamped to [`Self::MIN`] and [`Self::MAX`].
    #[must_use]
    pub fn plus_seconds(self, seconds: i64) -> Self {
        let micros = self.0.saturating_add(seconds.saturating_mul(1_000_000));
        Self(micros.clamp(Self::MIN.0, Self::MAX.0))
    }

    /// Parses RFC 3339 with zero to nine fractional digits and any offset. Truncates digits beyond microseconds.
    pub fn parse_rfc3339(text: &str) -> Option<Self> {
        DateTime::parse_from_rfc3339(text)
            .ok()
            .and_then(|timestamp| Self::from_chrono(&timestamp.to_utc()))
    }

    /// Converts a time of the `chrono` library; `None` outside the years 1 to 9999.
    pub fn from_chrono(timestamp: &DateTime<Utc>) -> Option<Self> {
        Self::from_micros(timestamp.timestamp_micros())
    }

    /// Converts to a time of the `chrono` library.
    pub fn to_chrono(self) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::microseconds(self.0)
    }

    /// Returns the date in UTC.
    pub fn date(self) -> CalendarDate {
        CalendarDate(self.to_chrono().date_naive())
    }

    /// Formats the time as in every body. A list has hundreds of times, and a format parsed at run time takes 1,500
    /// instructions for each.
    fn text(self) -> [u8; 24] {
        let mut text = *b"YYYY-MM-DDT00:00:00.000Z";
        let (date, time) = (self.date().text(), self.to_chrono().time());
        for (to, from) in text.iter_mut().zip(date) {
            *to = from;
        }
        put_digits(&mut text, 11..13, time.hour());
        put_digits(&mut text, 14..16, time.minute());
        put_digits(&mut text, 17..19, time.second());
        put_digits(&mut text, 20..23, time.nanosecond() / 1_000_000);
        text
    }
}

/// Text form of every body: ISO 8601, milliseconds, `Z`.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(as_text(&self.text()))
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            &self
                .to_chrono()
                .to_rfc3339_opts(SecondsFormat::Micros, true),
        )
    }
}

/// Form of every body, which ends with milliseconds. The stored form differs: `stored::timestamp`, with the feature
/// `serde`.
impl serde::Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(as_text(&self.text()))
    }
}

/// A date between the years 1 and 9999, written `YYYY-MM-DD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CalendarDate(NaiveDate);

impl CalendarDate {
    /// Last date: an expiry on it means never.
    pub const LAST: Self = Self(match NaiveDate::from_ymd_opt(9999, 12, 31) {
        Some(day) => day,
        None => NaiveDate::MAX,
    });

    /// Parses `YYYY-MM-DD`; month and day may have one digit, as existing clients send them.
    pub fn parse(text: &str) -> Option<Self> {
        let digits_and_dashes = text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
        (digits_and_dashes && (1..=9999).contains(&date.year())).then_some(Self(date))
    }

    /// Returns the first instant of the day in UTC.
    pub fn start(self) -> Timestamp {
        let midnight = self.0.and_time(chrono::NaiveTime::MIN).and_utc();
        Timestamp(midnight.timestamp_micros())
    }

    /// Returns the next day; `None` after the last day of 9999.
    pub fn next(self) -> Option<Self> {
        self.0
            .succ_opt()
            .filter(|date| date.year() <= 9999)
            .map(Self)
    }

    /// Returns the same day one year later; 29 February becomes 28 February. `None` beyond 9999.
    pub fn plus_one_year(self) -> Option<Self> {
        let later = self.0.checked_add_months(chrono::Months::new(12))?;
        (later.year() <= 9999).then_some(Self(later))
    }

    fn text(self) -> [u8; 10] {
        let mut text = *b"YYYY-MM-DD";
        put_digits(&mut text, 0..4, self.0.year().unsigned_abs());
        put_digits(&mut text, 5..7, self.0.month());
        put_digits(&mut text, 8..10, self.0.day());
        text
    }

    /// Returns the days since 1970-01-01, the form stored in rows.
    pub fn as_days(self) -> i32 {
        self.0.num_days_from_ce() - EPOCH_DAYS_FROM_CE
    }

    /// Returns the date this many days after 1970-01-01; `None` outside the years 1 to 9999.
    pub fn from_days(days: i32) -> Option<Self> {
        let date = NaiveDate::from_num_days_from_ce_opt(days.checked_add(EPOCH_DAYS_FROM_CE)?)?;
        (1..=9999).contains(&date.year()).then_some(Self(date))
    }
}

/// Writes the last digits of a number, as many as fit in `places`.
fn put_digits(text: &mut [u8], places: Range<usize>, number: u32) {
    let mut rest = number;
    for place in text.get_mut(places).into_iter().flatten().rev() {
        *place = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
}

fn as_text(digits: &[u8]) -> &str {
    std::str::from_utf8(digits).unwrap_or_default()
}

/// Number that `chrono` gives 1970-01-01.
const EPOCH_DAYS_FROM_CE: i32 = 719_163;

impl fmt::Display for CalendarDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(as_text(&self.text()))
    }
}

impl serde::Serialize for CalendarDate {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(as_text(&self.text()))
    }
}

/// Deserializes the serialized form, by the rules of [`CalendarDate::parse`].
#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for CalendarDate {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'_, str>>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            <D::Error as serde::de::Error>::custom(format_args!("{text:?} is not a date"))
        })
    }
}

/// Clock. It is read once per request, at the outermost layer, and the time is passed down as a value.
pub trait Clock: Send + Sync {
    /// Returns the present time.
    fn now(&self) -> Timestamp;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(text: &str) -> Option<i64> {
        Timestamp::parse_rfc3339(text).map(Timestamp::as_micros)
    }

    #[test]
    fn any_fraction_and_offset_is_the_same_time() {
        assert_eq!(micros("1970-01-01T00:00:01Z"), Some(1_000_000));
        assert_eq!(micros("1970-01-01T02:00:01.5+02:00"), Some(1_500_000));
        assert_eq!(micros("1970-01-01T00:00:00.123456789Z"), Some(123_456));
        assert_eq!(
            micros("0001-01-01T00:00:00Z"),
            Some(Timestamp::MIN.as_micros())
        );
    }

    #[test]
    fn timestamps_outside_the_years_1_to_9999_do_not_exist() {
        assert_eq!(micros("0000-12-31T23:59:59Z"), None);
        assert_eq!(micros("9999-12-31T23:59:59-01:00"), None);
        assert_eq!(Timestamp::from_micros(i64::MAX), None);
        assert_eq!(Timestamp::MAX.plus_seconds(i64::MAX), Timestamp::MAX);
        assert_eq!(Timestamp::MIN.plus_seconds(i64::MIN), Timestamp::MIN);
    }

    #[test]
    fn bodies_carry_milliseconds_and_z() {
        let timestamp = Timestamp::parse_rfc3339("2017-03-17T17:18:09.283999Z").unwrap();
        assert_eq!(timestamp.to_string(), "2017-03-17T17:18:09.283Z");
    }

    #[test]
    fn every_time_is_written_as_the_library_writes_it() {
        let (first, last) = (Timestamp::MIN.as_micros(), Timestamp::MAX.as_micros());
        // About a year, and not a whole number of days, hours, minutes or seconds: every part of a time changes from
        // step to step.
        let times = (first..last).step_by(31_412_345_678_901).chain([last]);
        for time in times.filter_map(Timestamp::from_micros) {
            let chrono = time.to_chrono();
            let expected = chrono.to_rfc3339_opts(SecondsFormat::Millis, true);
            assert_eq!(time.to_string(), expected);
            assert_eq!(
                time.date().to_string(),
                chrono.format("%Y-%m-%d").to_string()
            );
        }
    }

    #[cfg(feature = "schema")]
    #[test]
    fn schemas_have_the_formats_of_times_and_days() {
        let mut generator = schemars::SchemaGenerator::default();
        let times = generator.subschema_for::<Timestamp>();
        let days = generator.subschema_for::<CalendarDate>();
        assert_eq!(times.get("$ref").unwrap(), "#/$defs/Timestamp");
        assert_eq!(days.get("$ref").unwrap(), "#/$defs/CalendarDate");
        let definitions = generator.take_definitions(true);
        assert_eq!(definitions["Timestamp"]["format"], "date-time");
        assert_eq!(definitions["CalendarDate"]["format"], "date");
    }

    #[test]
    fn days_are_read_leniently_and_written_strictly() {
        assert_eq!(
            CalendarDate::parse("2016-12-1").unwrap().to_string(),
            "2016-12-01"
        );
        for wrong in [
            "2016-13-01",
            "2016-02-30",
            "yesterday",
            "",
            "+2016-01-01",
            "10000-01-01",
            "2016-01-01 ",
        ] {
            assert_eq!(CalendarDate::parse(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn days_know_their_neighbours_and_numbers() {
        let leap = CalendarDate::parse("2024-02-29").unwrap();
        assert_eq!(leap.next().unwrap().to_string(), "2024-03-01");
        assert_eq!(leap.plus_one_year().unwrap().to_string(), "2025-02-28");
        assert_eq!(CalendarDate::from_days(leap.as_days()), Some(leap));
        assert_eq!(CalendarDate::parse("1970-01-01").unwrap().as_days(), 0);
        assert_eq!(CalendarDate::parse("9999-12-31").unwrap().next(), None);
    }
}
