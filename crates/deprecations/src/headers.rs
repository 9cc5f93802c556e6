//! Values of the response headers that announce a deprecation.

use chrono::{NaiveDate, NaiveTime};

use crate::model::Record;

/// Value of `Deprecation` (RFC 9745, section 2): the time of the announcement, in seconds since 1970, such as
/// `@1645488000`.
/// `None` for an introduction.
pub fn deprecation(record: &Record) -> Option<String> {
    let day = record.announced_on().filter(|_| record.is_deprecation())?;
    let midnight = day.and_time(NaiveTime::MIN).and_utc();
    Some(format!("@{}", midnight.timestamp()))
}

/// Value of `Sunset` (RFC 8594, section 3): the first instant of the day of the removal.
/// `None` for a removal with a version of the API or without a date.
pub fn sunset(record: &Record) -> Option<String> {
    let format = |day: NaiveDate| day.format("%a, %d %b %Y 00:00:00 GMT").to_string();
    record.removed_on().map(format)
}

#[cfg(test)]
mod tests {
    use crate::published;

    #[test]
    fn the_dates_are_those_of_the_releases() {
        let record = published().find("15-8-deployments-updated-at").unwrap();
        assert_eq!(super::deprecation(record).as_deref(), Some("@1674345600"));
        let sunset = super::sunset(record);
        assert_eq!(sunset.as_deref(), Some("Mon, 22 May 2023 00:00:00 GMT"));
    }
}
