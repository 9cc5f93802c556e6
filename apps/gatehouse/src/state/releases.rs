//! As which releases the server answers.

use std::sync::Arc;

use actix_web::HttpRequest;
use api_conventions::release::{Edition, Release};
use deprecations::Schedule;
use web_conventions::operations::other_edition_of;

use super::behaviour::{Behaviour, Behaviours};

/// As which releases the server answers.
#[derive(Debug, Clone)]
pub struct ServedReleases {
    schedule: &'static Schedule,
    behaviours: Behaviours,
    own: Edition,
    has_preview: bool,
    base_url: Arc<str>,
}

impl ServedReleases {
    /// A server that runs as a release, by the published schedule.
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

    /// The schedule.
    pub fn schedule(&self) -> &'static Schedule {
        self.schedule
    }

    /// As what the server runs.
    pub fn own(&self) -> Edition {
        self.own
    }

    /// As what a request is answered.
    pub fn of(&self, request: &HttpRequest) -> Edition {
        other_edition_of(request).unwrap_or(self.own)
    }

    /// Whether the server itself behaves in a way, whatever a request asks for.
    pub fn has(&self, behaviour: Behaviour) -> bool {
        self.behaviours.has(behaviour, self.own)
    }

    /// Whether a request is answered by a behaviour.
    pub fn has_for(&self, request: &HttpRequest, behaviour: Behaviour) -> bool {
        self.behaviours.has(behaviour, self.of(request))
    }

    /// Whether a preview of the next version of the API is served.
    pub fn has_preview(&self) -> bool {
        self.has_preview
    }

    /// How clients reach the server, without a slash at the end.
    pub fn base_url(&self) -> Arc<str> {
        Arc::clone(&self.base_url)
    }
}
