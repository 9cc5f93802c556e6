//! Faults of clients and of the machine.

mod connections;
mod kill;
mod kill_collector;
mod slow;
mod stop;

use std::collections::HashMap;

use serde_json::Value;

use crate::support::TestServer;
use crate::support::pages::{plain, rows};

/// The alerts that senders of a storm raised, by their titles. Two alerts with one title are a duplicate.
#[track_caller]
fn stored(server: &TestServer) -> HashMap<String, Value> {
    let path = format!("{}?search=storm&sort=asc&per_page=100", server.alerts());
    let rows = rows(&server.developer(), &path);
    let count = rows.len();
    let by_title: HashMap<String, Value> = rows
        .into_iter()
        .map(|row| (plain(&row["title"]), row))
        .collect();
    assert_eq!(by_title.len(), count, "an alert is there twice");
    by_title
}

/// Checks that every acknowledged alert is stored.
#[track_caller]
fn assert_nothing_lost(acknowledged: &[String], stored: &HashMap<String, Value>) {
    let lost: Vec<&String> = acknowledged
        .iter()
        .filter(|title| !stored.contains_key(*title))
        .collect();
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
}
