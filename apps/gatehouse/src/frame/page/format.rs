//! Formatting of values for pages.

use api_conventions::scope::ScopeSet;
use api_conventions::time::Timestamp;
use oauth_provider::{ScopeEntry, ScopeRegistry};

/// Scope and its description in the registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeText {
    /// Name of the scope, for developers.
    pub word: String,
    /// Short description.
    pub title: String,
    /// Description as a sentence.
    pub sentence: String,
}

impl ScopeText {
    /// Describes a scope.
    pub fn of(entry: &ScopeEntry) -> Self {
        Self {
            word: entry.scope().to_string(),
            title: entry.title().to_owned(),
            sentence: entry.description().to_owned(),
        }
    }

    /// Describes the scopes of a set one by one, in the order of the registry.
    pub fn all(registry: &ScopeRegistry, scopes: &ScopeSet) -> Vec<Self> {
        registry.entries_of(scopes).map(Self::of).collect()
    }
}

/// Turns the errors of a field into sentences.
/// Errors omit their subject, because in the API they appear below the name of the field; on a page they stand alone.
pub fn sentences(subject: &str, failures: &[String]) -> Vec<String> {
    let response = |text: &String| format!("{subject} {}.", text.trim_end_matches('.'));
    failures.iter().map(response).collect()
}

/// Time for display and, in `datetime`, for machines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisplayTime {
    /// Text for display, such as `21 November 2026, 10:58 UTC`.
    pub text: String,
    /// Machine-readable time (RFC 3339).
    pub machine: String,
    /// Text in lists: relative within a day, otherwise the date.
    pub short: String,
}

impl DisplayTime {
    /// Formats a time.
    pub fn of(time: Timestamp) -> Self {
        let time = time.to_chrono();
        Self {
            text: time.format("%-d %B %Y, %H:%M UTC").to_string(),
            machine: time.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
            short: time.format("%-d %b %Y").to_string(),
        }
    }

    /// Formats a time relative to another one: within a day as the time elapsed, or to come.
    pub fn at(time: Timestamp, now: Timestamp) -> Self {
        let seconds = now.as_unix_seconds().saturating_sub(time.as_unix_seconds());
        let chrono = time.to_chrono();
        let is_this_year =
            chrono.format("%Y").to_string() == now.to_chrono().format("%Y").to_string();
        let short = match seconds {
            -59..=59 => "just now".to_owned(),
            60..3_600 => format!("{} min ago", seconds / 60),
            3_600..86_400 => format!("{} h ago", seconds / 3_600),
            -3_599..=-60 => format!("in {} min", -seconds / 60),
            -86_399..=-3_600 => format!("in {} h", -seconds / 3_600),
            _ if is_this_year => chrono.format("%-d %b").to_string(),
            _ => chrono.format("%-d %b %Y").to_string(),
        };
        Self {
            short,
            ..Self::of(time)
        }
    }
}

/// Formats a number with its noun, such as `1 alert` or `12 alerts`.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    let word = if number == 1 { one } else { many };
    format!("{} {word}", grouped(number))
}

/// Formats a number with its digits in groups of three, such as `10,000`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let is_start = |at: usize| at > 0 && (digits.len() - at).is_multiple_of(3);
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if is_start(at) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Name of a browser that its owner recognizes: its kind and operating system, as far as the user agent tells.
pub fn browser_name(user_agent: &str) -> String {
    // The first match wins: most browsers also claim to be the ones below them.
    let browsers = [
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("Chrom", "Chrome"),
        ("Safari/", "Safari"),
        ("curl/", "curl"),
    ];
    let systems = [
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS X", "macOS"),
        ("CrOS", "ChromeOS"),
        ("Linux", "Linux"),
    ];
    let named = |names: &[(&str, &'static str)]| {
        let found = names.iter().find(|(part, _)| user_agent.contains(part));
        found.map(|(_, name)| *name)
    };
    match (named(&browsers), named(&systems)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(only), None) | (None, Some(only)) => only.to_owned(),
        (None, None) => "Unknown browser".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_is_reported_to_people_and_machines() {
        let time = DisplayTime::of(Timestamp::parse_rfc3339("2024-03-01T09:05:07Z").unwrap());
        assert_eq!(time.text, "1 March 2024, 09:05 UTC");
        assert_eq!(time.machine, "2024-03-01T09:05:07Z");
    }

    #[test]
    fn a_time_is_relative_within_a_day() {
        let now = Timestamp::parse_rfc3339("2024-03-02T12:00:00Z").unwrap();
        for (time, short) in [
            ("2024-03-02T12:00:30Z", "just now"),
            ("2024-03-02T11:59:10Z", "just now"),
            ("2024-03-02T11:57:10Z", "2 min ago"),
            ("2024-03-02T09:00:00Z", "3 h ago"),
            ("2024-03-01T12:00:00Z", "1 Mar"),
            ("2024-03-02T12:01:00Z", "in 1 min"),
            ("2024-03-02T12:59:59Z", "in 59 min"),
            ("2024-03-03T11:59:00Z", "in 23 h"),
            ("2024-03-03T12:00:00Z", "3 Mar"),
            ("2024-12-31T12:00:00Z", "31 Dec"),
            ("2023-12-31T12:00:00Z", "31 Dec 2023"),
        ] {
            let time = Timestamp::parse_rfc3339(time).unwrap();
            assert_eq!(DisplayTime::at(time, now).short, short);
        }
    }

    #[test]
    fn a_number_has_its_noun_and_its_groups() {
        assert_eq!(counted(1, "alert", "alerts"), "1 alert");
        assert_eq!(counted(0, "alert", "alerts"), "0 alerts");
        assert_eq!(counted(10_000, "alert", "alerts"), "10,000 alerts");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn validation_errors_become_sentences_with_subject_and_one_full_stop() {
        let failures = ["can't be blank", "is forbidden by the server."].map(str::to_owned);
        assert_eq!(
            sentences("The name", &failures),
            [
                "The name can't be blank.",
                "The name is forbidden by the server."
            ]
        );
        assert_eq!(sentences("The name", &[]), Vec::<String>::new());
    }

    #[test]
    fn browser_names_ignore_compatibility_tokens_in_user_agents() {
        let edge = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36 Edg/120.0";
        assert_eq!(browser_name(edge), "Edge on Windows");
        let phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1";
        assert_eq!(browser_name(phone), "Safari on iPhone");
        assert_eq!(browser_name("curl/8.5"), "curl");
        assert_eq!(browser_name("<script>"), "Unknown browser");
    }
}
