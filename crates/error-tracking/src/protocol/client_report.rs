//! Client reports: counts of items that SDKs discarded themselves.
//! They count as losses, so that the received items are not mistaken for all that there were.

use serde_json::Value;

use super::item::Category;
use super::json;
use crate::event::cut;

/// The longest report that is read, in bytes. SDKs send less than 4 KiB.
pub const MAX_BYTES: usize = 64 * 1024;
/// Entries of one report that are counted.
const MAX_ENTRIES: usize = 50;
/// Highest count of one entry.
const MAX_AT_ONCE: u64 = 1_000_000;

/// Items that an SDK discarded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscardedItems {
    /// Reason, in the SDKs' words: `queue_overflow`, `sample_rate` and so on.
    pub reason: String,
    /// Category of the items.
    pub category: Category,
    /// Number of items.
    pub quantity: u64,
}

/// Reason why a report is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientReportError {
    /// The report is longer than [`MAX_BYTES`].
    TooLarge,
    /// The report is not a JSON object.
    Invalid,
}

/// Parses a report.
/// Skips malformed entries.
///
/// # Errors
/// The payload is not a report.
pub fn discarded(payload: &[u8]) -> Result<Vec<DiscardedItems>, ClientReportError> {
    if payload.len() > MAX_BYTES {
        return Err(ClientReportError::TooLarge);
    }
    let read = json::read(payload).map_err(|_| ClientReportError::Invalid)?;
    let mut value = read.value;
    if !value.is_object() {
        return Err(ClientReportError::Invalid);
    }
    // Some SDKs list losses under the names of the server's rules; they are losses all the same.
    let names = [
        "discarded_events",
        "rate_limited_events",
        "filtered_events",
        "filtered_sampling_events",
    ];
    let lists = names.iter().filter_map(|name| {
        let list = value.get_mut(name)?.take();
        match list {
            Value::Array(entries) => Some(entries),
            _ => None,
        }
    });
    let entries: Vec<Value> = lists.flatten().take(MAX_ENTRIES).collect();
    Ok(entries.iter().filter_map(one).collect())
}

fn one(entry: &Value) -> Option<DiscardedItems> {
    let reason = entry.get("reason").and_then(Value::as_str)?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':' | '.');
    let reason: String = reason.chars().filter(|c| is_word(*c)).collect();
    let category = entry.get("category").and_then(Value::as_str);
    let quantity = entry.get("quantity").and_then(Value::as_u64)?;
    (!reason.is_empty() && quantity > 0).then(|| DiscardedItems {
        reason: cut(&reason, 64),
        category: category
            .and_then(Category::parse)
            .unwrap_or(Category::Default),
        quantity: quantity.min(MAX_AT_ONCE),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(payload: &str) -> Vec<(String, Category, u64)> {
        let found = discarded(payload.as_bytes()).unwrap().into_iter();
        found
            .map(|found| (found.reason, found.category, found.quantity))
            .collect()
    }

    #[test]
    fn discarded_events_are_counted() {
        let payload = r#"{"timestamp": 1, "discarded_events": [
            {"reason": "queue_overflow", "category": "error", "quantity": 3},
            {"reason": "sample_rate", "category": "transaction", "quantity": 99999999999},
            {"reason": "odd", "category": "new_thing", "quantity": 1}],
            "rate_limited_events": [{"reason": "key_quota", "category": "session", "quantity": 2}]}"#;
        assert_eq!(
            of(payload),
            [
                ("queue_overflow".to_owned(), Category::Error, 3),
                ("sample_rate".to_owned(), Category::Transaction, MAX_AT_ONCE),
                ("odd".to_owned(), Category::Default, 1),
                ("key_quota".to_owned(), Category::Session, 2),
            ]
        );
    }

    #[test]
    fn malformed_client_reports_count_nothing() {
        for payload in [
            "{}",
            r#"{"discarded_events": 7}"#,
            r#"{"discarded_events": [7, {"reason": 1}, {"reason": "", "quantity": 1}, {"reason": "x", "quantity": -1}, {"reason": "x", "quantity": 0}]}"#,
        ] {
            assert!(of(payload).is_empty(), "{payload}");
        }
        let long = format!(
            r#"{{"x": "{}", "discarded_events": []}}"#,
            "y".repeat(MAX_BYTES)
        );
        assert_eq!(discarded(long.as_bytes()), Err(ClientReportError::TooLarge));
        for payload in ["", "[]", "no", "7"] {
            assert_eq!(
                discarded(payload.as_bytes()),
                Err(ClientReportError::Invalid)
            );
        }
    }
}
