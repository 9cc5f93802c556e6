//! Releases that the server can answer as.

use std::sync::Arc;

use actix_web::HttpRequest;
use api_conventions::release::{Edition, Release};
use deprecations::Schedule;
use web_conventions::operations::other_edition_of;

use super::behaviour::{Behaviour, Behaviours};

/// Releases that the server can answer as.
#[derive(Debug, Clone)]
pub struct ServedReleases {
    schedule: &'static Schedule,
    behaviours: Behaviours,
    own: Edition,
    has_preview: bool,
    base_url: Arc<str>,
}

impl ServedReleases {
    /// Creates a server of a release, with the published schedule.
    pub fn new(own: Release, has_preview: bool, base_url: &str) -> Self {
        let schedule = deprecations::published();
        Self {
            schedule,
            behaviours: Behaviours::of(schedule),
            own: Edition::of(own),
            has_preview,
            base_url: base_url.into(),
        }
    }

    /// Deprecation schedule.
    pub fn schedule(&self) -> &'static Schedule {
        self.schedule
    }

    /// Edition of the server.
    pub fn own(&self) -> Edition {
        self.own
    }

    /// Edition of the response to a request.
    pub fn of(&self, request: &HttpRequest) -> Edition {
        other_edition_of(request).unwrap_or(self.own)
    }

    /// True if the server itself has a behaviour, regardless of requests.
    pub fn has(&self, behaviour: Behaviour) -> bool {
        self.behaviours.has(behaviour, self.own)
    }

    /// True if a behaviour applies to a request.
    pub fn has_for(&self, request: &HttpRequest, behaviour: Behaviour) -> bool {
        self.behaviours.has(behaviour, self.of(request))
    }

    /// True if a preview of the next API version is served.
    pub fn has_preview(&self) -> bool {
        self.has_preview
    }

    /// URL at which clients reach the server, without a trailing slash.
    pub fn base_url(&self) -> Arc<str> {
        Arc::clone(&self.base_url)
    }
}
