//! Mapping of a sender's severity (the specification's mapping). Case does not matter; any other word, or none, is
//! critical.

use crate::model::{Severity, SeverityTable};

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

/// Words of senders that are recognised by their bodies, by severity: those of the metrics table and those of Zabbix,
/// Nagios, Icinga, Opsgenie, `PagerDuty`, New Relic, Netdata, Kapacitor and syslog. An absent word has no severity.
const OF_SENDERS: [(Severity, &[&str]); 6] = [
    (
        Severity::Critical,
        &[
            "blocker",
            "crit",
            "critical",
            "disaster",
            "down",
            "emerg",
            "emergency",
            "fatal",
            "p1",
            "panic",
            "s1",
            "sev0",
            "sev1",
            "severe",
            "unreachable",
        ],
    ),
    (
        Severity::High,
        &["high", "major", "p2", "page", "s2", "sev2"],
    ),
    (
        Severity::Medium,
        &[
            "alert", "average", "err", "error", "medium", "moderate", "p3", "s3", "sev3",
        ],
    ),
    (
        Severity::Low,
        &["low", "minor", "p4", "s4", "sev4", "warn", "warning"],
    ),
    (
        Severity::Info,
        &[
            "clear",
            "cleared",
            "debug",
            "info",
            "information",
            "informational",
            "none",
            "normal",
            "notice",
            "ok",
            "p5",
            "recovered",
            "resolved",
            "s5",
            "sev5",
            "success",
            "trivial",
            "up",
            "verbose",
        ],
    ),
    (
        Severity::Unknown,
        &[
            "nodata",
            "notclassified",
            "unclassified",
            "undefined",
            "unknown",
        ],
    ),
];

/// Returns the severity of a recognised sender's word. Case, spaces, `_` and `-` do not matter. Returns `None` for any
/// other word.
pub fn of_sender(word: &str) -> Option<Severity> {
    if word.len() > 40 {
        return None;
    }
    let letters = word.chars().filter(|c| !matches!(c, ' ' | '_' | '-'));
    let folded: String = letters.map(|c| c.to_ascii_lowercase()).collect();
    let known = |(_, words): &&(Severity, &[&str])| words.contains(&folded.as_str());
    OF_SENDERS.iter().find(known).map(|(severity, _)| *severity)
}

/// Returns the severity of Azure's words, which count from `Sev0`.
pub fn of_azure(word: &str) -> Option<Severity> {
    match word.to_ascii_lowercase().as_str() {
        "sev0" | "0" => Some(Severity::Critical),
        "sev1" | "1" => Some(Severity::High),
        "sev2" | "2" => Some(Severity::Medium),
        "sev3" | "3" => Some(Severity::Low),
        "sev4" | "4" => Some(Severity::Info),
        other => of_sender(other),
    }
}

/// Returns the severity of Zabbix's numbers, from 0 for an unclassified trigger to 5 for a disaster.
pub fn of_zabbix_number(number: &str) -> Option<Severity> {
    match number {
        "0" => Some(Severity::Unknown),
        "1" => Some(Severity::Info),
        "2" => Some(Severity::Low),
        "3" => Some(Severity::Medium),
        "4" => Some(Severity::High),
        "5" => Some(Severity::Critical),
        _ => None,
    }
}

/// Readings of a sender's word that prefer the severity of an endpoint's own table.
impl SeverityTable {
    /// Returns the severity of a generic payload.
    pub fn of_generic(&self, word: Option<&str>) -> Severity {
        self.own(word).unwrap_or_else(|| of_generic(word))
    }

    /// Returns the severity of a metrics item.
    pub fn of_metrics(&self, word: Option<&str>) -> Severity {
        self.own(word).unwrap_or_else(|| of_metrics(word))
    }

    /// Returns the severity of a recognised sender's word; `None` for an unknown one.
    pub fn of_sender(&self, word: &str) -> Option<Severity> {
        self.find(word).or_else(|| of_sender(word))
    }

    /// Returns the severity of one of Azure's words.
    pub fn of_azure(&self, word: &str) -> Option<Severity> {
        self.find(word).or_else(|| of_azure(word))
    }

    /// Returns the severity of one of Zabbix's numbers.
    pub fn of_zabbix_number(&self, number: &str) -> Option<Severity> {
        self.find(number).or_else(|| of_zabbix_number(number))
    }

    fn own(&self, word: Option<&str>) -> Option<Severity> {
        self.find(word?)
    }
}

/// True if a word is a priority from `P1` to `P5`.
pub fn is_priority(word: &str) -> bool {
    matches!(word.as_bytes(), [b'P' | b'p', b'1'..=b'5'])
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
    fn the_words_of_senders_extend_the_table_of_metrics() {
        for (severity, words) in OF_SENDERS {
            assert!(words.is_sorted(), "{words:?}");
            for word in words {
                assert_eq!(of_sender(&word.to_uppercase()), Some(severity), "{word}");
                let of_metrics = of_metrics(Some(word));
                assert!(
                    of_metrics == Severity::Critical || of_metrics == severity,
                    "{word}"
                );
            }
        }
        for (word, severity) in [
            ("No Data", Severity::Unknown),
            ("Not classified", Severity::Unknown),
            ("no_data", Severity::Unknown),
        ] {
            assert_eq!(of_sender(word), Some(severity), "{word}");
        }
        assert_eq!(
            (of_sender(""), of_sender("7"), of_sender("whatever")),
            (None, None, None)
        );
    }

    #[test]
    fn numbers_of_senders_have_their_own_order() {
        let azure: Vec<_> = ["Sev0", "Sev1", "sev2", "Sev3", "SEV4"]
            .into_iter()
            .map(of_azure)
            .collect();
        let zabbix: Vec<_> = ["5", "4", "3", "2", "1"]
            .into_iter()
            .map(of_zabbix_number)
            .collect();
        assert_eq!(azure, zabbix);
        assert_eq!(
            (of_zabbix_number("0"), of_zabbix_number("6")),
            (Some(Severity::Unknown), None)
        );
        assert!(
            is_priority("P1") && is_priority("p5") && !is_priority("P6") && !is_priority("P11")
        );
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
