//! What a project wants of error tracking.

use api_conventions::ids::ProjectId;
use serde::{Deserialize, Serialize};

use super::ClientKey;
use crate::external::ApiUrl;
use crate::rules::bucket::Rate;
use crate::scrub::ScrubSettings;

/// The settings of a project. It may have none, and then nothing of error tracking is there for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The project.
    pub project_id: ProjectId,
    /// Whether error tracking is on.
    pub active: bool,
    /// Whether errors are collected here. Otherwise they are read from another tracker.
    pub integrated: bool,
    /// The other tracker.
    pub external: ExternalTracker,
    /// What else can be chosen.
    pub options: Options,
}

impl Settings {
    /// The settings of a project that has chosen nothing.
    pub fn new(project_id: ProjectId) -> Self {
        Self {
            project_id,
            active: false,
            integrated: false,
            external: ExternalTracker::default(),
            options: Options::default(),
        }
    }

    /// Whether the collector takes what SDKs send.
    pub const fn collects(&self) -> bool {
        self.active && self.integrated
    }

    /// True if the project takes reports with this key.
    pub fn takes(&self, key: &ClientKey) -> bool {
        self.collects() && key.active && key.project_id == self.project_id
    }

    /// Whether errors are read from another tracker.
    pub const fn is_external(&self) -> bool {
        self.active && !self.integrated
    }
}

/// A tracker elsewhere, as it is stored: what is there was valid when it was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExternalTracker {
    /// The address of the project in its API.
    pub api_url: Option<String>,
    /// What people call the project.
    pub project_name: Option<String>,
    /// The token that it wants, sealed by the host. It is never shown.
    pub token: Option<Vec<u8>>,
}

impl ExternalTracker {
    /// The name of the project: the one that was chosen, else one made of the address (`project_name`).
    pub fn name(&self) -> Option<String> {
        let of_address = || Some(self.address()?.project_name());
        self.project_name.clone().or_else(of_address)
    }

    /// The page of the project, for people (`tracker_external_url`).
    pub fn page(&self) -> Option<String> {
        self.address().map(|address| address.page().to_string())
    }

    /// The address, taken apart.
    pub fn address(&self) -> Option<ApiUrl> {
        ApiUrl::parse(self.api_url.as_deref()?).ok()
    }
}

/// What a project can choose besides. A field that was not stored has its usual value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// What is taken out of events.
    pub scrubbing: ScrubSettings,
    /// Events in a minute that are taken of the whole project, from 1 to [`MOST_PER_MINUTE`](Self::MOST_PER_MINUTE).
    pub events_per_minute: u32,
    /// Events in a minute that are taken of one error, from 1 to [`MOST_PER_MINUTE`](Self::MOST_PER_MINUTE), so that one that floods
    /// leaves room for the others; `None` for half of the project's.
    pub error_events_per_minute: Option<u32>,
    /// Days that events are kept, from 1 to [`MOST_DAYS`](Self::MOST_DAYS). Counters are kept for ever.
    pub retention_days: u16,
    /// Events of one error that are kept, from 20 to [`MOST_EVENTS`](Self::MOST_EVENTS): the first, the latest, and a thinning
    /// sample of those between.
    pub events_per_error: u32,
    /// Events of the project that are stored in a day; `None` for any number.
    pub events_per_day: Option<u64>,
    /// Whether a new error, and one that is back, opens an alert.
    pub opens_alerts: bool,
}

impl Options {
    /// The highest limit of events in a minute.
    pub const MOST_PER_MINUTE: u32 = 1_000_000;
    /// The longest time that events are kept, in days.
    pub const MOST_DAYS: u16 = 3650;
    /// The most events of one error that are kept.
    pub const MOST_EVENTS: u32 = 100_000;

    /// The rate that is allowed to the project: a minute's worth may come at once.
    pub fn rate(&self) -> Rate {
        Rate::of_minute(self.events_per_minute)
    }

    /// The rate that is allowed to each error.
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
    fn an_error_may_use_half_of_what_its_project_may() {
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
