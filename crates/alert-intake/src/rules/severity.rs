//! Mapping of a sender's severity (the specification's mapping). Case does not matter; any other word, or none, is
//! critical.

use crate::model::Severity;

/// Returns the severity of a generic payload.
pub fn of_generic(word: Option<&str>) -> Severity {
    let word = word.map(str::to_ascii_lowercase).unwrap_or_default();
    Severity::parse(&word).unwrap_or(Severity::Critical)
}

/// Returns the severity of a metrics item.
pub fn of_metrics(word: Option<&str>) -> Severity {
    match word
        .map(str::to_ascii_lowercase)
        .unwrap_or_default()
        .as_str()
    {
        "high" | "s2" | "p2" | "major" | "page" => Severity::High,
        "medium" | "s3" | "p3" | "error" | "alert" => Severity::Medium,
        "low" | "s4" | "p4" | "warn" | "warning" => Severity::Low,
        "info" | "s5" | "p5" | "debug" | "information" | "notice" => Severity::Info,
        _ => Severity::Critical,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_metrics_severities() {
        let table = [
            (
                Severity::Critical,
                "critical s1 p1 emergency fatal minor unknown whatever",
            ),
            (Severity::High, "high s2 p2 major page PAGE Major"),
            (Severity::Medium, "medium s3 p3 error alert"),
            (Severity::Low, "low s4 p4 warn warning Warning"),
            (Severity::Info, "info s5 p5 debug information notice"),
        ];
        for (severity, words) in table {
            for word in words.split(' ') {
                assert_eq!(of_metrics(Some(word)), severity, "{word}");
            }
        }
        assert_eq!(of_metrics(None), Severity::Critical);
    }

    #[test]
    fn the_table_of_generic_severities() {
        for severity in Severity::ALL {
            assert_eq!(of_generic(Some(severity.as_str())), severity);
            assert_eq!(
                of_generic(Some(&severity.as_str().to_uppercase())),
                severity
            );
        }
        for word in [None, Some(""), Some("s2"), Some("warning")] {
            assert_eq!(of_generic(word), Severity::Critical, "{word:?}");
        }
    }
}
