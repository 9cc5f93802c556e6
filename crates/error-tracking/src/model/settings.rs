//! Error tracking settings of a project.

use api_conventions::ids::ProjectId;
use serde::{Deserialize, Serialize};

use super::ClientKey;
use crate::external::ApiUrl;
use crate::rules::bucket::Rate;
use crate::scrub::ScrubSettings;

/// Settings of a project.
/// A project without settings has no error tracking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The project.
    pub project_id: ProjectId,
    /// True if error tracking is on.
    pub active: bool,
    /// True if errors are collected on this server, false if they are read from an external tracker.
    pub integrated: bool,
    /// External tracker.
    pub external: ExternalTracker,
    /// Other options.
    pub options: Options,
}

impl Settings {
    /// Creates the default settings of a project.
    pub fn new(project_id: ProjectId) -> Self {
        Self {
            project_id,
            active: false,
            integrated: false,
            external: ExternalTracker::default(),
            options: Options::default(),
        }
    }

    /// True if the collector accepts what SDKs send.
    pub const fn collects(&self) -> bool {
        self.active && self.integrated
    }

    /// True if the project accepts reports with this key.
    pub fn accepts(&self, key: &ClientKey) -> bool {
        self.collects() && key.active && key.project_id == self.project_id
    }

    /// True if errors are read from an external tracker.
    pub const fn is_external(&self) -> bool {
        self.active && !self.integrated
    }
}

/// External tracker, as stored: its values were valid when they were written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExternalTracker {
    /// Address of the project in the tracker's API.
    pub api_url: Option<String>,
    /// Display name of the project.
    pub project_name: Option<String>,
    /// Token for the tracker, sealed by the host.
    /// It is never shown.
    pub token: Option<Vec<u8>>,
}

impl ExternalTracker {
    /// Name of the project: the chosen one, else one derived from the address (`project_name`).
    pub fn name(&self) -> Option<String> {
        let of_address = || Some(self.address()?.project_name());
        self.project_name.clone().or_else(of_address)
    }

    /// Web page of the project (`tracker_external_url`).
    pub fn page(&self) -> Option<String> {
        self.address().map(|address| address.page().to_string())
    }

    /// Parsed address.
    pub fn address(&self) -> Option<ApiUrl> {
        ApiUrl::parse(self.api_url.as_deref()?).ok()
    }
}

/// Options of a project.
/// A field that was not stored has its default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// Scrubbing settings.
    pub scrubbing: ScrubSettings,
    /// Events per minute that are accepted for the whole project, from 1 to [`MAX_PER_MINUTE`](Self::MAX_PER_MINUTE).
    pub events_per_minute: u32,
    /// Events per minute that are accepted for one error, from 1 to [`MAX_PER_MINUTE`](Self::MAX_PER_MINUTE), so that
    /// a flood of one error leaves room for the others; `None` for half of the project's limit.
    pub error_events_per_minute: Option<u32>,
    /// Days for which events are kept, from 1 to [`MAX_DAYS`](Self::MAX_DAYS).
    /// Counters are kept forever.
    pub retention_days: u16,
    /// Events kept per error, from 20 to [`MAX_EVENTS`](Self::MAX_EVENTS): the first, the latest, and an evenly
    /// spread sample of those between.
    pub events_per_error: u32,
    /// Events of the project that are stored per day; `None` for no limit.
    pub events_per_day: Option<u64>,
    /// True if a new error or a regression opens an alert.
    pub opens_alerts: bool,
}

impl Options {
    /// Highest limit of events per minute.
    pub const MAX_PER_MINUTE: u32 = 1_000_000;
    /// Longest retention of events, in days.
    pub const MAX_DAYS: u16 = 3650;
    /// Highest limit of events kept per error.
    pub const MAX_EVENTS: u32 = 100_000;

    /// Rate limit of the project: the events of a whole minute may arrive at once.
    pub fn rate(&self) -> Rate {
        Rate::of_minute(self.events_per_minute)
    }

    /// Rate limit of each error.
    pub fn error_rate(&self) -> Rate {
        let half = self.events_per_minute.div_ceil(2);
        Rate::of_minute(self.error_events_per_minute.unwrap_or(half))
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            scrubbing: ScrubSettings::default(),
            events_per_minute: 60_000,
            error_events_per_minute: None,
            retention_days: 90,
            events_per_error: 500,
            events_per_day: None,
            opens_alerts: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_and_the_page_are_those_of_the_address() {
        let mut tracker = ExternalTracker {
            api_url: Some("https://tracker.example/api/0/projects/acme/web-shop/".to_owned()),
            ..ExternalTracker::default()
        };
        assert_eq!(tracker.name().as_deref(), Some("Web Shop"));
        assert_eq!(
            tracker.page().as_deref(),
            Some("https://tracker.example/acme/web-shop")
        );
        tracker.project_name = Some("Shop".to_owned());
        assert_eq!(tracker.name().as_deref(), Some("Shop"));
        assert_eq!(ExternalTracker::default().name(), None);
        assert_eq!(ExternalTracker::default().page(), None);
    }

    #[test]
    fn the_error_rate_defaults_to_half_of_the_project_rate() {
        let of = |events_per_minute, error_events_per_minute| {
            let options = Options {
                events_per_minute,
                error_events_per_minute,
                ..Options::default()
            };
            options.error_rate().per_minute
        };
        assert_eq!([of(1, None), of(3, None), of(100, None)], [1, 2, 50]);
        assert_eq!(of(100, Some(7)), 7);
    }

    #[test]
    fn options_that_were_not_stored_have_their_usual_values() {
        let read: Options = serde_json::from_str(r#"{"retention_days":7,"later":1}"#).unwrap();
        let expected = Options {
            retention_days: 7,
            ..Options::default()
        };
        assert_eq!(read, expected);
    }
}
