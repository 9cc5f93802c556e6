//! Error tracking settings: turning it on and off, and choosing the source of errors.

use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::ids::ProjectId;
use api_conventions::page::OffsetPage;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::keys::create_client_key;
use crate::external::{ApiUrl, ApiUrlError};
use crate::model::{ExternalTracker, Options, Settings};
use crate::store::SettingsRepository;

/// Change of settings.
/// `None` leaves a value unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SettingsChange {
    /// True to turn error tracking on.
    pub active: Option<bool>,
    /// True to collect errors on this server.
    pub integrated: Option<bool>,
    /// Change of the external tracker.
    pub external: Option<ExternalChange>,
    /// New options.
    pub options: Option<Options>,
}

/// Change of the external tracker.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExternalChange {
    /// Address of the project in the tracker's API.
    pub api_url: Option<String>,
    /// Display name of the project.
    pub project_name: Option<String>,
    /// New token, sealed by the host.
    /// Without one the old token stays, unless the address changes: a token is sent only to the tracker that it was
    /// given for.
    pub token: Option<Vec<u8>>,
}

/// Behaviour for a project that has no settings yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnMissingSettings {
    /// The settings are created (`PUT`).
    Create,
    /// The settings must exist (`PATCH`).
    Refuse,
}

/// Reason why settings are not changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsRefusal {
    /// The project has no settings.
    #[error("the project has no error tracking settings")]
    NotFound,
    /// The settings are not valid.
    #[error("the settings are invalid")]
    Invalid(ValidationFailures),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Response for a project without settings (`404 Error Tracking Setting Not Found`).
pub fn not_found() -> ApiError {
    ApiError::not_found("Error Tracking Setting")
}

/// Changes the settings of a project.
/// Creates the first client key from `random` if errors are collected here from now on and no key is active.
///
/// # Errors
/// See [`SettingsRefusal`].
pub fn change_settings<R: SettingsRepository + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    change: &SettingsChange,
    without: OnMissingSettings,
    random: [u8; 16],
    now: Timestamp,
) -> Result<Settings, SettingsRefusal> {
    let (locked, is_stored) = repos.lock_error_settings(project)?;
    if !is_stored && without == OnMissingSettings::Refuse {
        return Err(SettingsRefusal::NotFound);
    }
    let settings = changed(&locked, change);
    let failures = faults(&settings);
    if !failures.is_empty() {
        return Err(SettingsRefusal::Invalid(failures));
    }
    // The errors of another project have other numbers.
    if settings.external.api_url != locked.external.api_url {
        repos.delete_external_links(&locked)?;
    }
    repos.put_error_settings(locked, &settings)?;
    if settings.collects() && !has_active_key(repos, project)? {
        create_client_key(repos, project, random, now)?;
    }
    Ok(settings)
}

fn changed(before: &Settings, change: &SettingsChange) -> Settings {
    let external = change.external.as_ref();
    Settings {
        project_id: before.project_id,
        active: change.active.unwrap_or(before.active),
        integrated: change.integrated.unwrap_or(before.integrated),
        external: external.map_or_else(
            || before.external.clone(),
            |change| changed_tracker(&before.external, change),
        ),
        options: change
            .options
            .clone()
            .unwrap_or_else(|| before.options.clone()),
    }
}

fn changed_tracker(before: &ExternalTracker, change: &ExternalChange) -> ExternalTracker {
    let is_there = |text: &String| !text.trim().is_empty();
    let api_url = change.api_url.clone().filter(is_there);
    let is_same = api_url == before.api_url;
    let kept = || before.token.clone().filter(|_| is_same);
    ExternalTracker {
        api_url,
        project_name: change.project_name.clone().filter(is_there),
        token: change.token.clone().or_else(kept),
    }
}

/// Validation failures of settings.
fn faults(settings: &Settings) -> ValidationFailures {
    let mut failures = ValidationFailures::default();
    let external = &settings.external;
    match external.api_url.as_deref().map(ApiUrl::parse) {
        Some(Err(fault @ ApiUrlError::ProjectMissing)) => {
            failures.add("project", fault.to_string());
        }
        Some(Err(fault)) => failures.add("api_url", fault.to_string()),
        None if settings.is_external() => failures.add("api_url", REQUIRED),
        Some(Ok(_)) | None => {}
    }
    if settings.is_external() && external.token.is_none() {
        failures.add("token", REQUIRED);
    }
    let options = &settings.options;
    let mut within = |attribute: &str, value: u64, (least, most): (u64, u64)| {
        if !(least..=most).contains(&value) {
            failures.add(attribute, format!("must be between {least} and {most}"));
        }
    };
    within(
        "events_per_minute",
        options.events_per_minute.into(),
        (1, Options::MAX_PER_MINUTE.into()),
    );
    if let Some(most) = options.error_events_per_minute {
        within(
            "error_events_per_minute",
            most.into(),
            (1, Options::MAX_PER_MINUTE.into()),
        );
    }
    within(
        "retention_days",
        options.retention_days.into(),
        (1, Options::MAX_DAYS.into()),
    );
    within(
        "events_per_error",
        options.events_per_error.into(),
        (20, Options::MAX_EVENTS.into()),
    );
    failures
}

const REQUIRED: &str = "is a required field";

fn has_active_key<R: SettingsRepository + ?Sized>(
    repos: &mut R,
    project: ProjectId,
) -> Result<bool, StoreError> {
    let mut page = 1;
    loop {
        let keys = repos.list_client_keys(project, OffsetPage::new(page, 100))?;
        if keys.items.iter().any(|key| key.active) {
            return Ok(true);
        }
        if !keys.has_next {
            return Ok(false);
        }
        page += 1;
    }
}
