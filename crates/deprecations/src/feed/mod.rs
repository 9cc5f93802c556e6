//! Feeds of the schedule for news readers and calendars.
//!
//! [`atom()`] renders a feed of all records, [`calendar`] a calendar of the removals that have a day. For the same
//! schedule both produce the same bytes: dates come from the records and never from a clock.

mod atom;
mod ics;

use crate::model::{Life, Milestone, Record};

pub use self::atom::{atom, escape};
pub use self::ics::{calendar, fold, text_value};

/// Name and URL of the service that publishes a feed.
#[derive(Debug, Clone, Copy)]
pub struct FeedContext<'c> {
    /// Base URL of the service, such as `https://gatehouse.example`; a trailing slash makes no difference.
    pub base_url: &'c str,
    /// Name of the service.
    pub name: &'c str,
}

impl FeedContext<'_> {
    /// URL of the page of all records.
    fn page(&self) -> String {
        format!("{}/-/deprecations", self.base_url.trim_end_matches('/'))
    }

    /// The host, in the characters that RFC 4151 permits for an authority.
    fn host(&self) -> String {
        let address = self.base_url;
        let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = authority.rsplit('@').next().unwrap_or_default();
        let is_port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let host = match host.rsplit_once(':') {
            Some((host, port)) if is_port(port) => host,
            _ => host,
        };
        let plain = |character: char| match character.to_ascii_lowercase() {
            letter if letter.is_ascii_alphanumeric() || letter == '.' => letter,
            _ => '-',
        };
        let host: String = host.chars().map(plain).collect();
        let host = host.trim_matches('-');
        if host.is_empty() { "localhost" } else { host }.to_owned()
    }
}

/// URL of the page of a record.
pub(crate) fn web_url(base_url: &str, record: &Record) -> String {
    format!(
        "{}/-/deprecations/{}",
        base_url.trim_end_matches('/'),
        record.id
    )
}

/// Describes the announcement and the removal of a record, in a sentence.
fn when(record: &Record) -> String {
    match record.life {
        Life::Introduced(release) => format!("Introduced in {release}."),
        Life::Deprecated {
            announced, removal, ..
        } => {
            let removal = match (removal, record.removed_on()) {
                (Milestone::Undated, _) => "The removal has no date yet".to_owned(),
                (removal, Some(day)) => format!("Removal in {removal}, on {day}"),
                (removal, None) => format!("Removal in {removal}"),
            };
            let breaking = if record.breaking {
                " (breaking change)"
            } else {
                ""
            };
            format!("Announced in {announced}. {removal}{breaking}.")
        }
    }
}

/// Describes the replacement, in a sentence.
fn instead(record: &Record) -> Option<String> {
    let replacement = record.replacement.as_ref()?;
    Some(format!("Instead: {replacement}"))
}
