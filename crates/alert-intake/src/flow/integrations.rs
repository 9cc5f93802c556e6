//! Named alert endpoints of a project: creation, changes, rotation of the key, deletion (`ALRT-01`).

use api_conventions::error::ApiError;
use api_conventions::ids::{IntegrationId, ProjectId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{
    FieldMapping, HeartbeatRule, Integration, IntegrationChange, IntegrationSettings,
    NewIntegration, RetiredKey, SettingsError, SeverityTable,
};
use crate::store::{AlertRepository, InsertIntegration};

/// Largest number of endpoints of a project.
pub const MAX_INTEGRATIONS: usize = 100;

/// Longest time for which a rotated key stays valid, in seconds: 30 days.
pub const MAX_GRACE_SECONDS: i64 = 30 * 24 * 60 * 60;

/// Reasons to refuse a change of endpoints. Nothing is written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IntegrationError {
    /// There is no such endpoint.
    #[error("the endpoint does not exist")]
    NotFound,
    /// The name is blank or too long.
    #[error("the name must have 1 to {} characters", Integration::MAX_NAME)]
    Name,
    /// The project has too many endpoints.
    #[error("a project has at most {MAX_INTEGRATIONS} alert endpoints; delete one first")]
    TooMany,
    /// The identifier is taken in the project.
    #[error("the identifier is already in use")]
    IdentifierTaken,
    /// The endpoint belongs to the project from its creation.
    #[error(
        "the first two endpoints of a project cannot be deleted; turn the endpoint off instead"
    )]
    Predefined,
    /// The settings are not valid.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<IntegrationError> for ApiError {
    fn from(error: IntegrationError) -> Self {
        match error {
            IntegrationError::NotFound => Self::not_found("Alert endpoint"),
            IntegrationError::IdentifierTaken => Self::conflict(&error.to_string()),
            IntegrationError::Store(store) => Self::storage_failure(store.is_retryable()),
            IntegrationError::Name
            | IntegrationError::TooMany
            | IntegrationError::Predefined
            | IntegrationError::Settings(_) => Self::bad_request(&error.to_string()),
        }
    }
}

/// New values of an endpoint. A value that is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IntegrationUpdate {
    /// Display name.
    pub name: Option<String>,
    /// True if the endpoint accepts alerts.
    pub active: Option<bool>,
    /// Labels that do not distinguish alerts, all of them.
    pub ignored_labels: Option<Vec<String>>,
    /// Severities of the sender's words, all of them.
    pub severities: Option<SeverityTable>,
    /// Places of the alert's fields in a payload, all of them.
    pub mapping: Option<FieldMapping>,
    /// True if a lower severity in a newer report lowers that of an open alert.
    pub lowers_severity: Option<bool>,
    /// Minutes without a report after which an open alert counts as stale; `Some(None)` for never.
    pub stale_after: Option<Option<u32>>,
    /// Largest number of requests in a minute; `Some(None)` for any number.
    pub requests_per_minute: Option<Option<u32>>,
    /// True if the key also reads alerts and manages silences.
    pub key_manages: Option<bool>,
    /// Seconds between two heartbeats; `Some(None)` for an endpoint that takes alerts.
    pub heartbeat_interval: Option<Option<u32>>,
    /// Seconds for which a heartbeat may be late, where one is expected.
    pub heartbeat_grace: Option<u32>,
}

impl IntegrationUpdate {
    /// Returns these settings with the new values.
    #[must_use]
    pub fn settings(&self, before: &IntegrationSettings) -> IntegrationSettings {
        let before = before.clone();
        IntegrationSettings {
            ignored_labels: self.ignored_labels.clone().unwrap_or(before.ignored_labels),
            severities: self.severities.clone().unwrap_or(before.severities),
            mapping: self.mapping.clone().unwrap_or(before.mapping),
            lowers_severity: self.lowers_severity.unwrap_or(before.lowers_severity),
            stale_after: self.stale_after.unwrap_or(before.stale_after),
            requests_per_minute: self
                .requests_per_minute
                .unwrap_or(before.requests_per_minute),
            key_manages: self.key_manages.unwrap_or(before.key_manages),
            heartbeat: self.heartbeat(before.heartbeat),
        }
    }
}

impl IntegrationUpdate {
    /// Returns the rule of the heartbeat with the new values. Without a grace, a heartbeat may be late by its interval.
    fn heartbeat(&self, before: Option<HeartbeatRule>) -> Option<HeartbeatRule> {
        let known = before.map(|rule| rule.interval);
        let interval = self.heartbeat_interval.unwrap_or(known)?;
        let grace = self.heartbeat_grace.or(before.map(|rule| rule.grace));
        Some(HeartbeatRule {
            interval,
            grace: grace.unwrap_or(interval),
        })
    }
}

/// Lists the endpoints of a project in the order of their creation.
///
/// # Errors
/// Failures of the store.
pub fn list<R: crate::store::AlertQueries + ?Sized>(
    repos: &mut R,
    project: ProjectId,
) -> Result<Vec<Integration>, StoreError> {
    let mut found = repos.list_integrations(project, MAX_INTEGRATIONS)?;
    found.sort_by_key(|endpoint| endpoint.id);
    Ok(found)
}

/// Returns the endpoint of a project with this id.
///
/// # Errors
/// [`IntegrationError::NotFound`], or failures of the store.
pub fn find<R: crate::store::AlertQueries + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    id: IntegrationId,
) -> Result<Integration, IntegrationError> {
    let mut endpoints = list(repos, project)?.into_iter();
    endpoints
        .find(|endpoint| endpoint.id == id)
        .ok_or(IntegrationError::NotFound)
}

/// Creates an endpoint, and returns it. White space around its name is removed.
///
/// # Errors
/// See [`IntegrationError`].
pub fn create<R: AlertRepository + ?Sized>(
    repos: &mut R,
    request: &NewIntegration,
) -> Result<Integration, IntegrationError> {
    let new = NewIntegration {
        name: checked_name(&request.name)?,
        ..request.clone()
    };
    new.settings.validate(new.source)?;
    // Without the lock, two concurrent requests could both create the last endpoint.
    repos.lock_alerts(&[new.project_id])?;
    if list(repos, new.project_id)?.len() >= MAX_INTEGRATIONS {
        return Err(IntegrationError::TooMany);
    }
    match repos.insert_integration(&new)? {
        InsertIntegration::IdentifierTaken => Err(IntegrationError::IdentifierTaken),
        InsertIntegration::Inserted(id) => find(repos, new.project_id, id),
    }
}

/// Updates an endpoint, and returns it before and after.
///
/// # Errors
/// See [`IntegrationError`].
pub fn update<R: AlertRepository + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    id: IntegrationId,
    update: &IntegrationUpdate,
) -> Result<(Integration, Integration), IntegrationError> {
    // The lock keeps two concurrent updates of different values from undoing each other.
    repos.lock_alerts(&[project])?;
    let before = find(repos, project, id)?;
    let name = update.name.as_deref().map(checked_name).transpose()?;
    let settings = update.settings(&before.settings);
    if update.heartbeat_grace.is_some() && settings.heartbeat.is_none() {
        return Err(SettingsError::GraceAlone.into());
    }
    settings.validate(before.source)?;
    let details = IntegrationChange::Details {
        name: name.unwrap_or_else(|| before.name.clone()),
        active: update.active.unwrap_or(before.active),
        settings,
    };
    let after = repos.update_integration(project, &before.endpoint_identifier, details)?;
    let after = after.ok_or(IntegrationError::NotFound)?;
    if before.settings.heartbeat.is_some() && after.settings.heartbeat.is_none() {
        repos.delete_heartbeat(project, id)?;
    }
    Ok((before, after))
}

/// Sets a new key for an endpoint, and returns the endpoint. The old key is valid for `grace_seconds` more, which is cut
/// to 0 to [`MAX_GRACE_SECONDS`].
///
/// # Errors
/// See [`IntegrationError`].
pub fn rotate_key<R: AlertRepository + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    id: IntegrationId,
    key: SecretDigest,
    grace_seconds: i64,
    now: Timestamp,
) -> Result<Integration, IntegrationError> {
    repos.lock_alerts(&[project])?;
    let before = find(repos, project, id)?;
    let grace_seconds = grace_seconds.clamp(0, MAX_GRACE_SECONDS);
    let retired = (grace_seconds > 0).then(|| RetiredKey {
        key: before.key,
        valid_until: now.plus_seconds(grace_seconds),
    });
    let change = IntegrationChange::Key { key, retired };
    let after = repos.update_integration(project, &before.endpoint_identifier, change)?;
    after.ok_or(IntegrationError::NotFound)
}

/// Deletes an endpoint, and returns it. Its alerts and receipts stay.
///
/// # Errors
/// See [`IntegrationError`].
pub fn delete<R: AlertRepository + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    id: IntegrationId,
) -> Result<Integration, IntegrationError> {
    let found = find(repos, project, id)?;
    if found.is_predefined() {
        return Err(IntegrationError::Predefined);
    }
    if repos.delete_integration(project, &found.endpoint_identifier)? {
        Ok(found)
    } else {
        Err(IntegrationError::NotFound)
    }
}

fn checked_name(name: &str) -> Result<String, IntegrationError> {
    let name = name.trim();
    let is_bounded = (1..=Integration::MAX_NAME).contains(&name.chars().count());
    let is_shown = !name.chars().any(char::is_control);
    (is_bounded && is_shown)
        .then(|| name.to_owned())
        .ok_or(IntegrationError::Name)
}
