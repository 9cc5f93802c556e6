//! Errors of this server in the format of the web API, for its clients.

use api_conventions::ids::ErrorIid;

use super::issue::{ExternalIssue, ExternalStatus, IssueProject};
use crate::model::{StatusName, TrackedError};
use crate::store::HourCount;

impl ExternalIssue {
    /// Converts an error of this server, with its events by hour.
    pub fn of(
        error: &TrackedError,
        hours: &[HourCount],
        project: IssueProject,
        page: String,
    ) -> Self {
        let count = |count: i64| u64::try_from(count).unwrap_or_default();
        let hours = hours.iter();
        Self {
            id: ErrorIid::new(error.id.get()),
            platform: error.facts.platform.clone(),
            tags: Vec::new(),
            short_id: Some(format!("{}-{}", project.slug.to_uppercase(), error.iid)),
            title: error.facts.title.clone(),
            culprit: error.facts.culprit.clone(),
            message: None,
            level: error.facts.level,
            logger: None,
            status: match StatusName::parse(error.state.status.as_str()) {
                Some(StatusName::Resolved) => ExternalStatus::Resolved,
                Some(StatusName::Ignored) => ExternalStatus::Ignored,
                Some(StatusName::Unresolved) | None => ExternalStatus::Unresolved,
            },
            count: count(error.events),
            user_count: count(error.users),
            first_seen: Some(error.first_seen),
            last_seen: Some(error.last_seen),
            permalink: Some(page),
            frequency: hours
                .map(|one| (one.hour.as_unix_seconds(), count(one.events)))
                .collect(),
            project: Some(project),
            first_release: error.first_release.clone(),
            last_release: error.last_release.clone(),
        }
    }
}
